//! The machines at the two ends of a flow.

use std::ops::Range;
use std::sync::Arc;

use skywave_core::driver::DriveFlight;
use skywave_core::packet::Segment;
use skywave_core::tcp::flight::Flight;
use skywave_core::tcp::limits::{Limit, LimitTimes};
use skywave_core::tcp::{Receiver, Sender, TcpConfig};
use skywave_core::{Duration, Time};

use super::quic::Quic;
use super::split::Half;
use super::wtcp::Wtcp;
use crate::measure::{FlowMeter, LossLedger, Recorder};
use crate::outcome::FlowOutcome;
use crate::spec::Spec;

/// Kind of packet that a receiver has to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// Nothing.
    None,
    /// A TCP ACK without blocks; no other one follows until the next packet or timer.
    Plain,
    /// A packet that may report more than how far the data has come.
    WithNews,
}

/// The machines of a flow's transport. Not boxed: with many flows, following a pointer costs a
/// cache miss.
#[expect(clippy::large_enum_variant, reason = "most flows are TCP")]
pub(super) enum Ends {
    Tcp(Tcp),
    Udp {
        header: u32,
        sent: u64,
    },
    Wtcp(Box<Wtcp>),
    Quic(Box<Quic>),
    /// Both ends of a half of a flow that a proxy splits.
    Half(Box<Half>),
}

/// Both ends of a TCP connection.
#[repr(C)]
pub(super) struct Tcp {
    pub(super) sender: Sender,
    pub(super) receiver: Receiver,
    /// Number of the segment to be delivered next, among those sent.
    pub(super) next_number: u64,
    pub(super) losses: LossLedger,
}

// For transports other than TCP: the questions that are asked for every packet.
impl Ends {
    #[inline(never)]
    pub(super) fn sender_due(&self) -> Time {
        match self {
            Self::Wtcp(wtcp) => wtcp.sender_due().unwrap_or(Time::MAX),
            Self::Quic(quic) => quic.sender_due().unwrap_or(Time::MAX),
            Self::Half(half) => half.sender_due(),
            Self::Tcp(_) | Self::Udp { .. } => Time::MAX,
        }
    }

    #[inline(never)]
    pub(super) fn receiver_due(&self) -> Time {
        match self {
            Self::Wtcp(wtcp) => wtcp.receiver_due().unwrap_or(Time::MAX),
            Self::Quic(quic) => quic.receiver_due().unwrap_or(Time::MAX),
            Self::Half(half) => half.receiver_due(),
            Self::Tcp(_) | Self::Udp { .. } => Time::MAX,
        }
    }

    #[inline(never)]
    pub(super) fn poll_receiver(&mut self, now: Time) -> Answer {
        let has_answer = match self {
            Self::Wtcp(wtcp) => wtcp.poll_receiver(now),
            Self::Quic(quic) => quic.poll_receiver(now),
            Self::Half(half) => half.poll_receiver(now),
            Self::Tcp(_) | Self::Udp { .. } => false,
        };
        if has_answer {
            Answer::WithNews
        } else {
            Answer::None
        }
    }
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

    /// At the end of the run: shares of time by what kept the sender from sending more, and its
    /// losses.
    pub(super) fn explain(&mut self, now: Time, outcome: &mut FlowOutcome) {
        explain(now, &self.sender, &mut self.losses, outcome);
    }

    /// A segment reaches the receiver: notes its arrival if it is the first one with this data.
    #[cold]
    #[inline(never)]
    pub(super) fn arrives(&mut self, now: Time, segment: &Segment) {
        arrives(now, segment, &self.sender, &self.receiver, &mut self.losses);
    }

    /// First position after a data segment.
    pub(super) fn end_of(&self, segment: &Segment) -> u64 {
        end_of(segment, &self.sender)
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
