//! What BBR knows of its path: round trips by count, the largest rate of delivery, the smallest round
//! trip, and whether the rate still grows.

use std::ops::Mul;

use crate::tcp::flight::RateSample;
use crate::time::{Duration, Time};
use crate::units::{Rate, Segments};

/// By how much a rate or a window is multiplied.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub(super) struct Gain(pub(super) f64);

impl Gain {
    pub(super) const ONE: Self = Self(1.0);
}

impl Mul<Gain> for Rate {
    type Output = Self;
    fn mul(self, gain: Gain) -> Self {
        // A cast of a float saturates.
        Self::from_bps((self.as_bps() as f64 * gain.0) as u64)
    }
}

impl Mul<Gain> for Segments {
    type Output = Self;
    fn mul(self, gain: Gain) -> Self {
        self * gain.0
    }
}

/// Segments that a path of this rate delivers in `time`.
pub(super) fn delivered_in(time: Duration, bandwidth: Rate, mss: u32) -> Segments {
    Segments(bandwidth.as_bps() as f64 * time.as_secs_f64() / 8.0 / f64::from(mss))
}

/// Round trips counted by packets: one is over when a segment is acknowledged that was sent after its
/// start (draft-cardwell-iccrg-bbr-00 section 4.1.1.3).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rounds {
    count: u64,
    /// Bytes delivered when the present one began (BBR.next_round_delivered).
    start: u64,
}

impl Rounds {
    /// An ACK came with this sample; whether a round trip is over.
    pub(super) fn on_ack(&mut self, sample: &RateSample) -> bool {
        let over = sample.prior_delivered >= self.start;
        if over {
            self.count += 1;
            self.start = sample.total_delivered;
        }
        over
    }

    /// The present one begins anew, when `delivered` bytes have been.
    pub(super) fn begin_again(&mut self, delivered: u64) {
        self.start = delivered;
    }

    pub(super) fn count(&self) -> u64 {
        self.count
    }
}

/// Round trips for which a rate counts (BtlBwFilterLen): a cycle of gains and two more.
const RATE_ROUNDS: u64 = 10;
/// Round trips that are kept: the one in which a rate was seen, and those for which it then counts.
const PLACES: usize = RATE_ROUNDS as usize + 1;

/// The largest rate of delivery (BBR.BtlBw, section 4.1.1.5): the largest of each of the last round
/// trips, all of them kept.
#[derive(Clone, Copy, Debug)]
pub(super) struct MaxRate {
    /// By the round trip's number.
    largest: [Rate; PLACES],
    last: u64,
    best: Rate,
}

const NONE: Rate = Rate::from_bps(0);

impl Default for MaxRate {
    fn default() -> Self {
        Self {
            largest: [NONE; PLACES],
            last: 0,
            best: NONE,
        }
    }
}

impl MaxRate {
    /// A rate was seen in this round trip. Rates grow too old only here: one that is not replaced goes
    /// on counting.
    pub(super) fn update(&mut self, round: u64, rate: Rate) {
        let place = |round: u64| (round % PLACES as u64) as usize;
        let passed = round.saturating_sub(self.last).min(PLACES as u64);
        for age in 0..passed {
            self.largest[place(round - age)] = NONE;
        }
        self.last = round;
        let largest = &mut self.largest[place(round)];
        *largest = rate.max(*largest);
        self.best = self.largest.into_iter().max().unwrap_or(NONE);
    }

    /// Zero before any was seen.
    pub(super) fn get(&self) -> Rate {
        self.best
    }
}

/// For how long a smallest round trip counts (RTpropFilterLen).
const RTT_WINDOW: Duration = Duration::from_secs(10);

/// The smallest round trip (BBR.RTprop, section 4.1.2).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MinRtt {
    rtt: Option<Duration>,
    /// When it was seen, or PROBE_RTT has ended.
    since: Time,
}

impl MinRtt {
    /// A round trip was seen, `late` if the receiver may have kept the ACK back. Whether nothing as small
    /// had been seen for the whole window before it.
    pub(super) fn update(&mut self, now: Time, rtt: Option<Duration>, late: bool) -> bool {
        let expired = self.rtt.is_some() && now > self.since + RTT_WINDOW;
        let smallest = |rtt: Duration| self.rtt.is_none_or(|least| rtt <= least);
        if let Some(rtt) = rtt.filter(|&rtt| smallest(rtt) || expired && !late) {
            self.rtt = Some(rtt);
            self.since = now;
        }
        expired
    }

    /// It counts for another window.
    pub(super) fn confirm(&mut self, now: Time) {
        self.since = now;
    }

    pub(super) fn get(&self) -> Option<Duration> {
        self.rtt
    }
}

/// After this number of round trips in which the rate did not grow by a quarter, the pipe is full.
const ROUNDS_WITHOUT_GROWTH: u32 = 3;
const GROWTH: Gain = Gain(1.25);

/// Whether the pipe was ever filled (section 4.3.2.2).
#[derive(Clone, Copy, Debug)]
pub(super) struct FullPipe {
    reached: bool,
    /// The rate when it last grew by a quarter.
    rate: Rate,
    rounds: u32,
}

impl Default for FullPipe {
    fn default() -> Self {
        Self {
            reached: false,
            rate: NONE,
            rounds: 0,
        }
    }
}

impl FullPipe {
    /// A round trip is over in which the sender could send what it wanted.
    pub(super) fn on_round(&mut self, bandwidth: Rate) {
        if self.reached {
            return;
        }
        if bandwidth >= self.rate * GROWTH {
            self.rate = bandwidth;
            self.rounds = 0;
        } else {
            self.rounds += 1;
            self.reached = self.rounds >= ROUNDS_WITHOUT_GROWTH;
        }
    }

    /// After a timeout any rate is growth.
    pub(super) fn forget_rate(&mut self) {
        self.rate = NONE;
    }

    /// What slowed the sender down was no loss.
    pub(super) fn begin_again(&mut self) {
        self.rate = NONE;
        self.rounds = 0;
    }

    pub(super) fn is_reached(&self) -> bool {
        self.reached
    }
}
