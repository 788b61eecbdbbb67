//! Report of a relay's run, as plain data.

use std::collections::BTreeMap;

use skywave_core::Duration;
use skywave_core::link::Measured;

use super::hop::Tally;
use super::lateness::Lateness;

/// Report of a relay's run on one link: counts of its packets by fate, and the link's own figures.
#[derive(Clone, Debug, PartialEq)]
pub struct HopReport {
    /// Name of the link.
    pub name: String,
    /// Counts of the packets offered to the link, by their fate.
    pub tally: Tally,
    /// Figures that the link itself keeps: utilisation, mean queue, retransmissions.
    pub measured: Measured,
}

/// Counts of a relay's packets in one direction. Bytes are those that the relay reads and sends: payloads of UDP
/// datagrams, or whole IP packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct WayReport {
    /// Packets that came to the relay.
    pub packets_in: u64,
    /// Bytes of the packets that came to the relay.
    pub bytes_in: u64,
    /// Packets that left the relay and that the system took, copies that links made included.
    pub packets_out: u64,
    /// Bytes of the packets in [`Self::packets_out`].
    pub bytes_out: u64,
    /// Packets that the relay's links dropped.
    pub dropped: u64,
    /// Packets that were damaged on the way, and so count as lost, even if sent on with a wrong bit; they are neither
    /// in [`Self::dropped`] nor in [`Self::packets_out`].
    pub corrupt: u64,
    /// Packets dropped by the relay itself, as there were too many bytes under way
    /// ([`RelayConfig::kept_bytes`](super::RelayConfig::kept_bytes)).
    pub memory: u64,
    /// Packets due to leave that the system did not take: its buffer was full, or the receiver is gone.
    pub unsent: u64,
}

/// Counts of packets that were lost outside of a relay's links, at its sockets or devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Troubles {
    /// Packets that the system dropped before the relay read them; `None` where the system does not say.
    pub unread: Option<u64>,
    /// Packets that were refused at their destination: nobody listens there.
    pub refused: u64,
    /// Packets of clients that were not served, as too many were already (256 for [`UdpEnds`](super::UdpEnds)).
    pub turned_away: u64,
}

/// Report of a relay's run: packets by direction and by link, and how late they left.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Time from the first packet to the last one that came or left.
    pub elapsed: Duration,
    /// Counts of the packets that went forward, as data do (index 0), and of those that went back (index 1).
    pub ways: [WayReport; 2],
    /// Reports of the links, in the order of [`RelayConfig::hops`](super::RelayConfig::hops).
    pub hops: Vec<HopReport>,
    /// Histogram of how late packets left.
    pub lateness: Lateness,
    /// Packets that the system refused to send, counted by its error number (errno); `None` where it gave none.
    pub errors: BTreeMap<Option<i32>, u64>,
    /// Packets still under way in the relay at the end.
    pub under_way: u64,
    /// Counts of packets that were lost outside of the links, at sockets or devices.
    pub troubles: Troubles,
}

impl Report {
    /// Number of packets lost by the relay or the system under it rather than by a link: dropped for lack of memory,
    /// not taken by the system, or not read in time.
    pub fn lost_outside(&self) -> u64 {
        let memory = self.ways.iter().map(|way| way.memory);
        memory.sum::<u64>() + self.unsent() + self.troubles.unread.unwrap_or(0)
    }

    /// Number of packets due to leave, in both directions together, that the system did not take.
    pub fn unsent(&self) -> u64 {
        self.ways.iter().map(|way| way.unsent).sum()
    }

    /// Whether packets met the path as configured: they left in time ([`Lateness::kept_time`]), and none counts as
    /// [lost outside](Self::lost_outside) of the links. Packets of [`Troubles::refused`] and [`Troubles::turned_away`]
    /// do not count.
    pub fn is_faithful(&self) -> bool {
        self.lateness.kept_time() && self.lost_outside() == 0
    }
}
