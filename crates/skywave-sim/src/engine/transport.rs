//! Interface of the engine to a transport: the machines at the two ends of a flow, and what is measured of
//! them.

use std::ops::{Deref, DerefMut};

use skywave_core::Time;
use skywave_core::packet::{Body, Packet};
use skywave_core::tcp::{Sender, SenderCounters};

use super::split::Half;
use super::tcp::Tcp;
use super::world::Travelling;
use crate::losses::LossCause;
use crate::measure::FlowMeter;
use crate::outcome::FlowOutcome;

/// Series of a transport with a window, in the order of [`Recorder::record`](crate::measure::Recorder::record)'s index.
pub(super) const SERIES: [&str; 6] = ["cwnd", "ssthresh", "rtt", "srtt", "rto", "acked"];

/// Both ends of a transport, which the engine brings packets and time.
///
/// A method with a body is that of a transport that has nothing of the kind: no timer, no packets back. All packets of a flow
/// are of the flow's own transport; a packet of another kind is ignored.
pub(super) trait Transport {
    /// Names of the series that are recorded, in the order of [`Recorder::record`](crate::measure::Recorder::record)'s index.
    fn series(&self) -> &'static [&'static str] {
        &SERIES
    }

    /// The application hands over `bytes` (`u64::MAX`: data without end). The first call opens the connection.
    fn write(&mut self, now: Time, bytes: u64, meter: &mut FlowMeter);

    /// The application has no more data.
    fn close(&mut self) {}

    /// When the sender's timer is due; [`Time::MAX`] for never.
    fn sender_due(&self) -> Time {
        Time::MAX
    }

    /// When the receiver's timer is due; [`Time::MAX`] for never.
    fn receiver_due(&self) -> Time {
        Time::MAX
    }

    /// The sender's timer is due.
    fn on_sender_timer(&mut self, _now: Time, _meter: &mut FlowMeter) {}

    /// The receiver's timer is due.
    fn on_receiver_timer(&mut self, _now: Time) {}

    /// A packet reached the receiver's host by this place of the routes. The application reads at once.
    fn on_data(&mut self, now: Time, packet: &Packet, place: u32, meter: &mut FlowMeter);

    /// A packet reached the sender's host. The packet and its place are one reference, unlike those of [`Self::on_data`]: a
    /// second argument costs every TCP flow registers.
    fn on_ack(&mut self, _now: Time, _travelling: &Travelling, _meter: &mut FlowMeter) {}

    /// A packet from the sender is lost at `at`.
    fn lost(&mut self, _at: Time, _body: &Body, _cause: LossCause) {}

    /// The next packet of flow `flow` that the sender has for the wire. TCP's go another way, in two halves
    /// ([`Flow::poll_sender`](super::flow::Flow::poll_sender)).
    fn poll_sender(&mut self, _now: Time, _flow: u32, _meter: &mut FlowMeter) -> Option<Packet> {
        None
    }

    /// The next packet of flow `flow` that the receiver has for the wire. TCP's go another way, in two halves
    /// ([`Flow::poll_receiver`](super::flow::Flow::poll_receiver)).
    fn poll_receiver(&mut self, _now: Time, _flow: u32) -> Option<Packet> {
        None
    }

    /// TCP's sender, where the transport has one. [`Self::is_done`], [`Self::waits`] and [`Self::counters`] follow
    /// from it.
    fn sender(&self) -> Option<&Sender> {
        None
    }

    /// Everything and the end of the stream is acknowledged.
    fn is_done(&self) -> bool {
        self.sender().is_some_and(Sender::is_done)
    }

    /// Everything written is acknowledged, or, without acknowledgements, sent.
    fn is_drained(&self) -> bool;

    /// Something sent is not acknowledged, after something else was.
    fn waits(&self) -> bool {
        let flight = self.sender().map(Sender::flight);
        flight.is_some_and(|flight| !flight.is_empty() && flight.una() > 0)
    }

    /// Counters of the sender; `None` for a transport that keeps its own over the measured window.
    fn counters(&self) -> Option<SenderCounters> {
        Some(*self.sender()?.counters())
    }

    /// Adds what the transport alone has measured, at the end of the run.
    fn explain(&mut self, now: Time, outcome: &mut FlowOutcome);
}

/// The machines of a flow's transport. TCP's are not boxed: with many flows, following a pointer costs a cache miss.
///
/// Methods of [`Transport`] can be called on it for any of them. What happens with every segment asks first whether it is TCP,
/// so that TCP's method is inlined.
#[expect(clippy::large_enum_variant, reason = "most flows are TCP")]
pub(super) enum Ends {
    Tcp(Tcp),
    /// Whole connections, which the engine knows because a proxy or an outage changes them.
    Half(Box<Half>),
    Other(Box<dyn Transport>),
}

impl Deref for Ends {
    type Target = dyn Transport;

    #[inline(never)]
    fn deref(&self) -> &Self::Target {
        match self {
            Self::Tcp(tcp) => tcp,
            Self::Half(half) => &**half,
            Self::Other(other) => &**other,
        }
    }
}

impl DerefMut for Ends {
    #[inline(never)]
    fn deref_mut(&mut self) -> &mut Self::Target {
        match self {
            Self::Tcp(tcp) => tcp,
            Self::Half(half) => &mut **half,
            Self::Other(other) => &mut **other,
        }
    }
}
