//! Lowering of a flow's `proxy`: one flow becomes two halves.

use std::collections::BTreeSet;
use std::sync::Arc;

use skywave_core::Time;
use skywave_core::proxy::{
    EndToEnd, Paced, ProxyConfig, Spaced, TowardsDestination, TowardsSource,
};
use skywave_core::tcp::TcpConfig;
use skywave_sim::network::Router;
use skywave_sim::spec::{FlowSpec, HandOver, ProxySpec, Traffic, Transport};

use crate::lower::custom::CustomMembers;
use crate::lower::{Network, hand_over, route, tcp};
use crate::model::flow::FlowModel;
use crate::model::proxy::{
    ProxyModel, ProxySettingsModel, TowardsDestinationModel, TowardsDestinationPresetModel,
    TowardsDestinationSettingsModel, TowardsSourceModel, TowardsSourcePresetModel,
    TowardsSourceSettingsModel,
};
use crate::read::fault::Fault;

/// Bytes that a proxy holds if nothing is said of them: the window of TCP without scaling.
const BUFFER: u32 = 65_536;

/// The proxy of a flow, if it has one.
pub(crate) fn of(model: &FlowModel) -> Option<&ProxySettingsModel> {
    match model.proxy.as_ref().map(|proxy| &proxy.value) {
        Some(ProxyModel::Settings(settings)) => Some(settings),
        Some(ProxyModel::Preset(_)) | None => None,
    }
}

/// Flows that a copy of this one is besides itself: the other half, and those that carry the proxy's state.
pub(crate) fn further_flows(model: &FlowModel) -> usize {
    of(model).map_or(0, |settings| 1 + hand_over::models(settings).len())
}

/// A flow's proxy, lowered as far as it is the same for all copies of the flow.
pub(crate) struct Proxy<'a> {
    settings: &'a ProxySettingsModel,
    buffer: u32,
    config: ProxyConfig,
    /// The transport of the half to the destination, and what results call it.
    transport: Transport,
    pub(crate) label: String,
}

/// Lowers the proxy of a flow whose own transport is `transport`, `label` in results.
pub(crate) fn lower<'a>(
    model: &'a FlowModel,
    (transport, label): (&Transport, &str),
    custom: &CustomMembers,
) -> Result<Option<Proxy<'a>>, Fault> {
    let Some(settings) = of(model) else {
        return Ok(None);
    };
    let Transport::Tcp(near) = transport else {
        let span = model.transport.as_ref().map(|transport| &transport.span);
        return Err(Fault::new(
            span.unwrap_or(&settings.at.span).clone(),
            "a proxy splits connections of TCP only",
        )
        .label(format!("this flow is of {label}")));
    };
    if route::is_given(model) {
        return Err(settings
            .at
            .fault("a flow with a proxy takes the way with the fewest hops")
            .label("leave `via`, `reverse_via` and `tunnel` out"));
    }
    let (transport, label) = match &settings.transport {
        None => (transport.clone(), label.to_owned()),
        Some(other) => tcp::of_half(model, other, custom)?,
    };
    Ok(Some(Proxy {
        buffer: buffer(settings, near)?,
        config: ProxyConfig {
            towards_source: towards_source(settings.towards_source.as_ref())?,
            towards_destination: towards_destination(settings.towards_destination.as_ref())?,
        },
        settings,
        transport,
        label,
    }))
}

fn buffer(settings: &ProxySettingsModel, near: &Arc<TcpConfig>) -> Result<u32, Fault> {
    let Some(buffer) = &settings.buffer else {
        return Ok(BUFFER.max(near.mss));
    };
    Ok(tcp::window_in_bytes("buffer", buffer, near.mss)? as u32)
}

fn towards_source(model: Option<&TowardsSourceModel>) -> Result<TowardsSource, Fault> {
    use TowardsSourcePresetModel as Preset;
    use TowardsSourceSettingsModel as Settings;
    Ok(match model {
        None | Some(TowardsSourceModel::Preset(Preset::Plain)) => TowardsSource::Plain,
        Some(TowardsSourceModel::Preset(Preset::MTcp)) => {
            TowardsSource::EndToEnd(EndToEnd::DEFAULT)
        }
        Some(TowardsSourceModel::Settings(Settings::EndToEnd(model))) => {
            TowardsSource::EndToEnd(model.over(&EndToEnd::DEFAULT)?)
        }
        Some(TowardsSourceModel::Settings(Settings::Window(segments))) => {
            TowardsSource::Window(segments.saturating())
        }
    })
}

fn towards_destination(
    model: Option<&TowardsDestinationModel>,
) -> Result<TowardsDestination, Fault> {
    use TowardsDestinationPresetModel as Preset;
    use TowardsDestinationSettingsModel as Settings;
    Ok(match model {
        None | Some(TowardsDestinationModel::Preset(Preset::AtOnce)) => TowardsDestination::AtOnce,
        Some(TowardsDestinationModel::Preset(Preset::AdaptiveRate)) => {
            TowardsDestination::Spaced(Spaced::DEFAULT)
        }
        Some(TowardsDestinationModel::Preset(Preset::PepPacing)) => {
            TowardsDestination::Paced(Paced::DEFAULT)
        }
        Some(TowardsDestinationModel::Settings(Settings::Spaced(model))) => {
            TowardsDestination::Spaced(model.over(&Spaced::DEFAULT)?)
        }
        Some(TowardsDestinationModel::Settings(Settings::Paced(model))) => {
            TowardsDestination::Paced(model.over(&Paced::DEFAULT)?)
        }
    })
}

/// The ends of the blackouts on the way of a half while it goes that way, in order.
fn reconnections(
    network: &Network,
    router: &mut Router,
    half: &FlowSpec,
    hand_overs: &[HandOver],
) -> Vec<Time> {
    let mut ends = BTreeSet::new();
    let (mut node, mut since) = (half.from, Time::ZERO);
    let later = hand_overs.iter().map(|moved| (moved.at, moved.to));
    for (until, next) in later.chain([(Time::MAX, half.to)]) {
        let path = router.route(node, &[], half.to).unwrap_or_default();
        let all = network.blackouts_on(&path).map(|blackout| blackout.end);
        ends.extend(all.filter(|&at| since <= at && at < until));
        (node, since) = (next, until);
    }
    ends.into_iter().collect()
}

/// Additions by which a flow is split: the second half, the flows that carry the proxy's state, and the proxy. The
/// flow itself becomes the first half.
pub(crate) struct Split {
    pub(crate) far: FlowSpec,
    /// The flows that carry the proxy's state.
    pub(crate) states: Vec<FlowSpec>,
    pub(crate) joint: ProxySpec,
}

impl Proxy<'_> {
    /// Splits `flow`, whose index is `near`: what is left of it ends at the proxy. Returns the rest, which is to follow.
    pub(crate) fn split(
        &self,
        network: &Network,
        flow: &mut FlowSpec,
        near: usize,
        end: Time,
    ) -> Result<Split, Fault> {
        let at = &self.settings.at;
        let node = network.find_node(&at.value, &at.span)?;
        let mut router = network.router();
        self.check_place(network, &mut router, flow, node)?;
        let models = hand_over::models(self.settings);
        let (hand_overs, states) =
            hand_over::lower(network, &mut router, models, flow, (node, near), end)?;
        let name = flow.name.clone();
        let far = FlowSpec {
            name: format!("{name}.far").into(),
            from: node,
            transport: self.transport.clone(),
            traffic: Traffic::Ftp,
            stop: None,
            ..flow.clone()
        };
        flow.name = format!("{name}.near").into();
        flow.to = node;
        let fails_at = self.settings.fails_at.map(|time| Time::ZERO + time.0);
        let joint = ProxySpec {
            name,
            near,
            far: near + 1,
            buffer: self.buffer,
            config: self.config,
            reconnections: match self.config.towards_source {
                TowardsSource::EndToEnd(_) => {
                    reconnections(network, &mut router, &far, &hand_overs)
                }
                TowardsSource::Plain | TowardsSource::Window(_) => Vec::new(),
            },
            fails_at: fails_at.filter(|&at| at < end),
            hand_overs,
        };
        Ok(Split { far, states, joint })
    }

    /// A proxy stands on the way, between both ends, or is a station of the radio network that the way goes through.
    fn check_place(
        &self,
        network: &Network,
        router: &mut Router,
        flow: &FlowSpec,
        node: usize,
    ) -> Result<(), Fault> {
        let at = &self.settings.at;
        let name = &at.value;
        if node == flow.from || node == flow.to {
            return Err(at
                .fault(format!("`{name}` is an end of this flow"))
                .label("a proxy stands between the ends"));
        }
        // That there is a way has been checked before.
        let path = router.route(flow.from, &[], flow.to).unwrap_or_default();
        let between: Vec<usize> = path
            .iter()
            .map(|&edge| router.edge(edge).to)
            .filter(|&node| node != flow.to)
            .collect();
        // Where the way goes through the radio network, any station may stand on it.
        let flies = path.iter().any(|&e| e as usize >= network.links.len());
        let is_station = network.stations.iter().any(|s| s.node == node);
        if between.contains(&node) || flies && is_station {
            return Ok(());
        }
        let fault = at
            .fault(format!("this flow does not pass through `{name}`"))
            .label("a proxy stands on the way");
        let names: Vec<&str> = between
            .iter()
            .map(|&node| network.nodes[node].as_str())
            .collect();
        Err(match names[..] {
            [] => fault.help("there is no node between its ends"),
            _ => fault.help(format!("it passes through {}", names.join(", "))),
        })
    }
}
