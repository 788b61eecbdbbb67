//! A link on which nothing happens to a packet after the queue: no loss, damage, jitter or retransmission, no ring of a
//! device, a constant rate. Packets only wait for one another.
//!
//! Such a link knows that a packet arrives, and when, as soon as the packet's transmission starts. It tells so at
//! that time. The next transmission starts when this one ends. Saves 8 % of the instructions of 24 flows at CoDel.

use super::{Settled, TimedLink};
use crate::link::Fate;
use crate::time::Time;

impl TimedLink {
    /// Ends the transmissions that are due by `now`, and starts the next ones.
    #[inline(never)]
    pub(super) fn send_in_turn(&mut self, now: Time) {
        while self.end <= now && self.is_transmitting() {
            let at = self.end;
            self.pass(at);
            self.end = Time::MAX;
            if self.waiting > 0 {
                self.send_next(at);
            }
        }
        self.due = self.end;
    }

    /// Starts the first transmission after a pause.
    #[inline(never)]
    pub(super) fn send_first(&mut self, now: Time) {
        self.send_next(now);
    }

    #[inline(always)]
    fn send_next(&mut self, now: Time) {
        let next = self.take_next(now);
        self.settle_dropped(now);
        let Some(frame) = next else {
            return;
        };
        self.occupy(frame.tag.size());
        let fate = Fate::untouched(self.end + self.delay).marked(frame.marked);
        if frame.marked {
            self.meter.settled(fate);
        }
        self.settled.push_back(Settled {
            transmissions: 1,
            ..Settled::new(&frame, self.end, fate)
        });
    }
}
