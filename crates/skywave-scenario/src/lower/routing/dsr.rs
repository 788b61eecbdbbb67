//! Lowering of DSR's parameters.

use skywave_core::routing::dsr::Config;

use crate::lower::routing::packets;
use crate::model::dsr::DsrModel;

/// The parameters: those that the model names, and the defaults.
pub(crate) fn config(model: &DsrModel) -> Config {
    let mut config = Config::default();
    set! { config from model:
        discovery_hop_limit,
        nonprop_request_timeout,
        request_period,
        max_request_period,
        max_request_rexmt,
        route_cache_timeout,
        error_damping,
        buffer_time,
        jitter,
    }
    switch! { config from model:
        ask_neighbours,
        cached_replies,
        salvage,
        drop_queued,
    }
    config.buffer_packets = packets(model.buffer_packets, config.buffer_packets);
    config
}
