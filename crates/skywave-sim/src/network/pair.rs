//! Flows that pass the two agents of a pair.

use super::Router;
use crate::spec::{FlowSpec, Transport};

/// Order in which a flow's data and ACKs pass two nodes, such as those of D-Proxy's two agents, as [`passes`] finds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passes {
    /// The flow's data pass the first node before the second, and its ACKs the second before the first.
    Both,
    /// The flow's data pass the first node before the second, but its ACKs do not pass the second before the first.
    DataOnly,
    /// The flow's data do not pass the first node before the second, or the flow is not of TCP, or its data have no
    /// route.
    No,
}

/// Finds whether a TCP flow's data pass node `before` and later node `after`, and its ACKs pass the two in reverse:
/// [`Passes::Both`] if both do, [`Passes::DataOnly`] if only data do; else, and for other flows, [`Passes::No`].
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
