//! Where packets go into the radio network, and come out of it.

use skywave_core::packet::{Ecn, Marks};
use skywave_core::{Duration, Time};

use super::air::{Leaves, Released};
use super::arrival::{Arrival, Label};
use super::world::{Event, Travelling, World};

/// Longest that a radio network goes on by itself.
const LONGEST: Duration = Duration::from_secs(1);

impl World<'_> {
    /// Packets enter the radio network.
    pub(super) fn on_passage(&mut self, lane: usize) {
        let Some(ends) = self.lanes[lane].passage() else {
            return;
        };
        let Some(inbox) = self.lanes[lane].inbox() else {
            return;
        };
        let packets = inbox.take(self.now);
        for &Arrival { at, label } in &packets {
            if self.clamp_drops(label.id(), label.hop()) {
                self.release(label.id());
                continue;
            }
            let travelling = &mut self.packets[label.id() as usize];
            travelling.hop = label.hop();
            if let Some(air) = &mut self.air {
                air.enter(at, label.id(), &travelling.packet, ends);
            }
        }
        self.lanes[lane].recycle(packets);
        self.take_out();
        self.schedule_air();
    }

    /// The radio network does what is due.
    pub(super) fn on_air(&mut self) {
        if let Some(air) = &mut self.air
            && !air.wake.comes(self.now)
        {
            return;
        }
        loop {
            let until = self.air_until();
            let Some(air) = &mut self.air else { return };
            if air.next() > until {
                break;
            }
            let is_long = air.run(until);
            self.now = air.now();
            if is_long && self.is_to_stop() {
                return;
            }
            self.take_out();
        }
        self.schedule_air();
    }

    /// Time up to which the radio network may go on by itself: until something else is to happen.
    /// (And not for too long, as a run may be cancelled.)
    fn air_until(&mut self) -> Time {
        let just_before = |at: Time| at - Duration::from_nanos(1);
        let others = self.events.next_at().map_or(Time::MAX, just_before);
        let until = others.min(just_before(self.end));
        until.min(self.now + LONGEST).max(self.now)
    }

    /// Wakes the radio network when it next has something to do.
    pub(super) fn schedule_air(&mut self) {
        let Some(air) = &mut self.air else { return };
        let at = air.next();
        if at < self.end && air.wake.earlier(at) {
            self.push(at, Event::Air);
        }
    }

    /// Passes on the packets that have left the radio network.
    fn take_out(&mut self) {
        let Some(air) = &mut self.air else { return };
        let mut results = std::mem::take(&mut air.results);
        let mut entered = false;
        for leaves in results.drain(..) {
            match leaves {
                Leaves::Arrives { id, ecn, released } => self.arrive(id, ecn, released, self.now),
                Leaves::Lost { id, cause } => {
                    let hop = self.packets[id as usize].hop;
                    self.drop_packet(id, hop, cause, self.now);
                }
                Leaves::Gone { id } => self.release(id),
                Leaves::Stays(seen) => {
                    self.clamp_sees(seen);
                    entered = true;
                }
            }
        }
        let Some(air) = &mut self.air else { return };
        if entered && !air.results.is_empty() {
            return self.take_out(); // what has entered was lost at once
        }
        air.results = results;
    }

    /// A packet has reached the station where it leaves the network. If there are other copies of
    /// it under way, they keep its place, and this one gets another.
    fn arrive(&mut self, id: u32, ecn: Ecn, released: Released, at: Time) {
        let Travelling { packet, hop } = &self.packets[id as usize];
        let (mut packet, hop) = (*packet, hop + 1);
        packet.ecn = ecn;
        packet.contention = released.contention;
        if released.arrived {
            packet.marks |= Marks::COPY;
            self.note_copy(&packet, at);
        }
        let travelling = Travelling { hop, packet };
        let id = if released.last {
            self.packets[id as usize] = travelling;
            id
        } else {
            self.store(travelling)
        };
        self.take_on(at, Label::of(&packet, id, hop));
    }
}
