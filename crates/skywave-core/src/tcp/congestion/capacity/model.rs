//! Model of the path: rate, queue, round trip without a queue, usual losses.

use super::super::path::{FEWEST, Largest, Lumps, MaxRate, NO_RATE, Pace, Rounds, delivered_in};
use super::arrivals::Arrivals;
use super::losses::Losses;
use super::queue::{LONGEST_WAIT, Queue};
use crate::tcp::flight::RateSample;
use crate::tcp::window::AckEvent;
use crate::time::{Duration, Time};
use crate::units::{Rate, Segments};

/// Round trips for which a lump of ACKs counts, as a rate does ...
const LUMP_ROUNDS: usize = 11;
/// ... up to what the path delivers in this time in seconds, or in a round trip.
const LONGEST_LUMP: f64 = 0.1;

/// Bursts in flight beyond the BDP: one is sent, one on its way, one acknowledged (BBR).
const BURSTS: f64 = 3.0;
/// Below this pace a burst is one segment, from it on at least two (BBR).
const SLOW: Rate = Rate::from_bps(1_200_000);

/// Losing this part of a round trip's segments beyond the usual share is congestion even without a queue, ...
const OVERLOAD: f64 = 0.3;
/// ... if it is as many segments, ...
const TOO_MANY: Segments = Segments(8.0);
/// ... in as many round trips in a row.
const OVERLOADED_ROUNDS: u32 = 2;

/// A cycle that delivers less than this part of the rate is one of a path that has become slower.
const SLOWER: f64 = 0.8;

/// Round trips for which what a timeout has cost may be made up for.
const REBUILDING: u32 = 30;

/// The path as ACKs show it.
#[derive(Clone, Debug)]
pub(super) struct Model {
    mss: u32,
    pub(super) rounds: Rounds,
    /// The largest rate of delivery of ten round trips.
    pub(super) bandwidth: MaxRate,
    /// The largest rate of delivery of the present cycle.
    fastest: Rate,
    lumps: Lumps,
    largest_lump: Largest<Segments, LUMP_ROUNDS>,
    arrivals: Arrivals,
    pub(super) queue: Queue,
    pub(super) losses: Losses,
    /// Round trips for which rates and lumps count; those in which a timeout is made up for are none.
    counted: u64,
    /// Round trips left in which a timeout is being made up for.
    rebuilding: u32,
    /// Segments delivered and lost in the present round trip.
    delivered: Segments,
    lost: Segments,
    /// Round trips in a row that have lost too much.
    overloaded: u32,
    /// When a round trip last surely had no queue.
    quiet_at: Time,
}

impl Model {
    /// A model of a path about which nothing is known yet.
    pub(super) fn new(mss: u32) -> Self {
        Self {
            mss,
            rounds: Rounds::default(),
            bandwidth: MaxRate::new(NO_RATE),
            fastest: NO_RATE,
            lumps: Lumps::default(),
            largest_lump: Largest::new(Segments::ZERO),
            arrivals: Arrivals::default(),
            queue: Queue::default(),
            losses: Losses::default(),
            counted: 0,
            rebuilding: 0,
            delivered: Segments::ZERO,
            lost: Segments::ZERO,
            overloaded: 0,
            quiet_at: Time::ZERO,
        }
    }

    /// An ACK came, with the sender's window; whether a round trip is over.
    pub(super) fn on_ack(&mut self, ack: &AckEvent, sample: &RateSample, cwnd: Segments) -> bool {
        // Otherwise a round trip would end whenever a segment comes late that was sent again for nothing.
        let round = !sample.of_original && self.rounds.on_ack(sample);
        if round && self.rebuilding > 0 {
            self.rebuilding -= 1;
        } else if round {
            self.counted += 1;
        }
        let arrived = self.arrivals.on_ack(ack.now, sample);
        if let Some(rate) = arrived.or(sample.rate()) {
            self.fastest = self.fastest.max(rate);
            if !sample.app_limited || rate >= self.bandwidth.get() {
                self.bandwidth.update(self.counted, rate);
            }
        }
        let lump = self.lumps.on_ack(ack, self.bandwidth.get(), self.mss);
        self.largest_lump.update(self.counted, lump.min(cwnd));
        // While a hole is open, a receiver echoes the time of a segment from before it (RFC 7323 section 4.3).
        let one_way = ack.one_way.filter(|_| ack.acked > Segments::ZERO);
        self.queue.on_ack(ack.now, sample.rtt, one_way);
        self.delivered += ack.delivered;
        self.lost += ack.lost;
        round
    }

    /// A round trip is over. `steady`: the sender itself has changed nothing that shows in it.
    pub(super) fn end_round(&mut self, now: Time, steady: bool) {
        self.queue.end_round(steady);
        let surely_none = self.queue.base() * LONGEST_WAIT;
        if self.queue.latest() <= self.threshold().min(surely_none) {
            self.quiet_at = now;
        }
        let usual = self.losses.share() + OVERLOAD;
        let sent = self.lost + self.delivered;
        if self.lost >= TOO_MANY && self.lost > sent * usual {
            self.overloaded += 1;
        } else {
            self.overloaded = 0;
        }
        (self.delivered, self.lost) = (Segments::ZERO, Segments::ZERO);
    }

    /// Another cycle begins; whether the path has become slower in the one before.
    pub(super) fn begin_cycle(&mut self) -> bool {
        let fastest = std::mem::replace(&mut self.fastest, NO_RATE);
        fastest.as_bps_f64() < self.bandwidth.get().as_bps_f64() * SLOWER
    }

    /// A timeout cuts the window; whether it is the first one since the window was last filled.
    pub(super) fn on_timeout(&mut self) -> bool {
        std::mem::replace(&mut self.rebuilding, REBUILDING) == 0
    }

    /// Ends the time in which a timeout is made up for: the window is back.
    pub(super) fn on_rebuilt(&mut self) {
        self.rebuilding = 0;
    }

    /// The sender has looked for a round trip without a queue.
    pub(super) fn on_looked(&mut self, now: Time) {
        self.quiet_at = now;
    }

    pub(super) fn segments(&self, bytes: u64) -> f64 {
        Segments::from_bytes(bytes, self.mss).0
    }

    pub(super) fn mss(&self) -> u32 {
        self.mss
    }

    /// Segments a second at `rate`.
    pub(super) fn segments_at(&self, rate: Rate) -> f64 {
        delivered_in(Duration::from_secs(1), rate, self.mss).0
    }

    /// Segments a second at the path's rate.
    pub(super) fn rate(&self) -> f64 {
        self.segments_at(self.bandwidth.get())
    }

    /// Segments that fill the path without a queue of the way there.
    pub(super) fn bdp(&self) -> f64 {
        self.rate() * self.queue.base()
    }

    /// Segments that the path holds at its rate, with the queue of the latest round trip.
    pub(super) fn filled_with_queue(&self) -> f64 {
        self.rate() * (self.queue.base() + self.queue.latest())
    }

    /// By how much more is to be sent than is to arrive.
    pub(super) fn redundancy(&self) -> f64 {
        1.0 / (1.0 - self.losses.share())
    }

    /// Segments in flight that fill the path with this gain, in spite of usual losses.
    pub(super) fn filled(&self, gain: f64) -> f64 {
        self.bdp() * gain * self.redundancy()
    }

    /// Segments in flight beyond those, because a sender at this pace sends in bursts.
    pub(super) fn bursts(pace: &Pace) -> f64 {
        let fewest = if pace.rate() < SLOW { 1.0 } else { 2.0 };
        pace.burst(Segments(fewest)).0 * BURSTS
    }

    /// The window for this gain.
    pub(super) fn target(&self, gain: f64, pace: &Pace) -> Segments {
        let longest = self.rate() * self.queue.base().max(LONGEST_LUMP);
        let lump = self.largest_lump.get().0.min(longest);
        Segments(self.filled(gain) + lump + Self::bursts(pace)).max(FEWEST)
    }

    /// Seconds from which on a wait is a queue.
    pub(super) fn threshold(&self) -> f64 {
        self.queue.threshold(self.rate())
    }

    /// Seconds by which a queue has to change for that to mean something.
    pub(super) fn least_change(&self) -> f64 {
        self.queue.least_change(self.rate())
    }

    /// The latest round trip had a queue.
    pub(super) fn has_queue(&self) -> bool {
        self.queue.latest() > self.threshold()
    }

    /// Whether a queue has lasted so long that the smallest round trip may soon be forgotten.
    pub(super) fn has_queue_for_long(&self, now: Time) -> bool {
        now.since(self.quiet_at).as_secs_f64() > self.queue.memory() * 0.4
    }

    /// Whether a loss now is one that a queue may have caused.
    pub(super) fn is_congested(&self) -> bool {
        self.overloaded >= OVERLOADED_ROUNDS
            || self.queue.is_long_for_the_buffer(self.least_change())
    }
}
