//! Lowering of DSR's parameters.

use skywave_core::routing::dsr::Config;

use crate::lower::routing::packets;
use crate::model::dsr::DsrModel;

/// The parameters: those that the model names, and the defaults.
pub(crate) fn config(model: &DsrModel) -> Config {
    let mut config = Config::default();
    /// Sets the fields that the model names.
    macro_rules! set {
        ($($field:ident,)*) => {$(
            config.$field = model.$field.map_or(config.$field, |given| given.0);
        )*};
    }
    macro_rules! switch {
        ($($field:ident,)*) => {$(
            config.$field = model.$field.unwrap_or(config.$field);
        )*};
    }
    set! {
        discovery_hop_limit,
        nonprop_request_timeout,
        request_period,
        max_request_period,
        max_request_rexmt,
        route_cache_timeout,
        buffer_time,
        jitter,
    }
    switch! {
        ask_neighbours,
        cached_replies,
        salvage,
        drop_queued,
    }
    config.error_damping = model.error_damping.map(|time| time.0);
    config.buffer_packets = packets(model.buffer_packets, config.buffer_packets);
    config
}
