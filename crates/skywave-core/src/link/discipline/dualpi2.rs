//! DualPI2 (RFC 9332): two queues before one transmitter, one for senders that keep their queue short, and
//! one controller for both.
//!
//! Packets with ECT(1) or CE wait in the low-latency queue L, all others in the classic queue C. A PI
//! controller moves a base probability p by the time that packets wait. In C a packet is dropped (or marked)
//! with probability p², which suits a rate that goes by the square root of it; in L a packet is marked with
//! `k·p`, which suits a rate that goes by its inverse, so that a flow gets about as much in either queue. In
//! L a packet that has waited for longer than a step is marked in any case, unless it is alone there.
//!
//! L goes first, unless the packet at the head of C has waited for longer by a shift (a time-shifted FIFO):
//! C cannot starve. Where `k·p` has reached 1, marks do not help any more: then packets of L are dropped as those
//! of C are, and ECN is no protection (section 4.2.3.1, appendix A.2). While fewer than two full
//! packets wait behind it, no packet is dropped, as in Linux' `sch_dualpi2`: at a probability of 1, to which a flood that
//! answers nothing brings the controller again and again, the queues would be emptied at once, and the link idle until the
//! next update.

use super::{Arrival, Frame, Frames, Gone, SHORTEST_UPDATE};
use crate::link::DropCause;
use crate::packet::Ecn;
use crate::parameter::parameters;
use crate::time::{Duration, Time};
use crate::units::{Backlog, Limit};

parameters! {
    /// DualPI2 (RFC 9332): a queue of low latency for senders that mark ECT(1), coupled with one for all others.
    // Appendix A's values for round trips up to 100 ms; the limit is that of Linux.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct DualPi2Config as "dualpi2" {
        /// Capacity of both queues together.
        // The packet in transmission does not count.
        limit: Limit = Limit::Packets(10_000), Limit;
        /// Time in the classic queue that is aimed at.
        target: Duration = Duration::from_millis(15), Time;
        /// Time between two updates of the probability.
        // Tupdate.
        update: Duration = Duration::from_millis(16), Time.no_shorter_than(SHORTEST_UPDATE);
        /// Weight of the distance from the target: an update adds this for each second above it.
        alpha: f64 = 0.16, Positive;
        /// Weight of the trend: an update adds this for each second more than at the last update.
        beta: f64 = 3.2, Positive;
        /// The coupling factor k: with the base probability p a classic packet is dropped or marked with p², one of low
        /// latency marked with k·p.
        coupling: f64 = 2.0, Positive;
        /// A packet of low latency that has waited longer is marked if another one waits behind it in its queue.
        step: Duration = Duration::from_millis(1), Time;
        /// A classic packet goes first when it has waited longer than the other queue's by this.
        shift: Duration = Duration::from_millis(50), Time;
    }
}

impl DualPi2Config {
    /// Settings of RFC 9332's appendix A, but with a step of 1 ms in place of its ramp of the low-latency queue, and
    /// with `limit` as the capacity of both queues together.
    pub const fn new(limit: Limit) -> Self {
        Self {
            limit,
            ..Self::DEFAULT
        }
    }
}

/// Two full packets, in bytes: while less waits nothing is dropped.
const SAFE: u64 = 2 * 1500;

/// Both queues.
#[derive(Clone, Debug)]
pub(crate) struct DualPi2 {
    config: DualPi2Config,
    low: Queue,
    classic: Queue,
    /// p', and the time in the queues that the last update found.
    probability: f64,
    last_delay: Duration,
    next_update: Time,
}

/// A queue of DualPI2: L (low latency) or C (classic).
#[derive(Clone, Debug, Default)]
struct Queue {
    frames: Frames,
    /// Sum of the probabilities since one was last picked.
    due: f64,
}

impl Queue {
    /// For how long its head has waited; zero without one.
    fn delay(&self, now: Time) -> Duration {
        self.frames
            .head()
            .map_or(Duration::ZERO, |frame| now.since(frame.came))
    }

    /// Whether this packet is to be dropped or marked: every 1/p-th one (appendix A.1, `recur`).
    fn picks(&mut self, probability: f64) -> bool {
        if probability >= 1.0 {
            return true;
        }
        self.due += probability;
        let picked = self.due > 1.0;
        if picked {
            self.due -= 1.0;
        }
        picked
    }
}

impl DualPi2 {
    pub(super) fn new(mut config: DualPi2Config) -> Self {
        config.update = config.update.max(Duration::from_nanos(1));
        Self {
            config,
            low: Queue::default(),
            classic: Queue::default(),
            probability: 0.0,
            last_delay: Duration::ZERO,
            next_update: Time::ZERO + config.update,
        }
    }

    pub(super) fn offer(&mut self, arrival: Arrival, _gone: &mut Gone) -> Option<DropCause> {
        self.update_until(arrival.now);
        if arrival.exceeds(self.config.limit) {
            return Some(DropCause::Queue);
        }
        let queue = match arrival.frame.ecn {
            Ecn::Ect1 | Ecn::Ce => &mut self.low,
            Ecn::Ect0 | Ecn::NotEct => &mut self.classic,
        };
        queue.frames.push(arrival.frame);
        None
    }

    pub(super) fn take(&mut self, now: Time, gone: &mut Gone) -> Option<Frame> {
        self.update_until(now);
        loop {
            let (frame, is_kept) = if self.low_is_next(now) {
                self.take_low(now)?
            } else {
                self.take_classic()?
            };
            if is_kept || self.waiting().bytes < SAFE {
                return Some(frame);
            }
            gone.push((frame, DropCause::Early));
        }
    }

    pub(super) fn withdraw(&mut self, id: u32) {
        for queue in [&mut self.low, &mut self.classic] {
            queue.frames.withdraw(id);
        }
    }

    pub(super) fn waiting(&self) -> Backlog {
        self.low.frames.totals() + self.classic.frames.totals()
    }

    /// The scheduler: the packet that has waited longest goes, with the shift in favour of L.
    fn low_is_next(&self, now: Time) -> bool {
        if self.low.frames.len() == 0 {
            return false;
        }
        let shifted = self.low.delay(now) + self.config.shift;
        self.classic.frames.len() == 0 || shifted >= self.classic.delay(now)
    }

    /// Whether the marking probability of L has reached 1, so that marks cannot say more.
    fn is_overloaded(&self) -> bool {
        self.config.coupling * self.probability >= 1.0
    }

    /// The next packet of L, marked if need be, and whether it is kept.
    fn take_low(&mut self, now: Time) -> Option<(Frame, bool)> {
        let (overloaded, p) = (self.is_overloaded(), self.probability);
        let mut frame = self.low.frames.pop()?;
        if overloaded && self.low.picks(p * p) {
            return Some((frame, false));
        }
        // A packet alone in its queue has only waited for the transmitter.
        let is_late = now.since(frame.came) > self.config.step && self.low.frames.len() > 0;
        if is_late || overloaded || self.low.picks(self.config.coupling * p) {
            frame.mark(true);
        }
        Some((frame, true))
    }

    /// The next packet of C, marked if need be, and whether it is kept.
    fn take_classic(&mut self) -> Option<(Frame, bool)> {
        let (overloaded, p) = (self.is_overloaded(), self.probability);
        let mut frame = self.classic.frames.pop()?;
        let is_kept = !self.classic.picks(p * p) || frame.mark(!overloaded);
        Some((frame, is_kept))
    }

    /// Carries out the updates that are due by `now`. The heads of the queues have not changed since the last
    /// packet came or left, so that they need no timer.
    fn update_until(&mut self, now: Time) {
        while self.next_update <= now {
            let at = self.next_update;
            let delay = self.low.delay(at).max(self.classic.delay(at));
            let before = (self.probability, self.last_delay);
            self.update(delay);
            self.next_update += self.config.update;
            let is_empty = self.waiting().packets == 0;
            if is_empty && (self.probability, self.last_delay) == before && self.next_update <= now
            {
                // However many updates are due, none changes anything any more.
                let step = self.config.update.as_nanos();
                let missed = now.since(self.next_update).as_nanos() / step + 1;
                self.next_update += Duration::from_nanos(missed.saturating_mul(step));
            }
        }
    }

    /// `dualpi2_update`: the PI controller.
    fn update(&mut self, delay: Duration) {
        let [now, last, aim] =
            [delay, self.last_delay, self.config.target].map(Duration::as_secs_f64);
        let step = self.config.alpha * (now - aim) + self.config.beta * (now - last);
        self.probability = (self.probability + step).clamp(0.0, 1.0);
        self.last_delay = delay;
    }
}

#[cfg(test)]
mod tests;
