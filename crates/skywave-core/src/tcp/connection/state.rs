//! The states of RFC 9293 section 3.3.2, and the ways between them.

use super::Connection;

/// A state of a connection (RFC 9293 section 3.3.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// No connection.
    Closed,
    /// Waits for the SYN of any peer.
    Listen,
    /// Has sent a SYN, and waits for the peer's.
    SynSent,
    /// Has sent and received a SYN, and waits for the acknowledgement of its own.
    SynReceived,
    /// Data flows both ways.
    Established,
    /// The application has closed; the FIN is not acknowledged, and the peer has not closed.
    FinWait1,
    /// The FIN is acknowledged, and the peer has not closed.
    FinWait2,
    /// The peer has closed, the application has not.
    CloseWait,
    /// Both have closed, at the same time; the FIN is not acknowledged.
    Closing,
    /// Both have closed, the peer first; the FIN is not acknowledged.
    LastAck,
    /// Both have closed; old segments may still be in the network, and the peer may not have heard the
    /// acknowledgement of its FIN.
    TimeWait,
}

impl State {
    /// True when segments are exchanged with a peer: in all states but CLOSED and LISTEN.
    pub fn is_open(self) -> bool {
        !matches!(self, Self::Closed | Self::Listen)
    }

    /// True when both ends know each other's sequence numbers: from ESTABLISHED to TIME-WAIT.
    pub fn is_synchronized(self) -> bool {
        self.is_open() && !matches!(self, Self::SynSent | Self::SynReceived)
    }

    /// True while the peer may send data that is new: in ESTABLISHED, FIN-WAIT-1 and FIN-WAIT-2.
    pub fn may_receive(self) -> bool {
        matches!(self, Self::Established | Self::FinWait1 | Self::FinWait2)
    }

    /// The ways of figure 5 of RFC 9293, and those to CLOSED: by a reset, a timeout, or the
    /// application's abort.
    pub(super) fn may_become(self, next: Self) -> bool {
        use State::{
            CloseWait, Closed, Closing, Established, FinWait1, FinWait2, LastAck, Listen,
            SynReceived, SynSent, TimeWait,
        };
        matches!(
            (self, next),
            (Closed, Listen | SynSent)
                | (Listen, SynReceived)
                | (SynSent, SynReceived | Established)
                | (SynReceived, Listen | Established)
                | (Established, FinWait1 | CloseWait)
                | (FinWait1, FinWait2 | Closing)
                | (FinWait2 | Closing, TimeWait)
                | (CloseWait, LastAck)
        ) || self != Closed && next == Closed
    }
}

impl Connection {
    /// The only place where the state changes.
    pub(super) fn transition_to(&mut self, next: State) {
        debug_assert!(
            self.state.may_become(next),
            "from {:?} to {next:?}",
            self.state
        );
        self.state = next;
    }
}
