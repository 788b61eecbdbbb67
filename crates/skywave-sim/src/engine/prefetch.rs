//! Prefetches memory that is about to be needed: with many flows, most of the time goes into
//! waiting for memory, and it is known which packets and hosts come next. Results do not depend on
//! it.
//!
//! From 500 flows on, the engine prefetches the memory that a packet or a host is about to touch, because with
//! 10,000 flows it spent most of the time waiting for memory. The instruction itself, the only `unsafe` of the
//! engine, is in `skywave_core::prefetch`, as FQ-CoDel fetches its queues too. The cache lines are computed from
//! the fields' offsets, and tests state how many they may be.

use std::mem::offset_of;
use std::ops::Range;

use skywave_core::driver;
use skywave_core::prefetch::{prefetch, prefetch_bytes};

use super::arrival::{Arrival, Label};
use super::flow::Flow;
use super::routes::{Direction, Next};
use super::tcp::Tcp;
use super::transport::Ends;
use super::world::{Event, Travelling, World};
use crate::measure::{FlowMeter, LossLedger};

/// Fewer flows than this fit the cache anyway. (In this crate's own tests, any number counts as
/// many.)
const MANY_FLOWS: usize = if cfg!(test) { 1 } else { 500 };

/// How many packets ahead memory is fetched: in a first step what a packet's label leads to, in a
/// second step what that memory leads to.
const PACKETS_AHEAD: [usize; 2] = [6, 3];

/// How many events ahead memory is fetched, in three steps.
const EVENTS_AHEAD: [usize; 3] = [6, 4, 2];

/// How many of the ACKs that wait for one sender ahead memory is fetched, in one step.
const MAIL_AHEAD: usize = 2;

impl World<'_> {
    /// Whether there are so many flows that it pays to fetch their memory ahead.
    #[inline]
    pub(super) fn has_many_flows(&self) -> bool {
        self.flows.len() >= MANY_FLOWS
    }

    /// A link takes the packet at `place` next: fetches memory for those after it. For [many
    /// flows](Self::has_many_flows).
    #[inline]
    pub(super) fn prefetch_arrivals(&self, packets: &[Arrival], place: usize) {
        self.prefetch_labels(|ahead| Some(packets.get(place + ahead)?.label));
    }

    /// A link takes a packet next, and `ahead(n)` is the label of the packet n places after it: fetches memory for
    /// some of those.
    #[inline]
    pub(super) fn prefetch_labels(&self, ahead: impl Fn(usize) -> Option<Label>) {
        let [first, second] = PACKETS_AHEAD.map(ahead);
        if let Some(later) = first {
            self.prefetch_way(later);
        }
        if let Some(later) = second {
            let flow = &self.flows[later.flow() as usize];
            if self.reaches_receiver(later) {
                flow.prefetch_delivery();
            } else {
                flow.to_sender.prefetch_back();
            }
        }
    }

    /// Before an event is handled: fetches memory for those after it.
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

    /// A sender has taken an ACK: fetches memory for the next ones.
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
            prefetch_bytes(&self.packets[id as usize], Travelling::WITHOUT_BLOCKS);
        }
    }

    /// Fetches what a packet finds after the link that it is at, if the next link decides at once.
    #[inline]
    fn prefetch_way(&self, label: Label) {
        if !self.prefetch_link(label.at_next_hop().hop()) {
            return;
        }
        let flow = &self.flows[label.flow() as usize];
        if self.reaches_receiver(label) {
            prefetch_bytes(
                &self.packets[label.id() as usize],
                Travelling::WITHOUT_BLOCKS,
            );
            flow.prefetch_receiver();
            self.prefetch_first_link(label.flow(), Direction::Reverse);
        } else {
            prefetch(&flow.to_sender);
        }
    }

    /// Whether the link that a packet is at is followed by one more that decides at once, and then
    /// by the receiver.
    #[inline]
    fn reaches_receiver(&self, label: Label) -> bool {
        let hop = label.at_next_hop().hop();
        let follows = matches!(self.routes.next(hop), Next::Wire(_) | Next::Follows(_));
        follows && matches!(self.routes.next(hop + 1), Next::Receiver | Next::Mailbox)
    }

    /// Fetches the link that a host's packets come to first.
    #[inline]
    fn prefetch_first_link(&self, flow: u32, direction: Direction) {
        self.prefetch_link(self.routes.start(flow, direction));
    }

    /// Fetches the link at a place of a route if it decides at once. Returns whether it does.
    #[inline]
    fn prefetch_link(&self, hop: u32) -> bool {
        match self.routes.next(hop) {
            Next::Wire(wire) => {
                prefetch_bytes(&self.wires[wire as usize], driver::PLAIN_LINK_TOUCHES);
            }
            Next::Follows(lane) => prefetch(&self.lanes[lane as usize]),
            _ => return false,
        }
        true
    }
}

/// Every flow is fetched as if it were TCP: to look whether it is would mean to wait for its
/// memory. A flow's [`Tcp`] begins where the flow does.
impl Flow {
    /// The sender will take an ACK.
    #[inline]
    fn prefetch_sender(&self) {
        for touched in driver::ACK_TOUCHES {
            prefetch_bytes(self, shifted(offset_of!(Tcp, sender), touched));
        }
        prefetch_bytes(self, AFTER_RECEIVER);
        prefetch_bytes(self, AFTER_ENDS);
    }

    /// The receiver will take a packet. The sender's flight is needed too: it knows when the packet
    /// was sent.
    #[inline]
    fn prefetch_receiver(&self) {
        prefetch_bytes(
            self,
            shifted(offset_of!(Tcp, sender), driver::FLIGHT_TOUCHES),
        );
        prefetch_bytes(
            self,
            shifted(offset_of!(Tcp, receiver), driver::DATA_TOUCHES),
        );
        prefetch_bytes(self, AFTER_RECEIVER);
        prefetch_bytes(
            self,
            shifted(offset_of!(Flow, meter), FlowMeter::DELIVERY_TOUCHES),
        );
    }

    /// The sender will look for the oldest segment in flight.
    #[inline]
    fn prefetch_flight(&self) {
        if let Ends::Tcp(tcp) = &self.ends
            && let Some(segment) = tcp.sender.flight().oldest()
        {
            prefetch(segment);
        }
    }

    /// The delay of a packet will be measured.
    #[inline]
    fn prefetch_delivery(&self) {
        if let Ends::Tcp(tcp) = &self.ends {
            if let Some(segment) = tcp.sender.flight().numbered(tcp.next_number) {
                prefetch(segment);
            }
            if let Some(count) = self.meter.likely_delay() {
                prefetch(count);
            }
        }
    }
}

/// Bytes that every packet touches after the receiver: the fields of [`Tcp`] up to the first of its
/// ledger.
const AFTER_RECEIVER: Range<usize> =
    offset_of!(Tcp, next_number)..offset_of!(Tcp, losses) + LossLedger::HOT;

/// Bytes that an ACK touches after the ends of a flow: its mailbox, its turns, and the first fields
/// of the meter.
const AFTER_ENDS: Range<usize> =
    offset_of!(Flow, to_sender)..offset_of!(Flow, meter) + FlowMeter::ACK_TOUCHES.end;

/// Turns a range of bytes within a field into one within the struct; `start` is the field's offset.
const fn shifted(start: usize, bytes: Range<usize>) -> Range<usize> {
    start + bytes.start..start + bytes.end
}

#[cfg(test)]
mod tests {
    use skywave_core::prefetch::LINE;

    use super::*;

    #[test]
    fn a_tcp_flow_begins_with_its_sender() {
        assert_eq!((offset_of!(Flow, ends), offset_of!(Tcp, sender)), (0, 0));
        assert_eq!(offset_of!(Tcp, receiver) % LINE, 0);
        assert_eq!((align_of::<Flow>(), align_of::<Tcp>()), (LINE, LINE));
        // The enum's tag is a value that no field of TCP can have (a niche), so nothing comes
        // before the TCP fields.
        assert_eq!(size_of::<Ends>(), size_of::<Tcp>());
    }

    #[test]
    fn what_packets_touch_of_a_flow_are_few_cache_lines() {
        let lines = |bytes: Range<usize>| bytes.end.div_ceil(LINE) - bytes.start / LINE;
        assert_eq!(lines(AFTER_RECEIVER), 1);
        assert_eq!(lines(AFTER_ENDS), 3);
        let meter = shifted(offset_of!(Flow, meter), FlowMeter::DELIVERY_TOUCHES);
        assert_eq!(lines(meter), 3);
    }

    #[test]
    fn a_packet_without_blocks_is_one_cache_line() {
        assert_eq!(Travelling::WITHOUT_BLOCKS, 0..LINE);
        assert_eq!(size_of::<Travelling>(), 2 * LINE);
    }
}
