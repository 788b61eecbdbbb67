//! Remarkable moments of a transfer, which shares of time do not show.

use super::link::Link;
use super::states::BIN_S;
use crate::transfer::{Bin, Fate, Transfer};

/// Silence with data in flight that is named, seconds and round trips.
const SILENCE_S: f64 = 0.5;
const SILENCE_RTTS: f64 = 3.0;
/// A closed window is named after this long, seconds.
const CLOSED_S: f64 = 0.1;
/// Retransmissions within a second that are named: a share of what was sent, and this many.
const STORM_SHARE: f64 = 0.3;
const STORM_LEAST: u64 = 30;
const STORM_BINS: u32 = 100;
/// Overtaken segments that are named: a share of all, and this many.
const OVERTAKEN_SHARE: f64 = 0.002;
const OVERTAKEN_LEAST: u64 = 5;
/// Events that are kept.
const KEPT: usize = 3;

/// Kind of remarkable moments of a transfer, such as stalls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EventKind {
    /// Silence with data in flight, at least half of which was lost.
    Outage,
    /// Silence with data in flight, which was late, and less than half of it lost.
    Stall,
    /// The receiver's window was closed.
    ZeroWindow,
    /// Second in which 30 or more segments were retransmissions, and at least 30 % of those sent.
    Storm,
    /// Segments overtook others.
    Reordering,
}

impl EventKind {
    /// Name of the kind, as pages show it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Outage => "outage",
            Self::Stall => "stall",
            Self::ZeroWindow => "zero window",
            Self::Storm => "retransmission storm",
            Self::Reordering => "reordering",
        }
    }
}

/// Remarkable moments of one kind in a transfer.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// Kind of the event.
    pub kind: EventKind,
    /// Number of moments of this kind; for reordering, of overtaken segments.
    pub count: u64,
    /// Sum of the lengths of the transfer's moments of this kind, seconds; 0 for reordering.
    pub total_s: f64,
    /// Start of the longest moment of this kind, for reordering the time at which the first overtaken segment was
    /// acknowledged; seconds from the connection's first packet.
    pub at_s: f64,
    /// Length of the longest moment of this kind, seconds; 0 for reordering.
    pub longest_s: f64,
}

impl Event {
    fn add(&mut self, at_s: f64, length_s: f64) {
        self.count += 1;
        self.total_s += length_s;
        if length_s > self.longest_s {
            (self.at_s, self.longest_s) = (at_s, length_s);
        }
    }
}

/// The most remarkable kinds of events of a transfer, those that took the longest first.
pub(super) fn events(transfer: &Transfer, link: &Link) -> Vec<Event> {
    let bins: Vec<&Bin> = transfer.bins.iter().collect();
    let [outages, stalls] = silences(transfer, link);
    let mut events: Vec<Event> = [
        outages,
        stalls,
        closed(&bins),
        storms(&bins),
        overtaken(transfer, &bins),
    ]
    .into_iter()
    .filter(|event| event.count > 0)
    .collect();
    events.sort_by(|a, b| b.total_s.total_cmp(&a.total_s));
    events.truncate(KEPT);
    events
}

fn none(kind: EventKind) -> Event {
    Event {
        kind,
        count: 0,
        total_s: 0.0,
        at_s: 0.0,
        longest_s: 0.0,
    }
}

/// Silences with data in flight, between one answer and the next: outages and stalls.
fn silences(transfer: &Transfer, link: &Link) -> [Event; 2] {
    let mut found = [none(EventKind::Outage), none(EventKind::Stall)];
    let least_s = SILENCE_S.max(SILENCE_RTTS * link.rtt_s);
    // Since when the sender waits, if it does.
    let mut since: Option<u32> = None;
    let mut again = 0;
    for bin in transfer.bins.iter() {
        if bin.delivered == 0 {
            again += u32::from(bin.again > 0);
            since = since.or((bin.left > 0).then_some(bin.index));
            continue;
        }
        if let Some(from) = since {
            let (from_s, to_s) = (f64::from(from) * BIN_S, f64::from(bin.index) * BIN_S);
            if to_s - from_s >= least_s && bin.window > 0 {
                let is_lost = again > 0 && is_lost(transfer, from_s - link.base_s, to_s);
                found[usize::from(!is_lost)].add(from_s, to_s - from_s);
            }
        }
        since = (bin.left > 0).then(|| bin.index.saturating_add(1));
        again = 0;
    }
    found
}

/// Some of what was sent in a time was lost, and most of what has become known.
fn is_lost(transfer: &Transfer, from_s: f64, to_s: f64) -> bool {
    let first = transfer.sent.partition_point(|sent| sent.at_s() < from_s);
    let sent = || {
        transfer.sent[first..]
            .iter()
            .take_while(|sent| sent.at_s() < to_s - 0.02)
    };
    let lost = sent().filter(|sent| sent.fate == Fate::Lost).count();
    let known = sent().filter(|sent| sent.fate != Fate::Unknown).count();
    lost > 0 && 2 * lost >= known
}

/// Times in which the receiver's window was closed.
fn closed(bins: &[&Bin]) -> Event {
    let mut found = none(EventKind::ZeroWindow);
    let mut since: Option<u32> = None;
    for bin in bins {
        if bin.window == 0 {
            since.get_or_insert(bin.index);
        } else if let Some(from) = since.take() {
            let length_s = f64::from(bin.index - from) * BIN_S;
            if length_s >= CLOSED_S {
                found.add(f64::from(from) * BIN_S, length_s);
            }
        }
    }
    found
}

/// Seconds in which retransmissions were much of what was sent.
fn storms(bins: &[&Bin]) -> Event {
    let mut found = none(EventKind::Storm);
    let mut rest = bins;
    while let Some(first) = rest.first() {
        let count = rest.partition_point(|bin| bin.index - first.index < STORM_BINS);
        let (second, after) = rest.split_at(count);
        rest = after;
        let again: u64 = second.iter().map(|bin| u64::from(bin.again)).sum();
        let bytes: u64 = second.iter().map(|bin| u64::from(bin.sent)).sum();
        let packets: u64 = second.iter().map(|bin| u64::from(bin.packets)).sum();
        if again >= STORM_LEAST && bytes > 0 && again as f64 >= STORM_SHARE * packets as f64 {
            let from_s = f64::from(first.index) * BIN_S;
            let length_s = f64::from(second[count - 1].index - first.index + 1) * BIN_S;
            found.add(from_s, length_s);
        }
    }
    found
}

/// Segments that others overtook.
fn overtaken(transfer: &Transfer, bins: &[&Bin]) -> Event {
    let mut found = none(EventKind::Reordering);
    let count: u64 = bins.iter().map(|bin| u64::from(bin.overtaken)).sum();
    let least = OVERTAKEN_LEAST.max((OVERTAKEN_SHARE * transfer.sent.len() as f64) as u64);
    let first = bins.iter().find(|bin| bin.overtaken > 0);
    if let Some(first) = first.filter(|_| count >= least) {
        found.count = count;
        found.at_s = f64::from(first.index) * BIN_S;
    }
    found
}
