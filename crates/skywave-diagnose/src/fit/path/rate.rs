//! The bottleneck's rate, from the times at which it worked without a pause, or from segments sent back to back.

use super::behind;
use super::idle::{Idle, SPACED_S};
use super::view::{Arrival, View};
use crate::fit::{Estimate, Known};
use crate::order::quantile;
use crate::transfer::Sent;

/// A round trip this much above the base shows that a queue was there all the while: seconds, share of the base,
/// transmission times of a packet (a few packets wait by chance even on an idle link).
const QUEUE_S: f64 = 0.006;
const QUEUE_SHARE: f64 = 0.06;
const QUEUE_PACKETS: f64 = 2.5;
/// Shortest window over which a rate is taken, seconds, and in round trips.
const WINDOW_S: f64 = 0.1;
const WINDOW_RTTS: f64 = 2.0;
/// Windows are longer than what delays vary by on an idle link, so often: packets come in clumps there.
const WINDOW_VARIATIONS: f64 = 5.0;
/// The next arrival after a window ends it if it comes within this share of its length.
const SOON: f64 = 0.2;
/// Busy time over which a rate is compared with others, seconds.
const LONG_S: f64 = 1.0;
/// Fewest arrivals in a window, windows in all, and spread of their rates below which the rate is constant.
const FEWEST: usize = 10;
const FEWEST_WINDOWS: usize = 4;
const CONSTANT_SPREAD: f64 = 0.05;
/// Segments sent within this time of one another are back to back, seconds; and how many make a train.
const BACK_TO_BACK_S: f64 = 0.000_2;
const TRAIN: usize = 4;
/// Trains whose rates are this close tell the same, as a share.
const SAME_RATE: f64 = 0.05;
/// Times of one answer differ by up to this, since they are kept as microseconds after the transmissions.
const SAME_ANSWER_S: f64 = 2e-6;
/// Headers that the capture does not show (Ethernet, PPPoE, ATM) make any rate uncertain by this share.
const HEADERS: f64 = 0.005;

/// Rate of the bottleneck in a window in which it never rested.
#[derive(Clone, Copy, Debug)]
pub(super) struct Busy {
    pub(super) from_s: f64,
    pub(super) to_s: f64,
    pub(super) bps: f64,
}

/// Method by which a bottleneck's rate was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RateBy {
    /// Rate at which packets arrived while others waited in the bottleneck's queue.
    Busy,
    /// Spacing of the ACKs of segments sent back to back.
    Trains,
    /// Growth of the round trips of packets that waited behind those sent just before.
    Behind,
}

/// The bottleneck's rate.
#[derive(Clone, Debug)]
pub(super) struct Rate {
    /// The rate, bits a second of IP; of a variable one the median.
    pub(super) found: Known<(Estimate, RateBy)>,
    /// Windows in which it never rested.
    pub(super) busy: Vec<Busy>,
    /// Spread of the rates of these: half the distance of the 10th and 90th percentiles, as a share of the median.
    pub(super) spread: f64,
    /// The largest rate over a window: the bottleneck has at least this.
    pub(super) at_least: f64,
    /// Variation of delays on the idle link.
    idle: Idle,
}

/// Finds the rate of the bottleneck. Where the base round trip changes, a queue shows beyond the changes alone.
pub(super) fn rate(view: &View<'_>, idle: Idle) -> Rate {
    let found = rate_beside(view, idle);
    if idle.steps_s == 0.0 || (found.is_constant() && !found.busy.is_empty()) {
        return found;
    }
    let beyond = Idle {
        varies_s: idle.varies_s + idle.steps_s,
        ..idle
    };
    let beyond = rate_beside(view, beyond);
    if beyond.is_constant() { beyond } else { found }
}

fn rate_beside(view: &View<'_>, idle: Idle) -> Rate {
    let window = WINDOW_S
        .max(WINDOW_RTTS * view.base_s)
        .max(WINDOW_VARIATIONS * idle.varies_s);
    let trains = trains(view).filter(|_| idle.varies_s < SPACED_S);
    let at_least = peak(&view.arrivals, window);
    let guess = trains.map_or(at_least, |(rate, _)| rate).max(at_least);
    let mut busy = busy(view, window, guess, idle);
    let mut rates = long_rates(&busy);
    rates.sort_by(f64::total_cmp);
    let spread = quantile(&rates, 0.5).map_or(f64::INFINITY, |median| {
        let low = quantile(&rates, 0.1).unwrap_or(median);
        let high = quantile(&rates, 0.9).unwrap_or(median);
        (high - low) / 2.0 / median
    });
    let by_busy = quantile(&rates, 0.5).filter(|_| busy.len() >= FEWEST_WINDOWS);
    let by_trains = trains.filter(|(_, share)| *share >= 0.5);
    let found = match (by_busy, by_trains) {
        (Some(median), _) => Some((with_headers(median, spread, busy.len()), RateBy::Busy)),
        (None, Some((rate, _))) if rate >= at_least * (1.0 - SAME_RATE) => {
            let estimate = Estimate::new(rate, rate * 0.97, rate * 1.03);
            Some((estimate, RateBy::Trains))
        }
        _ => behind::rate(view, at_least, idle).map(|estimate| (estimate, RateBy::Behind)),
    };
    if by_busy.is_none() {
        busy.clear();
    }
    Rate {
        found: Known::or_unknown(found, "the link was never busy for long enough"),
        busy,
        spread,
        at_least,
        idle,
    }
}

impl Rate {
    /// The rate does not change, as far as the busy windows tell: what delays vary by moves packets from one to the next.
    pub(super) fn is_constant(&self) -> bool {
        self.busy.is_empty() || self.spread < CONSTANT_SPREAD + self.idle.varies_s / LONG_S
    }
}

/// Rates over a second or so: jitter moves a few packets between windows, and does so less the longer these are.
fn long_rates(busy: &[Busy]) -> Vec<f64> {
    let mut rates = Vec::new();
    let (mut time, mut bits) = (0.0, 0.0);
    for window in busy {
        let length = window.to_s - window.from_s;
        time += length;
        bits += window.bps * length;
        if time >= LONG_S {
            rates.push(bits / time);
            (time, bits) = (0.0, 0.0);
        }
    }
    if rates.len() < FEWEST_WINDOWS {
        return busy.iter().map(|window| window.bps).collect();
    }
    rates
}

fn with_headers(bps: f64, spread: f64, windows: usize) -> Estimate {
    let deviation = (spread / libm::sqrt(windows as f64)).max(HEADERS);
    Estimate::new(bps, bps * (1.0 - deviation), bps * (1.0 + deviation))
}

/// Windows in which each round trip shows a queue.
fn busy(view: &View<'_>, window: f64, guess: f64, idle: Idle) -> Vec<Busy> {
    let queue = QUEUE_S
        .max(QUEUE_SHARE * view.base_s)
        .max(QUEUE_PACKETS * view.packet * 8.0 / guess)
        + idle.varies_s;
    let mut found = Vec::new();
    let mut rest = &view.arrivals[..];
    while let Some(first) = rest.first() {
        let count = rest.partition_point(|arrival| arrival.at_s < first.at_s + window);
        let all = rest;
        let (inside, after) = rest.split_at(count);
        rest = after;
        let waited = |arrival: &Arrival| arrival.rtt_s.is_none_or(|rtt| rtt - view.base_s > queue);
        let is_known = inside.iter().any(|arrival| arrival.rtt_s.is_some());
        if inside.len() < FEWEST
            || !is_known
            || !inside.iter().all(waited)
            || inside[count - 1].at_s - first.at_s <= 0.8 * window
        {
            continue;
        }
        // Up to the next arrival, if that waited too: windows begin with the first packet of a clump and end with the last
        // one, so that what was between them would be left out.
        let soon = |next: &&Arrival| next.at_s < first.at_s + (1.0 + SOON) * window;
        let next = after.first().filter(soon).filter(|next| waited(next));
        let more = next.map_or(0, |next| {
            after.partition_point(|arrival| arrival.at_s <= next.at_s + SAME_ANSWER_S)
        });
        let whole = &all[..count + more];
        if let Some(bps) = pace(whole) {
            found.push(Busy {
                from_s: first.at_s,
                to_s: whole[whole.len() - 1].at_s,
                bps,
            });
        }
    }
    found
}

/// Rate of arrivals between the first answer and the last, bits a second.
fn pace(arrivals: &[Arrival]) -> Option<f64> {
    let (first, last) = (arrivals.first()?, arrivals.last()?);
    let time = last.at_s - first.at_s;
    let bytes: f64 = arrivals
        .iter()
        .filter(|arrival| arrival.at_s > first.at_s + SAME_ANSWER_S)
        .map(|arrival| arrival.bytes)
        .sum();
    (time > 0.0).then(|| bytes * 8.0 / time)
}

/// The largest rate of arrivals over a window, bits a second.
fn peak(arrivals: &[Arrival], window: f64) -> f64 {
    let mut most = 0.0_f64;
    let mut rest = arrivals;
    while let Some(first) = rest.first() {
        let count = rest.partition_point(|arrival| arrival.at_s < first.at_s + window);
        let bytes: f64 = rest[..count].iter().map(|arrival| arrival.bytes).sum();
        most = most.max(bytes * 8.0 / window);
        rest = &rest[count..];
    }
    most
}

/// The rate that most trains tell, weighted by their bytes, and the share of these that do.
fn trains(view: &View<'_>) -> Option<(f64, f64)> {
    let mut rates: Vec<(f64, f64)> = Vec::new();
    let mut run: Vec<&Sent> = Vec::new();
    let mut last_s = f64::NEG_INFINITY;
    for sent in view.sent.iter().filter(|sent| sent.again.is_none()) {
        if sent.at_s() - last_s > BACK_TO_BACK_S {
            rates.extend(train(&run));
            run.clear();
        }
        last_s = sent.at_s();
        run.push(sent);
    }
    rates.extend(train(&run));
    let mode = mode(&mut rates, SAME_RATE)?;
    let all: f64 = rates.iter().map(|(_, weight)| weight).sum();
    Some((mode.rate, mode.weight / all))
}

/// Rates that are alike.
pub(super) struct Mode {
    /// Median of the rates.
    pub(super) rate: f64,
    /// Weight of the rates.
    pub(super) weight: f64,
    /// Number of the rates.
    pub(super) count: usize,
}

/// The rates with the most weight that differ from one of them by less than a share; each rate is given with its weight.
pub(super) fn mode(rates: &mut [(f64, f64)], share: f64) -> Option<Mode> {
    rates.sort_by(|a, b| a.0.total_cmp(&b.0));
    let near = |rate: f64| {
        let from = rates.partition_point(|(other, _)| other / rate - 1.0 <= -share);
        let to = rates.partition_point(|(other, _)| other / rate - 1.0 < share);
        &rates[from..to]
    };
    let weight = |near: &[(f64, f64)]| near.iter().map(|(_, weight)| weight).sum::<f64>();
    let (near, weight) = rates
        .iter()
        .map(|&(rate, _)| (near(rate), weight(near(rate))))
        .max_by(|a, b| a.1.total_cmp(&b.1))?;
    Some(Mode {
        rate: quantile(near, 0.5)?.0,
        weight,
        count: near.len(),
    })
}

/// Rate that one train tells, and its bytes: the last answer's distance from the first, and what arrived between.
fn train(run: &[&Sent]) -> Option<(f64, f64)> {
    if run.len() < TRAIN {
        return None;
    }
    let mut answers: Vec<(f64, f64)> = run
        .iter()
        .map(|sent| Some((sent.at_s() + sent.rtt_s()?, f64::from(sent.bytes))))
        .collect::<Option<_>>()?;
    answers.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (first, last) = (answers.first()?.0, answers.last()?.0);
    let bytes: f64 = answers
        .iter()
        .filter(|(at, _)| *at > first + SAME_ANSWER_S)
        .map(|(_, bytes)| bytes)
        .sum();
    (last > first).then(|| (bytes * 8.0 / (last - first), bytes))
}
