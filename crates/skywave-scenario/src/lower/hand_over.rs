//! Lowering of a proxy's `hand_overs`: where it moves, the flows that carry its state there, and whether there are ways.

use skywave_core::Time;
use skywave_sim::network::{Passes, Router, passes};
use skywave_sim::spec::{AgentSpec, FlowSpec, HandOver, ProxySpec, Traffic};

use crate::lower::flow::of_models;
use crate::lower::{Network, proxy, run_ends};
use crate::model::OneOrMany;
use crate::model::flow::FlowModel;
use crate::model::proxy::{HandOverModel, ProxySettingsModel};
use crate::read::fault::Fault;
use crate::read::spanned::Spanned;

/// The hand-overs of a proxy.
pub(crate) fn models(settings: &ProxySettingsModel) -> &[Spanned<HandOverModel>] {
    let hand_overs = settings.hand_overs.as_ref();
    hand_overs.map_or(&[], OneOrMany::as_slice)
}

/// Lowers the hand-overs of a proxy that is at `node` first and splits `flow`, whose index is `near`. Returns the flows
/// that carry its state too.
pub(crate) fn lower(
    network: &Network,
    router: &mut Router,
    models: &[Spanned<HandOverModel>],
    flow: &FlowSpec,
    (mut node, near): (usize, usize),
    end: Time,
) -> Result<(Vec<HandOver>, Vec<FlowSpec>), Fault> {
    let (mut hand_overs, mut states) = (Vec::new(), Vec::new());
    for (place, model) in models.iter().enumerate() {
        let before = hand_overs.last();
        let at = time(&model.value, flow, before, end)?;
        let to = network.find_node(&model.value.to.value, &model.value.to.span)?;
        check_ways(network, router, &model.value, flow, (node, to))?;
        let number = match place {
            0 => String::new(),
            more => (more + 1).to_string(),
        };
        hand_overs.push(HandOver {
            at,
            to,
            state: near + 2 + place,
        });
        states.push(FlowSpec {
            name: format!("{}.state{number}", flow.name).into(),
            from: node,
            to,
            traffic: Traffic::Ftp,
            start: at,
            stop: None,
            ..flow.clone()
        });
        node = to;
    }
    Ok((hand_overs, states))
}

/// When a hand-over is, after the one `before` it.
fn time(
    model: &HandOverModel,
    flow: &FlowSpec,
    before: Option<&HandOver>,
    end: Time,
) -> Result<Time, Fault> {
    let at = Time::ZERO + model.at.value.0;
    let fault = |message: &str, label: String| Err(model.at.fault(message).label(label));
    if let Some(before) = before
        && at <= before.at
    {
        let label = format!("the one before is at {}s", before.at.as_secs_f64());
        return fault("`hand_overs` must be in order of time", label);
    }
    if at <= flow.start {
        let label = format!("the flow starts at {}s", flow.start.as_secs_f64());
        return fault("`at` must be after the start of the flow", label);
    }
    if at >= end {
        return fault("`at` must be before the end of the run", run_ends(end));
    }
    Ok(at)
}

/// Refuses a node that a proxy of `flow`, which is at another one, cannot move to.
fn check_ways(
    network: &Network,
    router: &mut Router,
    model: &HandOverModel,
    flow: &FlowSpec,
    (node, to): (usize, usize),
) -> Result<(), Fault> {
    let name = &model.to.value;
    let fault = |message: String| model.to.fault(message);
    if to == flow.from || to == flow.to {
        let fault = fault(format!("`{name}` is an end of this flow"));
        return Err(fault.label("a proxy stands between the ends"));
    }
    if to == node {
        let fault = fault(format!("the proxy is at `{name}` by then"));
        return Err(fault.label("it moves to another node"));
    }
    let [source, destination] = [flow.from, flow.to];
    for (a, b) in [(source, to), (to, destination), (node, to)] {
        for (from, until) in [(a, b), (b, a)] {
            let [first, last] = [from, until].map(|node| &network.nodes[node]);
            let Ok(path) = router.route(from, &[], until) else {
                let fault = fault(format!("no way leads from `{first}` to `{last}`"));
                return Err(fault.label("out of reach").help(
                    "ways lead from the source to this node, from there to the destination, and from where the proxy is, \
                     and all of them back",
                ));
            };
            let mut passed = path.iter().map(|&edge| router.edge(edge).to);
            let through =
                passed.find(|passed| *passed != until && [source, destination].contains(passed));
            if let Some(through) = through {
                let through = &network.nodes[through];
                let fault = fault(format!(
                    "the way from `{first}` to `{last}` passes `{through}`, an end of this flow"
                ));
                return Err(fault
                    .label("the flow's own host would carry what is for another")
                    .help("add a [[link]] that leads past it; of ways with equally many hops the one of the first links is taken"));
            }
        }
    }
    Ok(())
}

/// Refuses agents on the ways of flows with hand-overs: they know a connection by where it passes them.
pub(crate) fn check_agents(
    network: &Network,
    models: &[Spanned<FlowModel>],
    (flows, proxies): (&[FlowSpec], &[ProxySpec]),
    agents: &[AgentSpec],
) -> Result<(), Fault> {
    if agents.is_empty() || proxies.iter().all(|proxy| proxy.hand_overs.is_empty()) {
        return Ok(());
    }
    let mut router = network.router();
    for (model, own) in of_models(models)? {
        let hand_overs = proxy::of(model).map_or(&[][..], self::models);
        let Some(hand_over) = hand_overs.first() else {
            continue;
        };
        let split = proxies.iter().filter(|proxy| own.contains(&proxy.near));
        for proxy in split {
            let first = [proxy.near, proxy.far].map(|half| flows[half].clone());
            let moved = proxy.moved_halves(flows).map(|(_, half)| half);
            for half in first.into_iter().chain(moved) {
                let met = agents.iter().find(|agent| meets(&mut router, agent, &half));
                if let Some(agent) = met {
                    let name = &network.nodes[agent.node];
                    let message = format!(
                        "`hand_overs` does not go with the agent at `{name}`, which is on a way of this flow"
                    );
                    let help =
                        "a flow with hand-overs passes no [[agent]], neither before nor after them";
                    return Err(hand_over
                        .fault(message)
                        .label("it would lose sight of the connections")
                        .help(help));
                }
            }
        }
    }
    Ok(())
}

/// Whether packets of a flow pass an agent.
fn meets(router: &mut Router, agent: &AgentSpec, flow: &FlowSpec) -> bool {
    if let Some(pair) = agent.pair() {
        return passes(router, pair, flow) == Passes::Both;
    }
    let mut between = |from, to| {
        let path = router.route(from, &[], to).unwrap_or_default();
        let mut passed = path.iter().map(|&edge| router.edge(edge).to);
        passed.any(|node| node == agent.node && node != to)
    };
    between(flow.from, flow.to) || between(flow.to, flow.from)
}
