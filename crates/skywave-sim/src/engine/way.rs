//! The way of a packet from host to host. A call takes the packet as far as its way can be decided
//! now.

use skywave_core::Time;
use skywave_core::link::Fate;
use skywave_core::packet::{Ecn, Marks, Packet};

use super::arrival::{Arrival, Label};
use super::flow::is_counted;
use super::routes::{Direction, Hop, Next};
use super::stop;
use super::world::{Event, Travelling, World};
use crate::losses::LossCause;

impl World<'_> {
    /// Puts a new packet on its way.
    #[inline(never)]
    pub(super) fn send(&mut self, packet: Packet, at: Time) {
        self.send_inlined(packet, at);
    }

    /// As [`Self::send`].
    #[inline(always)]
    pub(super) fn send_inlined(&mut self, packet: Packet, at: Time) {
        if at >= self.end {
            return;
        }
        let hop = self.routes.start(packet.flow, Direction::of(&packet));
        let id = self.store(Travelling { hop, packet });
        self.cross_inlined(self.routes.hop(hop), at, Label::of(&packet, id, hop));
    }

    /// As [`Self::send`]; the packet takes the place of packet `id`, which is under way no more.
    #[inline(always)]
    pub(super) fn send_in_place(&mut self, id: u32, packet: Packet, at: Time) {
        if at >= self.end {
            return self.release(id);
        }
        let hop = self.routes.start(packet.flow, Direction::of(&packet));
        self.packets[id as usize] = Travelling { hop, packet };
        self.cross_inlined(self.routes.hop(hop), at, Label::of(&packet, id, hop));
    }

    /// Takes a packet from its place on the route as far as that can be decided now.
    #[inline(always)]
    pub(super) fn take_on(&mut self, at: Time, label: Label) {
        self.cross(self.routes.hop(label.hop()), at, label);
    }

    #[inline(always)]
    pub(super) fn store(&mut self, travelling: Travelling) -> u32 {
        let id = self.free;
        if let Some(place) = self.packets.get_mut(id as usize) {
            self.free = place.hop;
            *place = travelling;
            id
        } else {
            self.packets.push(travelling);
            if self.packets.len().is_multiple_of(stop::TURNS) {
                self.is_to_stop(); // a whole window may go out at once
            }
            (self.packets.len() - 1) as u32
        }
    }

    /// Frees the place of a packet that is under way no more. What is known of the packet has to be read
    /// before: the next packet may take its place. Under debug assertions the flow of a freed place does
    /// not exist, so that a late read panics.
    #[inline(always)]
    pub(super) fn release(&mut self, id: u32) {
        let place = &mut self.packets[id as usize];
        if cfg!(debug_assertions) {
            place.packet.flow = u32::MAX;
        }
        place.hop = self.free;
        self.free = id;
    }

    /// A packet comes to an end of a tunnel.
    #[cold]
    fn resize(&mut self, at: Time, label: Label, bytes: i32) {
        let id = label.id();
        let travelling = &mut self.packets[id as usize];
        travelling.hop = label.at_next_hop().hop();
        let size = travelling.packet.size;
        travelling.packet.size = size.saturating_add_signed(bytes);
        self.pass_on(id, at);
    }

    /// As [`Self::cross_inlined`]. Not inlined: with a copy of that for each of its callers, the code of a
    /// packet's whole way would not fit the cache.
    #[inline(never)]
    pub(super) fn cross(&mut self, hop: Hop, at: Time, label: Label) {
        self.cross_inlined(hop, at, label);
    }

    /// Takes a packet to what lies at its place on the route, and on as far as that can be decided now.
    #[inline(always)]
    pub(super) fn cross_inlined(&mut self, mut hop: Hop, mut at: Time, mut label: Label) {
        loop {
            if let Some(wire) = hop.wire() {
                let window = &self.spec.measure;
                let Some(out) = self.wires[wire as usize].send(at, label.size(), window) else {
                    return self.drop_packet(label.id(), label.hop(), LossCause::Queue, at);
                };
                at = out;
            } else if let Next::Follows(link) = hop.next() {
                let Some(crossed) = self.cross_any(link, at, label) else {
                    return;
                };
                (at, label) = crossed;
            } else {
                break;
            }
            label = label.at_next_hop();
            if at >= self.end {
                return self.release(label.id());
            }
            hop = self.routes.hop(label.hop());
        }
        match hop.next() {
            Next::Collects(link) => self.collect(link, Arrival { at, label }),
            Next::Sender => self.reach_sender(at, label),
            Next::Receiver => self.reach_receiver(at, label),
            Next::Mailbox => self.reach_mailbox(at, label),
            Next::Resize(bytes) => self.resize(at, label, bytes),
            Next::Wire(_) | Next::Follows(_) => unreachable!("the loop has crossed those"),
        }
    }

    /// Offers a packet to a link that may do anything to it. Returns when the packet has crossed the link
    /// and its label then; `None` if the packet does not go on from here.
    #[inline(never)]
    fn cross_any(&mut self, link: u32, at: Time, label: Label) -> Option<(Time, Label)> {
        let (id, hop) = (label.id(), label.hop());
        let travelling = &mut self.packets[id as usize];
        let packet = &mut travelling.packet;
        let observer = self.observer.as_deref_mut();
        match self.lanes[link as usize].send(at, link, packet, observer) {
            Fate::Dropped(cause) => {
                self.notice_loss(link, id, cause.into());
                self.drop_packet(id, hop, cause.into(), at);
                None
            }
            Fate::Arrives {
                at,
                corrupt,
                marked,
                duplicate,
            } => {
                if corrupt {
                    packet.marks |= Marks::CORRUPT;
                }
                if marked {
                    packet.ecn = Ecn::Ce;
                }
                if let Some(notices) = self.lanes[link as usize].notices() {
                    notices.tell(packet);
                }
                if duplicate {
                    travelling.hop = hop + 1;
                    self.pass_on_twice(id, at);
                    return None;
                }
                Some((at, if corrupt { label.corrupt() } else { label }))
            }
        }
    }

    /// Files a packet, or the stand-in for a timer, in the inbox of the lane that it comes to.
    #[inline(always)]
    pub(super) fn collect(&mut self, link: u32, arrival: Arrival) {
        if let Some(inbox) = self.lanes[link as usize].inbox()
            && let Some(wake) = inbox.insert(arrival)
        {
            self.push(wake, Event::Link(link));
        }
    }

    /// Passes on a packet and, right after it, its copy.
    #[cold]
    #[inline(never)]
    pub(super) fn pass_on_twice(&mut self, id: u32, at: Time) {
        let Travelling { packet, hop } = &self.packets[id as usize];
        let copy = Travelling {
            packet: Packet {
                marks: packet.marks | Marks::COPY,
                ..*packet
            },
            hop: *hop,
        };
        self.note_copy(&copy.packet, at);
        let copy = self.store(copy);
        self.pass_on(id, at);
        self.pass_on(copy, at);
    }

    /// A second copy of a packet comes to be.
    pub(super) fn note_copy(&mut self, packet: &Packet, at: Time) {
        let index = packet.flow as usize;
        if is_counted(&packet.body) && self.flows[index].meter.counts(at) {
            self.copies[index] += 1;
        }
    }

    /// A packet is at a node of its route at `at`: takes it as far as that can be decided now.
    pub(super) fn pass_on(&mut self, id: u32, at: Time) {
        if at >= self.end {
            return self.release(id);
        }
        let Travelling { packet, hop } = &self.packets[id as usize];
        self.take_on(at, Label::of(packet, id, *hop));
    }

    /// A packet comes back to the data sender's host.
    #[inline(always)]
    fn reach_sender(&mut self, at: Time, label: Label) {
        if label.is_corrupt() {
            return self.refuse(at, label);
        }
        let index = label.flow() as usize;
        if self.flows[index].to_sender.insert(at, label.id()) {
            self.schedule_mail_to_sender(index, at);
        }
    }

    /// A packet comes to the data receiver's host.
    #[inline(always)]
    fn reach_receiver(&mut self, at: Time, label: Label) {
        if label.is_corrupt() {
            return self.refuse(at, label);
        }
        self.deliver(label.flow() as usize, label.id(), at);
    }

    /// A packet comes to a data receiver's host that packets reach out of order.
    #[inline(never)]
    fn reach_mailbox(&mut self, at: Time, label: Label) {
        if label.is_corrupt() {
            return self.refuse(at, label);
        }
        let index = label.flow() as usize;
        let mail = self.flows[index].to_receiver.get_or_insert_default();
        mail.insert(at, label.id());
        self.schedule_receiver(index);
    }

    /// A host's checksum finds that a packet is damaged.
    #[cold]
    #[inline(never)]
    fn refuse(&mut self, at: Time, label: Label) {
        let packet = &self.packets[label.id() as usize].packet;
        self.flows[label.flow() as usize].lost(at, packet, LossCause::Corruption);
        self.release(label.id());
    }

    /// A packet is lost at place `hop` of its route.
    #[inline(never)]
    pub(super) fn drop_packet(&mut self, id: u32, hop: u32, cause: LossCause, at: Time) {
        let in_queue = matches!(cause, LossCause::Queue | LossCause::Early);
        if !self.spec.agents.is_empty() && in_queue {
            self.tell_agent(id, hop);
        }
        let packet = &self.packets[id as usize].packet;
        // A packet that a channel had damaged before it met a full queue was lost by the channel.
        let cause = if in_queue && packet.is_corrupt() {
            LossCause::Corruption
        } else {
            cause
        };
        self.flows[packet.flow as usize].lost(at, packet, cause);
        self.release(id);
    }
}
