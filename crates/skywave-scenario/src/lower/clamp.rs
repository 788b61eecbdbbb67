//! Lowering of a flow's `l2clamp`: whether its last hop is one of 802.11.

use skywave_sim::network::Router;
use skywave_sim::spec::{FlowSpec, Transport};

use crate::lower::flow::of_models;
use crate::lower::{Network, proxy};
use crate::model::flow::FlowModel;
use crate::read::fault::Fault;
use crate::read::spanned::Spanned;
use crate::read::tree::Span;

/// The flows with agents of L²CLAMP, when links, stations and flows are there.
pub(crate) fn all(
    network: &Network,
    models: &[Spanned<FlowModel>],
    flows: &[FlowSpec],
) -> Result<Vec<usize>, Fault> {
    let mut clamped = Vec::new();
    let mut router = None;
    for (model, own) in of_models(models)? {
        let Some(wanted) = model.l2clamp.as_ref().filter(|wanted| wanted.value) else {
            continue;
        };
        for flow in own {
            let router = router.get_or_insert_with(|| network.router());
            if matches!(flows[flow].transport, Transport::Wtcp { .. }) {
                continue; // it ignores what is of TCP only
            }
            check(network, router, (model, &flows[flow]), &wanted.span)?;
            clamped.push(flow);
        }
    }
    Ok(clamped)
}

fn check(
    network: &Network,
    router: &mut Router,
    (model, flow): (&FlowModel, &FlowSpec),
    span: &Span,
) -> Result<(), Fault> {
    let fault = |message: &str, label: &str| {
        let fault = Fault::new(span.clone(), format!("`l2clamp` {message}"));
        Err(fault.label(label))
    };
    let Transport::Tcp(config) = &flow.transport else {
        return fault("is for TCP only", "it makes TCP's acknowledgements");
    };
    if network.stations.is_empty() {
        return fault(
            "needs a radio network, whose MAC acknowledges frames",
            "there is no [radio]",
        );
    }
    if proxy::of(model).is_some() {
        return fault(
            "does not go with a proxy",
            "it needs a receiver whose window stays as it is",
        );
    }
    if model.tunnel.is_some() {
        return fault(
            "does not go with `tunnel`",
            "an agent would have to look into the packets inside",
        );
    }
    let told = [
        ("ecn", config.ecn),
        ("eln", config.eln),
        ("hints", config.hints),
    ];
    if let Some((key, _)) = told.iter().find(|(_, on)| *on) {
        return fault(
            &format!("does not go with `{key}`"),
            "only the receiver knows what the way has written on data",
        );
    }
    let is_air = |edge: Option<&u32>| edge.is_some_and(|&e| e as usize >= network.links.len());
    // That there are ways has been checked before.
    let way = flow.way();
    let there = router.route(flow.from, &way.via, flow.to);
    let there = is_air(there.unwrap_or_default().last());
    let back = router.route(flow.to, &way.reverse_via, flow.from);
    let back = is_air(back.unwrap_or_default().first());
    if there && back {
        return Ok(());
    }
    let what = if there { "ACKs begin" } else { "data end" };
    let name = &network.nodes[flow.to];
    fault(
        &format!("needs a last hop of 802.11, but the {what} on a wired link at `{name}`"),
        "no MAC acknowledges there",
    )
}
