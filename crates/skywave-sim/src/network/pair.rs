//! Flows that pass the two agents of a pair.

use super::Router;
use crate::spec::{FlowSpec, Transport};

/// Order in which a flow's data and ACKs pass two nodes, such as those of D-Proxy's two agents, as [`passes`] finds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passes {
    /// The flow's data pass one node before the other, and its ACKs the other way round.
    Both,
    /// The flow's data pass one node before the other, but its ACKs do not pass both the other way
    /// round.
    DataOnly,
    /// The flow's data do not pass both nodes in this order, or the flow is not of TCP, or there is no route.
    No,
}

/// Test of a TCP flow's routes: whether its data pass node `before` and later node `after`, and its ACKs the two in reverse;
/// [`Passes::No`] for a flow that is not of TCP.
pub fn passes(router: &mut Router, (before, after): (usize, usize), flow: &FlowSpec) -> Passes {
    if !matches!(flow.transport, Transport::Tcp(_)) {
        return Passes::No;
    }
    let way = flow.way();
    let mut in_order = |from, via: &[usize], to, first, then| {
        let Ok(route) = router.route(from, via, to) else {
            return false;
        };
        let ends = route.iter().map(|&edge| router.edge(edge).to);
        let nodes: Vec<usize> = std::iter::once(from).chain(ends).collect();
        let place = |node| nodes.iter().position(|&passed| passed == node);
        matches!((place(first), place(then)), (Some(first), Some(then)) if first < then)
    };
    if !in_order(flow.from, &way.via, flow.to, before, after) {
        Passes::No
    } else if in_order(flow.to, &way.reverse_via, flow.from, after, before) {
        Passes::Both
    } else {
        Passes::DataOnly
    }
}
