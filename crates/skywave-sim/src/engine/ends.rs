//! The machines at the two ends of a flow.

use std::sync::Arc;

use skywave_core::Time;
use skywave_core::packet::Segment;
use skywave_core::tcp::limits::{Limit, LimitTimes};
use skywave_core::tcp::{Receiver, Sender, TcpConfig};

use super::quic::Quic;
use super::wtcp::Wtcp;
use crate::measure::LossLedger;
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
    Udp { header: u32, sent: u64 },
    Wtcp(Box<Wtcp>),
    Quic(Box<Quic>),
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
            Self::Tcp(_) | Self::Udp { .. } => Time::MAX,
        }
    }

    #[inline(never)]
    pub(super) fn receiver_due(&self) -> Time {
        match self {
            Self::Wtcp(wtcp) => wtcp.receiver_due().unwrap_or(Time::MAX),
            Self::Quic(quic) => quic.receiver_due().unwrap_or(Time::MAX),
            Self::Tcp(_) | Self::Udp { .. } => Time::MAX,
        }
    }

    #[inline(never)]
    pub(super) fn poll_receiver(&mut self, now: Time) -> Answer {
        let has_answer = match self {
            Self::Wtcp(wtcp) => wtcp.poll_receiver(now),
            Self::Quic(quic) => quic.poll_receiver(now),
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
        share_out(&self.sender.limit_times(now), outcome);
        let una = self.sender.flight().una();
        self.losses.finish(una, outcome);
    }

    /// A segment reaches the receiver: notes its arrival if it is the first one with this data.
    #[cold]
    #[inline(never)]
    pub(super) fn arrives(&mut self, now: Time, segment: &Segment) {
        let position = position(segment, self.config().iss, self.receiver.next());
        if segment.len == 0 || self.receiver.has(position) {
            return;
        }
        // The receiver has not acknowledged it, so the sender still knows when it first sent it.
        if let Some(sent) = self.sender.flight().at(position) {
            self.losses.arrived(now, sent.end, sent.first_sent);
        }
    }

    /// First position after a data segment.
    pub(super) fn end_of(&self, segment: &Segment) -> u64 {
        let una = self.sender.flight().una();
        position(segment, self.config().iss, una) + segment.span()
    }
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
