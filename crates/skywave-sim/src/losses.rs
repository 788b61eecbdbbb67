//! The data packets that a flow lost: why each was lost, and how that was found.

use std::ops::AddAssign;

use serde::{Serialize, Serializer};
use skywave_core::link::DropCause;
use skywave_core::tcp::limits::Why;

/// Cause of a data packet's loss in the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossCause {
    /// A queue was full.
    Queue,
    /// An early drop: by a queue that still had room (RED, CoDel, PIE, DualPI2), or by a policer.
    Early,
    /// Loss by a link's model of its channel; in a radio network, a packet that a station gave up because nobody
    /// answered its frames.
    Channel,
    /// A blackout of a link, in which it loses every packet.
    Blackout,
    /// Damage, which the receiving host's checksum showed; also when a queue dropped the packet after that.
    Corruption,
    /// No way on: the routing of a radio network found none to the packet's destination in time, or the packet had
    /// made too many hops, or the end of the connection was no longer where the packet came, or not there yet (a
    /// proxy's hand-over).
    NoRoute,
}

impl LossCause {
    /// Every cause of a loss, in the order of the rows of a [`LossTable`] as it is serialised.
    pub const ALL: [Self; 6] = [
        Self::Queue,
        Self::Early,
        Self::Channel,
        Self::Blackout,
        Self::Corruption,
        Self::NoRoute,
    ];
}

impl From<DropCause> for LossCause {
    fn from(cause: DropCause) -> Self {
        match cause {
            DropCause::Queue => Self::Queue,
            DropCause::Early | DropCause::Policed => Self::Early,
            DropCause::Channel => Self::Channel,
            DropCause::Blackout => Self::Blackout,
        }
    }
}

/// Way in which the loss of a data packet was found: the reason why its segment was next sent again, if it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// Duplicate ACKs.
    Dupacks,
    /// A partial ACK.
    PartialAck,
    /// The scoreboard of selective ACKs.
    Sack,
    /// Rule that only the sender's loss detector has, such as Vegas' fine-grained timer; or an explicit loss
    /// notification.
    Detector,
    /// A probe of the sender's loss detector (such as a tail loss probe), sent before anybody had found the loss.
    Probe,
    /// The retransmission timer.
    Timeout,
    /// An agent on the way, which sent the segment again ([`AgentSpec`](crate::spec::AgentSpec)).
    Agent,
    /// No finding by the sender: the segment was sent again along with others (go-back-N), or another copy of it,
    /// already on its way, arrived.
    Unnoticed,
    /// No finding: at the end of the run the sender has not noticed the loss yet.
    Open,
}

impl Found {
    /// Every way of finding a loss, in the order of the columns of a [`LossTable`] as it is serialised.
    pub const ALL: [Self; 9] = [
        Self::Dupacks,
        Self::PartialAck,
        Self::Sack,
        Self::Detector,
        Self::Probe,
        Self::Timeout,
        Self::Agent,
        Self::Unnoticed,
        Self::Open,
    ];
}

impl From<Why> for Found {
    fn from(why: Why) -> Self {
        match why {
            Why::Dupacks => Self::Dupacks,
            Why::PartialAck => Self::PartialAck,
            Why::Sack => Self::Sack,
            Why::Detector | Why::Notice => Self::Detector,
            Why::Probe => Self::Probe,
            Why::Timeout => Self::Timeout,
            Why::GoBackN => Self::Unnoticed,
        }
    }
}

/// Counts of a flow's lost data packets, by cause of the loss and by the way it was found; each packet counts once.
///
/// Kept as a short list, as few pairs of a cause and a way of finding occur in one flow.
#[derive(Clone, Debug, Default)]
pub struct LossTable(Box<[(LossCause, Found, u64)]>);

impl AddAssign<&Self> for LossTable {
    fn add_assign(&mut self, other: &Self) {
        for &(cause, found, n) in &other.0 {
            self.add(cause, found, n);
        }
    }
}

impl LossTable {
    /// Adds `n` packets that were lost by this cause and whose loss was found in this way.
    pub fn add(&mut self, cause: LossCause, found: Found, n: u64) {
        let mut known = self.0.iter_mut();
        if let Some((.., sum)) = known.find(|known| (known.0, known.1) == (cause, found)) {
            *sum += n;
        } else if n > 0 {
            let mut more = std::mem::take(&mut self.0).into_vec();
            more.reserve_exact(1);
            more.push((cause, found, n));
            self.0 = more.into_boxed_slice();
        }
    }

    /// Number of packets that were lost by this cause and whose loss was found in this way.
    pub fn count(&self, cause: LossCause, found: Found) -> u64 {
        self.sum(|known| known == (cause, found))
    }

    /// Number of packets that were lost by this cause, however the loss was found.
    pub fn of_cause(&self, cause: LossCause) -> u64 {
        self.sum(|known| known.0 == cause)
    }

    /// Number of packets whose loss was found in this way, whatever its cause.
    pub fn found(&self, found: Found) -> u64 {
        self.sum(|known| known.1 == found)
    }

    fn sum(&self, counts: impl Fn((LossCause, Found)) -> bool) -> u64 {
        let counted = self.0.iter().filter(|known| counts((known.0, known.1)));
        counted.map(|&(.., n)| n).sum()
    }

    /// All counts: a row for each cause.
    fn rows(&self) -> [[u64; Found::ALL.len()]; LossCause::ALL.len()] {
        LossCause::ALL.map(|cause| Found::ALL.map(|found| self.count(cause, found)))
    }
}

impl PartialEq for LossTable {
    fn eq(&self, other: &Self) -> bool {
        self.rows() == other.rows()
    }
}

impl Eq for LossTable {}

impl Serialize for LossTable {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.rows().serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_tables_need_not_be_filled_in_the_same_order() {
        let losses = [
            (LossCause::Queue, Found::Sack, 3),
            (LossCause::Channel, Found::Sack, 2),
            (LossCause::Queue, Found::Timeout, 1),
        ];
        let table = |order: [usize; 3]| {
            let mut table = LossTable::default();
            for (cause, found, n) in order.map(|place| losses[place]) {
                table.add(cause, found, n);
            }
            table
        };
        let mut sum = table([0, 1, 2]);
        assert_eq!(sum, table([2, 0, 1]));
        sum += &table([0, 1, 2]);
        assert_ne!(sum, table([0, 1, 2]));
        assert_eq!(sum.of_cause(LossCause::Queue), 8);
        assert_eq!(sum.found(Found::Sack), 10);
        assert_eq!(sum.count(LossCause::Queue, Found::Timeout), 2);
        assert_eq!(sum.count(LossCause::Early, Found::Timeout), 0);
    }
}
