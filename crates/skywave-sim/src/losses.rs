//! The data packets that a flow lost: why each was lost, and how that was found.

use std::ops::AddAssign;

use serde::Serialize;
use skywave_core::link::DropCause;
use skywave_core::tcp::limits::Why;

/// Why a packet was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossCause {
    /// A queue was full.
    Queue,
    /// A queue dropped it early (RED).
    Early,
    /// A loss model of a channel; in a radio network, nobody answered.
    Channel,
    /// A blackout.
    Blackout,
    /// It was damaged, which the receiving host's checksum showed; also when a queue dropped it
    /// after that.
    Corruption,
    /// A radio network's routing knew no way to its destination.
    NoRoute,
}

impl LossCause {
    /// All of them.
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
            DropCause::Early => Self::Early,
            DropCause::Channel => Self::Channel,
            DropCause::Blackout => Self::Blackout,
        }
    }
}

/// How the sender found a loss: why it sent the segment again the next time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// Duplicate ACKs.
    Dupacks,
    /// A partial ACK.
    PartialAck,
    /// The scoreboard of selective ACKs.
    Sack,
    /// The detector by a rule of its own, such as Vegas' fine-grained timer; or an explicit
    /// notification.
    Detector,
    /// A detector's probe, before anybody had found the loss.
    Probe,
    /// The retransmission timer.
    Timeout,
    /// An agent on the way did, and sent it again ([`AgentSpec`](crate::spec::AgentSpec)).
    Agent,
    /// It did not: the segment came along in going back N, or another copy of it, already on its
    /// way, arrived.
    Unnoticed,
    /// Not yet, at the end of the run.
    Open,
}

impl Found {
    /// All of them.
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

/// Lost packets by cause and by how they were found; each is counted once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LossTable([[u64; Found::ALL.len()]; LossCause::ALL.len()]);

impl AddAssign for LossTable {
    fn add_assign(&mut self, other: Self) {
        for (sum, n) in self
            .0
            .iter_mut()
            .flatten()
            .zip(other.0.into_iter().flatten())
        {
            *sum += n;
        }
    }
}

impl LossTable {
    /// This many were lost by this cause and found in this way.
    pub fn count(&self, cause: LossCause, found: Found) -> u64 {
        self.0[cause as usize][found as usize]
    }

    /// The same, to be changed.
    pub fn count_mut(&mut self, cause: LossCause, found: Found) -> &mut u64 {
        &mut self.0[cause as usize][found as usize]
    }

    /// All that were lost by this cause.
    pub fn of_cause(&self, cause: LossCause) -> u64 {
        self.0[cause as usize].iter().sum()
    }

    /// All that were found so.
    pub fn found(&self, found: Found) -> u64 {
        self.0.iter().map(|row| row[found as usize]).sum()
    }
}
