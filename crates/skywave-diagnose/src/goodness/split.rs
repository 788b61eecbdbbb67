//! Records cut in two: what a link is fitted to, and what it is compared with.

use crate::fit::path::{self, Idle, PathFit};
use crate::record::{Probe, Probes};
use crate::transfer::{Bins, Sent, Transfer};

/// Share of a record that is fitted.
const FITTED: f64 = 2.0 / 3.0;
/// Shortest parts, seconds, and fewest packets of each: less tells of neither runs of losses nor of delays' memory.
const SHORTEST_S: (f64, f64) = (10.0, 5.0);
const FEWEST: usize = 100;
/// Most transmissions that are fitted (the last ones before the cut) and compared (the first ones after it), so that a large
/// capture takes little more time.
const MOST: (usize, usize) = (100_000, 50_000);
/// Seconds before the held part that are sent again too, so that queues are as they were.
pub(super) const WARM_UP_S: f64 = 5.0;

/// A record cut in two.
#[derive(Clone, Debug)]
pub(super) struct Half<T> {
    /// The part that is fitted.
    pub(super) first: T,
    /// The part that is held back; of a transfer with what was sent just before.
    pub(super) held: T,
    /// When it begins, seconds.
    pub(super) from_s: f64,
    pub(super) fitted_s: f64,
    pub(super) held_s: f64,
}

/// Parts of a record from its first time to its last: the cut, and how long both are; else what is missing.
fn cut(first_s: f64, last_s: f64, packets: [usize; 2]) -> Result<(f64, f64), String> {
    let fitted_s = (last_s - first_s) * FITTED;
    let held_s = last_s - first_s - fitted_s;
    if fitted_s < SHORTEST_S.0 || held_s < SHORTEST_S.1 || packets.iter().any(|&n| n < FEWEST) {
        return Err(format!(
            "the record is too short to be cut in two: {:.0} s, with {} and {} packets before and after two thirds; \
             {:.0} s and {FEWEST} packets in each part are needed",
            last_s - first_s,
            packets[0],
            packets[1],
            SHORTEST_S.0 + SHORTEST_S.1,
        ));
    }
    Ok((fitted_s, held_s))
}

/// When a share of a time is over, seconds.
fn at(first_s: f64, last_s: f64) -> f64 {
    first_s + (last_s - first_s) * FITTED
}

/// Probes cut in two.
pub(super) fn probes(record: &Probes) -> Result<Half<Probes>, String> {
    let first_s = record.probes.first().map_or(0.0, |probe| probe.sent_s);
    let last_s = record.probes.last().map_or(0.0, |probe| probe.sent_s);
    let from_s = at(first_s, last_s);
    let index = record
        .probes
        .partition_point(|probe| probe.sent_s < from_s)
        .min(record.probes.len());
    let (first, held) = record.probes.split_at(index);
    let (fitted_s, held_s) = cut(first_s, last_s, [first.len(), held.len()])?;
    let part = |probes: &[Probe]| Probes {
        probes: probes.to_vec(),
        ..record.clone()
    };
    Ok(Half {
        first: part(first),
        held: part(held),
        from_s,
        fitted_s,
        held_s,
    })
}

/// A transfer cut in two, and the path of its first part.
pub(super) fn transfer(
    transfer: &Transfer,
    idle: Idle,
) -> Result<(Half<Transfer>, PathFit), String> {
    // Senders are compared with the way there; of the way back each answer tells itself.
    let straight = path::without_back(transfer);
    let transfer = straight.as_ref().map_or(transfer, |(straight, _)| straight);
    let sent = &transfer.sent;
    let first_s = sent.first().map_or(0.0, Sent::at_s);
    let last_s = sent.last().map_or(0.0, Sent::at_s);
    let from_s = at(first_s, last_s);
    let index = sent.partition_point(|sent| sent.at_s() < from_s);
    cut(first_s, last_s, [index, sent.len() - index])?;
    let begin = index.saturating_sub(MOST.0);
    let end = sent.len().min(index + MOST.1);
    let warm = sent.partition_point(|sent| sent.at_s() < from_s - WARM_UP_S);
    let part = |from: usize, to: usize| Transfer {
        from: transfer.from,
        to: transfer.to,
        begins_s: transfer.begins_s,
        duration_s: transfer.duration_s,
        handshake: transfer.handshake,
        mss: transfer.mss,
        headers: transfer.headers,
        sent: sent[from..to].to_vec(),
        origins: Vec::new(),
        bins: Bins::default(),
        answers: Vec::new(),
        delivered: transfer.delivered,
        unseen: transfer.unseen,
        is_near_sender: transfer.is_near_sender,
        remarks: Vec::new(),
    };
    let half = Half {
        first: part(begin, index),
        held: part(warm.max(begin), end),
        from_s,
        fitted_s: from_s - sent[begin].at_s(),
        held_s: sent[end - 1].at_s() - from_s,
    };
    let fit = path::fit_beside(&half.first, idle).ok_or("its first part has no round trips")?;
    Ok((half, fit))
}
