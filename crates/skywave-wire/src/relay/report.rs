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
    /// Packets of the link, counted by their fate.
    pub tally: Tally,
    /// The link's own figures: utilisation, mean queue, retransmissions.
    pub measured: Measured,
}

/// Counts of a relay's packets in one direction; bytes are those that were relayed, without the headers
/// around them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct WayReport {
    /// Packets that came.
    pub packets_in: u64,
    /// Bytes of packets that came.
    pub bytes_in: u64,
    /// Packets that left.
    pub packets_out: u64,
    /// Bytes of packets that left.
    pub bytes_out: u64,
    /// Packets that links dropped.
    pub dropped: u64,
    /// Packets that were damaged on the way.
    pub corrupt: u64,
    /// Packets that the relay could not keep: too many bytes under way.
    pub memory: u64,
    /// Packets that the system did not take: its buffer was full, or the receiver is gone.
    pub unsent: u64,
}

/// Counts of packets that were lost outside of a relay's links, at its sockets or devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Troubles {
    /// Packets that the system dropped before the relay read them; `None` where it does not say.
    pub unread: Option<u64>,
    /// Packets that were refused where they went: nobody listens there.
    pub refused: u64,
    /// Packets of clients beyond the number that is served at once.
    pub turned_away: u64,
}

/// Report of a relay's run: packets by direction and by link, and how late they left.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Time from the first packet to the last one that came or left.
    pub elapsed: Duration,
    /// Counts of the packets that went forward, as data do, and of those that went back.
    pub ways: [WayReport; 2],
    /// Reports of the links, in the order of the configuration.
    pub hops: Vec<HopReport>,
    /// How late packets left.
    pub lateness: Lateness,
    /// Packets that the system refused to send, by its error numbers; `None` where it gave none.
    pub errors: BTreeMap<Option<i32>, u64>,
    /// Packets still under way at the end.
    pub under_way: u64,
    /// Counts of packets that were lost outside of the links, at sockets or devices.
    pub troubles: Troubles,
}

impl Report {
    /// Packets lost by the relay or the system under it, which no link dropped.
    pub fn lost_outside(&self) -> u64 {
        let memory = self.ways.iter().map(|way| way.memory);
        memory.sum::<u64>() + self.unsent() + self.troubles.unread.unwrap_or(0)
    }

    /// Packets of both ways that the system did not take.
    pub fn unsent(&self) -> u64 {
        self.ways.iter().map(|way| way.unsent).sum()
    }

    /// The path that packets met is the one that was asked for: they left in time, and only the links
    /// lost any.
    pub fn is_faithful(&self) -> bool {
        self.lateness.kept_time() && self.lost_outside() == 0
    }
}
