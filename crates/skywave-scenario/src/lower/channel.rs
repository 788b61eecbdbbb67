//! Lowering of what a channel does to packets: losses, blackouts.

use skywave_core::Time;
use skywave_core::link::{Blackout, LossConfig};

use crate::model::member::ChannelModel;
use crate::model::{BlackoutModel, OneOrMany};
use crate::read::fault::Fault;
use crate::read::spanned::Spanned;
use crate::read::tree::Span;

/// Largest number of blackouts that each direction of a link may have, repeated ones included: each takes memory.
pub const MAX_BLACKOUTS: usize = 100_000;

/// The loss models of a direction or of a station.
pub(crate) fn channel(models: &OneOrMany<Spanned<ChannelModel>>) -> Result<Vec<LossConfig>, Fault> {
    let models = models.as_slice().iter();
    models
        .map(|model| model.value.built_in(&model.span))
        .collect()
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
        let fault = |message: &str, label: &str| Err(model.fault(message).label(label));
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
