//! A policer: it drops what comes faster than its tokens, without any delay.
//!
//! By its losses alone it is a full queue of the same rate and size; that round trips do not rise with it tells the two apart.

use super::backlog::{lost, replay};
use super::rate::mode;
use super::view::View;
use crate::fit::Estimate;
use crate::fit::optimise::{Minimum, minimise};
use crate::fit::profile::{EDGE, bounds};
use crate::fit::special::binomial;
use crate::order::middle;
use crate::transfer::Sent;

/// Losses within a round trip are one episode; a round trip counts as this at least, seconds.
const SHORTEST_ROUND_S: f64 = 0.05;
/// Fewest episodes from which a policer is told.
const FEWEST: usize = 5;
/// Share of the time that a queue of the policer's rate and size would have made packets wait, above which it is one.
const DELAYED: f64 = 0.5;
/// Rates between losses that are this close are the policer's, and how many must be.
const SAME_RATE: f64 = 0.04;
const ALIKE: usize = 3;
/// Rates that are tried around the first guess, as a share and in steps; shares of the first burst; evaluations of the search,
/// and transmissions that it looks at.
const AROUND: f64 = 0.2;
const TRIED: i32 = 80;
const BURSTS: [f64; 14] = [
    0.6, 0.67, 0.75, 0.81, 0.87, 0.93, 1.0, 1.07, 1.15, 1.25, 1.4, 1.6, 2.0, 2.5,
];
const EVALUATIONS: usize = 60;
const SEARCHED: usize = 100_000;
/// Rates that are tried beside that between losses, each above the one before by this share, from what came through on.
const GUESSES: i32 = 40;
const GUESS: f64 = 1.06;
/// Losses by which the size of the bucket is first guessed.
const FIRST: usize = 5;
/// Packets within which a bucket is nearly empty: it may drop one then.
const NEAR: f64 = 2.0;
/// Share of its size that must be used when a loss tells that it is empty.
const NEARLY: f64 = 0.7;
/// Share of the losses that it must explain.
const EXPLAINED: f64 = 0.5;
/// Scales of the logarithms of rate and size in which their likelihood is neither flat nor steep.
const RATE_SCALE: f64 = 100.0;
const BURST_SCALE: f64 = 10.0;
/// Least shares by which rate and size are uncertain: a packet more or less, and headers that the capture does not show.
const RATE: f64 = 0.01;
const BURST: f64 = 0.1;

/// Policer as a token bucket, which drops what comes faster than its tokens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Policer {
    /// Rate at which tokens fill the bucket, bits a second with headers from IP on.
    pub bps: Estimate,
    /// Depth of the bucket, bytes with headers from IP on: the largest burst that passes at once.
    pub burst: Estimate,
}

/// A policer with what it met.
#[derive(Clone, Debug)]
pub(super) struct Policed {
    pub(super) policer: Policer,
    /// Probability, a packet, that it drops it.
    pub(super) drop: Vec<f64>,
}

/// The policer that explains losses without a queue better than chance does; `None` if nothing does.
pub(super) fn policer(view: &View<'_>) -> Option<Policed> {
    let losses: Vec<f64> = view
        .sent
        .iter()
        .filter(|sent| lost(sent) == Some(true))
        .map(Sent::at_s)
        .collect();
    // Many are lost at once where a start overshoots: an episode counts once.
    let round = view.base_s.max(SHORTEST_ROUND_S);
    let mut episodes: Vec<f64> = Vec::new();
    for &at in &losses {
        if episodes.last().is_none_or(|last| at - last > round) {
            episodes.push(at);
        }
    }
    if episodes.len() < FEWEST {
        return None;
    }
    let sent = &view.sent[..view.sent.len().min(SEARCHED)];
    let at_logs = |at: [f64; 2]| cost(sent, libm::exp(at[0]), libm::exp(at[1]));
    // The bucket is not empty from loss to loss if it is small: then other rates explain losses better.
    let through: f64 = view.arrivals.iter().map(|arrival| arrival.bytes).sum();
    let least = through * 8.0 / (view.arrivals.last()?.at_s - view.arrivals.first()?.at_s);
    let guesses = (0..GUESSES).map(|i| least * libm::pow(GUESS, f64::from(i)));
    let (bps, burst, _) = guess(view, &episodes)
        .into_iter()
        .chain(guesses)
        .filter_map(|bps| {
            let first = first_burst(view, bps)?;
            let costs = BURSTS.map(|share| at_logs([libm::log(bps), libm::log(first * share)]));
            Some((bps, first, costs.into_iter().fold(f64::INFINITY, f64::min)))
        })
        .min_by(|a, b| a.2.total_cmp(&b.2))?;
    let mut starts = Vec::new();
    for i in -TRIED..=TRIED {
        for share in BURSTS {
            let rate = bps * (1.0 + AROUND * f64::from(i) / f64::from(TRIED));
            let start = [libm::log(rate), libm::log(burst * share)];
            starts.push((start, at_logs(start)));
        }
    }
    starts.sort_by(|a, b| a.1.total_cmp(&b.1));
    let rough = minimise(starts.first()?.0, 0.003, EVALUATIONS, at_logs);
    let found = minimise(rough.at, 0.000_5, EVALUATIONS, at_logs);
    // In steps of which a tenth is a thousandth of the rate, and a hundredth of the burst.
    let scaled = |at: [f64; 2]| at_logs([at[0] / RATE_SCALE, at[1] / BURST_SCALE]);
    let best = Minimum {
        at: [found.at[0] * RATE_SCALE, found.at[1] * BURST_SCALE],
        value: found.value,
    };
    let spread = |i: usize, scale: f64, least: f64| {
        let bounds = bounds(best, i, EDGE, scaled).map(|bound| (bound / scale).max(least));
        let value = found.at[i];
        Estimate::new(
            libm::exp(value),
            libm::exp(value - bounds[0]),
            libm::exp(value + bounds[1]),
        )
    };
    let policer = Policer {
        bps: spread(0, RATE_SCALE, RATE),
        burst: spread(1, BURST_SCALE, BURST),
    };
    let [bps, burst] = found.at.map(libm::exp);
    let drop = drops(view.sent, bps, burst);
    // A queue of this rate and size would have made packets wait that long.
    if waited_s(view, &episodes)? > DELAYED * burst * 8.0 / bps {
        return None;
    }
    let explained = view.sent.iter().zip(&drop);
    let explained = explained.filter(|(sent, drop)| **drop > 0.0 && lost(sent) == Some(true));
    if (explained.count() as f64) < EXPLAINED * losses.len() as f64 {
        return None;
    }
    Some(Policed { policer, drop })
}

/// Packets that were dropped and that passed, by how empty the bucket was: not, nearly, empty.
type Counts = [[f64; 2]; 3];

/// Counts of a bucket that is led by what was seen: what passes had tokens, and what is dropped when they are nearly used up had none. So no
/// error of the rate adds up over minutes. `each` is called with the place in [`Counts`] of each packet.
fn bucket(sent: &[Sent], bps: f64, burst: f64, mut each: impl FnMut(usize)) -> Counts {
    let mut used = 0.0;
    let mut last_s = 0.0;
    let mut counts = Counts::default();
    for sent in sent {
        let (at_s, bytes) = (sent.at_s(), f64::from(sent.bytes));
        used = f64::max(0.0, used - bps / 8.0 * (at_s - last_s));
        last_s = at_s;
        let level = if used + bytes > burst {
            2
        } else {
            usize::from(used + (1.0 + NEAR) * bytes > burst)
        };
        each(level);
        match lost(sent) {
            Some(true) => {
                if used > NEARLY * burst {
                    // Less than a packet's tokens are left: half of one.
                    used = used.max(burst - bytes / 2.0);
                }
                counts[level][0] += 1.0;
            }
            Some(false) => {
                used = f64::min(used + bytes, burst);
                counts[level][1] += 1.0;
            }
            None => used = f64::min(used + bytes, burst),
        }
    }
    counts
}

/// Minus the logarithm of the likelihood of a bucket.
fn cost(sent: &[Sent], bps: f64, burst: f64) -> f64 {
    let counts = bucket(sent, bps, burst, |_| ());
    let likelihood = counts.map(|[lost, passed]| binomial(lost, passed));
    -likelihood.iter().sum::<f64>()
}

/// Probability, for each packet, that a bucket drops it.
fn drops(sent: &[Sent], bps: f64, burst: f64) -> Vec<f64> {
    let mut levels = Vec::with_capacity(sent.len());
    let counts = bucket(sent, bps, burst, |level| levels.push(level));
    let shares = counts.map(|[dropped, passed]| (dropped + 0.5) / (dropped + passed + 1.0));
    let drop = |level| if level == 0 { 0.0 } else { shares[level] };
    levels.into_iter().map(drop).collect()
}

/// Bytes above the rate that passed before the first losses.
fn first_burst(view: &View<'_>, bps: f64) -> Option<f64> {
    let mut found: Vec<f64> = replay(view.sent, bps, None)
        .iter()
        .filter(|step| step.lost == Some(true))
        .take(FIRST)
        .map(|step| step.found)
        .collect();
    middle(&mut found).filter(|burst| *burst > 0.0)
}

/// Time that packets waited just before losses, seconds: the median.
fn waited_s(view: &View<'_>, losses: &[f64]) -> Option<f64> {
    let timed: Vec<(f64, f64)> = view
        .sent
        .iter()
        .filter_map(|sent| Some((sent.at_s(), sent.rtt_s()? - view.base_s)))
        .collect();
    let mut waits: Vec<f64> = losses
        .iter()
        .filter_map(|&at| {
            let next = timed.partition_point(|(sent, _)| *sent <= at);
            timed.get(next.checked_sub(1)?).map(|(_, wait)| *wait)
        })
        .collect();
    middle(&mut waits)
}

/// Rate between losses: what came through from one episode of losses to the next, where the tokens were used up both times.
fn guess(view: &View<'_>, episodes: &[f64]) -> Option<f64> {
    // Bytes that had come through before each transmission.
    let mut through = Vec::with_capacity(view.sent.len());
    let mut bytes = 0.0;
    for sent in view.sent {
        through.push(bytes);
        if lost(sent) != Some(true) {
            bytes += f64::from(sent.bytes);
        }
    }
    let before = |at: f64| {
        let index = view.sent.partition_point(|sent| sent.at_s() <= at);
        through.get(index).copied().unwrap_or(bytes)
    };
    // The rate that holds for the longest time in all.
    let mut rates: Vec<(f64, f64)> = episodes
        .windows(2)
        .map(|pair| {
            let time = pair[1] - pair[0];
            ((before(pair[1]) - before(pair[0])) * 8.0 / time, time)
        })
        .collect();
    let mode = mode(&mut rates, SAME_RATE)?;
    (mode.count >= ALIKE).then_some(mode.rate)
}
