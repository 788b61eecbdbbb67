//! A flow: its two ends, the application that uses them, and what is measured.

use skywave_core::Time;
use skywave_core::packet::{Body, Packet, Segment};
use skywave_core::tcp::SenderCounters;
use skywave_core::tcp::sender::Departure;

use super::mailbox::Mailbox;
use super::quic::Quic;
use super::split;
use super::tcp::Tcp;
use super::transport::{Ends, Transport};
use super::udp::Udp;
use super::wake::Wake;
use super::world::Travelling;
use super::wtcp::{self, Wtcp};
use crate::losses::LossCause;
use crate::measure::{BinMeter, FlowMeter, Recorder, RequestMeter};
use crate::outcome::FlowOutcome;
use crate::spec::{self, FlowSpec, Spec, Traffic};
use crate::traffic::{Action, Source};

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

/// Kind of packet that a receiver has to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// No packet.
    None,
    /// A TCP ACK without blocks; no other one follows until the next packet or timer.
    Plain,
    /// A TCP ACK that may report more than how far the data has come.
    WithNews,
    /// The transport is not TCP: what [`Flow::poll_other_receiver`] finds.
    Other,
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
            spec::Transport::Tcp(config) => {
                split::ends(index, config, run).unwrap_or_else(|| Ends::Tcp(Tcp::new(config, run)))
            }
            spec::Transport::Udp { header } => Ends::Other(Box::new(Udp::new(*header))),
            spec::Transport::Wtcp { config, header } => {
                Ends::Other(Box::new(Wtcp::new(config, *header, run)))
            }
            spec::Transport::Quic { config, header } => {
                Ends::Other(Box::new(Quic::new(config, *header, run)))
            }
        };
        let mut meter = FlowMeter::new(
            run.measure,
            run.bins.map(|width| BinMeter::new(width, run.duration)),
            spec.measures_requests()
                .then(|| RequestMeter::new(run.requests)),
        );
        if run.series {
            meter.recorder = Some(Box::new(Recorder::new(&spec.name, ends.series())));
        }
        Self {
            index: index as u32,
            source: (spec.traffic != Traffic::Ftp).then(|| Box::new(Source::new(spec, run.seed))),
            meter,
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
            Ends::Tcp(tcp) => tcp.sender_due(),
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
            let before = self.ends.counters().unwrap_or_default();
            self.counted = (before != SenderCounters::default()).then(|| Box::new(before));
            self.bound = self.meter.window().1;
        }
        if self.opened && self.bound < Time::MAX && now >= self.meter.window().1 {
            let before = self.counted.take().map(|counters| *counters);
            let in_window = |end: SenderCounters| Box::new(end - before.unwrap_or_default());
            self.counted = self.ends.counters().map(in_window);
            self.bound = Time::MAX;
        }
    }

    /// Gives the application its turn.
    pub(crate) fn on_application(&mut self, now: Time) {
        self.application_at = Time::MAX;
        if self.stopped {
            return;
        }
        let (action, next) = match &mut self.source {
            None => (Action::Write(u64::MAX), None),
            Some(source) => source.on_time(now),
        };
        self.application_at = next.unwrap_or(Time::MAX);
        match action {
            Action::Write(bytes) => {
                self.meter.handed_over(now, bytes);
                self.ends.write(now, bytes, &mut self.meter);
            }
            Action::Close => self.ends.close(),
        }
    }

    /// The application stops: no more data.
    pub(crate) fn on_stop(&mut self) {
        self.stop_at = Time::MAX;
        self.stopped = true;
        self.ends.close();
    }

    /// A packet reached the receiver by this place of the routes.
    #[inline(always)]
    pub(crate) fn on_data(&mut self, now: Time, packet: &Packet, place: u32) {
        match &mut self.ends {
            Ends::Tcp(tcp) => tcp.on_data(now, packet, place, &mut self.meter),
            other => other.on_data(now, packet, place, &mut self.meter),
        }
    }

    /// A packet reached the sender.
    #[inline]
    pub(super) fn on_ack(&mut self, now: Time, travelling: &Travelling) {
        match &mut self.ends {
            Ends::Tcp(tcp) => tcp.on_ack(now, travelling, &mut self.meter),
            other => other.on_ack(now, travelling, &mut self.meter),
        }
    }

    /// A packet of this flow is lost at `at`. What comes from the data sender is counted, not a lost ACK, nor a probe of WTCP.
    pub(crate) fn lost(&mut self, at: Time, packet: &Packet, cause: LossCause) {
        if is_counted(&packet.body) {
            self.ends.lost(at, &packet.body, cause);
            self.meter.lost(at, cause);
        }
    }

    /// An agent sent a segment again at `at`.
    pub(super) fn repaired_locally(&mut self, at: Time, segment: &Segment) {
        self.meter.repaired_locally(at);
        if let Ends::Tcp(tcp) = &mut self.ends {
            tcp.repaired(at, segment);
        }
    }

    /// A timer of the sender is due.
    pub(crate) fn on_sender_timer(&mut self, now: Time) {
        self.ends.on_sender_timer(now, &mut self.meter);
    }

    /// When the receiver's timer is due; [`Time::MAX`] for never.
    #[inline(always)]
    pub(crate) fn receiver_due(&self) -> Time {
        match &self.ends {
            Ends::Tcp(tcp) => tcp.receiver_due(),
            other => other.receiver_due(),
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
        let drained = waits && self.ends.is_drained();
        if self.completed == Time::MAX && self.ends.is_done() {
            self.completed = now;
        }
        if drained
            && let Some(source) = &mut self.source
            && let Some(at) = source.on_drained(now)
        {
            self.application_at = at;
        }
    }

    /// Measurements of the flow, at the end of the run.
    pub(crate) fn outcome(&mut self, spec: &FlowSpec, now: Time) -> FlowOutcome {
        self.pass(now);
        let done = self.counted.take().filter(|_| self.bound == Time::MAX);
        if self.ends.waits() {
            self.meter.add_gap(now);
        }
        let mut outcome = self
            .meter
            .outcome(&spec.name, now, done.map(|counters| *counters));
        let took = self.completed.since(spec.start);
        outcome.completion_s = (self.completed < Time::MAX).then(|| took.as_secs_f64());
        self.ends.explain(now, &mut outcome);
        outcome
    }

    /// Whether the sender uses explicit loss notifications (ELN), so as not to cut its window for
    /// losses on a channel.
    pub(super) fn wants_loss_notices(&self) -> bool {
        matches!(&self.ends, Ends::Tcp(tcp) if tcp.config().eln)
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
    pub(crate) fn poll_receiver(&mut self) -> Answer {
        let Ends::Tcp(tcp) = &mut self.ends else {
            return Answer::Other;
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
    /// When this is no TCP flow.
    #[inline(always)]
    pub(crate) fn ack<const NEWS: bool>(&mut self, now: Time) -> Packet {
        let Ends::Tcp(tcp) = &mut self.ends else {
            unreachable!("only TCP has segments")
        };
        let segment = tcp.receiver.ack::<NEWS>(now);
        let size = tcp.config().wire_size(&segment);
        Packet::new(self.index, size, Body::TcpAck(segment))
    }

    /// The next packet that a sender other than TCP's has for the wire.
    #[inline(never)]
    pub(crate) fn poll_other_sender(&mut self, now: Time) -> Option<Packet> {
        self.ends.poll_sender(now, self.index, &mut self.meter)
    }

    /// The next packet that a receiver other than TCP's has for the wire.
    #[inline(never)]
    pub(crate) fn poll_other_receiver(&mut self, now: Time) -> Option<Packet> {
        self.ends.poll_receiver(now, self.index)
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

    /// The size of a flow matters: with many of them, fetching flows is most of the work, and most of the
    /// memory.
    #[test]
    fn a_flow_is_twenty_one_cache_lines() {
        let size = size_of::<Flow>();
        assert_eq!(
            size,
            21 * 64,
            "what is rarely used goes into a box; a larger flow needs a measurement (`make bench`)"
        );
    }
}
