//! Retransmission by the link, after negative acknowledgements: the local recovery that TCP-DCR is
//! made for (section 3.5), as its simulations have it (section 4).
//!
//! # The rule
//! A transmission fails when a loss model corrupts it or a blackout covers its end. The packet is
//! then held at the sending side until the far side's NACK has come, one round trip of the link
//! after the end of the transmission ([`Arq::round_trip`]). Then it goes to the **head** of the
//! queue; packets in the queue have to wait for it, and those transmitted meanwhile have overtaken
//! it. Held packets take no place in the queue, and are never dropped when they come back; in the
//! queue they take a place as any other. A retransmission uses capacity, and may fail again; after
//! [`Arq::retries`] of them the packet is given up, with the cause of its last failure.
//!
//! With [`Arq::in_order`] the far side puts packets in the order of their first transmissions. It
//! learns that a packet was given up when it would have received the packet: after the link's
//! delay.
//!
//! # The caller's contract
//! A packet's fate is not known when it comes, because packets that are sent again go before it. So
//! the machine has timers of its own: [`ArqLink::offer`] takes a packet with the caller's number
//! for it; the caller calls [`ArqLink::on_time`] at (or after) [`ArqLink::next_time`], and takes
//! from [`ArqLink::poll`] what has been decided after each of both. Times must not decrease over
//! all calls. A decision concerns arrivals at least the link's delay later, and comes in the order
//! of these arrivals unless the link has [`Reordering`](super::Reordering).
//!
//! At one instant: the transmission ends, packets come back, the next transmission starts, packets
//! are offered.

mod in_order;

use std::collections::VecDeque;

use super::config::{Arq, LinkConfig};
use super::medium::Medium;
use super::meter::{Measured, Meter, Retransmission, Window};
use super::queue::{Admission, Verdict};
use super::service::Transmitter;
use super::{DropCause, Fate};
use crate::packet::Ecn;
use crate::rng::Stream;
use crate::time::{Duration, Time};
use in_order::InOrder;

/// One direction of a link that retransmits.
#[derive(Clone, Debug)]
pub struct ArqLink {
    arq: Arq,
    round_trip: Duration,
    delay: Duration,
    admission: Admission,
    queue: VecDeque<Frame>,
    queued_bytes: u64,
    transmitter: Transmitter,
    /// When the head of the queue starts, unless a packet is in transmission.
    start: Time,
    /// The packet in transmission, and when that ends.
    sending: Option<(Time, Frame)>,
    medium: Medium,
    /// Packets that failed, and when they are back.
    held: VecDeque<(Time, Frame)>,
    far_side: Option<InOrder>,
    settled: VecDeque<Settled>,
    /// Packets accepted so far.
    accepted: u64,
    meter: Meter,
    window: Window,
    counts: Retransmission,
    clock: Time,
}

/// A packet on the link.
#[derive(Clone, Copy, Debug)]
struct Frame {
    /// The caller's number for it.
    id: u32,
    size: u32,
    /// Its place in the order of first transmissions.
    number: u64,
    /// The queue has marked it.
    marked: bool,
    transmissions: u32,
}

/// The fate of a packet, once it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settled {
    /// The caller's number for the packet.
    pub id: u32,
    /// When it was decided: the end of the packet's last transmission.
    pub at: Time,
    /// How often it was transmitted.
    pub transmissions: u32,
    /// The packet's fate.
    pub fate: Fate,
}

impl ArqLink {
    /// A link as `config` says; `name` and `seed` name its random streams, as those of a
    /// [`Link`](super::Link). Without `config.arq` it retransmits as [`Arq::default`] says. The loss
    /// models act at the end of transmissions, whatever `config.loss_at` says. It measures from the
    /// start until [`ArqLink::measure`] says otherwise.
    ///
    /// # Panics
    /// When `config` asks for contention.
    pub fn new(config: LinkConfig, seed: u64, name: &str) -> Self {
        assert!(config.contention.is_none(), "no contention beside ARQ");
        let arq = config.arq.unwrap_or_default();
        let medium = Medium::new(&config, seed, name);
        let rate = config.service.mean_rate();
        let red = Stream::named(seed, name, "red");
        let round_trip = arq.round_trip.unwrap_or(config.delay * 2);
        Self {
            arq,
            // At least 1 ns: time must go on while a packet fails again and again.
            round_trip: round_trip.max(Duration::from_nanos(1)),
            delay: config.delay,
            admission: Admission::new(config.queue, rate, red),
            queue: VecDeque::new(),
            queued_bytes: 0,
            transmitter: Transmitter::new(config.service),
            start: Time::MAX,
            sending: None,
            medium,
            held: VecDeque::new(),
            far_side: arq.in_order.then(InOrder::default),
            settled: VecDeque::new(),
            accepted: 0,
            meter: Meter::new(Window::ALL),
            window: Window::ALL,
            counts: Retransmission::default(),
            clock: Time::ZERO,
        }
    }

    /// Offers a packet of `size` bytes at `now`; `Some` if the queue drops it. Otherwise
    /// [`ArqLink::poll`] will tell of it, once, by this `id`.
    pub fn offer(&mut self, now: Time, id: u32, size: u32) -> Option<DropCause> {
        self.offer_capable(now, id, size, Ecn::NotEct)
    }

    /// As [`Self::offer`], for a packet with this ECN field: the queue may mark it instead of dropping
    /// it.
    pub fn offer_capable(&mut self, now: Time, id: u32, size: u32, ecn: Ecn) -> Option<DropCause> {
        self.on_time(now);
        let now = self.clock;
        self.meter.offered();
        let idle = self.is_idle();
        if idle {
            self.start = self.transmitter.begin(now);
        }
        let must_wait = !idle || self.start > now;
        let waiting = (self.queue.len(), self.queued_bytes);
        let verdict = self.admission.judges(now, must_wait, waiting, size, ecn);
        if let Verdict::Drop(cause) = verdict {
            self.meter.settled(Fate::Dropped(cause));
            return Some(cause);
        }
        let number = self.accepted;
        self.accepted += 1;
        self.queued_bytes += u64::from(size);
        self.queue.push_back(Frame {
            id,
            size,
            number,
            marked: verdict == Verdict::Mark,
            transmissions: 0,
        });
        self.start_next(now);
        None
    }

    /// When [`ArqLink::on_time`] has something to do next; `None` for never.
    pub fn next_time(&self) -> Option<Time> {
        let transmitter = match (&self.sending, self.queue.is_empty()) {
            (Some((end, _)), _) => *end,
            (None, false) => self.start,
            (None, true) => Time::MAX,
        };
        let back = self.held.front().map_or(Time::MAX, |(back, _)| *back);
        Some(transmitter.min(back)).filter(|at| *at < Time::MAX)
    }

    /// Does everything that is due by `now`, each at its time.
    pub fn on_time(&mut self, now: Time) {
        while let Some(at) = self.next_time()
            && at <= now
        {
            self.pass(at);
            self.end_transmission(at);
            self.take_back(at);
            self.start_next(at);
        }
        self.pass(now);
    }

    /// The next decision that has not been reported yet, in the order of decision.
    pub fn poll(&mut self) -> Option<Settled> {
        self.settled.pop_front()
    }

    /// Packets waiting, without the one in transmission and those held.
    pub fn queue_len(&self) -> u32 {
        self.queue.len() as u32
    }

    /// Measures in `start..end` from now on, and forgets what was measured before. Exact if `start`
    /// is not before the latest call.
    pub fn measure(&mut self, start: Time, end: Time) {
        let end = end.max(start);
        self.window = Window { start, end };
        self.meter.restart(self.window);
        self.counts = Retransmission::default();
    }

    /// The figures of the window, as of `now`, which [`ArqLink::on_time`] must have reached.
    pub fn finish(&self, now: Time) -> Measured {
        let now = now.max(self.clock);
        let mut link = self.clone();
        link.pass(now);
        let Window { start, end } = link.window;
        let position = |at: Time| link.transmitter.position(at.min(now));
        let capacity = position(end).saturating_sub(position(start));
        let totals = link
            .meter
            .totals()
            .as_of(now, link.ahead(now), std::iter::empty());
        Measured {
            arq: link.counts,
            ..link.meter.read(link.window, now, capacity, totals)
        }
    }

    /// Nothing is in transmission or waits for it.
    fn is_idle(&self) -> bool {
        self.sending.is_none() && self.queue.is_empty()
    }

    fn end_transmission(&mut self, now: Time) {
        let Some((_, mut frame)) = self.sending.take_if(|(end, _)| *end <= now) else {
            return;
        };
        frame.transmissions += 1;
        let again = frame.transmissions > 1;
        if self.window.holds(now) {
            self.counts.transmissions += 1;
            self.counts.retransmissions += u64::from(again);
        }
        let told = self.settled.len();
        let errors = !again || self.arq.errors_on_retransmissions;
        match self.medium.fails(now, frame.size, errors) {
            None => self.arrive(now, frame),
            Some(cause) if self.arq.retries.is_some_and(|n| frame.transmissions > n) => {
                self.give_up(now, frame, cause);
            }
            Some(_) => self.held.push_back((now + self.round_trip, frame)),
        }
        self.meter.repaired(self.medium.take_repairs());
        for settled in self.settled.range(told..) {
            self.meter.settled(settled.fate);
        }
        if !self.queue.is_empty() {
            self.start = self.transmitter.next_start();
        }
    }

    fn arrive(&mut self, now: Time, frame: Frame) {
        let fate = self.medium.arrival(now + self.delay).marked(frame.marked);
        let settled = Settled {
            id: frame.id,
            at: now,
            transmissions: frame.transmissions,
            fate,
        };
        match &mut self.far_side {
            None => self.settled.push_back(settled),
            Some(far_side) => far_side.take(frame.number, settled, &mut self.settled),
        }
    }

    fn give_up(&mut self, now: Time, frame: Frame, cause: DropCause) {
        let fate = Fate::Dropped(cause);
        self.counts.given_up += u64::from(self.window.holds(now));
        self.settled.push_back(Settled {
            id: frame.id,
            at: now,
            transmissions: frame.transmissions,
            fate,
        });
        if let Some(far_side) = &mut self.far_side {
            far_side.skip(frame.number, now + self.delay, &mut self.settled);
        }
    }

    /// Puts the packets whose NACK has come at the head of the queue; several at once stay in order.
    fn take_back(&mut self, now: Time) {
        let back = self.held.partition_point(|(back, _)| *back <= now);
        if back > 0 && self.is_idle() {
            self.start = self.transmitter.begin(now);
        }
        for (_, frame) in self.held.drain(..back).rev() {
            self.queued_bytes += u64::from(frame.size);
            self.queue.push_front(frame);
        }
    }

    /// Starts the head of the queue, if it is time.
    fn start_next(&mut self, now: Time) {
        if self.sending.is_some() || self.queue.is_empty() {
            return;
        }
        if self.start > now {
            // A trace's next opportunity: the transmitter waits, but it is not idle.
            return self.admission.idle_from(self.start);
        }
        if let Some(frame) = self.queue.pop_front() {
            self.queued_bytes -= u64::from(frame.size);
            let slot = self.transmitter.transmit(self.medium.on_air(frame.size));
            self.meter.transmitted(Duration::ZERO, slot.used);
            self.admission.idle_from(slot.end);
            self.sending = Some((slot.end, frame));
        }
    }

    /// Time comes to `now`; what happens at `now` is not counted yet.
    fn pass(&mut self, now: Time) {
        while now >= self.meter.bound && !self.meter.is_closed() {
            self.wait_until(self.meter.bound);
            let ahead = self.ahead(self.clock);
            let totals = self
                .meter
                .totals()
                .as_of(self.clock, ahead, std::iter::empty());
            self.meter.pass_bound(self.window, totals);
        }
        self.wait_until(now);
    }

    fn wait_until(&mut self, now: Time) {
        let waited = now.since(self.clock);
        self.meter.waited(self.queue.len(), waited);
        self.clock += waited;
    }

    /// Capacity that is taken and lies after `at`.
    fn ahead(&self, at: Time) -> u64 {
        let position = self.transmitter.position(at);
        self.transmitter.taken().saturating_sub(position)
    }
}

#[cfg(test)]
mod tests;
