//! Both ends of a TCP connection, and what is measured of it.

use std::ops::Range;
use std::sync::Arc;

use skywave_core::packet::{Body, Packet, Segment};
use skywave_core::tcp::flight::Flight;
use skywave_core::tcp::limits::{Limit, LimitTimes};
use skywave_core::tcp::{Receiver, Sender, TcpConfig};
use skywave_core::{Duration, Time};

use super::transport::Transport;
use super::world::Travelling;
use crate::losses::{Found, LossCause};
use crate::measure::{FlowMeter, LossLedger, Recorder};
use crate::outcome::FlowOutcome;
use crate::spec::Spec;

/// Both ends of a TCP connection.
#[repr(C)]
pub(super) struct Tcp {
    pub(super) sender: Sender,
    pub(super) receiver: Receiver,
    /// Number of the segment to be delivered next, among those sent.
    pub(super) next_number: u64,
    pub(super) losses: LossLedger,
}

impl Tcp {
    pub(super) fn new(config: &Arc<TcpConfig>, run: &Spec) -> Self {
        let mut sender = Sender::new(Arc::clone(config));
        sender.measure(run.measure.0, run.measure.1);
        Self {
            sender,
            receiver: Receiver::new(Arc::clone(config)),
            losses: LossLedger::new(run.measure, run.details),
            next_number: 0,
        }
    }

    /// The configuration of both ends.
    #[inline(always)]
    pub(super) fn config(&self) -> &TcpConfig {
        self.sender.config()
    }

    /// A segment reaches the receiver: notes its arrival if it is the first one with this data.
    #[cold]
    #[inline(never)]
    pub(super) fn arrives(&mut self, now: Time, segment: &Segment) {
        arrives(now, segment, &self.sender, &self.receiver, &mut self.losses);
    }

    /// An agent on the way sent a data segment again at `at`.
    pub(super) fn repaired(&mut self, at: Time, segment: &Segment) {
        let end = end_of(segment, &self.sender);
        self.losses.resent(at, end, Found::Agent);
    }

    /// Measures after every input to the sender.
    #[inline(always)]
    fn after_sender(&mut self, now: Time, meter: &mut FlowMeter) {
        measure_sender(now, &self.sender, &mut self.losses, meter);
        let rtt = self.sender.poll_rtt();
        if let Some(rtt) = rtt {
            meter.rtt(now, rtt, self.sender.rto());
        }
        if let Some(recorder) = &mut meter.recorder {
            record_sender(now, &self.sender, rtt, recorder);
        }
    }
}

impl Transport for Tcp {
    fn write(&mut self, now: Time, bytes: u64, meter: &mut FlowMeter) {
        meter.open(now);
        self.sender.open();
        self.sender.write(bytes);
        meter.set_cwnd(now, self.sender.window().cwnd.0);
    }

    fn close(&mut self) {
        self.sender.close();
    }

    #[inline(always)]
    fn sender_due(&self) -> Time {
        self.sender.due()
    }

    #[inline(always)]
    fn receiver_due(&self) -> Time {
        self.receiver.due()
    }

    fn on_sender_timer(&mut self, now: Time, meter: &mut FlowMeter) {
        self.sender.on_timer(now);
        self.after_sender(now, meter);
    }

    fn on_receiver_timer(&mut self, now: Time) {
        self.receiver.on_timer(now);
    }

    #[inline(always)]
    fn on_data(&mut self, now: Time, packet: &Packet, _: u32, meter: &mut FlowMeter) {
        let Body::TcpData(segment) = &packet.body else {
            return;
        };
        let counts = meter.arrived(now, packet.size);
        if self.losses.wants_arrivals() {
            self.arrives(now, segment);
        }
        let before = self.receiver.next();
        if self.receiver.tells_way() {
            self.receiver.on_packet(now, segment, packet.way());
        } else {
            self.receiver.on_segment(now, segment);
        }
        let after = self.receiver.next();
        if after == before {
            return;
        }
        // SYN and FIN carry nothing for the application.
        let position = before.max(self.config().handshake.span());
        let data_end = after - u64::from(self.receiver.is_finished());
        let delivered = data_end.saturating_sub(position);
        meter.delivered(now, counts, delivered);
        let flight = self.sender.flight();
        let span = position..data_end;
        note_delays(now, counts, flight, &mut self.next_number, span, meter);
    }

    #[inline(always)]
    fn on_ack(&mut self, now: Time, travelling: &Travelling, meter: &mut FlowMeter) {
        if let Body::TcpAck(segment) = &travelling.packet.body {
            self.sender.on_segment(now, segment);
            self.after_sender(now, meter);
        }
    }

    fn lost(&mut self, at: Time, body: &Body, cause: LossCause) {
        if let Body::TcpData(segment) = body {
            let end = end_of(segment, &self.sender);
            self.losses.lost(at, end, cause);
        }
    }

    fn sender(&self) -> Option<&Sender> {
        Some(&self.sender)
    }

    fn is_drained(&self) -> bool {
        self.sender.flight().is_empty() && self.sender.unsent() == 0
    }

    fn explain(&mut self, now: Time, outcome: &mut FlowOutcome) {
        explain(now, &self.sender, &mut self.losses, outcome);
    }
}

/// A segment of `sender` reaches its receiver: notes its arrival if it is the first one with this data.
pub(super) fn arrives(
    now: Time,
    segment: &Segment,
    sender: &Sender,
    receiver: &Receiver,
    losses: &mut LossLedger,
) {
    let position = position(segment, sender.config().iss, receiver.next());
    if segment.len == 0 || receiver.has(position) {
        return;
    }
    // The receiver has not acknowledged it, so the sender still knows when it first sent it.
    if let Some(sent) = sender.flight().at(position) {
        losses.arrived(now, sent.end, sent.first_sent);
    }
}

/// The application gets the data in `span` at `now`: notes how long each of its segments took. No ACK of it
/// has reached the sender yet, so `flight` still knows when each was first sent.
#[inline(always)]
pub(super) fn note_delays(
    now: Time,
    counts: bool,
    flight: &Flight,
    next_number: &mut u64,
    span: Range<u64>,
    meter: &mut FlowMeter,
) {
    let mut position = span.start;
    while position < span.end
        && let Some(sent) = flight.at_number(position, next_number)
    {
        if counts {
            meter.delay(now.since(sent.first_sent()));
        }
        position = sent.end();
    }
}

/// Measures after every input to a sender.
#[inline(always)]
pub(super) fn measure_sender(
    now: Time,
    sender: &Sender,
    losses: &mut LossLedger,
    meter: &mut FlowMeter,
) {
    meter.set_cwnd(now, sender.window().cwnd.0);
    let una = sender.flight().una();
    losses.acknowledged(now, una);
    meter.acknowledged(now, una);
}

/// Records the series after an input to a sender, which may have measured a round trip.
#[cold]
pub(super) fn record_sender(
    now: Time,
    sender: &Sender,
    rtt: Option<Duration>,
    recorder: &mut Recorder,
) {
    let window = sender.window();
    let estimator = sender.rto();
    let seconds = |d: Duration| d.as_secs_f64();
    recorder.record(0, now, window.cwnd.0);
    recorder.record(1, now, window.ssthresh.0);
    if let Some(rtt) = rtt {
        recorder.record(2, now, seconds(rtt));
    }
    if let Some(srtt) = estimator.srtt() {
        recorder.record(3, now, seconds(srtt));
    }
    recorder.record(4, now, seconds(estimator.rto()));
    recorder.record(5, now, sender.flight().una() as f64);
}

/// At the end of the run: shares of time by what kept a sender from sending more, and its losses.
pub(super) fn explain(
    now: Time,
    sender: &Sender,
    losses: &mut LossLedger,
    outcome: &mut FlowOutcome,
) {
    share_out(&sender.limit_times(now), outcome);
    losses.finish(sender.flight().una(), outcome);
}

/// First position after a data segment of `sender`.
pub(super) fn end_of(segment: &Segment, sender: &Sender) -> u64 {
    let una = sender.flight().una();
    position(segment, sender.config().iss, una) + segment.span()
}

/// Reports the shares of time by what kept a sender from sending more.
pub(super) fn share_out(times: &LimitTimes, outcome: &mut FlowOutcome) {
    outcome.share_handshake = times.share(Limit::Handshake);
    outcome.share_cwnd = times.share(Limit::Cwnd);
    outcome.share_rwnd = times.share(Limit::Rwnd);
    outcome.share_application = times.share(Limit::Application);
    outcome.share_pacing = times.share(Limit::Pacing);
    outcome.share_recovery = times.share(Limit::Recovery);
    outcome.share_timeout = times.share(Limit::Timeout);
}

/// Stream position of a data segment of a simulated sender.
fn position(segment: &Segment, iss: u32, near: u64) -> u64 {
    let position = segment.seq.expand(iss, near);
    position.expect("senders count from their initial number")
}
