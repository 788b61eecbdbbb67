//! Lowering of a flow's `clock`.

use skywave_core::clock::{Clock, Clocks};
use skywave_core::{Duration, Offset};

use crate::lower::{freeze, proxy};
use crate::model::flow::FlowModel;
use crate::read::fault::Fault;

/// The clocks of the ends, if the flow says how they show the time; both ticks are exact unless it does.
pub(crate) fn clocks(flow: &FlowModel) -> Result<Option<Clocks>, Fault> {
    let Some(clock) = &flow.clock else {
        return Ok(None);
    };
    let given = clock.value;
    let both = [
        ("proxy", proxy::of(flow).is_some()),
        ("freeze", freeze::settings(flow).is_some()),
        (
            "l2clamp",
            flow.l2clamp.as_ref().is_some_and(|clamp| clamp.value),
        ),
    ];
    if let Some((key, _)) = both.iter().find(|(_, on)| *on) {
        let message = format!("`clock` does not go with `{key}`");
        return Err(clock
            .fault(message)
            .label("it is the clock of one receiver, and there other hosts make timestamps too"));
    }
    let tick = given.tick.map_or(Duration::ZERO, |tick| tick.0);
    Ok(Some(Clocks {
        receiver: Clock {
            tick,
            offset: given.offset.map_or(Offset::ZERO, |offset| offset.0),
            drift: given.drift.map_or(0.0, |drift| drift.0),
        },
        sender_tick: given.sender_tick.map_or(tick, |tick| tick.0),
    }))
}
