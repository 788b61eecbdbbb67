//! Lowering of an agent's `d_proxy`: the two agents, and whether flows pass both.

use skywave_core::agent::LocalTimeout;
use skywave_core::agent::{DownstreamConfig, UpstreamConfig};
use skywave_sim::network::{Passes, Router, passes};
use skywave_sim::spec::{AgentSpec, FlowSpec};

use crate::lower::Network;
use crate::model::d_proxy::{DProxyModel, DProxySettingsModel};
use crate::read::fault::Fault;
use crate::read::spanned::Spanned;

/// The settings, if there are agents.
pub(crate) fn of(model: Option<&Spanned<DProxyModel>>) -> Option<&DProxySettingsModel> {
    match model.map(|model| &model.value) {
        Some(DProxyModel::Settings(settings)) => Some(settings),
        Some(DProxyModel::Preset(_)) | None => None,
    }
}

/// The two agents, which stand at `at` and at `to`. `clamped` are the flows with agents of L²CLAMP.
pub(crate) fn lower(
    network: &Network,
    (at, to): (usize, usize),
    settings: &DProxySettingsModel,
    flows: &[FlowSpec],
    clamped: &[usize],
) -> Result<[AgentSpec; 2], Fault> {
    let mut router = network.router();
    let mut is_passed = false;
    for (index, flow) in flows.iter().enumerate() {
        match passes(&mut router, (at, to), flow) {
            Passes::No => continue,
            Passes::DataOnly => return Err(no_way_back(network, (at, to), settings, flow)),
            Passes::Both => is_passed = true,
        }
        let name = &flow.name;
        if clamped.contains(&index) {
            return Err(settings
                .to
                .fault(format!(
                    "D-Proxy does not go with the `l2clamp` of `{name}`"
                ))
                .label("what it holds would be acknowledged before it has arrived"));
        }
        if !flow.way().tunnels.is_empty() {
            return Err(settings
                .to
                .fault(format!("D-Proxy does not go with the `tunnel` of `{name}`"))
                .label("its agents would have to look into the packets inside"));
        }
    }
    if !is_passed {
        return Err(nothing_passes(
            network,
            &mut router,
            (at, to),
            settings,
            flows,
        ));
    }
    let (upstream, downstream) = (UpstreamConfig::default(), DownstreamConfig::default());
    let retry = settings.retry.as_ref();
    Ok(AgentSpec::d_proxy(
        (
            at,
            UpstreamConfig {
                cache: settings.cache.map_or(upstream.cache, |size| size.0),
                in_queue: settings.in_queue.unwrap_or(upstream.in_queue),
            },
        ),
        (
            to,
            DownstreamConfig {
                buffer: settings.buffer.map_or(downstream.buffer, |size| size.0),
                hold: settings.hold.map_or(downstream.hold, |time| time.0),
                retry: LocalTimeout {
                    rtts: retry
                        .and_then(|retry| retry.rtts)
                        .map_or(downstream.retry.rtts, |n| n.0),
                    min: retry
                        .and_then(|retry| retry.min)
                        .map_or(downstream.retry.min, |time| time.0),
                },
            },
        ),
    ))
}

fn no_way_back(
    network: &Network,
    (at, to): (usize, usize),
    settings: &DProxySettingsModel,
    flow: &FlowSpec,
) -> Fault {
    let (at, to) = (&network.nodes[at], &network.nodes[to]);
    settings
        .to
        .fault(format!(
            "the ACKs of `{}` do not pass `{to}` and then `{at}`",
            flow.name
        ))
        .label("what it asks for would have no way")
}

fn nothing_passes(
    network: &Network,
    router: &mut Router,
    (at, to): (usize, usize),
    settings: &DProxySettingsModel,
    flows: &[FlowSpec],
) -> Fault {
    let (from, until) = (&network.nodes[at], &network.nodes[to]);
    let fault = settings.to.fault(format!(
        "no flow of TCP has data that pass `{from}` and then `{until}`"
    ));
    let other = flows
        .iter()
        .find(|flow| passes(router, (to, at), flow) != Passes::No);
    match other {
        Some(flow) => fault.label(format!("the data of `{}` go the other way", flow.name)),
        None => fault.label("the agents would see no packet"),
    }
}
