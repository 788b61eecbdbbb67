//! Where a run that is to stop notices that within an event.
//!
//! An event may cover a whole lookahead: on a fast path, millions of packets. So the flag of the caller is looked at
//! within such an event too, but not for each packet: what is long is done in parts.

use std::sync::atomic::Ordering;

use skywave_core::{Duration, Time};

use super::arrival::Arrival;
use super::queue::EventQueue;
use super::routes::Hop;
use super::wake::Wake;
use super::world::World;

/// Packets and timers between two looks at the flag: some milliseconds of work.
pub(super) const TURNS: usize = 4096;

impl World<'_> {
    /// Whether the caller wants the run to stop, by the flag or by the observer.
    #[inline]
    pub(super) fn is_unwanted(&self) -> bool {
        self.cancel.is_some_and(|flag| flag.load(Ordering::Relaxed))
            || self.observer.as_ref().is_some_and(|o| o.has_enough())
    }

    /// Looks within an event whether the run is unwanted. Then the time is over for everything, the event is left half
    /// done, and the run has no outcome, whatever becomes of the flag.
    #[cold]
    #[inline(never)]
    pub(super) fn is_to_stop(&mut self) -> bool {
        if self.is_unwanted() && !self.stopped {
            self.stopped = true;
            self.end = Time::ZERO;
            self.events = EventQueue::new(Duration::from_secs(1));
        }
        self.stopped
    }

    /// Lets a sender's host take all packets that wait but the last [`TURNS`], in parts.
    ///
    /// Nothing is scheduled meanwhile: the rest of the event does so, as if this were a part of it.
    #[cold]
    #[inline(never)]
    pub(super) fn take_mail_in_parts(&mut self, index: usize) {
        let now = self.now;
        let flow = &mut self.flows[index];
        let timer = std::mem::replace(&mut flow.sender_timer, Wake::SILENT);
        flow.to_sender.wake = Wake::SILENT;
        while let Some(until) = self.flows[index].to_sender.time_of(TURNS)
            && until < now
            && !self.is_to_stop()
        {
            self.now = until;
            self.on_sender(index);
        }
        self.now = now;
        let flow = &mut self.flows[index];
        flow.sender_timer = timer;
        flow.to_sender.wake = Wake::default();
    }

    /// Takes very many packets to what lies on their way, in parts.
    #[cold]
    #[inline(never)]
    pub(super) fn cross_in_parts(&mut self, link: usize, through: Hop, packets: Vec<Arrival>) {
        for some in packets.chunks(TURNS) {
            if self.is_to_stop() {
                return;
            }
            for &Arrival { at, label } in some {
                self.cross(through, at, label);
            }
        }
        self.lanes[link].recycle(packets);
    }
}
