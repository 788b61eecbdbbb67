//! A policer: it drops what comes faster than its tokens, without any delay.
//!
//! By its losses alone it is a full queue of the same rate and size; that round trips do not rise with it tells the two apart.

use super::backlog::replay;
use super::queue;
use super::rate::quantile;
use super::view::View;
use crate::fit::Estimate;
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
/// Rates that are tried around the first guess, as shares.
const AROUND: f64 = 0.04;
const TRIED: i32 = 40;

/// A policer's rate and size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Policer {
    /// Rate of its tokens, bits a second.
    pub bps: Estimate,
    /// Most tokens, bytes.
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
        .filter(|sent| super::backlog::lost(sent) == Some(true))
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
    let guess = guess(view, &episodes)?;
    // At the right rate the losses meet the same level.
    let criterion = |bps: f64| {
        let queue = queue::full(&replay(view.sent, bps, None), view.packet)?;
        Some(queue.choice.bic())
    };
    let around = |guess: f64, around: f64| {
        (-TRIED..=TRIED)
            .map(|i| guess * (1.0 + around * f64::from(i) / f64::from(TRIED)))
            .filter_map(|bps| Some((bps, criterion(bps)?)))
            .min_by(|a, b| a.1.total_cmp(&b.1))
    };
    let (rough, _) = around(guess, AROUND)?;
    let (bps, _) = around(rough, AROUND / f64::from(TRIED))?;
    let steps = replay(view.sent, bps, None);
    let predicted = queue::full(&steps, view.packet)?;
    let queue::QueueModel::DropTail { bytes } = predicted.choice.best() else {
        return None;
    };
    // A queue of this rate and size would have made packets wait that long.
    if waited_s(view, &episodes)? > DELAYED * bytes.value * 8.0 / bps {
        return None;
    }
    Some(Policed {
        policer: Policer {
            bps: Estimate::new(bps, bps * 0.98, bps * 1.02),
            burst: Estimate::new(bytes.value, bytes.low * 0.8, bytes.high * 1.2),
        },
        drop: predicted.drop,
    })
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
    waits.sort_by(f64::total_cmp);
    quantile(&waits, 0.5)
}

/// Rate between losses: what came through from one episode of losses to the next, where the tokens were used up both times.
fn guess(view: &View<'_>, episodes: &[f64]) -> Option<f64> {
    // Bytes that had come through before each transmission.
    let mut through = Vec::with_capacity(view.sent.len());
    let mut bytes = 0.0;
    for sent in view.sent {
        through.push(bytes);
        if super::backlog::lost(sent) != Some(true) {
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
    rates.sort_by(|a, b| a.0.total_cmp(&b.0));
    let near = |rate: f64| {
        rates
            .iter()
            .filter(move |(other, _)| (other / rate - 1.0).abs() < SAME_RATE)
    };
    let (mode, _) = rates
        .iter()
        .map(|&(rate, _)| (rate, near(rate).map(|(_, time)| time).sum::<f64>()))
        .max_by(|a, b| a.1.total_cmp(&b.1))?;
    let inside: Vec<f64> = near(mode).map(|(rate, _)| *rate).collect();
    quantile(&inside, 0.5).filter(|_| inside.len() >= ALIKE)
}
