//! Lowering of DSDV's parameters.

use skywave_core::routing::dsdv::Config;

use crate::lower::routing::packets;
use crate::model::dsdv::DsdvModel;

/// The parameters: those that the model names, and the defaults.
pub(crate) fn config(model: &DsdvModel) -> Config {
    let default = Config::default();
    Config {
        update_interval: model
            .update_interval
            .map_or(default.update_interval, |time| time.0),
        trigger_gap: model.trigger_gap.map_or(default.trigger_gap, |time| time.0),
        allowed_update_loss: model
            .allowed_update_loss
            .map_or(default.allowed_update_loss, |count| count.0),
        settling_time: model
            .settling_time
            .map_or(default.settling_time, |time| time.0),
        trigger_on_seq: model.trigger_on_seq.unwrap_or(default.trigger_on_seq),
        link_feedback: model.link_feedback.unwrap_or(default.link_feedback),
        drop_queued: model.drop_queued.unwrap_or(default.drop_queued),
        buffer_packets: packets(model.buffer_packets, default.buffer_packets),
        buffer_time: model.buffer_time.map_or(default.buffer_time, |time| time.0),
        jitter: model.jitter.map_or(default.jitter, |time| time.0),
    }
}
