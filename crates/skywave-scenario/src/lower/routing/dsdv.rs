//! Lowering of DSDV's parameters.

use skywave_core::routing::dsdv::Config;

use crate::lower::routing::packets;
use crate::model::dsdv::DsdvModel;

/// The parameters: those that the model names, and the defaults.
pub(crate) fn config(model: &DsdvModel) -> Config {
    let mut config = Config::default();
    set! { config from model:
        update_interval,
        trigger_gap,
        allowed_update_loss,
        settling_time,
        buffer_time,
        jitter,
    }
    switch! { config from model:
        trigger_on_seq,
        link_feedback,
        drop_queued,
    }
    config.buffer_packets = packets(model.buffer_packets, config.buffer_packets);
    config
}
