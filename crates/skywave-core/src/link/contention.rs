//! A channel that several stations contend for, as the uplink of a cell.
//!
//! A station tries to get the channel after a random number of slots, uniform in a window. With some
//! probability that fails, because another station was faster or both collided. It then waits until the
//! other has sent what it has, and tries again with a window twice as wide (binary exponential
//! backoff). Once it has the channel it keeps it, with capture, until it has sent all that is queued;
//! without, it contends for each packet.
//!
//! The other stations are no more than a probability and a time. So the whole wait is drawn when it
//! begins, and a packet's fate is still decided on arrival.
//!
//! The WTCP paper (section 2, item 4) names binary exponential backoff, and that each station in turn
//! captures the channel, as what bunches ACKs on CDPD's uplink. It gives no numbers.
//!
//! A packet that comes during the wait, or while the channel is kept, is sent right after it.

use std::collections::VecDeque;

use super::service::Slot;
use crate::parameter::{Presets, Refusal, optional, parameters};
use crate::rng::Stream;
use crate::time::{Duration, Time};

parameters! {
    /// Contention for the channel of one direction. The defaults are those of "cdpd".
    // The uplink of CDPD. A slot is what lies between two busy/idle flags, 60 bits at 19.2 kb/s. The rest is ours: a wait of
    // 0.7 s on average makes the round trip of a packet of 512 bytes 1.8 s, as the WTCP paper measured it (section 5.1.1).
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Contention as "contention" check Contention::check {
        /// Length of a slot, 60 bits at 19.2 kb/s on CDPD.
        slot: Duration = Duration::from_micros(3125), Period;
        /// First window in slots: an attempt comes after 0 to `window` − 1 of them.
        window: u32 = 16, Count;
        /// Largest window, at least `window`. The window doubles with each failure up to this.
        max_window: u32 = 256, Count;
        /// Probability that an attempt fails.
        // Another station has the channel, or both collide.
        failure: f64 = 0.4, BelowOne;
        /// Mean of the exponential time for which another station then has the channel.
        hold: Duration = Duration::from_secs(1), Time;
        /// A station that has the channel keeps it until its queue is empty, and sends what comes meanwhile; otherwise it
        /// contends for each packet.
        capture: bool = true, Flag;
    }
}

impl Contention {
    fn check(&self) -> Result<(), Refusal> {
        let Self {
            window, max_window, ..
        } = self;
        if window <= max_window {
            return Ok(());
        }
        Err(Refusal::of(
            &["max_window", "window"],
            "the largest window is below the first one",
            format!("`window` is {window}, `max_window` {max_window}"),
        ))
    }
}

impl Presets for Contention {
    const NONE: &'static str = "Nobody else contends.";
    const PRESETS: &'static [(&'static str, &'static str, Self)] = &[(
        "cdpd",
        "The uplink of a cell of CDPD: all defaults.",
        Self::DEFAULT,
    )];
}

optional!(Contention);

/// Most attempts of one wait, more than any real wait has: a channel that is never free must not
/// hold up a run.
const MAX_ATTEMPTS: u32 = 1000;

/// A station's part in the contention.
#[derive(Clone, Debug)]
pub(super) struct Station {
    config: Contention,
    stream: Stream,
    /// Starts and ends of the transmissions that lay ahead at the latest packet.
    ahead: VecDeque<(Time, Time)>,
}

impl Station {
    pub(super) fn new(config: Contention, stream: Stream) -> Self {
        Self {
            config,
            stream,
            ahead: VecDeque::new(),
        }
    }

    /// A packet comes at `now`, and at `turn` those before it have been sent. Returns how long it
    /// then waits for the channel.
    pub(super) fn wait(&mut self, now: Time, turn: Time) -> Duration {
        if self.config.capture && turn > now {
            return Duration::ZERO; // it is sent in one go with those before it
        }
        let config = self.config;
        let mut wait = Duration::ZERO;
        let mut window = u64::from(config.window.max(1));
        for _ in 0..MAX_ATTEMPTS {
            wait += config.slot * self.stream.uniform_int(0, window - 1);
            if !self.stream.chance(config.failure) {
                break;
            }
            if !config.hold.is_zero() {
                let hold = self.stream.exponential(config.hold.as_secs_f64());
                wait += Duration::from_secs_f64(hold);
            }
            window = (2 * window).min(u64::from(config.max_window)).max(window);
        }
        wait
    }

    /// A packet that comes at `now` is transmitted in `slot`.
    pub(super) fn transmits(&mut self, now: Time, slot: Slot) {
        while self.ahead.front().is_some_and(|&(_, end)| end <= now) {
            self.ahead.pop_front();
        }
        let start = slot.end - Duration::from_nanos(slot.used);
        self.ahead.push_back((start, slot.end));
    }

    /// Time of transmissions that lies after `at`.
    pub(super) fn ahead(&self, at: Time) -> u64 {
        let behind = |&(start, end): &(Time, Time)| end.since(start.max(at).min(end)).as_nanos();
        self.ahead.iter().map(behind).sum()
    }
}

#[cfg(test)]
mod tests;
