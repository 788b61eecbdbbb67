//! The queue on the way of the data, and the round trip without it.
//!
//! All is in seconds. A round trip has tens of samples, and waits by chance (jitter, contention, the lumps of
//! a link layer) are short for some of them: its *smallest* one is nearly free of them. With timestamps the
//! samples are one-way delays, from host to host, by clocks that need not agree: what counts is how far they
//! are above their smallest one of late. The queue of the way back is then no queue, but a part of the path.

use super::range::Range;
use crate::aged::Aged;
use crate::tcp::window::OneWayDelays;
use crate::time::{Duration, Time};

/// Seconds after which the smallest sample is forgotten, or round trips (of up to a second),
/// whichever is longer.
const MEMORY: f64 = 10.0;
const MEMORY_ROUNDS: f64 = 50.0;

/// A queue is what exceeds this part of the base ...
const PART: f64 = 1.0 / 32.0;
/// ... and the time of this many segments, ...
const FEW: f64 = 3.0;
/// ... and so many times what the smallest sample changes from round trip to round trip by itself, ...
const NOISES: f64 = 4.0;
/// ... and so many times what the samples of one round trip are above their smallest one on average.
const SCATTERS: f64 = 3.0;

/// No queue is below this multiple of the scatter around the smallest sample. Where jitter keeps packets in order, each
/// waits for the late ones before it, so that of many none is as early as some of a slow start's few.
const IN_ORDER: f64 = 1.5;
/// Longest wait, in parts of the base, that the scatter around the smallest sample excuses; and that a round trip may have
/// which was surely without a queue.
pub(super) const LONGEST_WAIT: f64 = 0.5;

/// Weight of a round trip in what is usual.
const GAIN: f64 = 1.0 / 8.0;

/// Round trips whose shortest and longest delay are remembered, at least; twice as many at most.
const RANGE_ROUNDS: u32 = 16;

/// Samples of the present round trip.
#[derive(Clone, Copy, Debug)]
struct Round {
    least_rtt: f64,
    least_one_way: f64,
    /// Sum and number of the samples that make the queue: one-way delays where there are any.
    sum: f64,
    count: f64,
}

impl Round {
    const NEW: Self = Self {
        least_rtt: f64::INFINITY,
        least_one_way: f64::INFINITY,
        sum: 0.0,
        count: 0.0,
    };

    /// The smallest sample of those that make the queue.
    fn least(&self) -> f64 {
        if self.least_one_way.is_finite() {
            self.least_one_way
        } else {
            self.least_rtt
        }
    }

    /// Mean of the samples above their smallest one; `None` of fewer than two.
    fn scatter(&self) -> Option<f64> {
        (self.count >= 2.0).then(|| self.sum / self.count - self.least())
    }
}

/// Estimate of the bottleneck's queue, in seconds, from round trips and one-way delays.
#[derive(Clone, Debug)]
pub(super) struct Queue {
    rtt: Aged,
    one_way: Aged,
    round: Round,
    /// The queue of the latest round trip.
    latest: f64,
    /// Round trips without the queue, of the latest three.
    unqueued: [f64; 3],
    noise: f64,
    scatter: f64,
    /// The scatter of the latest round trip that had the smallest sample.
    scatter_of_least: f64,
    /// Smallest delays of round trips of late: not the queues, which are above another smallest one whenever that is
    /// forgotten.
    range: Range,
    range_before: Range,
    range_rounds: u32,
}

impl Default for Queue {
    fn default() -> Self {
        Self {
            rtt: Aged::default(),
            one_way: Aged::default(),
            round: Round::NEW,
            latest: 0.0,
            unqueued: [0.0; 3],
            noise: 0.0,
            scatter: 0.0,
            scatter_of_least: 0.0,
            range: Range::default(),
            range_before: Range::default(),
            range_rounds: 0,
        }
    }
}

impl Queue {
    /// An ACK came with these samples.
    pub(super) fn on_ack(
        &mut self,
        now: Time,
        rtt: Option<Duration>,
        one_way: Option<OneWayDelays>,
    ) {
        let memory = self.memory();
        if let Some(rtt) = rtt.map(Duration::as_secs_f64) {
            self.rtt.note(now, rtt, memory);
            self.round.least_rtt = self.round.least_rtt.min(rtt);
            if one_way.is_none() && !self.round.least_one_way.is_finite() {
                self.round.sum += rtt;
                self.round.count += 1.0;
            }
        }
        if let Some(one_way) = one_way {
            if !self.one_way.get().is_finite() {
                // The range so far is one of round trips.
                self.forget_range();
            }
            let (least, count) = (one_way.least.as_secs_f64(), f64::from(one_way.count));
            self.one_way.note(now, least, memory);
            if !self.round.least_one_way.is_finite() {
                (self.round.sum, self.round.count) = (0.0, 0.0);
            }
            self.round.least_one_way = self.round.least_one_way.min(least);
            self.round.sum += one_way.mean.as_secs_f64() * count;
            self.round.count += count;
        }
    }

    /// Seconds after which the smallest value is forgotten.
    pub(super) fn memory(&self) -> f64 {
        MEMORY.max(MEMORY_ROUNDS * self.rtt.get().min(1.0))
    }

    /// A round trip is over. `steady`: the sender itself has changed nothing that shows in it, so that what
    /// varies is the path's.
    pub(super) fn end_round(&mut self, steady: bool) {
        let queue = self.now();
        if self.round.least_rtt.is_finite() {
            self.unqueued.rotate_right(1);
            self.unqueued[0] = (self.round.least_rtt - queue).max(self.rtt.get());
        }
        if steady {
            self.noise += ((queue - self.latest).abs() - self.noise) * GAIN;
        }
        if let Some(scatter) = self.round.scatter() {
            if steady {
                self.scatter += (scatter - self.scatter) * GAIN;
            }
            if queue <= 0.0 {
                self.scatter_of_least = scatter;
            }
        }
        self.latest = queue;
        let delay = self.delay(queue);
        if delay.is_finite() {
            self.range = self.range.with(delay);
        }
        self.range_rounds += 1;
        if self.range_rounds >= RANGE_ROUNDS {
            self.range_before = self.range;
            self.begin_range();
        }
        self.round = Round::NEW;
    }

    fn begin_range(&mut self) {
        self.range = Range::default();
        self.range_rounds = 0;
    }

    /// Delay of a packet behind such a queue: from host to host if that is known, else there and back.
    fn delay(&self, queue: f64) -> f64 {
        let one_way = self.one_way.get();
        let least = if one_way.is_finite() {
            one_way
        } else {
            self.rtt.get()
        };
        least + queue
    }

    /// Delays of before do not count any more.
    pub(super) fn forget_range(&mut self) {
        self.begin_range();
        self.range_before = Range::default();
    }

    /// The queue as the present round trip shows it so far.
    pub(super) fn now(&self) -> f64 {
        if self.round.least_one_way.is_finite() {
            self.round.least_one_way - self.one_way.get()
        } else if self.round.least_rtt.is_finite() {
            self.round.least_rtt - self.rtt.get()
        } else {
            self.latest
        }
    }

    /// The queue of the latest round trip.
    pub(super) fn latest(&self) -> f64 {
        self.latest
    }

    /// The round trip without the queue of the way there; zero before there is one.
    pub(super) fn base(&self) -> f64 {
        let least = self.rtt.get();
        if least.is_finite() {
            self.unqueued.into_iter().fold(least, f64::max)
        } else {
            0.0
        }
    }

    /// Usual change of a round trip's smallest sample from one to the next, without the sender's
    /// doing; seconds.
    pub(super) fn noise(&self) -> f64 {
        self.noise
    }

    /// Delay above the base, in seconds, that counts as a queue on a path of `rate` segments a second.
    pub(super) fn threshold(&self, rate: f64) -> f64 {
        let in_order = self.scatter_of_least * IN_ORDER;
        self.least_change(rate)
            .max(in_order.min(self.base() * LONGEST_WAIT))
    }

    /// Seconds by which a queue has to change on a path of `rate` segments a second for that to mean something.
    pub(super) fn least_change(&self, rate: f64) -> f64 {
        let few = FEW / rate.max(1.0);
        (self.base() * PART)
            .max(few)
            .max(self.noise * NOISES)
            .max(self.scatter * SCATTERS)
    }

    /// The delay is in the upper half of its range of late, and the range is more than one and a half times
    /// `least_change`.
    pub(super) fn is_long_for_the_buffer(&self, least_change: f64) -> bool {
        let delay = self.delay(self.latest.min(self.now()));
        let Range { low, high } = self.range.and(self.range_before).with(delay);
        high - low > 1.5 * least_change && delay >= f64::midpoint(low, high)
    }

    /// The path is longer by `step`, which was no queue. Delays of before are of another path.
    pub(super) fn lengthen(&mut self, now: Time, step: f64) {
        self.forget_range();
        self.rtt.shift(now, step);
        self.one_way.shift(now, step);
    }
}

#[cfg(test)]
mod tests;
