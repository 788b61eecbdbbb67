//! Lowering of queues.

use skywave_core::link::{
    CoDelConfig, DualPi2Config, FqCoDelConfig, Limit, PieConfig, QueueConfig, RedConfig, StepConfig,
};
use skywave_core::{Duration, Rate};

use crate::model::queue::{
    CodelModel, DualPi2Model, FqCodelModel, PieModel, QueueModel, RedModel, StepModel,
};
use crate::model::units::{Level, Room};
use crate::read::fault::Fault;
use crate::read::spanned::Spanned;
use crate::read::tree::Span;

/// Capacity of CoDel's and PIE's queue where the file says none, as in ns-3 and Linux.
const LONG: Limit = Limit::Packets(1000);
/// Capacity of FQ-CoDel's queues together where the file says none (RFC 8290 section 5.2.3).
const ALL_QUEUES: Limit = Limit::Packets(10_240);
/// Capacity of DualPI2's queues together where the file says none, as in Linux.
const BOTH_QUEUES: Limit = Limit::Packets(10_000);
/// More queues would only take memory.
const MOST_QUEUES: u32 = 65_536;
/// PIE's and DualPI2's probabilities need not be computed more often.
const SHORTEST_UPDATE: Duration = Duration::from_micros(100);

/// What a queue is in front of: by its rate, limits in time are measured.
#[derive(Clone, Copy)]
pub(crate) enum Transmitter {
    /// A link of this rate, or of this mean rate if it changes.
    Link(Rate),
    /// The IP layer of a station, which has no rate.
    Host,
    /// The MAC of a station: what it sends in a time depends on the others.
    Mac,
}

/// The queue before a transmitter.
pub(crate) fn queue(
    model: &Spanned<QueueModel>,
    transmitter: Transmitter,
) -> Result<QueueConfig, Fault> {
    let span = &model.span;
    let scale = Scale { transmitter, span };
    match model.value {
        QueueModel::Droptail(room) => scale.limit(room).map(QueueConfig::DropTail),
        QueueModel::Red(red) => red_queue(&red, scale),
        QueueModel::Step(step) => step_queue(&step, scale).map(QueueConfig::Step),
        QueueModel::Codel(codel) => codel_queue(&codel, scale).map(QueueConfig::CoDel),
        QueueModel::FqCodel(fq) => fq_codel_queue(&fq, scale).map(QueueConfig::FqCoDel),
        QueueModel::Pie(pie) => pie_queue(&pie, scale).map(QueueConfig::Pie),
        QueueModel::DualPi2(dual) => dualpi2_queue(&dual, scale).map(QueueConfig::DualPi2),
    }
}

/// What times in a queue's settings are measured by, and where they stand.
#[derive(Clone, Copy)]
struct Scale<'a> {
    transmitter: Transmitter,
    span: &'a Span,
}

impl Scale<'_> {
    fn rate(self) -> Result<Rate, Fault> {
        let reason = match self.transmitter {
            Transmitter::Link(rate) => return Ok(rate),
            Transmitter::Host => "this station has no `rate`",
            Transmitter::Mac => "what a station sends in a time depends on the others",
        };
        let message = "a queue's size in time needs a rate";
        Err(Fault::new(self.span.clone(), message)
            .label(reason)
            .help("say it in packets or in bytes: \"90 packets\", \"64kB\""))
    }

    fn limit(self, room: Room) -> Result<Limit, Fault> {
        match room {
            Room::Limit(limit) => Ok(limit),
            Room::Time(time) => match self.rate()?.bytes_in(time) {
                0 => fault(
                    self.span,
                    "this queue has no room",
                    "the link does not send a byte in this time",
                ),
                bytes => Ok(Limit::Bytes(bytes)),
            },
        }
    }

    /// A level as a number in the unit of `limit`; `None` if it has another unit.
    fn level(self, level: Level, limit: Limit) -> Result<Option<f64>, Fault> {
        Ok(match (level, limit) {
            (Level::Packets(n), Limit::Packets(_)) | (Level::Bytes(n), Limit::Bytes(_)) => Some(n),
            (Level::Time(seconds), Limit::Bytes(_)) => {
                Some(seconds * self.rate()?.as_bps() as f64 / 8.0)
            }
            _ => None,
        })
    }
}

fn red_queue(model: &RedModel, scale: Scale<'_>) -> Result<QueueConfig, Fault> {
    let span = scale.span;
    let limit = scale.limit(model.limit)?;
    let capacity = match limit {
        Limit::Packets(n) => f64::from(n),
        Limit::Bytes(n) => n as f64,
    };
    let level = |level: Option<Level>, share: f64| match level {
        None => Ok(Some(capacity * share)),
        Some(level) => scale.level(level, limit),
    };
    let (Some(min), Some(max)) = (level(model.min, 0.25)?, level(model.max, 0.75)?) else {
        return fault(
            span,
            "RED's thresholds and limit have different units",
            "all in packets, or all in bytes and times",
        );
    };
    if min >= max {
        return fault(
            span,
            "RED's `min` is not below its `max`",
            "nothing lies between",
        );
    }
    if max > capacity {
        return fault(
            span,
            "RED's `max` is above its limit",
            "it would never be reached",
        );
    }
    if model.mark_p.is_some() && model.ecn != Some(true) {
        return fault(
            span,
            "RED's `mark_p` is for marking packets",
            "add `ecn = true`, or leave it out",
        );
    }
    let weight = model.weight.map_or(0.002, |w| w.0);
    if weight == 0.0 {
        return fault(
            span,
            "RED's `weight` is zero",
            "the average would never move",
        );
    }
    Ok(QueueConfig::Red(RedConfig {
        limit,
        min_threshold: min,
        max_threshold: max,
        max_p: model.max_p.map_or(0.1, |p| p.0),
        weight,
        gentle: model.gentle.unwrap_or(false),
        wait: model.wait.unwrap_or(true),
        mean_packet: model.mean_packet.map_or(500, |b| b.0),
        mark_p: model
            .ecn
            .unwrap_or(false)
            .then(|| model.mark_p.map_or(0.1, |p| p.0)),
    }))
}

fn fault<T>(span: &Span, message: &str, label: &str) -> Result<T, Fault> {
    Err(Fault::new(span.clone(), message.to_owned()).label(label.to_owned()))
}

fn step_queue(model: &StepModel, scale: Scale<'_>) -> Result<StepConfig, Fault> {
    let limit = scale.limit(model.limit)?;
    let Some(threshold) = scale.level(model.threshold, limit)? else {
        return fault(
            scale.span,
            "the threshold and the limit of this queue have different units",
            "both in packets, or both in bytes or times",
        );
    };
    let weight = model.weight.map(|weight| weight.0);
    if weight == Some(0.0) {
        return fault(
            scale.span,
            "the `weight` of this queue is zero",
            "the average would never move",
        );
    }
    Ok(StepConfig {
        limit,
        threshold: threshold as u64,
        weight,
    })
}

fn codel_queue(model: &CodelModel, scale: Scale<'_>) -> Result<CoDelConfig, Fault> {
    let span = scale.span;
    let limit = model.limit.map_or(Ok(LONG), |room| scale.limit(room))?;
    let default = CoDelConfig::new(limit);
    let config = CoDelConfig {
        limit: default.limit,
        target: model.target.map_or(default.target, |d| d.0),
        interval: model.interval.map_or(default.interval, |d| d.0),
        mtu: model.mtu.map_or(default.mtu, |bytes| bytes.0),
        ecn: model.ecn.unwrap_or(default.ecn),
        ce_threshold: model.ce_threshold.map(|d| d.0),
    };
    if config.target >= config.interval {
        return fault(
            span,
            "CoDel's `target` is not below its `interval`",
            "the target is a small part of a round trip, the interval about a large one",
        );
    }
    if config.ce_threshold.is_some() && !config.ecn {
        return fault(
            span,
            "CoDel's `ce_threshold` is for marking packets",
            "add `ecn = true`, or leave it out",
        );
    }
    Ok(config)
}

fn fq_codel_queue(model: &FqCodelModel, scale: Scale<'_>) -> Result<FqCoDelConfig, Fault> {
    let FqCodelModel {
        limit,
        target,
        interval,
        mtu,
        ecn,
        ce_threshold,
        queues,
        quantum,
    } = *model;
    let codel = CodelModel {
        limit,
        target,
        interval,
        mtu,
        ecn,
        ce_threshold,
    };
    let mut codel = codel_queue(&codel, scale)?;
    if limit.is_none() {
        codel.limit = ALL_QUEUES;
    }
    let default = FqCoDelConfig::new(codel);
    let queues = queues.map_or(u64::from(default.queues), |count| count.0);
    let Some(queues) = u32::try_from(queues).ok().filter(|&n| n <= MOST_QUEUES) else {
        return fault(
            scale.span,
            "FQ-CoDel has too many queues",
            &format!("at most {MOST_QUEUES}"),
        );
    };
    Ok(FqCoDelConfig {
        codel,
        queues,
        quantum: quantum.map_or(default.quantum, |bytes| bytes.0),
    })
}

fn pie_queue(model: &PieModel, scale: Scale<'_>) -> Result<PieConfig, Fault> {
    let span = scale.span;
    let limit = model.limit.map_or(Ok(LONG), |room| scale.limit(room))?;
    let default = PieConfig::new(limit);
    if model.mark_p.is_some() && model.ecn != Some(true) {
        return fault(
            span,
            "PIE's `mark_p` is for marking packets",
            "add `ecn = true`, or leave it out",
        );
    }
    let update = model.update.map_or(default.update, |d| d.0);
    if update < SHORTEST_UPDATE {
        return fault(
            span,
            "PIE's `update` is too short",
            "at least a tenth of a millisecond",
        );
    }
    let mark_p = model.mark_p.map_or(0.1, |p| p.0);
    Ok(PieConfig {
        limit: default.limit,
        target: model.target.map_or(default.target, |d| d.0),
        update,
        alpha: model.alpha.map_or(default.alpha, |number| number.0),
        beta: model.beta.map_or(default.beta, |number| number.0),
        burst: model.burst.map_or(default.burst, |d| d.0),
        mean_packet: model
            .mean_packet
            .map_or(default.mean_packet, |bytes| bytes.0),
        mark_p: model.ecn.unwrap_or(false).then_some(mark_p),
    })
}

fn dualpi2_queue(model: &DualPi2Model, scale: Scale<'_>) -> Result<DualPi2Config, Fault> {
    let limit = model
        .limit
        .map_or(Ok(BOTH_QUEUES), |room| scale.limit(room))?;
    let default = DualPi2Config::new(limit);
    let update = model.update.map_or(default.update, |d| d.0);
    if update < SHORTEST_UPDATE {
        return fault(
            scale.span,
            "DualPI2's `update` is too short",
            "at least a tenth of a millisecond",
        );
    }
    Ok(DualPi2Config {
        limit: default.limit,
        target: model.target.map_or(default.target, |d| d.0),
        update,
        alpha: model.alpha.map_or(default.alpha, |number| number.0),
        beta: model.beta.map_or(default.beta, |number| number.0),
        coupling: model.coupling.map_or(default.coupling, |number| number.0),
        step: model.step.map_or(default.step, |d| d.0),
        shift: model.shift.map_or(default.shift, |d| d.0),
    })
}
