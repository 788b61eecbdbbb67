//! A link where packets only wait for one another: no loss, no retransmission, no ring of a device, a constant rate.
//!
//! Nothing can happen to a packet that has left the queue. So its fate is known, and told, when its transmission
//! starts, and the next one starts when it ends.

use super::{DropCause, Fate, Frame, Offered, Settled, TimedLink, untouched};
use crate::time::{Duration, Time};

impl TimedLink {
    /// A packet comes while another one is in transmission: why it is lost at once; otherwise it waits.
    #[inline(always)]
    pub(super) fn queue_up(&mut self, now: Time, packet: Offered) -> Option<DropCause> {
        let frame = Frame::new(now, packet.tag, packet.ecn);
        let (refused, waiting) = self.queue.offer(now, true, (0, 0), frame, &mut self.gone);
        self.waiting = waiting;
        self.settle_dropped(now);
        if let Some(cause) = refused {
            self.meter.settled(Fate::Dropped(cause));
        }
        refused
    }

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
        let (next, waiting) = self.queue.take(now, &mut self.gone);
        self.waiting = waiting;
        self.settle_dropped(now);
        let Some(frame) = next else {
            return;
        };
        let slot = self.transmitter.transmit(frame.tag.size());
        self.meter.transmitted(Duration::ZERO, slot.used);
        self.queue.idle_from(slot.end);
        self.end = slot.end;
        let fate = untouched(slot.end + self.delay, frame.marked);
        if frame.marked {
            self.meter.settled(fate);
        }
        self.settled.push_back(Settled {
            transmissions: 1,
            ..Settled::new(&frame, slot.end, fate)
        });
    }
}
