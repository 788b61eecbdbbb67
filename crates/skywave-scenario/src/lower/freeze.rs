//! Lowering of a flow's `freeze`: the disconnections that its receiver sees coming.

use skywave_core::{Duration, Time};
use skywave_sim::network::Router;
use skywave_sim::spec::{FlowSpec, Outage, Transport};

use crate::lower::flow::of_models;
use crate::lower::{Network, proxy};
use crate::model::flow::{FlowModel, FreezeModel, FreezePresetModel, FreezeSettingsModel};
use crate::read::fault::Fault;
use crate::read::spanned::Spanned;

/// How long before a disconnection the receiver closes its window if nothing is said.
const WARNING: Duration = Duration::from_millis(200);

/// Gives flows their outages, when links and flows are there; a flow whose links have no blackouts has none.
pub(crate) fn all(
    network: &Network,
    models: &[Spanned<FlowModel>],
    flows: &mut [FlowSpec],
) -> Result<(), Fault> {
    let mut router = None;
    for (model, own) in of_models(models)? {
        let Some((settings, freeze)) = settings(model) else {
            continue;
        };
        let fault = |message: &str, label: &str| {
            Err(freeze.fault(format!("`freeze` {message}")).label(label))
        };
        if proxy::of(model).is_some() {
            return fault(
                "does not go with a proxy",
                "towards_source = \"m-tcp\" freezes the source at the proxy",
            );
        }
        let warning = settings.warning.map_or(WARNING, |time| time.0);
        for flow in &mut flows[own] {
            match flow.transport {
                Transport::Tcp(_) => {}
                Transport::Wtcp { .. } => continue, // it ignores what is of TCP only
                Transport::Udp { .. } | Transport::Quic { .. } => {
                    return fault("is for TCP only", "it closes TCP's window");
                }
            }
            let router = router.get_or_insert_with(|| network.router());
            let outages = outages(network, router, flow, warning);
            if !outages.is_empty() {
                flow.route.get_or_insert_default().outages = outages;
            }
        }
    }
    Ok(())
}

/// The settings of a flow that freezes, and where they are.
pub(crate) fn settings(model: &FlowModel) -> Option<(FreezeSettingsModel, &Spanned<FreezeModel>)> {
    let freeze = model.freeze.as_ref()?;
    let settings = match freeze.value {
        FreezeModel::Preset(FreezePresetModel::None) => return None,
        FreezeModel::Preset(FreezePresetModel::FreezeTcp) => FreezeSettingsModel::default(),
        FreezeModel::Settings(settings) => settings,
    };
    Some((settings, freeze))
}

/// The blackouts of the links that a flow's data pass, as the receiver tells of them. Those that follow each other
/// before the window is open again are one.
fn outages(
    network: &Network,
    router: &mut Router,
    flow: &FlowSpec,
    warning: Duration,
) -> Vec<Outage> {
    // That there is a way has been checked before.
    let path = router.route(flow.from, &flow.way().via, flow.to);
    let path = path.unwrap_or_default();
    let mut all: Vec<Outage> = network
        .blackouts_on(&path)
        .map(|blackout| Outage {
            warned: Time::ZERO + blackout.start.since(Time::ZERO).saturating_sub(warning),
            over: blackout.end,
        })
        .collect();
    all.sort_by_key(|outage| (outage.warned, outage.over));
    let mut joined: Vec<Outage> = Vec::new();
    for outage in all {
        match joined.last_mut() {
            Some(last) if outage.warned <= last.over => last.over = last.over.max(outage.over),
            _ => joined.push(outage),
        }
    }
    joined
}
