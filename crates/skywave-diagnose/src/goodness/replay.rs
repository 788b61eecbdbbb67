//! Packets of a record, sent again over the fitted link.

use skywave_core::link::{Fate as LinkFate, Link as Fifo, LinkConfig, TimedLink};
use skywave_core::{Duration, Time};
use skywave_scenario::{NoFiles, Scenario};

use super::split::WARM_UP_S;
use crate::fit::Estimate;
use crate::fit::path::RateModel;
use crate::link::{Drawn, Link, Values, scenario};
use crate::record::{Probe, Probes, Reading};
use crate::transfer::{Fate, Sent};

/// Bytes of a probe where the record does not tell: ping's usual ones.
pub(super) const USUAL_PROBE: u32 = 84;
/// Bytes of an answer to a segment.
const ANSWER: u32 = 52;
/// Seconds after which a queue is set anew to what round trips tell: over a longer time it would add up what a rate is off by.
const ANEW_S: f64 = 20.0;
/// Seconds after the last packet after which nothing arrives any more.
const LATE_S: f64 = 120.0;
/// Intervals narrower than this share of the value are not drawn from.
const NARROW: f64 = 0.1;

/// A packet and what became of it, in a record or a replay.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Packet {
    /// When it was sent, seconds.
    pub(super) sent_s: f64,
    pub(super) bytes: u32,
    /// Whether it was lost; `None` if nobody knows, which leaves it out of its replays too.
    pub(super) lost: Option<bool>,
    /// When its answer came, seconds.
    pub(super) answered_s: Option<f64>,
    /// Round trip, seconds, where the answer tells it.
    pub(super) rtt_s: Option<f64>,
}

impl Packet {
    /// The same packet with another fate: the round trip if it arrived. What the record does not tell is left out.
    fn replayed(&self, rtt_s: Option<f64>) -> Self {
        let is_timed = self.lost == Some(true) || self.rtt_s.is_some();
        Self {
            lost: self.lost.map(|_| rtt_s.is_none()),
            answered_s: rtt_s.map(|rtt_s| self.sent_s + rtt_s),
            rtt_s: rtt_s.filter(|_| is_timed),
            ..*self
        }
    }
}

/// A reading of a record: what it is as coarse as.
pub(super) fn reading(record: &Probes) -> Option<Reading> {
    record.probes.iter().find_map(|probe| probe.fate.rtt())
}

/// A time as a tool would have printed it that printed this one.
fn as_read(rtt_s: f64, coarse: Reading) -> f64 {
    let width = coarse.high_s - coarse.low_s;
    if width <= 0.0 {
        return rtt_s;
    }
    let steps = libm::floor((rtt_s - coarse.low_s) / width);
    coarse.low_s + (steps + 0.5) * width
}

/// Probes as packets.
pub(super) fn probes(record: &Probes) -> Vec<Packet> {
    let packet = |probe: &Probe| {
        let rtt_s = probe.fate.rtt().map(Reading::middle_s);
        Packet {
            sent_s: probe.sent_s,
            bytes: record.bytes.unwrap_or(USUAL_PROBE),
            lost: Some(rtt_s.is_none()),
            answered_s: rtt_s.map(|rtt_s| probe.sent_s + rtt_s),
            rtt_s,
        }
    };
    record.probes.iter().map(packet).collect()
}

/// Transmissions as packets. Of two with one answer, the earlier one's round trip has a wait for the later one in it.
pub(super) fn transmissions(sent: &[Sent]) -> Vec<Packet> {
    let packet = |(index, one): (usize, &Sent)| Packet {
        sent_s: one.at_s(),
        bytes: u32::from(one.bytes),
        lost: match one.fate {
            Fate::Lost => Some(true),
            Fate::Delivered | Fate::Timed => Some(false),
            Fate::Unknown => None,
        },
        answered_s: one.answer_after_s().map(|after_s| one.at_s() + after_s),
        rtt_s: one
            .rtt_s()
            .filter(|_| !one.is_answered_with(sent.get(index + 1))),
    };
    sent.iter().enumerate().map(packet).collect()
}

/// Values drawn from wide intervals; of narrow ones the likeliest.
struct Plausible(Drawn);

impl Values for Plausible {
    fn of(&mut self, estimate: Estimate) -> f64 {
        if estimate.high - estimate.low < NARROW * estimate.value {
            estimate.value
        } else {
            self.0.of(estimate)
        }
    }
}

/// Both directions of a fitted link.
pub(super) struct Ways {
    forward: LinkConfig,
    back: LinkConfig,
}

impl Ways {
    /// The ways of a link, with values of this number's draw; `None` if the link's scenario needs a file, or is refused.
    pub(super) fn of(link: &Link, number: u64) -> Option<Self> {
        let written = scenario(link, "link", &mut Plausible(Drawn::new(number)));
        let scenario = Scenario::parse("link", &written.toml, &NoFiles).ok()?;
        let spec = scenario.points().first()?.spec(1);
        let [forward, back] = &spec.links[..] else {
            return None;
        };
        Some(Self {
            forward: LinkConfig::clone(&forward.config),
            back: LinkConfig::clone(&back.config),
        })
    }

    /// Replay of probes, whose answers are as large as they are. Their round trips are as coarse as the record's.
    pub(super) fn probed(
        &self,
        record: &[Packet],
        bytes: u32,
        coarse: Option<Reading>,
        seed: u64,
    ) -> Vec<Packet> {
        let sent: Vec<(f64, u32)> = record.iter().map(|one| (one.sent_s, one.bytes)).collect();
        let trips = self.trips(&sent, bytes, seed).into_iter();
        let read = |rtt_s: f64| coarse.map_or(rtt_s, |coarse| as_read(rtt_s, coarse));
        let packets = record.iter().zip(trips);
        packets
            .map(|(one, rtt_s)| one.replayed(rtt_s.map(read)))
            .collect()
    }

    /// Replay of transmissions, those from an index on.
    pub(super) fn sent(
        &self,
        packets: &[Packet],
        from: usize,
        link: &Link,
        seed: u64,
    ) -> Vec<Packet> {
        let mut replayed = Vec::new();
        let mut next = from;
        while let Some(first) = packets.get(next) {
            let until = |at_s: f64| packets.partition_point(|one| one.sent_s < at_s);
            let end = until(first.sent_s + ANEW_S).max(next + 1);
            let part = &packets[until(first.sent_s - WARM_UP_S)..end];
            let mut sent = waiting(part, link);
            let before = sent.len();
            sent.extend(part.iter().map(|one| (one.sent_s, one.bytes)));
            let trips = self.trips(&sent, ANSWER, seed.wrapping_add(REPLAY_SEEDS * next as u64));
            let skipped = before + part.len() - (end - next);
            let part = packets[next..end].iter().zip(&trips[skipped..]);
            replayed.extend(part.map(|(one, rtt_s)| one.replayed(*rtt_s)));
            next = end;
        }
        replayed
    }

    /// Round trips of packets sent at these times with these bytes; `None` of what is lost.
    fn trips(&self, sent: &[(f64, u32)], answer: u32, seed: u64) -> Vec<Option<f64>> {
        let at = |seconds: f64| Time::ZERO + Duration::from_secs_f64(seconds.max(0.0));
        let sent: Vec<(Time, u32)> = sent.iter().map(|&(s, bytes)| (at(s), bytes)).collect();
        let arrived = through(&self.forward, "forward", seed, &sent);
        let mut answers: Vec<(Time, usize)> = arrived
            .iter()
            .enumerate()
            .filter_map(|(index, at)| Some(((*at)?, index)))
            .collect();
        answers.sort_unstable();
        let back: Vec<(Time, u32)> = answers.iter().map(|(at, _)| (*at, answer)).collect();
        let back = through(&self.back, "back", seed, &back);
        let mut trips = vec![None; sent.len()];
        for ((_, index), at) in answers.iter().zip(back) {
            trips[*index] = at.map(|at| at.since(sent[*index].0).as_secs_f64());
        }
        trips
    }
}

/// Distance of the seeds of parts of a replay.
const REPLAY_SEEDS: u64 = 1 << 20;

/// Packets that waited when a part began, as its first round trip tells.
fn waiting(part: &[Packet], link: &Link) -> Vec<(f64, u32)> {
    let (Some(first), Some(RateModel::Constant(rate, _)), Some(base)) = (
        part.first(),
        link.rate.known.told(),
        link.base_s.known.told(),
    ) else {
        return Vec::new();
    };
    let rtt_s = part.iter().find_map(|one| one.rtt_s);
    let wait_s = rtt_s.map_or(0.0, |rtt_s| f64::max(0.0, rtt_s - base.value));
    let count = (wait_s * rate.value / 8.0 / link.packet) as usize;
    vec![(first.sent_s, link.packet as u32); count]
}

/// When packets that are offered to a link come out; `None` of what does not.
fn through(
    config: &LinkConfig,
    name: &str,
    seed: u64,
    packets: &[(Time, u32)],
) -> Vec<Option<Time>> {
    let came = |fate: LinkFate| match fate {
        LinkFate::Arrives { at, corrupt, .. } if !corrupt && at < Time::MAX => Some(at),
        _ => None,
    };
    if !config.needs_time() {
        let mut link = Fifo::new(config.clone(), seed, name);
        let fates = packets.iter().map(|&(at, size)| link.send(at, size));
        return fates.map(came).collect();
    }
    let mut link = TimedLink::new(config.clone(), seed, name);
    let mut arrived = vec![None; packets.len()];
    for (id, &(at, size)) in (0..).zip(packets) {
        link.offer(at, id, size);
    }
    let last = packets.last().map_or(Time::ZERO, |(at, _)| *at);
    link.on_time(last + Duration::from_secs_f64(LATE_S));
    while let Some(settled) = link.poll() {
        arrived[settled.tag.id() as usize] = came(settled.fate);
    }
    arrived
}
