//! A link with a time of its own: what becomes of a packet is not known when it comes. It retransmits
//! ([`Arq`]), or its queue decides when packets leave it (CoDel, FQ-CoDel, PIE, DualPI2), or both.
//!
//! # Retransmission
//! After negative acknowledgements: the local recovery that TCP-DCR is made for (section 3.5), as its
//! simulations have it (section 4). A transmission fails when a loss model corrupts it or a blackout
//! covers its end. The packet is then held at the sending side until the far side's NACK has come, one
//! round trip of the link after the end of the transmission ([`Arq::round_trip`]). There it goes to the
//! **head** of the queue; packets in the queue have to wait, those transmitted meanwhile have overtaken
//! it. Held packets take no place in the queue, and are never dropped when they come back; in the queue
//! they take a place as any other. A retransmission uses capacity, and may fail again; after
//! [`Arq::retries`] of them the packet is given up, with the cause of its last failure.
//!
//! With [`Arq::in_order`] the far side puts packets in the order of their first transmissions. It
//! learns that a packet was given up when it would have received the packet: after the link's
//! delay.
//!
//! # The caller's contract
//! [`TimedLink::offer`] takes a packet with the caller's number for it; the caller calls
//! [`TimedLink::on_time`] at (or after) [`TimedLink::next_time`], and takes from [`TimedLink::poll`] what
//! has been decided after each of both. Times must not decrease over all calls. A decision concerns
//! arrivals at least the link's delay later, and comes in the order of these arrivals unless the link has
//! [`Reordering`](super::Reordering). At a constant rate, without a ring or a shaper, and where nothing can
//! happen to a packet in transmission, its arrival is told when the transmission starts; else not before it ends.
//!
//! At one instant: the transmission ends, packets come back, the next transmission starts, packets
//! are offered.

mod in_order;
mod in_turn;

use std::collections::VecDeque;

use super::config::{LinkConfig, LossAt};
use super::discipline::{Discipline, Frame, Frames, Gone};
use super::medium::Medium;
use super::meter::{Measured, Meter, Retransmission, Totals, Window};
use super::repair::Arq;
use super::service::Transmitter;
use super::steps::SteppedRate;
use super::{DropCause, Fate, Tag};
use crate::packet::Ecn;
use crate::time::{Duration, Time};
use crate::units::Backlog;
use in_order::InOrder;

/// One direction of a link at which a packet's fate is not known when it is offered: the link retransmits, or
/// its queue decides when packets leave it (CoDel, FQ-CoDel, PIE, DualPI2).
#[derive(Clone, Debug)]
pub struct TimedLink {
    arq: Option<Arq>,
    round_trip: Duration,
    delay: Duration,
    queue: Discipline,
    /// Packets that wait in the queue and in `repairs`.
    waiting: usize,
    /// Packets to transmit again, before those of the queue.
    repairs: Frames,
    /// Packets that the device has taken from the queue, and how many it may take.
    device: VecDeque<Frame>,
    ring: usize,
    transmitter: Transmitter,
    /// When the next packet starts, unless one is in transmission.
    start: Time,
    /// When the transmission of the present packet ends; [`Time::MAX`] while there is none.
    end: Time,
    /// The packet in transmission, if something can happen to it.
    sending: Option<Frame>,
    /// When there is something to do next; [`Time::MAX`] is never.
    due: Time,
    /// Packets only wait for one another (the module `in_turn`).
    is_simple: bool,
    /// `None` if it only delays.
    medium: Option<Box<Medium>>,
    /// Packets that failed, and when they are back.
    held: VecDeque<(Time, Frame)>,
    far_side: Option<InOrder>,
    settled: VecDeque<Settled>,
    /// Packets transmitted so far, each once.
    transmitted: u64,
    meter: Meter,
    window: Window,
    counts: Retransmission,
    clock: Time,
    /// Packets that the queue drops at present; kept to save allocations.
    gone: Gone,
}

/// A packet that is offered to a [`TimedLink`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offered {
    /// Numbers of the packet: the caller's, flow, bytes and note.
    pub tag: Tag,
    /// ECN field of the packet: a queue may mark it instead of dropping it.
    pub ecn: Ecn,
}

/// The fate of a packet of a [`TimedLink`], once it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settled {
    /// Numbers of the packet, as offered.
    pub tag: Tag,
    /// Time at which the packet was dropped, or its last transmission ends.
    pub at: Time,
    /// Number of transmissions of the packet; zero if it was dropped before the first.
    pub transmissions: u32,
    /// The packet's fate.
    pub fate: Fate,
}

impl Settled {
    /// The fate of a packet that is decided at `at`.
    fn new(frame: &Frame, at: Time, fate: Fate) -> Self {
        Self {
            tag: frame.tag,
            at,
            transmissions: frame.transmissions,
            fate,
        }
    }
}

impl TimedLink {
    /// A link as `config` says; `name` and `seed` name its random streams, as those of a [`Link`](super::Link). With
    /// ARQ the loss models act at the end of transmissions, whatever `config.loss_at` says. Its figures cover the
    /// whole run until [`TimedLink::measure`] sets a window.
    ///
    /// # Panics
    /// When `config` asks for contention, or for a shaper without a constant rate.
    pub fn new(config: LinkConfig, seed: u64, name: &str) -> Self {
        assert!(
            config.contention.is_none(),
            "no contention at a link with a time of its own"
        );
        let stepped = SteppedRate::new(&config, seed, name);
        let medium = Medium::unless_perfect(&config, seed, name).map(Box::new);
        let rate = config.mean_rate();
        let round_trip = config.arq.and_then(|arq| arq.round_trip);
        let round_trip = round_trip.unwrap_or(config.delay * 2);
        let in_order = config.arq.is_some_and(|arq| arq.in_order);
        let transmitter = Transmitter::new(config.service, stepped).shaped(config.shaper);
        let is_certain = medium.is_none() && config.arq.is_none();
        Self {
            arq: config.arq,
            // At least 1 ns: time must go on while a packet fails again and again.
            round_trip: round_trip.max(Duration::from_nanos(1)),
            delay: config.delay,
            queue: Discipline::new(config.queue, rate, seed, name),
            waiting: 0,
            repairs: Frames::default(),
            device: VecDeque::new(),
            ring: config.ring as usize,
            is_simple: is_certain && config.ring == 0 && transmitter.is_plain(),
            transmitter,
            start: Time::MAX,
            end: Time::MAX,
            sending: None,
            due: Time::MAX,
            medium,
            held: VecDeque::new(),
            far_side: in_order.then(InOrder::default),
            settled: VecDeque::new(),
            transmitted: 0,
            meter: Meter::new(Window::ALL),
            window: Window::ALL,
            counts: Retransmission::default(),
            clock: Time::ZERO,
            gone: Gone::new(),
        }
    }

    /// Offers a packet of `size` bytes at `now`, of flow 0 and not ECN-capable. Returns the cause if it is lost at
    /// once; otherwise `None`, and [`TimedLink::poll`] later tells its fate, once, with this `id`.
    pub fn offer(&mut self, now: Time, id: u32, size: u32) -> Option<DropCause> {
        let packet = Offered {
            tag: Tag::new(id, size),
            ecn: Ecn::NotEct,
        };
        self.offer_packet(now, packet)
    }

    /// Offers a packet with a flow and an ECN field at `now`. Returns the cause if it is lost at once; otherwise
    /// `None`, and [`TimedLink::poll`] later tells its fate, once, with its tag.
    #[inline(always)] // so that the packet stays in registers
    pub fn offer_packet(&mut self, now: Time, packet: Offered) -> Option<DropCause> {
        self.on_time(now);
        let now = self.clock;
        self.meter.offered();
        let refused = if self.is_simple && self.is_transmitting() {
            self.join(now, true, Backlog::default(), packet)
        } else {
            self.refuses(now, packet)
        };
        match refused {
            Some(cause) => self.meter.settled(Fate::Dropped(cause)),
            None if self.is_transmitting() && self.ring == 0 => return None, // it waits for its turn
            None if self.is_simple => self.send_first(now),
            None => self.start_next(now),
        }
        self.due = self.next_due();
        refused
    }

    /// Prefetches the memory that a packet of `flow` needs; to be called before such a packet is offered.
    #[inline]
    pub fn prefetch(&self, flow: u32) {
        self.queue.prefetch(flow);
    }

    /// Why the packet is lost at once; otherwise it waits now.
    #[inline(always)]
    fn refuses(&mut self, now: Time, packet: Offered) -> Option<DropCause> {
        if let Some(medium) = &mut self.medium {
            if !medium.lets_in(now, packet.tag.size()) {
                return Some(DropCause::Policed);
            }
            if self.arq.is_none() {
                let lost = medium.loses_at_head(now, packet.tag.size());
                self.meter.repaired(medium.take_repairs());
                if lost {
                    return Some(DropCause::Channel);
                }
            }
        }
        let idle = self.is_idle();
        if idle {
            self.start = self.transmitter.begin(now);
        }
        let must_wait = (!idle || self.start > now) && self.device.len() >= self.ring;
        self.join(now, must_wait, self.repairs.totals(), packet)
    }

    /// Puts the packet into the queue, behind `repairs`, or tells why the queue refuses it.
    #[inline(always)]
    fn join(
        &mut self,
        now: Time,
        must_wait: bool,
        repairs: Backlog,
        packet: Offered,
    ) -> Option<DropCause> {
        let frame = Frame::new(now, packet.tag, packet.ecn);
        let (refused, waiting) = self
            .queue
            .offer(now, must_wait, repairs, frame, &mut self.gone);
        self.waiting = repairs.packets + waiting;
        self.settle_dropped(now);
        refused
    }

    /// Time at which [`TimedLink::on_time`] has something to do next; `None` for never.
    #[inline]
    pub fn next_time(&self) -> Option<Time> {
        Some(self.due).filter(|at| *at < Time::MAX)
    }

    #[inline(always)]
    fn next_due(&self) -> Time {
        let transmitter = if self.is_transmitting() || self.is_idle() {
            self.end
        } else {
            self.start
        };
        let back = self.held.front().map_or(Time::MAX, |(back, _)| *back);
        transmitter.min(back)
    }

    /// Does everything that is due by `now`, each at its time; [`TimedLink::poll`] then has the packets' fates.
    #[inline(always)]
    pub fn on_time(&mut self, now: Time) {
        if self.due <= now {
            if self.is_simple {
                self.send_in_turn(now);
            } else {
                self.do_what_is_due(now);
            }
        }
        self.pass(now);
    }

    #[inline(never)]
    fn do_what_is_due(&mut self, now: Time) {
        while let Some(at) = self.next_time()
            && at <= now
        {
            self.pass(at);
            self.end_transmission(at);
            self.take_back(at);
            self.start_next(at);
            self.due = self.next_due();
        }
    }

    /// Next decision about a packet's fate that has not been reported yet, in the order of decision; `None` if there
    /// is no more. To be called until then after each offer and each [`TimedLink::on_time`].
    pub fn poll(&mut self) -> Option<Settled> {
        self.settled.pop_front()
    }

    /// Moves all fates that have been decided and not reported yet to the end of `list`, in the order of decision.
    #[inline]
    pub fn poll_all(&mut self, list: &mut VecDeque<Settled>) {
        if list.is_empty() {
            std::mem::swap(list, &mut self.settled); // both lists keep their room
        } else {
            list.append(&mut self.settled);
        }
    }

    /// Number of packets waiting in the queue, retransmissions included. The packet in transmission, those in the
    /// device's ring and those that still wait for a NACK do not count.
    pub fn queue_len(&self) -> u32 {
        self.waiting as u32
    }

    /// Sets the window `start..end` of the figures that [`Self::finish`] returns, and forgets what was measured
    /// before. The figures are exact if `start` is not before the `now` of the latest call. Packets offered, dropped or
    /// damaged before this call are not counted, even if that was at `start`.
    pub fn measure(&mut self, start: Time, end: Time) {
        self.window = Window::of((start, end));
        self.meter.restart(self.window);
        self.counts = Retransmission::default();
    }

    /// Figures of the window that [`Self::measure`] set (else of the whole run), as of `now`, for which
    /// [`TimedLink::on_time`] must have been called.
    pub fn finish(&self, now: Time) -> Measured {
        let now = now.max(self.clock);
        let mut link = self.clone();
        link.pass(now);
        let capacity = link.transmitter.capacity(link.window, now);
        Measured {
            arq: link.counts,
            ..link.meter.read(link.window, now, capacity, link.totals())
        }
    }

    /// A packet is in transmission.
    #[inline(always)]
    fn is_transmitting(&self) -> bool {
        self.end < Time::MAX
    }

    /// Nothing is in transmission or waits for it.
    fn is_idle(&self) -> bool {
        !self.is_transmitting() && self.device.is_empty() && self.waiting == 0
    }

    /// Packets have come to the queue or to the repairs, or left them.
    #[inline(always)]
    fn count_waiting(&mut self) {
        self.waiting = self.repairs.len() + self.queue.waiting().packets;
    }

    #[inline(always)]
    fn end_transmission(&mut self, now: Time) {
        if self.end > now {
            return;
        }
        self.end = Time::MAX;
        self.end_hazardous_transmission(now);
        if !self.is_idle() {
            self.start = self.transmitter.next_start();
        }
    }

    /// The transmission may have failed.
    #[inline(never)]
    fn end_hazardous_transmission(&mut self, now: Time) {
        let Some(mut frame) = self.sending.take() else {
            return;
        };
        frame.transmissions += 1;
        let told = self.settled.len();
        match self.fails(now, &frame) {
            None => self.arrive(now, frame),
            Some(_) if self.may_repeat(&frame) => {
                self.held.push_back((now + self.round_trip, frame));
            }
            Some(cause) => self.give_up(now, frame, cause),
        }
        if let Some(medium) = &mut self.medium {
            self.meter.repaired(medium.take_repairs());
        }
        for settled in self.settled.range(told..) {
            self.meter.settled(settled.fate);
        }
    }

    /// Why a transmission that ends now fails, if it does.
    fn fails(&mut self, now: Time, frame: &Frame) -> Option<DropCause> {
        let again = frame.transmissions > 1;
        let errors = match self.arq {
            Some(arq) => {
                if self.window.holds(now) {
                    self.counts.transmissions += 1;
                    self.counts.retransmissions += u64::from(again);
                }
                !again || arq.errors_on_retransmissions
            }
            None => self.medium.as_ref()?.loss_at == LossAt::Tail,
        };
        self.medium.as_mut()?.fails(now, frame.tag.size(), errors)
    }

    /// The link transmits a packet again that has failed.
    fn may_repeat(&self, frame: &Frame) -> bool {
        self.arq
            .is_some_and(|arq| arq.retries.is_none_or(|most| frame.transmissions <= most))
    }

    fn arrive(&mut self, now: Time, frame: Frame) {
        let at = now + self.delay;
        let fate = match &mut self.medium {
            Some(medium) => medium.arrival(at),
            None => Fate::untouched(at),
        };
        let settled = Settled::new(&frame, now, fate.marked(frame.marked));
        match &mut self.far_side {
            None => self.settled.push_back(settled),
            Some(far_side) => far_side.take(frame.number, settled, &mut self.settled),
        }
    }

    fn give_up(&mut self, now: Time, frame: Frame, cause: DropCause) {
        let fate = Fate::Dropped(cause);
        self.counts.given_up += u64::from(self.arq.is_some() && self.window.holds(now));
        self.settled.push_back(Settled::new(&frame, now, fate));
        if let Some(far_side) = &mut self.far_side {
            far_side.skip(frame.number, now + self.delay, &mut self.settled);
        }
    }

    /// Puts the packets whose NACK has come at the head of the queue; several at once stay in order.
    #[inline(always)]
    fn take_back(&mut self, now: Time) {
        if self.held.is_empty() {
            return;
        }
        let back = self.held.partition_point(|(back, _)| *back <= now);
        if back > 0 && self.is_idle() {
            self.start = self.transmitter.begin(now);
        }
        for (_, frame) in self.held.drain(..back).rev() {
            self.repairs.push_front(frame);
        }
        if back > 0 {
            self.count_waiting();
        }
    }

    /// Starts the next packet, if it is time, and fills the device's ring.
    #[inline(always)]
    fn start_next(&mut self, now: Time) {
        if !self.is_transmitting() && !self.is_idle() {
            if self.start > now {
                // A trace's next opportunity: the transmitter waits, but it is not idle.
                self.queue.idle_from(self.start);
            } else if let Some(frame) = self.device.pop_front().or_else(|| self.take_next(now)) {
                self.transmit(frame);
            }
        }
        while self.device.len() < self.ring
            && let Some(frame) = self.take_next(now)
        {
            self.device.push_back(frame);
        }
        self.settle_dropped(now);
    }

    #[inline(always)]
    fn transmit(&mut self, mut frame: Frame) {
        if frame.transmissions == 0 {
            frame.number = self.transmitted;
            self.transmitted += 1;
        }
        let size = frame.tag.size();
        let on_air = self.medium.as_ref().map_or(size, |m| m.on_air(size));
        self.occupy(on_air);
        self.sending = Some(frame);
    }

    /// The transmitter begins to send this many bytes.
    #[inline(always)]
    fn occupy(&mut self, bytes: u32) {
        let slot = self.transmitter.transmit(bytes);
        self.meter.transmitted(Duration::ZERO, slot.used);
        self.queue.idle_from(slot.end);
        self.end = slot.end;
    }

    #[inline(always)]
    fn take_next(&mut self, now: Time) -> Option<Frame> {
        if self.repairs.len() == 0 {
            let (next, waiting) = self.queue.take(now, &mut self.gone);
            self.waiting = waiting;
            return next;
        }
        let repair = self.repairs.pop();
        self.count_waiting();
        repair
    }

    /// Tells of the packets that the queue has dropped.
    #[inline(always)]
    fn settle_dropped(&mut self, now: Time) {
        if self.gone.is_empty() {
            return;
        }
        for (frame, cause) in self.gone.drain(..) {
            let fate = Fate::Dropped(cause);
            self.meter.settled(fate);
            self.settled.push_back(Settled::new(&frame, now, fate));
        }
    }

    /// Time comes to `now`; what happens at `now` is not counted yet.
    #[inline(always)]
    fn pass(&mut self, now: Time) {
        if now >= self.meter.bound {
            self.pass_bounds(now);
        }
        self.wait_until(now);
    }

    /// The totals at the bounds of the window up to `now`.
    #[cold]
    #[inline(never)]
    fn pass_bounds(&mut self, now: Time) {
        while now >= self.meter.bound && !self.meter.is_closed() {
            self.wait_until(self.meter.bound);
            let totals = self.totals();
            self.meter.pass_bound(self.window, totals);
        }
    }

    fn wait_until(&mut self, now: Time) {
        let waited = now.since(self.clock);
        self.meter.waited(self.waiting, waited);
        self.clock += waited;
    }

    /// The totals by now.
    fn totals(&self) -> Totals {
        let ahead = self.transmitter.ahead(self.clock);
        let totals = self.meter.totals();
        totals.as_of(self.clock, ahead, std::iter::empty())
    }
}

#[cfg(test)]
mod tests;
