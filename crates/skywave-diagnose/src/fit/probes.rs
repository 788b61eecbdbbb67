//! Fits of an idle link to probes of it: base delay and its steps, jitter, retransmission by the link, outages, losses.

mod arq;
mod delays;
mod jitter;
mod levels;
mod outages;
mod sample;
mod ways;

pub use arq::Arq;
pub use jitter::JitterModel;
pub use levels::{Base, Level};
pub use outages::{Outage, Outages};

use super::hidden::{LossModel, losses};
use super::{Choice, Known};
use crate::record::{Probe, Probes};
use sample::Sample;

/// Idle link as probes of it, such as pings, tell: delay, jitter, retransmission, outages, losses.
#[derive(Clone, Debug, PartialEq)]
pub struct ProbeFit {
    /// Base round trip (without jitter and queues), and when it changed; not known if no probe was answered.
    pub base: Known<Base>,
    /// Fitted distributions of the round trip's random variation, best first. Not known with fewer than 100 answered
    /// probes or 30 s of probes, if successive round trips are correlated (queues or a varying rate, not jitter), or if
    /// the link sent every probe again.
    pub jitter: Known<Choice<JitterModel>>,
    /// Retransmission by the link itself, seen as delays above the base by whole multiples of a time; [`Known::Told`]
    /// of `None` if the probes show none.
    pub arq: Known<Option<Arq>>,
    /// Times in which no probe came back.
    pub outages: Known<Outages>,
    /// Fitted models of the losses of probes or their answers outside outages, best first; not known from too few
    /// probes or losses.
    pub losses: Known<Choice<LossModel>>,
    /// Length of the shortest burst of losses that can be told from a single loss, seconds: 1.5 times the spacing of
    /// the probes.
    pub shortest_burst_s: f64,
    /// Fit of the direction from the host that sends probes to the one that answers; not known if the record has round
    /// trips only, fewer than 100 answers with delays of both directions, or less than 30 s.
    pub up: Known<WayFit>,
    /// Fit of the direction from the host that answers probes to the one that sends them; not known if the record has
    /// round trips only, fewer than 100 answers with delays of both directions, or less than 30 s.
    pub down: Known<WayFit>,
}

/// Fit of a single direction of an idle link to one-way delays of probes.
#[derive(Clone, Debug, PartialEq)]
pub struct WayFit {
    /// Base delay of the direction over time, relative to its smallest measured delay: the absolute delay is not known,
    /// as the clocks of the two hosts need not agree.
    pub base: Known<Base>,
    /// Fitted distributions of the one-way delay's random variation, best first. Not known if successive delays are
    /// correlated (queues or a varying rate, not jitter), or if the link sent every probe again.
    pub jitter: Known<Choice<JitterModel>>,
    /// Fitted models of the direction's losses outside outages, best first; not known from too few losses, or if the
    /// record does not tell in which direction probes were lost.
    pub losses: Known<Choice<LossModel>>,
}

/// Probes without which only the base round trip is told.
const FEWEST: usize = 100;
/// Length of a record, in seconds, without which only the base round trip is told.
const SHORTEST_S: f64 = 30.0;

impl ProbeFit {
    /// Fit of an idle link to a record of probes. Lost probes at the record's end are left out, as their answers may
    /// have come too late for it.
    pub fn new(record: &Probes) -> Self {
        let probes = &record.probes[..settled(&record.probes)];
        let spacing_s = spacing(probes);
        let trips = round_trips(probes);
        let span =
            probes.last().map_or(0.0, |p| p.sent_s) - probes.first().map_or(0.0, |p| p.sent_s);
        let shortest_burst_s = 1.5 * spacing_s;
        if probes.len() < FEWEST || span < SHORTEST_S {
            let reason = format!("the record has only {} probes in {span:.0} s", probes.len());
            return Self {
                base: levels::least(&trips),
                jitter: Known::unknown(&reason),
                arq: Known::unknown(&reason),
                outages: Known::unknown(&reason),
                losses: Known::unknown(&reason),
                shortest_burst_s,
                up: Known::unknown(&reason),
                down: Known::unknown(&reason),
            };
        }
        let outages = outages::find(probes, spacing_s);
        let observed = outages.cut(probes, |fate| Some(fate.rtt().is_none()));
        let delays = delays::fit(&trips, jitter::Trip::Round);
        let [up, down] = ways::fit(probes, &outages);
        Self {
            base: delays.base,
            jitter: delays.jitter,
            arq: delays.arq,
            outages: Known::Told(outages),
            losses: losses(&observed),
            shortest_burst_s,
            up,
            down,
        }
    }
}

/// Probes that would have been answered within the record: those at the end that were lost within the longest round
/// trip of the last one do not count.
fn settled(probes: &[Probe]) -> usize {
    let trips = probes.iter().filter_map(|p| p.fate.rtt());
    let longest = trips.map(|rtt| rtt.high_s).fold(0.0, f64::max);
    let end = probes.last().map_or(0.0, |p| p.sent_s) - longest;
    let late = |p: &&Probe| p.fate.rtt().is_none() && p.sent_s > end;
    probes.len() - probes.iter().rev().take_while(late).count()
}

/// Median time between two probes, seconds; 0 with fewer than two.
fn spacing(probes: &[Probe]) -> f64 {
    let gaps = probes.windows(2).map(|w| w[1].sent_s - w[0].sent_s);
    sample::median(gaps.collect()).unwrap_or(0.0)
}

/// Round trips of the probes that were answered.
fn round_trips(probes: &[Probe]) -> Vec<Sample> {
    let answered = probes.iter().enumerate().filter_map(|(index, probe)| {
        let rtt = probe.fate.rtt()?;
        Some(Sample {
            index,
            sent_s: probe.sent_s,
            low_s: rtt.low_s,
            high_s: rtt.high_s,
        })
    });
    answered.collect()
}

#[cfg(test)]
mod tests;
