//! Lowering of `[radio]`: what all stations of a radio network have in common.

use skywave_core::link::QueueConfig;
use skywave_core::mac::{self, Timing};
use skywave_core::radio::{Mode, Preamble};
use skywave_core::routing::aodv;
use skywave_core::{Duration, Rate, Time};
use skywave_sim::spec::{RadioSpec, RoutingSpec, StationSpec};

use crate::lower;

use crate::lower::propagation;
use crate::lower::propagation::Environment;
use crate::lower::queue::{Transmitter, queue};
use crate::model::number::Count;
use crate::model::queue::MacQueueModel;
use crate::model::radio::{RadioModel, RtsModel, StandardModel};
use crate::model::units::{self, Limit};
use crate::read::fault::Fault;
use crate::read::spanned::Spanned;

/// The largest contention window that a standard could have: its exponent is at most 15.
const MAX_WINDOW: u64 = 32_767;
/// Longest time that all stations together are recorded for.
const MAX_TIMELINE: Duration = Duration::from_secs(600);

/// The network of these stations.
pub(crate) fn radio(
    model: &RadioModel,
    stations: Vec<StationSpec>,
    end: Time,
) -> Result<RadioSpec, Fault> {
    let Environment {
        propagation,
        reception,
        sensing,
    } = propagation::environment(model)?;
    Ok(RadioSpec {
        propagation,
        reception,
        sensing,
        mac: mac(model)?,
        routing: match &model.routing {
            Some(routing) => routing.value.built_in(&routing.span)?,
            None => RoutingSpec::Aodv(aodv::Config::DEFAULT),
        },
        clamped: Vec::new(), // known when the flows are
        timeline: timeline(model.timeline.as_ref(), stations.len(), end)?,
        stations,
    })
}

fn mac(model: &RadioModel) -> Result<mac::Config, Fault> {
    let standard = model.standard;
    let default = match standard {
        StandardModel::B => mac::Config::ieee80211b(),
        StandardModel::G => mac::Config::ieee80211g(),
    };
    let rate = |rate: Option<&Spanned<units::Rate>>, default: Mode| {
        rate.map_or(Ok(default), |rate| mode(standard, rate))
    };
    let rts_threshold = match model.rts {
        None => default.rts_threshold,
        Some(RtsModel::Always) => Some(0),
        Some(RtsModel::Never) => None,
        Some(RtsModel::Above(bytes)) => Some(bytes.0),
    };
    let control_mode = rate(model.control_rate.as_ref(), default.control_mode)?;
    let retries = model.retries.as_ref();
    let attempts = |count: Option<Count>, default| count.map_or(default, Count::saturating);
    Ok(mac::Config {
        timing: timing(model)?,
        data_mode: rate(model.rate.as_ref(), default.data_mode)?,
        broadcast_mode: rate(model.broadcast_rate.as_ref(), default.broadcast_mode)?,
        control_mode,
        ack_mode: rate(model.ack_rate.as_ref(), control_mode)?,
        eifs_mode: match &model.eifs_rate {
            None => default.eifs_mode,
            Some(rate) => understood(standard, rate)?,
        },
        preamble: preamble(model)?,
        rts_threshold,
        // As in the standard: dot11RTSThreshold is also what makes a frame a long one.
        long_above: retries
            .and_then(|r| r.long_above)
            .map(|bytes| bytes.0)
            .or(rts_threshold)
            .unwrap_or(default.long_above),
        short_retries: attempts(retries.and_then(|r| r.short), default.short_retries),
        long_retries: attempts(retries.and_then(|r| r.long), default.long_retries),
        nav_reset: model.nav_reset.unwrap_or(default.nav_reset),
        keep_access: model.keep_access.unwrap_or(default.keep_access),
        queue: match &model.queue {
            None => default.queue,
            Some(MacQueueModel::Limit(Limit(limit))) => QueueConfig::DropTail(*limit),
            Some(MacQueueModel::Discipline(model)) => queue(model, Transmitter::Mac)?,
        },
        overhead: default.overhead,
    })
}

fn name(standard: StandardModel) -> &'static str {
    match standard {
        StandardModel::B => "802.11b",
        StandardModel::G => "802.11g",
    }
}

/// The standard's mode of this rate.
fn mode(standard: StandardModel, rate: &Spanned<units::Rate>) -> Result<Mode, Fault> {
    let of_standard = |mode: &Mode| mode.is_ofdm() == (standard == StandardModel::G);
    one_of(rate, name(standard), of_standard)
}

/// The mode of this rate that stations of the standard understand: 802.11g's know 802.11b's too.
fn understood(standard: StandardModel, rate: &Spanned<units::Rate>) -> Result<Mode, Fault> {
    let known = |mode: &Mode| !mode.is_ofdm() || standard == StandardModel::G;
    one_of(rate, name(standard), known)
}

fn one_of(
    rate: &Spanned<units::Rate>,
    standard: &str,
    known: impl Fn(&Mode) -> bool,
) -> Result<Mode, Fault> {
    let modes = || Mode::ALL.into_iter().filter(&known);
    let found = modes().find(|mode| Rate::from_bps(mode.bps()) == rate.value.0);
    found.ok_or_else(|| {
        let rates: Vec<String> = modes()
            .map(|mode| format!("\"{}Mbps\"", mode.bps() as f64 / 1e6))
            .collect();
        rate.fault(format!("{standard} has no mode of this rate"))
            .label("not a rate of the standard")
            .help(format!("expected one of {}", rates.join(", ")))
    })
}

fn timing(model: &RadioModel) -> Result<Timing, Fault> {
    let (long, short) = match model.standard {
        StandardModel::B => (Timing::dsss(), None),
        StandardModel::G => (Timing::erp_long_slot(), Some(Timing::erp())),
    };
    let mut timing = long;
    if let Some(slot) = &model.slot {
        let known = [Some(long), short].into_iter().flatten();
        timing = known
            .clone()
            .find(|timing| timing.slot == slot.value.0)
            .ok_or_else(|| {
                let slots: Vec<String> = known
                    .map(|timing| format!("\"{}us\"", timing.slot.as_nanos() / 1000))
                    .collect();
                slot.fault(format!(
                    "{} has no slot of this length",
                    name(model.standard)
                ))
                .label(format!("expected {}", slots.join(" or ")))
            })?;
    }
    if let Some(cca) = &model.cca {
        if cca.value.0 >= timing.slot {
            let slot = timing.slot.as_nanos() / 1000;
            return Err(cca
                .fault("a signal is noticed within a slot")
                .label(format!("expected less than \"{slot}us\"")));
        }
        timing.cca = cca.value.0;
    }
    for (window, field) in [
        (&model.cw_min, &mut timing.cw_min),
        (&model.cw_max, &mut timing.cw_max),
    ] {
        let Some(window) = window else { continue };
        if window.value.0 > MAX_WINDOW {
            return Err(window
                .fault("this contention window is too large")
                .label(format!("at most {MAX_WINDOW} slots")));
        }
        *field = window.value.saturating();
    }
    match (&model.cw_min, &model.cw_max) {
        (_, Some(max)) if timing.cw_min > timing.cw_max => Err(max
            .fault("the largest contention window is below the first one")
            .label(format!("`cw_min` is {}", timing.cw_min))),
        (Some(min), None) if timing.cw_min > timing.cw_max => Err(min
            .fault("the first contention window is above the largest one")
            .label(format!("`cw_max` is {}", timing.cw_max))),
        _ => Ok(timing),
    }
}

fn preamble(model: &RadioModel) -> Result<Preamble, Fault> {
    match &model.preamble {
        Some(preamble) if model.standard == StandardModel::G => Err(preamble
            .fault("802.11g has one preamble")
            .label("long and short ones are those of 802.11b")),
        preamble => Ok(preamble
            .as_ref()
            .map_or(Preamble::Long, |given| given.value.0)),
    }
}

fn timeline(
    given: Option<&Spanned<(units::Duration, units::Duration)>>,
    stations: usize,
    end: Time,
) -> Result<Option<(Time, Time)>, Fault> {
    let Some(given) = given else {
        return Ok(None);
    };
    let (from, to) = lower::window("this timeline", given, end)?;
    let recorded = to.since(from).as_secs_f64() * stations as f64;
    if recorded > MAX_TIMELINE.as_secs_f64() {
        let most = MAX_TIMELINE.as_secs_f64() / stations as f64;
        let fault = given.fault("this timeline is too long");
        return Err(fault.label(format!("at most {most} s of {stations} stations")));
    }
    Ok(Some((from, to)))
}
