//! Lowering of a radio network's routing.

use skywave_core::routing::aodv::Config;
use skywave_sim::spec::RoutingSpec;

use crate::model::aodv::AodvModel;
use crate::model::number::Count;
use crate::model::radio::RoutingModel;
use crate::read::fault::Fault;
use crate::read::spanned::Spanned;

/// How stations find their ways.
pub(crate) fn routing(model: Option<&Spanned<RoutingModel>>) -> Result<RoutingSpec, Fault> {
    let Some(model) = model else {
        return Ok(RoutingSpec::Aodv(Config::default()));
    };
    match &model.value {
        RoutingModel::Static => Ok(RoutingSpec::Static),
        RoutingModel::Aodv(aodv) => {
            let config = config(aodv);
            config.check().map_err(|wrong| {
                Fault::new(
                    model.span.clone(),
                    format!("AODV's `{}` must be {}", wrong.parameter, wrong.expected),
                )
                .label("with these settings it cannot work")
            })?;
            Ok(RoutingSpec::Aodv(config))
        }
    }
}

fn config(model: &AodvModel) -> Config {
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
    if let Some(Count(packets)) = model.buffer_packets {
        config.buffer_packets = usize::try_from(packets).unwrap_or(usize::MAX);
    }
    config
}
