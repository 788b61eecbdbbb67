//! Lowering of what a link does to packets: queue, losses, blackouts.

use skywave_core::Time;
use skywave_core::link::{Blackout, GilbertElliott, Limit, LossConfig, QueueConfig, RedConfig};

use crate::model::units::Level;
use crate::model::{BlackoutModel, ChannelModel, OneOrMany, QueueModel, RedModel};
use crate::read::fault::Fault;
use crate::read::spanned::Spanned;
use crate::read::tree::Span;

/// More outages than make sense.
const MAX_BLACKOUTS: usize = 100_000;

pub(crate) fn queue(model: &Spanned<QueueModel>) -> Result<QueueConfig, Fault> {
    match model.value {
        QueueModel::Droptail(limit) => Ok(QueueConfig::DropTail(limit.0)),
        QueueModel::Red(red) => red_queue(&red, &model.span),
    }
}

fn red_queue(model: &RedModel, span: &Span) -> Result<QueueConfig, Fault> {
    let fault = |message: &str, label: &str| {
        Err(Fault::new(span.clone(), message.to_owned()).label(label.to_owned()))
    };
    let capacity = match model.limit.0 {
        Limit::Packets(n) => f64::from(n),
        Limit::Bytes(n) => n as f64,
    };
    let level = |level: Option<Level>, share: f64| match (level, model.limit.0) {
        (None, _) => Some(capacity * share),
        (Some(Level::Packets(n)), Limit::Packets(_)) | (Some(Level::Bytes(n)), Limit::Bytes(_)) => {
            Some(n)
        }
        _ => None,
    };
    let (Some(min), Some(max)) = (level(model.min, 0.25), level(model.max, 0.75)) else {
        return fault(
            "RED's thresholds and limit have different units",
            "all in packets, or all in bytes",
        );
    };
    if min >= max {
        return fault("RED's `min` is not below its `max`", "nothing lies between");
    }
    if max > capacity {
        return fault(
            "RED's `max` is above its limit",
            "it would never be reached",
        );
    }
    if model.mark_p.is_some() && model.ecn != Some(true) {
        return fault(
            "RED's `mark_p` is for marking packets",
            "add `ecn = true`, or leave it out",
        );
    }
    let weight = model.weight.map_or(0.002, |w| w.0);
    if weight == 0.0 {
        return fault("RED's `weight` is zero", "the average would never move");
    }
    Ok(QueueConfig::Red(RedConfig {
        limit: model.limit.0,
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

pub(crate) fn channel(models: &OneOrMany<ChannelModel>) -> Vec<LossConfig> {
    models.as_slice().iter().map(loss).collect()
}

fn loss(model: &ChannelModel) -> LossConfig {
    match model {
        ChannelModel::Iid(p) => LossConfig::Bernoulli(p.0),
        ChannelModel::Exponential(p) => LossConfig::ExponentialPackets(p.0),
        ChannelModel::ExponentialBytes(gap) => LossConfig::ExponentialBytes(gap.0 as f64),
        ChannelModel::GilbertElliott(m) => LossConfig::GilbertElliottPackets(GilbertElliott {
            to_bad: m.to_bad.0,
            to_good: m.to_good.0,
            loss_good: m.loss_good.map_or(0.0, |p| p.0),
            loss_bad: m.loss_bad.map_or(1.0, |p| p.0),
        }),
        ChannelModel::GilbertElliottTime(m) => LossConfig::GilbertElliottTime {
            good: m.good.0,
            bad: m.bad.0,
            loss_good: m.loss_good.map_or(0.0, |p| p.0),
            loss_bad: m.loss_bad.map_or(1.0, |p| p.0),
        },
        ChannelModel::Periodic(m) => LossConfig::Periodic {
            every: m.every.0,
            first: m.first.unwrap_or(m.every).0,
        },
        ChannelModel::Packets(numbers) => {
            let mut numbers: Vec<u64> = numbers.iter().map(|n| n.0).collect();
            numbers.sort_unstable();
            numbers.dedup();
            LossConfig::Packets(numbers.into())
        }
    }
}

pub(crate) fn blackouts(
    models: Option<&Spanned<OneOrMany<Spanned<BlackoutModel>>>>,
    end: Time,
) -> Result<Vec<Blackout>, Fault> {
    let Some(models) = models else {
        return Ok(Vec::new());
    };
    let mut found: Vec<(Blackout, &Span)> = Vec::new();
    for model in models.value.as_slice() {
        let m = &model.value;
        let length = m.duration.0;
        let fault = |message: &str, label: &str| {
            Err(Fault::new(model.span.clone(), message.to_owned()).label(label.to_owned()))
        };
        let first = match (m.start, m.every) {
            (Some(start), _) => start.0,
            (None, Some(every)) => every.0,
            (None, None) => return fault("this blackout never starts", "`start` is needed"),
        };
        if m.every.is_some_and(|every| every.0 <= length) {
            return fault(
                "this blackout never ends",
                "`every` must be longer than `duration`",
            );
        }
        let mut start = Time::ZERO + first;
        loop {
            if found.len() == MAX_BLACKOUTS {
                return fault("these are too many blackouts", "more than 100000");
            }
            let outage = Blackout {
                start,
                end: start + length,
            };
            found.push((outage, &model.span));
            match m.every {
                Some(every) if start + every.0 < end => start += every.0,
                _ => break,
            }
        }
    }
    found.sort_by_key(|(b, _)| (b.start, b.end));
    for pair in found.windows(2) {
        if pair[1].0.start < pair[0].0.end {
            return Err(Fault::new(pair[1].1.clone(), "blackouts overlap")
                .label("this one starts before another one ends"));
        }
    }
    Ok(found.into_iter().map(|(b, _)| b).collect())
}
