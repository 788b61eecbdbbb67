//! How a connection fares, for people.

use skywave_core::Duration;

use super::Refusal;
use super::streams::Streams;

/// How a connection fares.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Status {
    /// Bytes that the peer has acknowledged.
    pub acknowledged: u64,
    /// Bytes that have come in order.
    pub delivered: u64,
    /// Data packets sent, and how many of them again.
    pub data_packets: u64,
    /// See above.
    pub retransmits: u64,
    /// Data packets received.
    pub received_packets: u64,
    /// Packets that were sent before those received and were not (yet) received.
    pub missing_packets: u64,
    /// The round-trip time, once measured.
    pub rtt: Option<Duration>,
    /// Time between packets that the receiver has asked for, once there is a connection.
    pub separation: Option<Duration>,
    /// The sender probes: nothing is heard of what it sent.
    pub in_blackout: bool,
    /// Blackouts so far.
    pub blackouts: u64,
    /// Since the latest authentic packet.
    pub silence: Duration,
    /// Somebody at the peer's address has said since that there is no such connection: the peer may have
    /// been started anew. A hint, nobody vouches for it.
    pub doubted: bool,
    /// Why a first message was refused, while there is no connection. A hint too.
    pub refusal: Option<Refusal>,
}

impl Status {
    pub(super) fn of(streams: &Streams, silence: Duration, doubted: bool) -> Self {
        let (sender, receiver) = (streams.sender(), streams.receiver());
        let sent = sender.counters();
        let received = receiver.counters();
        Self {
            acknowledged: sender.acknowledged(),
            delivered: receiver.delivered(),
            data_packets: sent.data,
            retransmits: sent.retransmits,
            received_packets: received.data,
            missing_packets: received.missing,
            rtt: streams.rtt(),
            separation: sender
                .is_established()
                .then(|| sender.separation().to_duration()),
            in_blackout: sender.in_blackout(),
            blackouts: sent.blackouts,
            silence,
            doubted,
            refusal: None,
        }
    }
}
