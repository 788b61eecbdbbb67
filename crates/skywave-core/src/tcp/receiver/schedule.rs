//! When a receiver acknowledges: the members of the `acking` slot.

use super::Receiver;
use crate::packet::{Marks, Segment};
use crate::tcp::acking::{Acking, Delayed, DelayedDupacks, Lba, SelfTriggered};
use crate::time::{Duration, Time};

/// Duplicate ACKs of a receiver that keeps them back (Vaidya et al. 2002). The first two for a hole go out at
/// once; from the third on they wait, and are dropped if the hole is filled meanwhile.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Dupacks {
    /// The hole that they ask for.
    hole: u64,
    /// How many there were.
    seen: u32,
    /// How many of them wait.
    waiting: u16,
    /// The wait for this hole is over.
    released: bool,
}

/// Duplicate ACKs after which a sender takes a segment for lost.
const THRESHOLD: u32 = 3;

impl Receiver {
    /// A segment came that makes the receiver expect another one; `plain` if it was the next one and nothing is
    /// held out of order.
    #[inline(always)]
    pub(super) fn schedule_ack(&mut self, now: Time, segment: &Segment, plain: bool) {
        match &self.config.acking {
            Acking::EverySegment => self.ack_now(),
            &Acking::Delayed(Delayed { every, timeout }) if plain => {
                self.delay(now, every, timeout);
            }
            _ => self.schedule_seldom(now, segment, plain),
        }
    }

    /// As [`Self::schedule_ack`], for what few receivers do: apart, so that the others' way stays short.
    #[inline(never)]
    fn schedule_seldom(&mut self, now: Time, segment: &Segment, plain: bool) {
        match self.config.acking {
            Acking::SelfTriggered(SelfTriggered { timeout }) if plain => {
                // A sender that does not tell its window is acknowledged as usual.
                let window = segment.options.window().unwrap_or(2);
                self.delay(now, u32::from(window), timeout);
            }
            Acking::Wam(delayed) => self.answer(now, segment, plain, delayed),
            Acking::Lba(Lba { wait }) if !segment.is_syn() => self.answer_later(now, wait),
            _ => self.ack_now(),
        }
    }

    /// As a delayed ACK, but data that asks is answered at once. (ACKs of other data do not answer it.)
    fn answer(
        &mut self,
        now: Time,
        segment: &Segment,
        plain: bool,
        Delayed { every, timeout }: Delayed,
    ) {
        let asks = segment.hints.marks.contains(Marks::ASKS);
        self.hints.marks.set(Marks::ALL_RECEIVED, asks);
        if plain && !asks {
            self.delay(now, every, timeout);
        } else {
            self.ack_now();
        }
    }

    #[inline]
    fn delay(&mut self, now: Time, segments: u32, timeout: Duration) {
        self.unacknowledged += 1;
        if self.unacknowledged >= segments || self.is_finished() {
            self.ack_now();
        } else if self.timer == Time::MAX {
            self.timer = now + timeout;
        }
    }

    /// A segment came that begins at `start` and leaves the receiver waiting for the one before: its ACK is a
    /// duplicate.
    pub(super) fn schedule_dupack(&mut self, now: Time, start: u64) {
        if let Acking::Lba(Lba { wait }) = self.config.acking {
            return self.answer_later(now, wait);
        }
        let Acking::DelayedDupacks(DelayedDupacks { wait }) = self.config.acking else {
            self.hints.marks -= Marks::ALL_RECEIVED;
            return self.ack_now();
        };
        let next = self.next;
        if start < next {
            // What came twice says nothing of the hole.
            self.acks += 1;
            return;
        }
        let dupacks = &mut self.disorder().dupacks;
        if dupacks.hole != next {
            *dupacks = Dupacks {
                hole: next,
                ..Dupacks::default()
            };
        }
        dupacks.seen += 1;
        if dupacks.seen < THRESHOLD || dupacks.released {
            self.acks += 1;
            return;
        }
        dupacks.waiting = dupacks.waiting.saturating_add(1);
        if self.timer == Time::MAX {
            self.timer = now + wait;
        }
    }

    /// Releases the ACKs that were kept back, if [`Self::next_timer`] is due at `now`; does nothing before.
    /// [`Self::poll_transmit`] then returns them.
    pub fn on_timer(&mut self, now: Time) {
        if self.timer == Time::MAX || self.timer > now {
            return;
        }
        if let Acking::DelayedDupacks(_) = self.config.acking {
            self.timer = Time::MAX;
            if let Some(disorder) = &mut self.disorder {
                disorder.dupacks.released = true;
                self.acks += std::mem::take(&mut disorder.dupacks.waiting);
            }
        } else if let Acking::Lba(_) = self.config.acking {
            self.answer_for_all();
        } else {
            self.ack_now();
        }
    }

    /// An ACK goes out now, and covers what was kept back.
    #[inline]
    pub(super) fn ack_now(&mut self) {
        self.acks += 1;
        self.unacknowledged = 0;
        self.timer = Time::MAX;
    }
}
