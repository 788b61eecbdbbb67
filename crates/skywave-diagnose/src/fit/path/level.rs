//! A transfer over a path whose base round trip changes in steps, as if it had its shortest one all the time.
//!
//! A step looks like a queue that grows or shrinks at once. But what was sent and what was lost say how long the queue is:
//! what a round trip has beside that is the base, and where it stays at another level for seconds the path has changed.

use super::backlog::replay;
use super::idle::Idle;
use super::rate::{self, RateBy};
use super::view::View;
use crate::fit::changes::changes;
use crate::order::middle;
use crate::transfer::Transfer;

/// Bins of round trips, seconds; bins over which the rate's error is measured, and of the shortest level.
const BIN_S: f64 = 0.2;
const APART: usize = 5;
const SHORTEST: usize = 15;
/// Fewest bins.
const FEWEST: usize = 50;
/// Times that the rate is corrected.
const CORRECTIONS: usize = 2;
/// Least difference between levels, seconds, and in deviations of a bin.
const DIFFERENT_S: f64 = 0.003;
const DEVIATIONS: f64 = 3.0;
/// Least deviation of a bin, seconds: a host answers a little late.
const HOST_S: f64 = 0.000_5;
/// Quantile of the absolute values of a normal distribution's differences that its deviation follows from.
const NORMAL: f64 = 0.953_9;

/// A time from which the base round trip is longer than its shortest.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Level {
    from_s: f64,
    longer_s: f64,
}

/// The transfer with each round trip as it would be over the shortest of the path's levels; `None` if there is only one, or
/// nothing tells.
pub(super) fn level(transfer: &Transfer, idle: Idle) -> Option<Transfer> {
    let view = View::of(transfer)?;
    let rate = rate::rate(&view, idle);
    let bps = match rate.found.told() {
        Some((estimate, RateBy::Busy)) if rate.is_constant() => estimate.value,
        // A link that is never busy has no queue; without one round trips vary for other reasons than the base as well.
        _ if rate.busy.is_empty() && idle.steps_s > 0.0 => f64::INFINITY,
        _ => return None,
    };
    let levels = levels(&bins(&view, bps)?)?;
    let mut straight = transfer.clone();
    for sent in &mut straight.sent {
        let after = levels.partition_point(|level| level.from_s <= sent.at_s());
        sent.sooner(levels[after.saturating_sub(1)].longer_s);
    }
    if let Some(handshake) = &mut straight.handshake {
        handshake.rtt_s -= levels[0].longer_s.min(handshake.rtt_s);
    }
    Some(straight)
}

/// Beginnings of bins with the median of what round trips have beside the queue, at a rate that lets this rise as often as fall.
fn bins(view: &View<'_>, mut bps: f64) -> Option<Vec<(f64, f64)>> {
    let mut found = beside(view, bps);
    for _ in 0..CORRECTIONS {
        let mut slopes: Vec<f64> = found
            .windows(APART + 1)
            .map(|bins| (bins[APART].1 - bins[0].1) / (bins[APART].0 - bins[0].0))
            .collect();
        bps *= 1.0 - middle(&mut slopes)?;
        found = beside(view, bps);
    }
    (found.len() >= FEWEST).then_some(found)
}

/// The same at a given rate.
fn beside(view: &View<'_>, bps: f64) -> Vec<(f64, f64)> {
    let steps = replay(view.sent, bps, None);
    let mut bins: Vec<(f64, f64)> = Vec::new();
    let mut inside: Vec<f64> = Vec::new();
    let mut from_s = f64::NEG_INFINITY;
    let mut close = |from_s: f64, inside: &mut Vec<f64>| {
        bins.extend(middle(inside).map(|median| (from_s, median)));
        inside.clear();
    };
    for (index, (sent, step)) in view.sent.iter().zip(&steps).enumerate() {
        if step.at_s - from_s >= BIN_S {
            close(from_s, &mut inside);
            from_s = step.at_s;
        }
        if let Some(rtt_s) = sent.rtt_s()
            && !sent.is_answered_with(view.sent.get(index + 1))
        {
            inside.push(rtt_s - (step.found + step.bytes) * 8.0 / bps);
        }
    }
    close(from_s, &mut inside);
    bins
}

/// Levels of the bins; `None` if there is only one.
fn levels(bins: &[(f64, f64)]) -> Option<Vec<Level>> {
    let values: Vec<f64> = bins.iter().map(|bin| bin.1).collect();
    let mut differences: Vec<f64> = values.windows(2).map(|w| (w[1] - w[0]).abs()).collect();
    let noise = HOST_S.max(middle(&mut differences)? / NORMAL);
    let mut bounds = vec![0];
    bounds.extend(changes(&values, noise, SHORTEST));
    bounds.push(values.len());
    let medians: Vec<(f64, f64)> = bounds
        .windows(2)
        .filter_map(|bound| {
            let mut part = values[bound[0]..bound[1]].to_vec();
            Some((bins[bound[0]].0, middle(&mut part)?))
        })
        .collect();
    let least = medians.iter().map(|level| level.1).reduce(f64::min)?;
    let most = medians.iter().map(|level| level.1).reduce(f64::max)?;
    (most - least > DIFFERENT_S.max(DEVIATIONS * noise)).then(|| {
        medians
            .iter()
            .map(|&(from_s, median)| Level {
                from_s,
                longer_s: median - least,
            })
            .collect()
    })
}

#[cfg(test)]
mod tests;
