//! A virtual queue: what the bottleneck's queue held when each packet came, replayed from what was sent and what was lost.
//!
//! It drains at the link's rate and grows by each packet that was *not* lost. Round trips would tell it too, but only where an answer
//! came; just at losses there is none. What they do tell keeps the virtual queue from drifting away over minutes.

use crate::transfer::{Fate, Sent};

/// A transmission and the virtual queue that it met.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    /// When it was sent, seconds.
    pub(super) at_s: f64,
    /// Bytes of the packet.
    pub(super) bytes: f64,
    /// Whether it was lost; `None` if nobody knows.
    pub(super) lost: Option<bool>,
    /// Bytes that it found in the queue.
    pub(super) found: f64,
}

/// Share of the distance to what a round trip tells by which the virtual queue follows it: little, for a single round trip
/// may have waited for anything.
const FOLLOW: f64 = 0.02;

/// The virtual queue of a link of `bps` bits a second with a round trip of `base_s` seconds. Without a base it follows no
/// round trips: a policer delays nothing, and where the path becomes longer they mislead.
pub(super) fn replay(sent: &[Sent], bps: f64, base_s: Option<f64>) -> Vec<Step> {
    let mut queue = 0.0;
    let mut last_s = 0.0;
    let sent_after = |index: usize| sent.get(index + 1);
    sent.iter()
        .enumerate()
        .map(|(index, sent)| {
            let at_s = sent.at_s();
            let bytes = f64::from(sent.bytes);
            let mut found = f64::max(0.0, queue - bps / 8.0 * (at_s - last_s));
            // The earlier of two segments with one answer waited for the later one.
            let is_last = !sent.is_answered_with(sent_after(index));
            if let (Some(base_s), Some(rtt_s), true) = (base_s, sent.rtt_s(), is_last) {
                let told = f64::max(0.0, (rtt_s - base_s) * bps / 8.0 - bytes);
                found += FOLLOW * (told - found);
            }
            let lost = lost(sent);
            queue = found + if lost == Some(true) { 0.0 } else { bytes };
            last_s = at_s;
            Step {
                at_s,
                bytes,
                lost,
                found,
            }
        })
        .collect()
}

/// Whether a transmission was lost, as far as the answers tell.
pub(super) fn lost(sent: &Sent) -> Option<bool> {
    match sent.fate {
        Fate::Lost => Some(true),
        Fate::Delivered | Fate::Timed => Some(false),
        Fate::Unknown => None,
    }
}
