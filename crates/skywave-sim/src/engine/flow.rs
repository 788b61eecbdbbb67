//! A flow: its two ends, the application that uses them, and what is measured.

mod other;

use skywave_core::driver::{DriveReceiver, DriveSender};
use skywave_core::packet::{Body, Datagram, Packet, Segment};
use skywave_core::tcp::SenderCounters;
use skywave_core::tcp::sender::Departure;
use skywave_core::{Duration, Time};

use super::ends::{self, Answer, Ends, Tcp};
use super::mailbox::Mailbox;
use super::quic::Quic;
use super::split;
use super::wake::Wake;
use super::world::Travelling;
use super::wtcp::{self, Wtcp};
use crate::losses::{Found, LossCause};
use crate::measure::{BinMeter, FlowMeter, Recorder, RequestMeter};
use crate::outcome::FlowOutcome;
use crate::spec::{FlowSpec, Spec, Traffic, Transport};
use crate::traffic::{Action, Source};

/// Series of a TCP or QUIC flow, in the order of `Recorder::record`'s index.
pub(crate) const SERIES: [&str; 6] = ["cwnd", "ssthresh", "rtt", "srtt", "rto", "acked"];

/// A flow as the engine drives it.
///
/// Fields that packets touch come first: with many flows, most of the time goes into fetching them.
#[repr(C, align(64))]
pub(crate) struct Flow {
    pub(crate) ends: Ends,
    /// Packets that wait for the sender.
    pub(crate) to_sender: Mailbox,
    /// Times of the application's next turn and of its end; [`Time::MAX`] for never.
    application_at: Time,
    stop_at: Time,
    /// Next bound (start or end) of the measured window; [`Time::MAX`] after its end.
    bound: Time,
    /// Event at which the sender's timer and application are looked at next; `receiver_timer` is
    /// the same for the receiver's timer. If a timer moves later, the event stays, and finds
    /// nothing due. If it moves earlier, there is a new event, and the old one no longer counts.
    pub(super) sender_timer: Wake,
    index: u32,
    /// The application has stopped.
    stopped: bool,
    /// The measured window has opened.
    opened: bool,
    pub(crate) recorder: Option<Box<Recorder>>,
    pub(crate) meter: FlowMeter,
    /// Packets that wait for a receiver that collects them.
    pub(crate) to_receiver: Option<Box<Mailbox>>,
    pub(super) receiver_timer: Wake,
    /// The application; `None` for one that has data without end from the start on.
    source: Option<Box<Source>>,
    /// Time at which everything was acknowledged; [`Time::MAX`] before that.
    completed: Time,
    /// While the measured window is open: the sender's counters at its start, if it had done
    /// anything by then. After the window's end: what the sender did in it.
    counted: Option<Box<SenderCounters>>,
}

/// Something that happens at the sender's host, other than that a packet arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Local {
    /// The application stops.
    Stop,
    /// The application's turn.
    Application,
    /// The sender's timer is due.
    Timer,
}

impl Flow {
    pub(crate) fn new(index: usize, spec: &FlowSpec, run: &Spec) -> Self {
        let ends = match &spec.transport {
            Transport::Tcp(config) => {
                split::ends(index, config, run).unwrap_or_else(|| Ends::Tcp(Tcp::new(config, run)))
            }
            Transport::Udp { header } => Ends::Udp {
                header: *header,
                sent: 0,
            },
            Transport::Wtcp { config, header } => {
                Ends::Wtcp(Box::new(Wtcp::new(config, *header, run)))
            }
            Transport::Quic { config, header } => {
                Ends::Quic(Box::new(Quic::new(config, *header, run)))
            }
        };
        let series: &[&str] = match &ends {
            Ends::Wtcp(_) => &wtcp::SERIES,
            Ends::Tcp(_) | Ends::Udp { .. } | Ends::Quic(_) | Ends::Half(_) => &SERIES,
        };
        Self {
            index: index as u32,
            source: (spec.traffic != Traffic::Ftp).then(|| Box::new(Source::new(spec, run.seed))),
            meter: FlowMeter::new(
                run.measure,
                run.bins.map(|width| BinMeter::new(width, run.duration)),
                spec.measures_requests()
                    .then(|| RequestMeter::new(run.requests)),
            ),
            recorder: run
                .series
                .then(|| Box::new(Recorder::new(&spec.name, series))),
            to_sender: Mailbox::default(),
            to_receiver: None,
            sender_timer: Wake::default(),
            receiver_timer: Wake::default(),
            application_at: spec.start,
            stop_at: spec.stop.unwrap_or(Time::MAX),
            stopped: false,
            bound: run.measure.0,
            completed: Time::MAX,
            counted: None,
            opened: false,
            ends,
        }
    }

    /// Time of the next [`Local`] at the sender's host.
    #[inline(always)]
    pub(crate) fn next_own(&self) -> Time {
        self.timer().min(self.application_at.min(self.stop_at))
    }

    /// The [`Local`] at [`Self::next_own`]. Of equal times: the end of the application, its turn,
    /// the timer.
    pub(crate) fn own_turn(&self) -> Local {
        let application = self.application_at.min(self.stop_at);
        if self.timer() < application {
            Local::Timer
        } else if self.application_at < self.stop_at {
            Local::Application
        } else {
            Local::Stop
        }
    }

    /// When the sender's timer is due; [`Time::MAX`] for never.
    #[inline(always)]
    fn timer(&self) -> Time {
        match &self.ends {
            Ends::Tcp(tcp) => tcp.sender.due(),
            other => other.sender_due(),
        }
    }

    /// The sender's host has come to `now`: takes the counters at the bounds of the measured window
    /// before anything else happens there.
    #[inline(always)]
    pub(crate) fn pass(&mut self, now: Time) {
        if now >= self.bound {
            self.pass_bounds(now);
        }
    }

    #[cold]
    fn pass_bounds(&mut self, now: Time) {
        if !self.opened && now >= self.meter.window().0 {
            self.opened = true;
            let before = self.counters().unwrap_or_default();
            self.counted = (before != SenderCounters::default()).then(|| Box::new(before));
            self.bound = self.meter.window().1;
        }
        if self.opened && self.bound < Time::MAX && now >= self.meter.window().1 {
            let before = self.counted.take().map(|counters| *counters);
            let in_window = |end: SenderCounters| Box::new(end - before.unwrap_or_default());
            self.counted = self.counters().map(in_window);
            self.bound = Time::MAX;
        }
    }

    /// Gives the application its turn. Returns a datagram to send, if it has one.
    pub(crate) fn on_application(&mut self, now: Time) -> Option<Packet> {
        self.application_at = Time::MAX;
        if self.stopped {
            return None;
        }
        let (action, next) = match &mut self.source {
            None => (Action::Write(u64::MAX), None),
            Some(source) => source.on_time(now),
        };
        self.application_at = next.unwrap_or(Time::MAX);
        if let Action::Write(bytes) = action {
            self.meter.handed_over(now, bytes);
        }
        match (&mut self.ends, action) {
            (Ends::Tcp(tcp), Action::Write(bytes)) => {
                self.meter.open(now);
                tcp.sender.open();
                tcp.sender.write(bytes);
                self.meter.set_cwnd(now, tcp.sender.window().cwnd.0);
                None
            }
            (Ends::Tcp(tcp), Action::Close) => {
                tcp.sender.close();
                None
            }
            (Ends::Udp { header, sent }, Action::Write(bytes)) => {
                let len = bytes.min(u64::from(u16::MAX)) as u32;
                let datagram = Datagram {
                    number: *sent,
                    sent_at: now,
                    len,
                };
                *sent += 1;
                self.meter.sent_packet(now);
                Some(Packet::new(self.index, len + *header, Body::Udp(datagram)))
            }
            (Ends::Udp { .. }, Action::Close) => None,
            (Ends::Wtcp(wtcp), Action::Write(bytes)) => {
                wtcp.write(now, bytes);
                None
            }
            (Ends::Wtcp(wtcp), Action::Close) => {
                wtcp.close();
                None
            }
            (Ends::Quic(quic), Action::Write(bytes)) => {
                quic.write(now, bytes, &mut self.meter);
                None
            }
            (Ends::Quic(quic), Action::Close) => {
                quic.close();
                None
            }
            (Ends::Half(half), Action::Write(bytes)) => {
                half.write(now, bytes, &mut self.meter);
                None
            }
            (Ends::Half(half), Action::Close) => {
                half.close();
                None
            }
        }
    }

    /// The application stops: no more data.
    pub(crate) fn on_stop(&mut self) {
        self.stop_at = Time::MAX;
        self.stopped = true;
        match &mut self.ends {
            Ends::Tcp(tcp) => tcp.sender.close(),
            Ends::Udp { .. } => {}
            Ends::Wtcp(wtcp) => wtcp.close(),
            Ends::Quic(quic) => quic.close(),
            Ends::Half(half) => half.close(),
        }
    }

    /// A packet reached the receiver by this place of the routes.
    #[inline(always)]
    pub(crate) fn on_data(&mut self, now: Time, packet: &Packet, place: u32) {
        let (Ends::Tcp(tcp), Body::TcpData(segment)) = (&mut self.ends, &packet.body) else {
            return self.on_other_data(now, packet, place);
        };
        let counts = self.meter.counts(now);
        if counts {
            self.meter.arrived(packet.size);
        }
        if tcp.losses.wants_arrivals() {
            tcp.arrives(now, segment);
        }
        let before = tcp.receiver.next();
        if tcp.receiver.tells_way() {
            tcp.receiver.on_packet(now, segment, packet.way());
        } else {
            tcp.receiver.on_segment(now, segment);
        }
        let after = tcp.receiver.next();
        if after == before {
            return;
        }
        // SYN and FIN carry nothing for the application.
        let position = before.max(tcp.config().handshake.span());
        let data_end = after - u64::from(tcp.receiver.is_finished());
        let delivered = data_end.saturating_sub(position);
        self.meter.delivered(now, counts, delivered);
        let flight = tcp.sender.flight();
        let span = position..data_end;
        ends::note_delays(
            now,
            counts,
            flight,
            &mut tcp.next_number,
            span,
            &mut self.meter,
        );
    }

    /// A packet reached the sender. Unlike [`Self::on_data`] it takes the packet and its place as one reference: a second
    /// argument costs every TCP flow registers.
    #[inline]
    pub(super) fn on_ack(&mut self, now: Time, travelling: &Travelling) {
        if let (Ends::Tcp(tcp), Body::TcpAck(segment)) = (&mut self.ends, &travelling.packet.body) {
            tcp.sender.on_segment(now, segment);
            self.after_sender(now);
        } else {
            self.on_other_ack(now, travelling);
        }
    }

    /// A packet of this flow is lost at `at`. What comes from the data sender is counted, not a lost ACK, nor a probe of WTCP.
    pub(crate) fn lost(&mut self, at: Time, packet: &Packet, cause: LossCause) {
        if !is_counted(&packet.body) {
            return;
        }
        match (&mut self.ends, &packet.body) {
            (Ends::Tcp(tcp), Body::TcpData(segment)) => {
                tcp.losses.lost(at, tcp.end_of(segment), cause);
            }
            (Ends::Half(half), Body::TcpData(segment)) => half.lost(at, segment, cause),
            (Ends::Wtcp(wtcp), Body::WtcpForward(carried)) => wtcp.lost(at, &{ carried.0 }, cause),
            (Ends::Quic(quic), Body::QuicForward(carried)) => quic.lost(at, *carried, cause),
            _ => {}
        }
        self.meter.lost(at, cause);
    }

    /// An agent sent a segment again at `at`.
    pub(super) fn repaired_locally(&mut self, at: Time, segment: &Segment) {
        self.meter.repaired_locally(at);
        if let Ends::Tcp(tcp) = &mut self.ends {
            tcp.losses.resent(at, tcp.end_of(segment), Found::Agent);
        }
    }

    /// An agent kept a duplicate ACK from the sender at `at`.
    pub(super) fn suppressed_dupack(&mut self, at: Time) {
        self.meter.suppressed_dupack(at);
    }

    /// A timer of the sender is due.
    pub(crate) fn on_sender_timer(&mut self, now: Time) {
        match &mut self.ends {
            Ends::Tcp(tcp) => {
                tcp.sender.on_timer(now);
                self.after_sender(now);
            }
            Ends::Udp { .. } => {}
            Ends::Wtcp(wtcp) => {
                wtcp.on_sender_timer(now);
                self.after_other_sender(now, None);
            }
            Ends::Quic(quic) => {
                quic.on_sender_timer(now);
                self.after_other_sender(now, None);
            }
            Ends::Half(half) => {
                half.on_sender_timer(now, &mut self.meter);
                self.after_other_sender(now, None);
            }
        }
    }

    /// When the receiver's timer is due; [`Time::MAX`] for never.
    #[inline(always)]
    pub(crate) fn receiver_due(&self) -> Time {
        match &self.ends {
            Ends::Tcp(tcp) => tcp.receiver.due(),
            other => other.receiver_due(),
        }
    }

    /// A timer of the receiver is due.
    pub(crate) fn on_receiver_timer(&mut self, now: Time) {
        match &mut self.ends {
            Ends::Tcp(tcp) => tcp.receiver.on_timer(now),
            Ends::Udp { .. } => {}
            Ends::Wtcp(wtcp) => wtcp.on_receiver_timer(now),
            Ends::Quic(quic) => quic.on_receiver_timer(now),
            Ends::Half(half) => half.on_receiver_timer(now),
        }
    }

    /// Measures after every input to the sender.
    #[inline(always)]
    fn after_sender(&mut self, now: Time) {
        let Ends::Tcp(tcp) = &mut self.ends else {
            return;
        };
        ends::measure_sender(now, &tcp.sender, &mut tcp.losses, &mut self.meter);
        let rtt = tcp.sender.poll_rtt();
        if let Some(rtt) = rtt {
            self.meter.rtt(now, rtt, tcp.sender.rto());
        }
        if self.recorder.is_some() {
            self.record(now, rtt);
        }
    }

    /// Records the series after an input to the sender.
    #[cold]
    fn record(&mut self, now: Time, rtt: Option<Duration>) {
        if let (Ends::Tcp(tcp), Some(recorder)) = (&self.ends, &mut self.recorder) {
            ends::record_sender(now, &tcp.sender, rtt, recorder);
        }
    }

    /// After everything that can be sent now was sent: notes a completed connection, and tells the
    /// source if it waits for all to be acknowledged.
    #[inline(always)]
    pub(crate) fn settle(&mut self, now: Time) {
        match &self.ends {
            // The usual case: with data in flight, the connection is not done either.
            Ends::Tcp(tcp) if !tcp.sender.flight().is_empty() => {}
            _ => self.settle_drained(now),
        }
    }

    #[inline(never)]
    fn settle_drained(&mut self, now: Time) {
        let waits = self.source.as_ref().is_some_and(|s| s.waits_for_drain());
        let (done, drained) = match &self.ends {
            Ends::Tcp(tcp) => {
                let sender = &tcp.sender;
                let empty = sender.flight().is_empty() && sender.unsent() == 0;
                (sender.is_done(), empty && waits)
            }
            // UDP gets no ACKs: the transfer ends when everything is sent.
            Ends::Udp { .. } => (false, true),
            Ends::Wtcp(wtcp) => {
                let drained = wtcp.is_drained() && waits;
                (wtcp.is_done(), drained)
            }
            Ends::Quic(quic) => (quic.is_done(), quic.is_drained() && waits),
            Ends::Half(half) => (half.sender().is_done(), half.is_drained() && waits),
        };
        if done && self.completed == Time::MAX {
            self.completed = now;
        }
        if drained
            && let Some(source) = &mut self.source
            && let Some(at) = source.on_drained(now)
        {
            self.application_at = at;
        }
    }

    /// What was measured, at the end of the run.
    pub(crate) fn outcome(&mut self, spec: &FlowSpec, now: Time) -> FlowOutcome {
        self.pass(now);
        let done = self.counted.take().filter(|_| self.bound == Time::MAX);
        let waits = match &self.ends {
            Ends::Tcp(tcp) => !tcp.sender.flight().is_empty() && tcp.sender.flight().una() > 0,
            Ends::Udp { .. } => false,
            Ends::Wtcp(wtcp) => wtcp.waits() && wtcp.acknowledged() > 0,
            Ends::Quic(quic) => quic.waits(),
            Ends::Half(half) => half.waits(),
        };
        if waits {
            self.meter.add_gap(now);
        }
        let mut outcome = self
            .meter
            .outcome(&spec.name, now, done.map(|counters| *counters));
        let took = self.completed.since(spec.start);
        outcome.completion_s = (self.completed < Time::MAX).then(|| took.as_secs_f64());
        match &mut self.ends {
            Ends::Tcp(tcp) => tcp.explain(now, &mut outcome),
            Ends::Udp { .. } => {
                let lost = outcome.queue_drops + outcome.channel_drops + outcome.no_route_drops;
                outcome.datagrams_lost =
                    (outcome.sent_packets > 0).then(|| lost as f64 / outcome.sent_packets as f64);
            }
            Ends::Wtcp(wtcp) => wtcp.explain(now, &mut outcome),
            Ends::Quic(quic) => quic.explain(now, &mut outcome),
            Ends::Half(half) => half.explain(now, &mut outcome),
        }
        outcome
    }

    /// Whether its sender uses explicit loss notifications (ELN), so as not to cut its window for
    /// losses on a channel.
    pub(super) fn wants_loss_notices(&self) -> bool {
        matches!(&self.ends, Ends::Tcp(tcp) if tcp.config().eln)
    }

    fn counters(&self) -> Option<SenderCounters> {
        match &self.ends {
            Ends::Tcp(tcp) => Some(*tcp.sender.counters()),
            Ends::Quic(quic) => Some(quic.counters()),
            Ends::Half(half) => Some(*half.sender().counters()),
            Ends::Udp { .. } | Ends::Wtcp(_) => None,
        }
    }

    /// The next segment that the sender has for the wire.
    #[inline(always)]
    pub(crate) fn poll_sender(&mut self, now: Time) -> Option<Departure> {
        let Ends::Tcp(tcp) = &mut self.ends else {
            return None;
        };
        let departure = tcp.sender.poll_departure(now)?;
        if let Some(resend) = tcp.sender.poll_resend() {
            tcp.losses.resent(now, resend.end, resend.why.into());
        }
        Some(departure)
    }

    #[inline(always)]
    pub(crate) fn is_tcp(&self) -> bool {
        matches!(self.ends, Ends::Tcp(_))
    }

    /// The packet of the segment that the sender has for the wire.
    ///
    /// # Panics
    /// When this is no TCP flow.
    #[inline(always)]
    pub(crate) fn data(&self, departure: Departure, now: Time) -> Packet {
        let Ends::Tcp(tcp) = &self.ends else {
            unreachable!("only TCP has segments")
        };
        let segment = tcp.sender.segment(departure, now);
        let size = tcp.config().wire_size(&segment);
        Packet {
            ecn: departure.ecn(),
            ..Packet::new(self.index, size, Body::TcpData(segment))
        }
    }

    /// Kind of packet that the receiver has for the wire; [`Self::ack`] makes it.
    #[inline(always)]
    pub(crate) fn poll_receiver(&mut self, now: Time) -> Answer {
        let Ends::Tcp(tcp) = &mut self.ends else {
            return self.ends.poll_receiver(now);
        };
        if !tcp.receiver.poll_ack() {
            Answer::None
        } else if tcp.receiver.has_news() {
            Answer::WithNews
        } else {
            Answer::Plain
        }
    }

    /// The packet of the ACK that the receiver has for the wire; `NEWS` for an [`Answer::WithNews`].
    ///
    /// # Panics
    /// When nothing was found to be sent.
    #[inline(always)]
    pub(crate) fn ack<const NEWS: bool>(&mut self, now: Time) -> Packet {
        let tcp = match &mut self.ends {
            Ends::Tcp(tcp) => tcp,
            Ends::Wtcp(wtcp) if NEWS => return wtcp.answer(self.index),
            Ends::Quic(quic) if NEWS => return quic.answer(self.index),
            Ends::Half(half) if NEWS => return half.answer(self.index),
            _ => unreachable!("datagrams are not acknowledged"),
        };
        let segment = tcp.receiver.ack::<NEWS>(now);
        let size = tcp.config().wire_size(&segment);
        Packet::new(self.index, size, Body::TcpAck(segment))
    }
}

/// Whether the numbers of a flow count a packet: it comes from the data sender, and is no probe of WTCP, which has a number of
/// its own. An agent's refusal goes the same way.
pub(super) fn is_counted(body: &Body) -> bool {
    match body {
        Body::NackRefused(_) => false,
        Body::WtcpForward(carried) => !wtcp::is_probe(&{ carried.0 }),
        body => !body.goes_back(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With many flows, fetching this is most of the work, and most of the memory.
    #[test]
    fn a_flow_is_twenty_one_cache_lines() {
        assert_eq!(size_of::<Flow>(), 21 * 64);
    }
}
