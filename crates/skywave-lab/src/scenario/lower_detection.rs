//! Lowering of loss detectors that have parameters.

use skywave_core::Duration;
use skywave_core::tcp::{DcrConfig, DcrWait, DetectionConfig, NcrTransmit};

use super::error::Fault;
use super::model_tcp::{DcrByModel, DcrModel, NcrModel, NcrTransmitModel};

/// The detector, and its name with the parameters that differ from their defaults.
pub(super) fn dcr(model: &DcrModel) -> Result<(DetectionConfig, String), Fault> {
    let mut changed = Vec::new();
    let tau = model.tau.map_or(DcrConfig::DEFAULT.tau, |tau| tau.0);
    if tau != DcrConfig::DEFAULT.tau {
        changed.push(format!("tau={tau}"));
    }
    let wait = match (model.by, &model.tick) {
        (Some(DcrByModel::Dupacks), Some(tick)) => {
            return Err(
                Fault::new(tick.span.clone(), "duplicate ACKs have no clock")
                    .label("this is for `by = \"timer\"` only"),
            );
        }
        (Some(DcrByModel::Dupacks), None) => {
            changed.push("by=dupacks".into());
            DcrWait::Dupacks
        }
        (_, Some(tick)) => {
            let tick = tick.value.0;
            changed.push(format!("tick={tick:?}"));
            DcrWait::Timer { tick }
        }
        (_, None) => DcrWait::Timer {
            tick: Duration::ZERO,
        },
    };
    let label = if changed.is_empty() {
        "dcr".to_owned()
    } else {
        format!("dcr({})", changed.join(", "))
    };
    Ok((DetectionConfig::Dcr(DcrConfig { tau, wait }), label))
}

/// The same of TCP-NCR.
pub(super) fn ncr(model: NcrModel) -> (DetectionConfig, String) {
    let (transmit, label) = match model.transmit {
        None | Some(NcrTransmitModel::Careful) => (NcrTransmit::Careful, "ncr"),
        Some(NcrTransmitModel::Aggressive) => (NcrTransmit::Aggressive, "ncr(aggressive)"),
    };
    (DetectionConfig::Ncr(transmit), label.to_owned())
}
