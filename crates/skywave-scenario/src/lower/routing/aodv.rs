//! Lowering of AODV's parameters.

use skywave_core::routing::aodv::Config;

use crate::lower::routing::packets;
use crate::model::aodv::AodvModel;

/// The parameters: those that the model names, and the defaults.
pub(crate) fn config(model: &AodvModel) -> Config {
    let mut config = Config::default();
    /// Sets the fields that the model names.
    macro_rules! set {
        ($($field:ident: $value:expr,)*) => {$(
            if let Some(given) = model.$field {
                config.$field = $value(given.0);
            }
        )*};
    }
    macro_rules! switch {
        ($($field:ident,)*) => {$(
            config.$field = model.$field.unwrap_or(config.$field);
        )*};
    }
    let same = |byte: u8| byte;
    let count = |count: u64| u32::try_from(count).unwrap_or(u32::MAX);
    set! {
        active_route_timeout: |time| time,
        my_route_timeout: Some,
        delete_factor: same,
        net_diameter: same,
        node_traversal_time: |time| time,
        rreq_retries: same,
        rreq_ratelimit: count,
        rerr_ratelimit: count,
        ttl_start: same,
        ttl_increment: same,
        ttl_threshold: same,
        timeout_buffer: same,
        hello_interval: |time| time,
        allowed_hello_loss: same,
        local_add_ttl: same,
        max_repair_ttl: Some,
        error_damping: Some,
        buffer_time: |time| time,
        jitter: |time| time,
    }
    switch! {
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
    config.buffer_packets = packets(model.buffer_packets, config.buffer_packets);
    config
}
