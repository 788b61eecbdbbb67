//! Lowering of `[[agent]]`.

use std::collections::BTreeSet;

use skywave_core::agent::LocalTimeout;
use skywave_core::agent::SnoopConfig;
use skywave_sim::spec::{AgentSpec, FlowSpec};

use crate::lower::route::there_and_back;
use crate::lower::{Network, d_proxy};
use crate::model::agent::{
    AgentModel, SnoopModel, SnoopPresetModel, SnoopSettingsModel, SnoopTimeoutModel,
};
use crate::model::number::Count;
use crate::read::fault::Fault;
use crate::read::spanned::Spanned;

/// More nodes than a message lists.
const MAX_LISTED: usize = 30;

/// Lowers all agents, when links and flows are there. `clamped` are the flows with agents of L²CLAMP.
pub(crate) fn all(
    network: &Network,
    models: &[Spanned<AgentModel>],
    flows: &[FlowSpec],
    clamped: &[usize],
) -> Result<Vec<AgentSpec>, Fault> {
    if models.is_empty() {
        return Ok(Vec::new());
    }
    let passed = passed(network, flows);
    let mut agents: Vec<AgentSpec> = Vec::new();
    let mut taken = BTreeSet::new();
    let mut take = |at: &Spanned<String>| {
        let node = network.find_node(&at.value, &at.span)?;
        if taken.insert(node) {
            return Ok(node);
        }
        let message = format!("there are two agents at `{}`", at.value);
        Err(at.fault(message).label("the second one"))
    };
    for agent in models {
        let model = &agent.value;
        let at = &model.at;
        let node = take(at)?;
        if model.snoop.is_none() && model.d_proxy.is_none() {
            let message = format!("the agent at `{}` does nothing", at.value);
            return Err(agent
                .fault(message)
                .label("this needs `snoop` or `d_proxy`"));
        }
        // Where there is no agent, a proxy may end all flows that would pass.
        let snoop = model.snoop.as_ref().and_then(|m| lower_snoop(&m.value));
        if let Some(settings) = d_proxy::of(model.d_proxy.as_ref()) {
            let to = &settings.to;
            if snoop.is_some() {
                let message = "an agent is of Snoop or of D-Proxy, but not of both";
                return Err(to.fault(message).label("it has `snoop` already"));
            }
            let pair = (node, take(to)?);
            agents.extend(d_proxy::lower(network, pair, settings, flows, clamped)?);
        }
        if let Some(snoop) = snoop {
            if !passed.contains(&node) {
                return Err(nothing_passes(network, node, at, &passed, flows));
            }
            agents.push(AgentSpec::snoop(node, snoop));
        }
    }
    Ok(agents)
}

/// The nodes between the ends of some flow.
fn passed(network: &Network, flows: &[FlowSpec]) -> BTreeSet<usize> {
    let mut router = network.router();
    let mut passed = BTreeSet::new();
    for flow in flows {
        let ends = [flow.from, flow.to];
        for edge in there_and_back(&mut router, flow) {
            let node = router.edge(edge).to;
            if !ends.contains(&node) {
                passed.insert(node);
            }
        }
    }
    passed
}

fn nothing_passes(
    network: &Network,
    node: usize,
    at: &Spanned<String>,
    passed: &BTreeSet<usize>,
    flows: &[FlowSpec],
) -> Fault {
    let name = &at.value;
    let fault = at.fault(format!("no flow passes through `{name}`"));
    let fault = match flows
        .iter()
        .find(|flow| flow.from == node || flow.to == node)
    {
        Some(flow) => fault.label(format!("this is an end of `{}`", flow.name)),
        None => fault.label("the agent would see no packet"),
    };
    let names: Vec<&str> = passed
        .iter()
        .map(|&node| network.nodes[node].as_str())
        .collect();
    match names.len() {
        0 => fault.help("an agent sits between the ends of a flow, and no flow has a node there"),
        n if n > MAX_LISTED => fault,
        _ => fault.help(format!("flows pass through {}", names.join(", "))),
    }
}

pub(super) fn lower_snoop(model: &SnoopModel) -> Option<SnoopConfig> {
    let default = SnoopConfig::default();
    match model {
        SnoopModel::Preset(SnoopPresetModel::None) => None,
        SnoopModel::Preset(SnoopPresetModel::Wtcp) => Some(default),
        SnoopModel::Preset(SnoopPresetModel::Original) => Some(SnoopConfig::original()),
        SnoopModel::Settings(SnoopSettingsModel {
            dupacks,
            cache,
            in_queue,
            timeout,
        }) => Some(SnoopConfig {
            dupacks: dupacks.map_or(default.dupacks, Count::saturating),
            cache: cache.map(|packets| packets.0),
            in_queue: in_queue.unwrap_or(default.in_queue),
            timeout: timeout.as_ref().and_then(lower_timeout),
        }),
    }
}

fn lower_timeout(model: &SnoopTimeoutModel) -> Option<LocalTimeout> {
    let SnoopTimeoutModel::Settings(model) = model else {
        return None;
    };
    let default = LocalTimeout::default();
    Some(LocalTimeout {
        rtts: model.rtts.map_or(default.rtts, |n| n.0),
        min: model.min.map_or(default.min, |time| time.0),
    })
}
