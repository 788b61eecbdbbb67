//! The way back, where acknowledgements wait in a queue of their own.
//!
//! The receiver's timestamps (RFC 7323) tell when each acknowledgement left, but for a constant: what it is late by, over
//! the least lateness of all, it waited on its way. A queue is known from jitter by its pace: an acknowledgement that left
//! before the one ahead of it had come follows that at the distance that its bytes take.

use super::rate::mode;
use crate::fit::Estimate;
use crate::order::quantile;
use crate::transfer::{Answer, Transfer};

/// Ticks a second that hosts' clocks have, and how far from one of them a clock seems to be off, as a share: a queue that grows
/// makes it slow.
const TICKS: [f64; 4] = [1e6, 1e3, 250.0, 100.0];
const CLOCK: f64 = 0.2;
/// Acknowledgements in a row behind each other whose pace is taken; fewest such rows.
const ROW: usize = 4;
const FEWEST: usize = 10;
/// Least difference of the times that a row takes to leave and to come, as a share, and in seconds, since stamps are cut off.
const OTHER_PACE: f64 = 0.25;
const STAMPS_S: f64 = 0.002;
/// Paces that are this close are one rate, as a share; the share of all rows that must have it.
const SAME: f64 = 0.05;
const REGULAR: f64 = 0.6;
/// Least wait, seconds, that a share of the acknowledgements have.
const WAIT_S: f64 = 0.01;
const WAITING: f64 = 0.05;
/// A full queue is met again and again: by this share of the acknowledgements, within so many packets of its limit.
const FULL: f64 = 0.02;
const NEAR: u32 = 2;
/// Uncertainty of the rate as a share, as headers below IP make it.
const HEADERS: f64 = 0.01;

/// Queue on the way back from the receiver, in which acknowledgements wait.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Back {
    /// Rate at which the way back empties the queue, bits a second with headers from IP on.
    pub bps: Estimate,
    /// Greatest length of the queue that acknowledgements met, packets: the 99.9th percentile, without rare outliers.
    pub packets: u32,
    /// Whether `packets` is the limit of the queue, as this length was met again and again; if not, the queue may hold
    /// more.
    pub is_full: bool,
    /// Median time that acknowledgements waited in this queue, seconds.
    pub wait_s: f64,
}

/// The transfer with each answer as it would be without the queue on the way back, and that queue; `None` if there is none.
pub(crate) fn without(transfer: &Transfer) -> Option<(Transfer, Back)> {
    let answers = &transfer.answers[..];
    let waits = waits(answers)?;
    let back = back(answers, &waits)?;
    let mut straight = transfer.clone();
    straight.answers = Vec::new();
    for sent in &mut straight.sent {
        let Some(at_us) = sent.answered_at_us() else {
            continue;
        };
        // Times are cut off to microseconds twice.
        let after = answers.partition_point(|answer| answer.at_us <= at_us + 1);
        sent.sooner(waits[after.saturating_sub(1)]);
    }
    Some((straight, back))
}

/// Seconds that each answer waited on its way, as the clock of the host that sent it tells.
fn waits(answers: &[Answer]) -> Option<Vec<f64>> {
    let (first, last) = (answers.first()?, answers.last()?);
    let (mut ticks, mut before) = (0, first.stamp);
    let ticks: Vec<f64> = answers
        .iter()
        .map(|answer| {
            // A clock of 1 MHz comes round each 72 minutes.
            ticks += i64::from(answer.stamp.wrapping_sub(before) as i32);
            before = answer.stamp;
            ticks as f64
        })
        .collect();
    let at_s = |answer: &Answer| answer.at_us as f64 / 1e6;
    let pace = ticks.last()? / (at_s(last) - at_s(first));
    let tick_s = 1.0
        / TICKS
            .into_iter()
            .find(|hz| (pace / hz - 1.0).abs() < CLOCK)?;
    let mut waits: Vec<f64> = answers
        .iter()
        .zip(ticks)
        .map(|(answer, ticks)| at_s(answer) - ticks * tick_s)
        .collect();
    let least = waits.iter().copied().reduce(f64::min)?;
    for wait in &mut waits {
        // A stamp is cut off to a tick: half of one is late by nothing.
        *wait = f64::max(0.0, *wait - least - tick_s / 2.0);
    }
    Some(waits)
}

/// The queue that acknowledgements with these waits met.
fn back(answers: &[Answer], waits: &[f64]) -> Option<Back> {
    let mut paces = paces(answers, waits);
    let count = paces.len();
    let mode = mode(&mut paces, SAME)
        .filter(|mode| count >= FEWEST && mode.count as f64 >= REGULAR * count as f64)?;
    let mut sorted = waits.to_vec();
    sorted.sort_by(f64::total_cmp);
    if quantile(&sorted, 1.0 - WAITING)? < WAIT_S {
        return None;
    }
    let mut ahead = ahead(answers, waits);
    ahead.sort_unstable();
    // Odd acknowledgements waited for something else besides.
    let most = quantile(&ahead, 0.999)?;
    let full = ahead.len() - ahead.partition_point(|&count| count + NEAR < most);
    let error = mode.rate * HEADERS;
    Some(Back {
        bps: Estimate::new(mode.rate, mode.rate - error, mode.rate + error),
        packets: most.max(1),
        is_full: full as f64 >= FULL * ahead.len() as f64,
        wait_s: quantile(&sorted, 0.5)?,
    })
}

/// Packets that were on the way back before each answer when it left.
fn ahead(answers: &[Answer], waits: &[f64]) -> Vec<u32> {
    let came_s = |answer: &Answer| answer.at_us as f64 / 1e6;
    let before = |(index, (answer, wait_s)): (usize, (&Answer, &f64))| {
        let left_s = came_s(answer) - wait_s;
        index - answers[..index].partition_point(|other| came_s(other) <= left_s)
    };
    let counts = answers.iter().zip(waits).enumerate().map(before);
    counts.map(|count| count as u32).collect()
}

/// Bits a second of rows of acknowledgements, each of which had left before the one ahead of it came, if they came at
/// another pace than they left at: else it is what they answer that has a pace.
fn paces(answers: &[Answer], waits: &[f64]) -> Vec<(f64, f64)> {
    let mut paces = Vec::new();
    let (mut bits, mut came_s, mut later_s, mut row) = (0.0, 0.0, 0.0, 0);
    for (pair, waits) in answers.windows(2).zip(waits.windows(2)) {
        let gap_s = (pair[1].at_us - pair[0].at_us) as f64 / 1e6;
        bits += f64::from(pair[1].bytes) * 8.0;
        came_s += gap_s;
        later_s += waits[1] - waits[0];
        row += 1;
        let is_behind = waits[1] > gap_s;
        if row == ROW && is_behind && later_s.abs() > f64::max(OTHER_PACE * came_s, STAMPS_S) {
            paces.push((bits / came_s, 1.0));
        }
        if row == ROW || !is_behind {
            (bits, came_s, later_s, row) = (0.0, 0.0, 0.0, 0);
        }
    }
    paces
}

#[cfg(test)]
mod tests;
