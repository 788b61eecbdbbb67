//! Lowering of what a channel does to packets: losses, blackouts.

use skywave_core::Time;
use skywave_core::link::{Blackout, GilbertElliott, LossConfig};

use crate::model::{BlackoutModel, ChannelModel, OneOrMany};
use crate::read::fault::Fault;
use crate::read::spanned::Spanned;
use crate::read::tree::Span;

/// Most blackouts that a link may have: each takes memory.
pub const MAX_BLACKOUTS: usize = 100_000;

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
                let label = format!("more than {MAX_BLACKOUTS}");
                return fault("these are too many blackouts", &label);
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
