//! The bottleneck's rate, from how much longer round trips are behind what was sent just before.
//!
//! A packet waits for those that were sent shortly before it, even where no queue ever stands for long. At the right rate
//! the wait that follows from the times of sending is what its round trip is longer by. This tells the rate where random
//! losses keep the window so small that the link is never busy, and few segments leave back to back.

use skywave_core::rng::Stream;

use super::backlog;
use super::idle::{Idle, SPACED_S};
use super::view::View;
use crate::fit::Estimate;
use crate::fit::probes::JitterModel;
use crate::order::{self, quantile};
use crate::transfer::Sent;

/// Parts of a transfer, each of which tells a rate of its own.
const PARTS: usize = 5;
/// Fewest round trips in a part.
const FEWEST: usize = 60;
/// Rates that are tried: up to so many times the one that was seen, in steps of this, and around the best in finer ones.
const HIGHEST: f64 = 60.0;
const STEP: f64 = 1.05;
const FINER: f64 = 1.005;
/// Share of the round trips that count; the others waited for something else, such as a late ACK.
const COUNTED: f64 = 0.85;
/// Greatest share that may be left of the distance between round trips and what a link without a rate would give; and where
/// jitter is most of it.
const LEFT: f64 = 0.8;
const LEFT_OF_JITTER: f64 = 0.99;
/// Greatest uncertainty, as a share: beyond, the parts do not tell the same.
const SAME: f64 = 0.15;
/// Slowest rate that is tried where jitter moves packets together, as a share of the largest rate that was seen.
const SLOWEST: f64 = 0.6;
/// Rates around this one that are tried over drawn links, as a factor.
const AROUND: f64 = 2.5;
/// Times that what jitter misleads by is corrected, and transfers over drawn links that tell it.
const CORRECTIONS: usize = 2;
const DRAWS: u64 = 4;
/// Student's t for the mean of [`PARTS`] values, 95 %.
const T: f64 = 2.776;
/// Least uncertainty, as a share: hosts send and answer a little late.
const LEAST: f64 = 0.03;

/// The rate that all parts of the transfer tell, bits a second; `at_least`: a rate that was seen.
///
/// Packets keep their order, so that jitter delays those behind others the more, as a slower link would. By how much it
/// misleads is seen from the same transfer over links of known rates.
pub(super) fn rate(view: &View<'_>, at_least: f64, idle: Idle) -> Option<Estimate> {
    let most = HIGHEST * at_least;
    if idle.varies_s < SPACED_S {
        return of_parts(view.sent, (at_least, most), LEFT);
    }
    let Some(jitter) = idle.jitter else {
        return of_parts(view.sent, (at_least, most), LEFT_OF_JITTER);
    };
    let seen = of_parts(view.sent, (SLOWEST * at_least, most), LEFT_OF_JITTER)?;
    let around = (seen.value / AROUND, seen.value * AROUND);
    let mut bps = seen.value;
    for _ in 0..CORRECTIONS {
        let made = (0..DRAWS).filter_map(|number| {
            let made = over(view.sent, bps, jitter, number);
            of_parts(&made, around, 1.0).map(|rate| rate.value)
        });
        let made: Vec<f64> = made.collect();
        if made.is_empty() {
            return None;
        }
        bps *= seen.value * made.len() as f64 / made.iter().sum::<f64>();
    }
    Some(seen.scaled(bps / seen.value))
}

/// The transfer with answers as they would come over a link of this rate and jitter, without other delays.
fn over(sent: &[Sent], bps: f64, jitter: JitterModel, number: u64) -> Vec<Sent> {
    let mut stream = Stream::named(number, "link", "jitter");
    let steps = backlog::replay(sent, bps, None);
    let mut made = sent.to_vec();
    let (mut arrived_s, mut answered_s) = (0.0_f64, 0.0_f64);
    let mut first = 0;
    for (index, step) in steps.iter().enumerate() {
        if sent[index].answer_after_s().is_none() {
            continue;
        }
        let [there_s, back_s] = draws(jitter, &mut stream);
        let leaves_s = step.at_s + (step.found + step.bytes) * 8.0 / bps;
        arrived_s = arrived_s.max(leaves_s + there_s);
        if sent[index].is_answered_with(sent.get(index + 1)) {
            continue;
        }
        answered_s = answered_s.max(arrived_s + back_s);
        for earlier in &mut made[first..=index] {
            if earlier.answer_after_s().is_some() {
                earlier.answer_after(answered_s - earlier.at_s());
            }
        }
        first = index + 1;
    }
    made
}

/// Jitter of both ways, seconds.
fn draws(jitter: JitterModel, stream: &mut Stream) -> [f64; 2] {
    match jitter {
        JitterModel::None => [0.0, 0.0],
        JitterModel::Uniform { width_s } => [stream.uniform(0.0, width_s.value), 0.0],
        JitterModel::UniformEachWay { width_s } => {
            [(); 2].map(|()| stream.uniform(0.0, width_s.value))
        }
        JitterModel::Exponential { mean_s } => [stream.exponential(mean_s.value), 0.0],
        JitterModel::ExponentialEachWay { mean_s } => {
            [(); 2].map(|()| stream.exponential(mean_s.value))
        }
        JitterModel::Gamma { shape, scale_s } => {
            [(); 2].map(|()| stream.exponential(shape.value * scale_s.value / 2.0))
        }
    }
}

/// The rate that all parts of a transfer tell, bits a second, if they tell the same.
fn of_parts(sent: &[Sent], rates: (f64, f64), left: f64) -> Option<Estimate> {
    let length = sent.len().div_ceil(PARTS).max(1);
    let found: Option<Vec<f64>> = sent
        .chunks(length)
        .map(|part| best(part, rates, left))
        .collect();
    let mut rates = found.filter(|rates| rates.len() == PARTS)?;
    let middle = order::middle(&mut rates)?;
    let squares: f64 = rates
        .iter()
        .map(|rate| (rate - middle) * (rate - middle))
        .sum();
    let error = T * libm::sqrt(squares / (PARTS * (PARTS - 1)) as f64);
    let half = error.max(LEAST * middle);
    (half <= SAME * middle).then(|| Estimate::new(middle, middle - half, middle + half))
}

/// The rate at which the round trips of a part are explained best.
fn best(part: &[Sent], rates: (f64, f64), left: f64) -> Option<f64> {
    let without = distance(part, f64::INFINITY)?;
    let (coarse, least) = least_of(part, rates, STEP)?;
    if least > left * without {
        return None;
    }
    let around = (coarse / STEP, coarse * STEP);
    least_of(part, around, FINER).map(|(fine, _)| fine)
}

/// The rate between two, in steps of this, with the least distance, and that distance.
fn least_of(part: &[Sent], (from, to): (f64, f64), step: f64) -> Option<(f64, f64)> {
    let mut best: Option<(f64, f64)> = None;
    let mut bps = from;
    while bps < to {
        let distance = distance(part, bps)?;
        if best.is_none_or(|(_, least)| distance < least) {
            best = Some((bps, distance));
        }
        bps *= step;
    }
    best
}

/// Mean distance of round trips from what a link of this rate makes of the times of sending, seconds.
fn distance(part: &[Sent], bps: f64) -> Option<f64> {
    let steps = backlog::replay(part, bps, None);
    let mut waits: Vec<f64> = Vec::with_capacity(part.len());
    for (index, (sent, step)) in part.iter().zip(&steps).enumerate() {
        // The earlier of two segments with one answer waited for the later one.
        if !sent.is_answered_with(part.get(index + 1))
            && let Some(rtt_s) = sent.rtt_s()
        {
            waits.push(rtt_s - (step.found + step.bytes) * 8.0 / bps);
        }
    }
    if waits.len() < FEWEST {
        return None;
    }
    // A late ACK is never early.
    waits.sort_by(f64::total_cmp);
    waits.truncate((waits.len() as f64 * COUNTED) as usize);
    let base = quantile(&waits, 0.5)?;
    Some(waits.iter().map(|wait| (wait - base).abs()).sum::<f64>() / waits.len() as f64)
}
