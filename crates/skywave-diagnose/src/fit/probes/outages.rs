//! Times in which nothing comes back.

use crate::fit::hidden::Observation;
use crate::fit::period::{Period, period};
use crate::fit::special::gamma_cdf;
use crate::record::{Fate, Probe};

/// Stretch of time in which all packets were lost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outage {
    /// Start, seconds from the record's first packet: half-way between the last probe answered before and the
    /// first lost, or the first lost segment of a transfer.
    pub from_s: f64,
    /// End, seconds from the record's first packet: half-way between the last probe lost and the next
    /// answered, or the last lost segment of a transfer.
    pub to_s: f64,
}

/// Outages in a record of probes or in a transfer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outages {
    /// Outages of the record of probes or of the transfer, in the order of time; empty if there are none.
    pub all: Vec<Outage>,
    /// Period of the times at which outages begin; `None` if they come at no regular times.
    pub every: Option<Period>,
}

/// Probes lost in a row that may be an outage.
const FEWEST: usize = 5;
/// Time that these take at least, seconds.
const SHORTEST_S: f64 = 0.5;
/// Probability of so many long rows below which short rows do not explain them.
const UNLIKELY: f64 = 0.01;
/// Probability for rows that come periodically: a few do so by chance.
const UNLIKELY_AT_TIMES: f64 = 0.2;
/// Bounds of an outage's period, seconds.
const PERIODS_S: (f64, f64) = (2.0, 600.0);

/// Finds the outages: five or more probes lost in a row over half a second or more, if bursts of losses without memory
/// whose shorter rows are as long as those of the record would hardly ever have made so many, or seldom so many if they
/// come periodically.
pub(super) fn find(probes: &[Probe], spacing_s: f64) -> Outages {
    let fewest = FEWEST.max(libm::ceil(SHORTEST_S / spacing_s.max(1e-6)) as usize);
    let (long, short): (Vec<_>, Vec<_>) = rows(probes)
        .into_iter()
        .partition(|row| row.1 - row.0 >= fewest);
    let all: Vec<Outage> = long.into_iter().map(|row| outage(probes, row)).collect();
    let starts: Vec<f64> = all.iter().map(|o| o.from_s).collect();
    let every = period(&starts, spacing_s, PERIODS_S.0, PERIODS_S.1);
    let lengths: Vec<usize> = short.into_iter().map(|row| row.1 - row.0).collect();
    let likely = if every.is_some() {
        UNLIKELY_AT_TIMES
    } else {
        UNLIKELY
    };
    if all.is_empty() || by_chance(all.len(), fewest, &lengths) > likely {
        return Outages::default();
    }
    Outages { all, every }
}

/// Rows of lost probes, as [first, end).
fn rows(probes: &[Probe]) -> Vec<(usize, usize)> {
    let mut rows: Vec<(usize, usize)> = Vec::new();
    for (i, probe) in probes.iter().enumerate() {
        if probe.fate.rtt().is_some() {
            continue;
        }
        match rows.last_mut() {
            Some(row) if row.1 == i => row.1 = i + 1,
            _ => rows.push((i, i + 1)),
        }
    }
    rows
}

fn outage(probes: &[Probe], (first, end): (usize, usize)) -> Outage {
    let sent = |i: usize| probes[i].sent_s;
    let between = |a: usize, b: usize| f64::midpoint(sent(a), sent(b));
    Outage {
        from_s: first
            .checked_sub(1)
            .map_or(sent(first), |before| between(before, first)),
        to_s: if end < probes.len() {
            between(end - 1, end)
        } else {
            sent(end - 1)
        },
    }
}

/// The largest probability that bursts without memory have at least so many rows of `fewest` losses or more, given the
/// lengths of the shorter rows. Since the rest of a burst does not depend on how long it has been, it is reckoned also
/// from rows of some length on: short ones may have other causes.
fn by_chance(long: usize, fewest: usize, lengths: &[usize]) -> f64 {
    let from = [1, 2, fewest / 3, fewest / 2];
    from.into_iter()
        .map(|from| {
            let beyond = lengths
                .iter()
                .filter(|&&l| l >= from)
                .map(|&l| (l - from) as f64);
            by_chance_from(long, fewest - from, &beyond.collect::<Vec<_>>())
        })
        .fold(0.0, f64::max)
}

/// Probability for rows that begin with 0, and with any probability to go on thought as likely before they are seen.
fn by_chance_from(long: usize, fewest: usize, lengths: &[f64]) -> f64 {
    let goes_on = (1..100).map(|i| f64::from(i) / 100.0);
    let each: Vec<(f64, f64)> = goes_on
        .map(|q| {
            let reaches = libm::pow(q, fewest as f64);
            let of = |length: &f64| length * libm::log(q) + libm::log((1.0 - q) / (1.0 - reaches));
            let expected = lengths.len() as f64 * reaches / (1.0 - reaches);
            // Poisson's law.
            let chance = gamma_cdf(long as f64, expected);
            (lengths.iter().map(of).sum(), chance)
        })
        .collect();
    let most = each.iter().map(|e| e.0).fold(f64::NEG_INFINITY, f64::max);
    let (sum, weights) = each
        .into_iter()
        .fold((0.0, 0.0), |(sum, weights), (log, chance)| {
            let weight = libm::exp(log - most);
            (sum + weight * chance, weights + weight)
        });
    sum / weights
}

impl Outages {
    /// Observations of losses as `lost` tells them, those within outages without anything.
    pub(super) fn cut(
        &self,
        probes: &[Probe],
        lost: impl Fn(Fate) -> Option<bool>,
    ) -> Vec<Observation> {
        let within = |time_s: f64| {
            let before = self.all.partition_point(|o| o.to_s < time_s);
            self.all.get(before).is_some_and(|o| o.from_s <= time_s)
        };
        let observe = |probe: &Probe| Observation {
            time_s: probe.sent_s,
            lost: if within(probe.sent_s) {
                None
            } else {
                lost(probe.fate)
            },
        };
        probes.iter().map(observe).collect()
    }
}
