//! Lowering of members of the timeout slot.

use skywave_core::tcp::{ExtendedConfig, TimeoutConfig};

use super::model_tcp::{ExtendedModel, TimeoutModel};

/// The member, and its name with the parameters that differ from their defaults.
pub(super) fn timeout_of(model: &TimeoutModel) -> (TimeoutConfig, String) {
    match model {
        TimeoutModel::Standard(_) => (TimeoutConfig::Standard, "standard".into()),
        TimeoutModel::HalfWindow(_) => (TimeoutConfig::HalfWindow, "half-window".into()),
        TimeoutModel::Extended(m) => extended(m),
    }
}

fn extended(model: &ExtendedModel) -> (TimeoutConfig, String) {
    let d = ExtendedConfig::DEFAULT;
    let config = ExtendedConfig {
        first: model.first.map_or(d.first, |x| x.0),
        later: model.later.map_or(d.later, |x| x.0),
        retransmit: model.retransmit.unwrap_or(d.retransmit),
    };
    let mut changed = Vec::new();
    if config.first != d.first {
        changed.push(format!("first={}", config.first));
    }
    if config.later != d.later {
        changed.push(format!("later={}", config.later));
    }
    if config.retransmit {
        changed.push("retransmit".into());
    }
    let name = if changed.is_empty() {
        "extended".into()
    } else {
        format!("extended({})", changed.join(", "))
    };
    (TimeoutConfig::Extended(config), name)
}
