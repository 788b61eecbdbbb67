//! The exchanges of the DCF.
//!
//! A driver calls, in the order of time: [`Dcf::send`] for each packet, [`Dcf::on_busy`] and
//! [`Dcf::on_idle`] as the radio hears something or nothing (its own frames are heard too),
//! [`Dcf::on_frame`] and [`Dcf::on_garbled`] at the end of what it has received,
//! [`Dcf::on_sent`] at the end of its own frames, and [`Dcf::on_timer`] at [`Dcf::next_timer`]; and
//! after each call, [`Dcf::poll`] until there is nothing more.

use std::collections::VecDeque;

use super::access::Access;
use super::config::{Config, Timing};
use super::frame::{ACK_BYTES, CTS_BYTES, Frame, Kind, RTS_BYTES};
use super::queue::{Queue, Waiting};
use crate::link::DropCause;
use crate::packet::Labelled;
use crate::radio::Address;
use crate::rng::Stream;
use crate::time::{Duration, Time};
use crate::units::Rate;

/// An action of a station's MAC, for its driver to carry out ([`Dcf::poll`]).
#[derive(Clone, Debug, PartialEq)]
pub enum Output<P> {
    /// A frame is to be put on the air.
    Transmit(Frame<P>),
    /// A packet has come from another station, for the layer above.
    Deliver {
        /// The station that sent it.
        from: Address,
        /// The packet.
        packet: P,
    },
    /// A packet was acknowledged, or was broadcast.
    Done {
        /// The station that has acknowledged the packet, or the broadcast address.
        to: Address,
        /// The packet.
        packet: P,
    },
    /// A packet was given up: nobody answered.
    GaveUp {
        /// The station that it was for.
        to: Address,
        /// The packet.
        packet: P,
    },
    /// The queue has dropped a packet.
    Dropped {
        /// The packet.
        packet: P,
        /// Why.
        cause: DropCause,
    },
}

/// Counters of a station's MAC, for the layers above.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Stats {
    /// Unicast data frames put on the air, each attempt counted.
    pub attempts: u64,
    /// Broadcast frames put on the air.
    pub broadcasts: u64,
    /// RTS frames put on the air.
    pub requests: u64,
    /// Attempts (RTS or data) that were not answered.
    pub unanswered: u64,
    /// Packets that their next station has acknowledged.
    pub acknowledged: u64,
    /// Packets given up after too many unanswered attempts.
    pub given_up: u64,
    /// Packets that the queue dropped, full or early.
    pub queue_drops: u64,
    /// Packets that have left the queue to be served.
    pub served: u64,
    /// Total time that the packets of [`Self::served`] had waited in the queue.
    pub waited: Duration,
    /// Packets that the station received again, and did not deliver a second time.
    pub duplicates: u64,
    /// Contention delay: total time from when acknowledged packets were taken from the queue until their ACKs.
    pub contention: Duration,
}

impl Stats {
    /// Counts since `before`, an earlier state of the same counters.
    #[must_use]
    pub fn since(&self, before: &Self) -> Self {
        Self {
            attempts: self.attempts - before.attempts,
            broadcasts: self.broadcasts - before.broadcasts,
            requests: self.requests - before.requests,
            unanswered: self.unanswered - before.unanswered,
            acknowledged: self.acknowledged - before.acknowledged,
            given_up: self.given_up - before.given_up,
            queue_drops: self.queue_drops - before.queue_drops,
            served: self.served - before.served,
            waited: self.waited.saturating_sub(before.waited),
            duplicates: self.duplicates - before.duplicates,
            contention: self.contention.saturating_sub(before.contention),
        }
    }
}

/// MAC of one 802.11 station (DCF), which does no I/O itself; `P` is the type of its packets.
#[derive(Debug)]
pub struct Dcf<P> {
    config: Config,
    me: Address,
    access: Access,
    queue: Queue<P>,
    current: Option<Current<P>>,
    sequence: u32,
    /// Kind of the own frame that is on the air; it decides what comes after it.
    sending: Option<Sending>,
    /// An answer, or the data after a CTS, a SIFS after what it answers.
    reply: Option<(Time, Reply)>,
    /// The answer that is waited for, and until when.
    awaited: Option<(Awaited, Time)>,
    /// The last packet from each station, by address.
    seen: Vec<Option<u32>>,
    outputs: VecDeque<Output<P>>,
    stats: Stats,
}

/// The packet in service.
#[derive(Debug)]
struct Current<P> {
    waiting: Waiting<P>,
    sequence: u32,
    /// Unanswered attempts that count against the short limit, and the long one.
    short: u32,
    long: u32,
    /// Whether the packet, or an RTS for it, has been on the air.
    sent: bool,
    since: Time,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sending {
    Rts,
    Unicast,
    Broadcast,
    Answer,
}

#[derive(Clone, Copy, Debug)]
enum Reply {
    Cts { to: Address, reserves: Duration },
    Ack { to: Address },
    Data,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Awaited {
    Cts,
    Ack,
}

impl<P: Clone + Labelled> Dcf<P> {
    /// The MAC of station `me`; `seed` and the station's `name` name its random streams.
    pub fn new(config: Config, me: Address, seed: u64, name: &str) -> Self {
        // The station's IP layer may have streams of the same purposes.
        let queue_name = format!("{name}.mac");
        let rate = Rate::from_bps(config.data_mode.bps());
        Self {
            access: Access::new(&config, Stream::named(seed, name, "backoff")),
            queue: Queue::new(config.queue, rate, seed, &queue_name),
            config,
            me,
            current: None,
            sequence: 0,
            sending: None,
            reply: None,
            awaited: None,
            seen: Vec::new(),
            outputs: VecDeque::new(),
            stats: Stats::default(),
        }
    }

    /// Counters so far.
    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// Number of packets that wait in the queue, the one in service not counted.
    pub fn queued(&self) -> usize {
        self.queue.len()
    }

    /// The station's channel access, to read its NAV, backoff and contention window.
    pub fn access(&self) -> &Access {
        &self.access
    }

    /// Whether [`Config::keep_access`] is on. If so, and the channel is idle at the end of a received frame, the
    /// driver must call [`Self::on_idle`] before [`Self::on_frame`] or [`Self::on_garbled`].
    pub fn keeps_access(&self) -> bool {
        self.config.keep_access
    }

    /// Takes a packet of `bytes` bytes to send to the neighbour `to`, or to all if that is the broadcast address.
    pub fn send(&mut self, now: Time, to: Address, bytes: u32, packet: P) {
        let waiting = Waiting { to, bytes, packet };
        let must_wait = self.current.is_some();
        let accepted = self.queue.push(now, must_wait, waiting);
        self.tell_dropped();
        if accepted {
            self.serve(now);
        }
    }

    /// Takes back the packet for neighbour `to` that has waited longest and was never on the air; `None` if
    /// there is none.
    pub fn withdraw(&mut self, now: Time, to: Address) -> Option<P> {
        if let Some(current) = self.current.take_if(|c| c.waiting.to == to && !c.sent) {
            self.access.cancel();
            self.serve(now);
            return Some(current.waiting.packet);
        }
        self.queue.take_for(to).map(|waiting| waiting.packet)
    }

    /// Next action for the driver to carry out; to be called after each other call until it returns `None`.
    pub fn poll(&mut self) -> Option<Output<P>> {
        self.outputs.pop_front()
    }

    /// When [`Self::on_timer`] is due; `None` for never.
    pub fn next_timer(&self) -> Option<Time> {
        let reply = self.reply.map_or(Time::MAX, |(at, _)| at);
        let awaited = self.awaited.map_or(Time::MAX, |(_, until)| until);
        let due = self.access.due().unwrap_or(Time::MAX);
        let first = reply.min(awaited).min(due);
        (first < Time::MAX).then_some(first)
    }

    /// Takes note that the radio begins to hear something, or to send.
    pub fn on_busy(&mut self, now: Time) {
        self.access.on_busy(now);
    }

    /// Takes note that the radio hears nothing any more, and does not send.
    pub fn on_idle(&mut self, now: Time) {
        self.access.on_idle(now);
    }

    /// Takes note that the radio has received a frame that it could not understand.
    pub fn on_garbled(&mut self, now: Time) {
        self.access.heard(false, now);
    }

    /// Takes a frame that the radio has received, for this station or for another one.
    pub fn on_frame(&mut self, now: Time, frame: &Frame<P>) {
        self.access.heard(true, now);
        if frame.to.is_broadcast() {
            return self.on_data(frame);
        }
        if frame.to != self.me {
            return self.reserve(now, frame);
        }
        match &frame.kind {
            Kind::Rts => self.on_rts(now, frame),
            Kind::Data { .. } => {
                self.reply_with(now, Reply::Ack { to: frame.from });
                self.on_data(frame);
            }
            Kind::Cts => {
                if self.answered(Awaited::Cts) {
                    self.clear_short_count();
                    self.reply_with(now, Reply::Data);
                }
            }
            Kind::Ack => {
                if self.answered(Awaited::Ack) {
                    self.succeed(now);
                }
            }
        }
    }

    /// A CTS ends the count of unanswered RTS, which must not go on for ever where data count with
    /// them.
    fn clear_short_count(&mut self) {
        if let Some(current) = &mut self.current
            && self.config.is_long(current.waiting.bytes)
        {
            current.short = 0;
        }
    }

    /// A frame to another station reserves the channel. An RTS does so only as long as it would take for
    /// what it announces to begin, if that does not (802.11-2016 section 10.3.2.4).
    fn reserve(&mut self, now: Time, frame: &Frame<P>) {
        let until = now + frame.reserves;
        if !self.config.nav_reset || !matches!(frame.kind, Kind::Rts) {
            return self.access.reserve(until, now);
        }
        let Timing { sifs, slot, .. } = self.config.timing;
        let start = self.config.control_mode.preamble(self.config.preamble);
        let by = now + (sifs + slot) * 2 + self.control_airtime(CTS_BYTES) + start;
        self.access.announce(by, until, now);
    }

    /// Somebody else's reservation forbids a CTS.
    fn on_rts(&mut self, now: Time, frame: &Frame<P>) {
        if self.access.nav() > now {
            return;
        }
        let cts = self.config.timing.sifs + self.control_airtime(CTS_BYTES);
        let reserves = frame.reserves.saturating_sub(cts);
        let to = frame.from;
        self.reply_with(now, Reply::Cts { to, reserves });
    }

    fn on_data(&mut self, frame: &Frame<P>) {
        let Kind::Data { sequence, packet } = &frame.kind else {
            return;
        };
        let last = frame.from.place_in(&mut self.seen, None);
        if last.replace(*sequence) == Some(*sequence) {
            self.stats.duplicates += 1;
            return;
        }
        self.outputs.push_back(Output::Deliver {
            from: frame.from,
            packet: packet.clone(),
        });
    }

    /// Time since the packet in service was taken from the queue; zero without one.
    pub fn in_service_for(&self, now: Time) -> Duration {
        let since = self.current.as_ref().map_or(now, |current| current.since);
        now.since(since)
    }

    fn reply_with(&mut self, now: Time, reply: Reply) {
        self.reply = Some((now + self.config.timing.sifs, reply));
    }

    fn answered(&mut self, by: Awaited) -> bool {
        self.awaited.take_if(|(what, _)| *what == by).is_some()
    }

    /// Takes note that the station's own frame has ended.
    pub fn on_sent(&mut self, now: Time) {
        match self.sending.take() {
            Some(Sending::Rts) => self.wait_for(Awaited::Cts, self.control_airtime(CTS_BYTES), now),
            Some(Sending::Unicast) => self.wait_for(Awaited::Ack, self.ack_airtime(), now),
            Some(Sending::Broadcast) => self.finish(now, |to, packet| Output::Done { to, packet }),
            Some(Sending::Answer) | None => {}
        }
    }

    /// An answer comes within a SIFS and its own length; a slot more for the way there and back.
    fn wait_for(&mut self, what: Awaited, airtime: Duration, now: Time) {
        let timing = &self.config.timing;
        let until = now + timing.sifs + timing.slot + airtime;
        self.awaited = Some((what, until));
    }

    /// Does what is due by `now`: answers a frame, gives up the wait for an answer, or begins to send.
    pub fn on_timer(&mut self, now: Time) {
        if let Some((_, reply)) = self.reply.take_if(|(at, _)| *at <= now) {
            self.transmit_reply(reply);
        } else if let Some((what, _)) = self.awaited.take_if(|(_, until)| *until <= now) {
            self.fail(now, what);
        } else if self.access.due().is_some_and(|due| due <= now) {
            self.access.take();
            self.transmit_current();
        }
    }

    /// Counts the packets that the queue has dropped, and tells of them.
    fn tell_dropped(&mut self) {
        while let Some((packet, cause)) = self.queue.poll_dropped() {
            self.stats.queue_drops += 1;
            self.outputs.push_back(Output::Dropped { packet, cause });
        }
    }

    /// Takes the next packet into service, if none is.
    fn serve(&mut self, now: Time) {
        if self.current.is_some() {
            return;
        }
        let head = self.queue.pop(now);
        self.tell_dropped();
        let Some((waiting, waited)) = head else {
            return;
        };
        self.stats.served += 1;
        self.stats.waited += waited;
        self.sequence = self.sequence.wrapping_add(1);
        self.current = Some(Current {
            waiting,
            sequence: self.sequence,
            short: 0,
            long: 0,
            sent: false,
            since: now,
        });
        self.access.request(now);
    }

    fn succeed(&mut self, now: Time) {
        if let Some(current) = &self.current {
            self.stats.acknowledged += 1;
            self.stats.contention += now.since(current.since);
        }
        self.finish(now, |to, packet| Output::Done { to, packet });
    }

    /// The packet in service has got as far as it will: `output` tells of it.
    fn finish(&mut self, now: Time, output: impl FnOnce(Address, P) -> Output<P>) {
        if let Some(Current { waiting, .. }) = self.current.take() {
            self.outputs.push_back(output(waiting.to, waiting.packet));
        }
        self.access.done(now);
        self.serve(now);
    }

    /// Nobody has answered.
    fn fail(&mut self, now: Time, what: Awaited) {
        self.stats.unanswered += 1;
        let Some(current) = &mut self.current else {
            return;
        };
        if what == Awaited::Ack && self.config.is_long(current.waiting.bytes) {
            current.long += 1;
        } else {
            current.short += 1;
        }
        let Config {
            short_retries,
            long_retries,
            ..
        } = self.config;
        if current.short < short_retries && current.long < long_retries {
            self.access.failed(now);
            return self.access.request(now);
        }
        self.stats.given_up += 1;
        self.finish(now, |to, packet| Output::GaveUp { to, packet });
    }

    fn control_airtime(&self, bytes: u32) -> Duration {
        let mode = self.config.control_mode;
        mode.airtime(bytes, self.config.preamble)
    }

    fn ack_airtime(&self) -> Duration {
        let mode = self.config.ack_mode;
        mode.airtime(ACK_BYTES, self.config.preamble)
    }

    fn transmit_current(&mut self) {
        let Some(current) = &mut self.current else {
            return;
        };
        current.sent = true;
        let to = current.waiting.to;
        let bytes = self.config.frame_bytes(current.waiting.bytes);
        let threshold = self.config.rts_threshold;
        if to.is_broadcast() || threshold.is_none_or(|threshold| bytes <= threshold) {
            return self.transmit_data();
        }
        let sifs = self.config.timing.sifs;
        let data = self.config.data_mode.airtime(bytes, self.config.preamble);
        let answers = self.control_airtime(CTS_BYTES) + self.ack_airtime();
        self.stats.requests += 1;
        self.transmit(to, Kind::Rts, sifs * 3 + data + answers);
    }

    fn transmit_data(&mut self) {
        let Some(current) = &self.current else {
            return;
        };
        let to = current.waiting.to;
        let kind = Kind::Data {
            sequence: current.sequence,
            packet: current.waiting.packet.clone(),
        };
        if to.is_broadcast() {
            self.stats.broadcasts += 1;
            return self.transmit(to, kind, Duration::ZERO);
        }
        self.stats.attempts += 1;
        let reserves = self.config.timing.sifs + self.ack_airtime();
        self.transmit(to, kind, reserves);
    }

    fn transmit_reply(&mut self, reply: Reply) {
        match reply {
            Reply::Cts { to, reserves } => self.transmit(to, Kind::Cts, reserves),
            Reply::Ack { to } => self.transmit(to, Kind::Ack, Duration::ZERO),
            Reply::Data => self.transmit_data(),
        }
    }

    /// Puts a frame on the air; data are those of the packet in service.
    fn transmit(&mut self, to: Address, kind: Kind<P>, reserves: Duration) {
        let config = &self.config;
        let packet = self.current.as_ref().map_or(0, |c| c.waiting.bytes);
        let data = config.frame_bytes(packet);
        let (sending, bytes, mode) = match kind {
            Kind::Rts => (Sending::Rts, RTS_BYTES, config.control_mode),
            Kind::Cts => (Sending::Answer, CTS_BYTES, config.control_mode),
            Kind::Ack => (Sending::Answer, ACK_BYTES, config.ack_mode),
            Kind::Data { .. } if to.is_broadcast() => {
                (Sending::Broadcast, data, config.broadcast_mode)
            }
            Kind::Data { .. } => (Sending::Unicast, data, config.data_mode),
        };
        self.sending = Some(sending);
        self.outputs.push_back(Output::Transmit(Frame {
            from: self.me,
            to,
            kind,
            bytes,
            mode,
            reserves,
            airtime: mode.airtime(bytes, self.config.preamble),
        }));
    }
}
