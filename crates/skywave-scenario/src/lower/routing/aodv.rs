//! Lowering of AODV's parameters.

use skywave_core::routing::aodv::Config;

use crate::lower::routing::packets;
use crate::model::aodv::AodvModel;
use crate::model::number::Count;

/// The parameters: those that the model names, and the defaults.
pub(crate) fn config(model: &AodvModel) -> Config {
    let mut config = Config::default();
    set! { config from model:
        active_route_timeout,
        my_route_timeout,
        delete_factor,
        net_diameter,
        node_traversal_time,
        rreq_retries,
        ttl_start,
        ttl_increment,
        ttl_threshold,
        timeout_buffer,
        hello_interval,
        allowed_hello_loss,
        local_add_ttl,
        max_repair_ttl,
        error_damping,
        buffer_time,
        jitter,
    }
    switch! { config from model:
        hello,
        link_feedback,
        raise_on_break,
        drop_queued,
        destination_only,
        gratuitous_rrep,
        blacklist,
        rrep_ack,
        local_repair,
    }
    let limit = |given: Option<Count>, default| {
        given.map_or(default, |Count(n)| u32::try_from(n).unwrap_or(u32::MAX))
    };
    config.rreq_ratelimit = limit(model.rreq_ratelimit, config.rreq_ratelimit);
    config.rerr_ratelimit = limit(model.rerr_ratelimit, config.rerr_ratelimit);
    config.buffer_packets = packets(model.buffer_packets, config.buffer_packets);
    config
}
