//! Has memory fetched that is about to be needed: with many flows, most of the time goes into waiting
//! for it, and which packets and hosts come next is known. Results do not depend on it.

use super::arrival::{Arrival, Label};
use super::ends::{Ends, Tcp};
use super::flow::Flow;
use super::routes::{Direction, Next};
use super::world::{Event, World};

/// Fewer flows than this fit the cache anyway. (In this crate's own tests, all are many.)
const MANY_FLOWS: usize = if cfg!(test) { 1 } else { 500 };

/// So many packets ahead is fetched what the first step of a way leads to, so many what the second, …
const PACKETS_AHEAD: [usize; 2] = [6, 3];

/// The same of events.
const EVENTS_AHEAD: [usize; 3] = [6, 4, 2];

/// The same of the ACKs that wait for one sender.
const MAIL_AHEAD: usize = 2;

impl World<'_> {
    /// There are so many flows that it pays to fetch their memory ahead.
    #[inline]
    pub(super) fn has_many_flows(&self) -> bool {
        self.flows.len() >= MANY_FLOWS
    }

    /// A link takes the packet at `place` of these next. For [many flows](Self::has_many_flows).
    #[inline]
    pub(super) fn prefetch_arrivals(&self, packets: &[Arrival], place: usize) {
        let [first, second] = PACKETS_AHEAD.map(|ahead| packets.get(place + ahead));
        if let Some(later) = first {
            self.prefetch_way(later.label);
        }
        if let Some(later) = second {
            let flow = &self.flows[later.label.flow() as usize];
            if self.reaches_receiver(later.label) {
                flow.prefetch_delivery();
            } else {
                flow.to_sender.prefetch_back();
            }
        }
    }

    /// An event comes next.
    #[inline]
    pub(super) fn prefetch_events(&self) {
        if !self.has_many_flows() {
            return;
        }
        let [first, second, third] = EVENTS_AHEAD.map(|ahead| self.events.ahead(ahead));
        if let Some(Event::Sender(flow)) = first {
            self.flows[flow as usize].prefetch_sender();
            self.routes.prefetch_start(flow);
        }
        if let Some(Event::Sender(flow)) = second {
            self.flows[flow as usize].to_sender.prefetch_front();
            self.flows[flow as usize].prefetch_flight();
            self.prefetch_first_link(flow, Direction::Forward);
        }
        if let Some(Event::Sender(flow)) = third {
            for place in 0..MAIL_AHEAD {
                self.prefetch_mail(flow as usize, place);
            }
        }
    }

    /// A sender has taken an ACK.
    #[inline]
    pub(super) fn prefetch_acks(&self, flow: usize) {
        if !self.has_many_flows() {
            return;
        }
        self.prefetch_mail(flow, MAIL_AHEAD - 1);
        self.flows[flow].prefetch_flight();
    }

    #[inline]
    fn prefetch_mail(&self, flow: usize, place: usize) {
        if let Some(id) = self.flows[flow].to_sender.get(place) {
            prefetch(&self.packets[id as usize], 0, 1);
        }
    }

    /// What a packet finds behind the link that it is at, if it goes on at once.
    #[inline]
    fn prefetch_way(&self, label: Label) {
        if !self.prefetch_link(label.at_next_hop().hop()) {
            return;
        }
        let flow = &self.flows[label.flow() as usize];
        if self.reaches_receiver(label) {
            prefetch(&self.packets[label.id() as usize], 0, 1);
            flow.prefetch_receiver();
            self.prefetch_first_link(label.flow(), Direction::Reverse);
        } else {
            prefetch(&flow.to_sender, 0, 1);
        }
    }

    /// Behind the link that a packet is at are one more and the receiver.
    #[inline]
    fn reaches_receiver(&self, label: Label) -> bool {
        let hop = label.at_next_hop().hop();
        let follows = matches!(self.routes.next(hop), Next::Wire(_) | Next::Follows(_));
        follows && matches!(self.routes.next(hop + 1), Next::Receiver | Next::Mailbox)
    }

    /// The link that a host's packets come to first.
    #[inline]
    fn prefetch_first_link(&self, flow: u32, direction: Direction) {
        self.prefetch_link(self.routes.start(flow, direction));
    }

    /// The link at a place of a route, if it is one that decides at once; whether it is.
    #[inline]
    fn prefetch_link(&self, hop: u32) -> bool {
        match self.routes.next(hop) {
            Next::Wire(wire) => prefetch(&self.wires[wire as usize], 0, 2),
            Next::Follows(lane) => prefetch(&self.lanes[lane as usize], 0, 1),
            _ => return false,
        }
        true
    }
}

impl Flow {
    /// The sender will take an ACK: of a [`Tcp`], which begins where the flow does, the lines that most
    /// touch. (To look whether it is one would be to wait for it.)
    #[inline]
    fn prefetch_sender(&self) {
        prefetch(self, 0, 5);
        prefetch(self, 7, 1);
        prefetch(self, RECEIVER_LINE - 3, 1);
        prefetch(self, LEDGER_LINE, 1);
        prefetch(&self.to_sender, 0, 3);
    }

    /// The receiver will take a packet; what is measured then is in the sender, too.
    #[inline]
    fn prefetch_receiver(&self) {
        prefetch(self, 1, 2);
        prefetch(self, RECEIVER_LINE, 1);
        prefetch(self, LEDGER_LINE, 1);
        prefetch(&self.meter, 0, 3);
    }

    /// The sender will look for the oldest segment in flight.
    #[inline]
    fn prefetch_flight(&self) {
        if let Ends::Tcp(tcp) = &self.ends {
            let flight = tcp.sender.flight();
            if let Some(segment) = flight.place(flight.first_number()) {
                prefetch(segment, 0, 1);
            }
        }
    }

    /// It will be measured how long a packet was on its way.
    #[inline]
    fn prefetch_delivery(&self) {
        if let Ends::Tcp(tcp) = &self.ends {
            if let Some(segment) = tcp.sender.flight().place(tcp.next_number) {
                prefetch(segment, 0, 1);
            }
            if let Some(count) = self.meter.likely_delay() {
                prefetch(count, 0, 1);
            }
        }
    }
}

/// The cache line of a [`Tcp`] at which its receiver begins.
const RECEIVER_LINE: usize = std::mem::offset_of!(Tcp, receiver) / LINE;

/// That with what lies behind the receiver.
const LEDGER_LINE: usize = std::mem::offset_of!(Tcp, next_number) / LINE;

/// Bytes of a cache line, where it matters.
const LINE: usize = 64;

/// Has `count` cache lines fetched from the one on that is `skip` behind the start of `value`.
#[inline(always)]
pub(super) fn prefetch<T>(value: &T, skip: usize, count: usize) {
    #[cfg(target_arch = "x86_64")]
    for line in skip..skip + count {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let address = std::ptr::from_ref(value)
            .cast::<i8>()
            .wrapping_add(line * LINE);
        #[expect(unsafe_code, reason = "there is no other way to prefetch")]
        // SAFETY: a prefetch reads nothing that the program could see, and may be given any address.
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(address);
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (value, skip, count, LINE);
}
