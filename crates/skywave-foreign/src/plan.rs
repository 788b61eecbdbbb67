//! From a specification to who sends what over which links, or why not.

use skywave_core::Time;
use skywave_sim::Spec;
use skywave_sim::network::{Router, edges};
use skywave_sim::spec::{FlowSpec, Traffic};

use crate::host::Supply;
use crate::refused::Refused;
use crate::sender::Sender;

/// A flow that a library carries.
pub(crate) struct Planned<'a> {
    pub(crate) sender: &'a Sender,
    pub(crate) supply: Supply,
    /// Links of the data and of what comes back, as indices.
    pub(crate) ways: [Vec<usize>; 2],
}

/// Gives each flow its sender.
pub(crate) fn plan<'a>(
    spec: &Spec,
    senders: &'a [(usize, Sender)],
) -> Result<Vec<Planned<'a>>, Refused> {
    let has = [
        (spec.radio.is_some(), "a radio network"),
        (!spec.proxies.is_empty(), "a proxy that splits a flow"),
        (!spec.agents.is_empty(), "an agent on the way"),
    ];
    if let Some((_, what)) = has.into_iter().find(|(is_there, _)| *is_there) {
        return Err(Refused::Has(what));
    }
    let flows = spec.flows.len();
    if let Some((number, _)) = senders.iter().find(|(number, _)| *number >= flows) {
        let number = *number;
        return Err(Refused::NoFlow { number, flows });
    }
    let mut router = Router::new(edges(&spec.links, &[]), spec.nodes.len());
    let each = spec.flows.iter().enumerate().map(|(number, flow)| {
        let named = senders.iter().find(|(whose, _)| *whose == number);
        let (_, sender) = named.ok_or_else(|| Refused::OwnFlow {
            flow: flow.name.to_string(),
        })?;
        Ok(Planned {
            sender,
            supply: supply(flow, spec.duration)?,
            ways: ways(flow, &mut router)?,
        })
    });
    each.collect()
}

fn supply(flow: &FlowSpec, end: Time) -> Result<Supply, Refused> {
    let refused = |traffic| {
        Err(Refused::Traffic {
            flow: flow.name.to_string(),
            traffic,
        })
    };
    let left = match flow.traffic {
        Traffic::Ftp => None,
        Traffic::Bytes(bytes) => Some(bytes),
        Traffic::Cbr { .. } => return refused("at a constant rate"),
        Traffic::OnOff { .. } => return refused("in bursts"),
        Traffic::Requests { .. } => return refused("one transfer after another"),
    };
    Ok(Supply {
        start: flow.start,
        left,
        stop: flow.stop.filter(|stop| *stop < end),
    })
}

fn ways(flow: &FlowSpec, router: &mut Router) -> Result<[Vec<usize>; 2], Refused> {
    let way = flow.way();
    let has = [
        (!way.tunnels.is_empty(), "a tunnel"),
        (
            !way.outages.is_empty(),
            "outages that its receiver announces",
        ),
    ];
    if let Some((_, has)) = has.into_iter().find(|(is_there, _)| *is_there) {
        let flow = flow.name.to_string();
        return Err(Refused::Way { flow, has });
    }
    let mut route = |from, via: &[usize], to| {
        let found = router.route(from, via, to);
        let links = found.map(|links| links.into_iter().map(|link| link as usize).collect());
        links.map_err(|why| Refused::NoRoute {
            flow: flow.name.to_string(),
            why,
        })
    };
    Ok([
        route(flow.from, &way.via, flow.to)?,
        route(flow.to, &way.reverse_via, flow.from)?,
    ])
}
