//! Where the peer is, when packets of it begin to come from elsewhere.
//!
//! A host may move, and what translates addresses on the way may give it another one. But whoever may connect
//! can also send packets in somebody else's name, and whoever sees packets can pass them on so. A new address is
//! therefore challenged (RFC 9000 section 8.2): the peer shows that it receives there what nobody else
//! can read. Until then nothing else is sent there, and no more than three times what came from there
//! (section 8.1).

use std::net::SocketAddr;

use skywave_core::{Duration, Time};

/// Bytes that cannot be guessed.
pub(super) type Token = [u8; 8];

/// How many times as many bytes are sent to an unproven address as came from it (RFC 9000 section 8.1).
const AMPLIFICATION: u64 = 3;

/// An address that the peer seems to have moved to.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    at: SocketAddr,
    token: Token,
    /// Bytes that came from there, and that were sent there.
    received: u64,
    sent: u64,
    /// When the next challenge is due, and how long it is from then to the one after it.
    due: Time,
    interval: Duration,
}

/// The latest of such addresses, if there is one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Moving(Option<Candidate>);

impl Moving {
    /// An authentic packet of `bytes` bytes came from `from`; as far as is proven, the peer is `at`.
    /// `latest`: it was sent after all others that have come. Unanswered challenges are repeated after
    /// `interval`, twice as long each time.
    pub(super) fn heard(
        &mut self,
        now: Time,
        (from, at): (SocketAddr, SocketAddr),
        (bytes, latest): (usize, bool),
        interval: Duration,
    ) {
        match &mut self.0 {
            Some(candidate) if candidate.at == from => candidate.received += bytes as u64,
            _ if !latest => {}
            _ if from == at => self.0 = None,
            _ => {
                let mut token = Token::default();
                // Without random numbers the peer stays where it was.
                self.0 = getrandom::fill(&mut token).ok().map(|()| Candidate {
                    at: from,
                    token,
                    received: bytes as u64,
                    sent: 0,
                    due: now,
                    interval,
                });
            }
        }
    }

    /// When a challenge of `bytes` bytes is due, if one may be sent.
    pub(super) fn next(&self, bytes: usize) -> Option<Time> {
        let candidate = self.0.as_ref()?;
        let most = candidate.received.saturating_mul(AMPLIFICATION);
        (candidate.sent + bytes as u64 <= most).then_some(candidate.due)
    }

    /// What is to be sent now in a packet of `bytes` bytes, and where.
    pub(super) fn challenge(&mut self, now: Time, bytes: usize) -> Option<(SocketAddr, Token)> {
        self.next(bytes).filter(|at| *at <= now)?;
        let candidate = self.0.as_mut()?;
        candidate.sent += bytes as u64;
        candidate.due = now + candidate.interval;
        candidate.interval = candidate.interval * 2;
        Some((candidate.at, candidate.token))
    }

    /// The peer has answered. If that was the latest challenge, this is where it is now.
    pub(super) fn answered(&mut self, token: Token) -> Option<SocketAddr> {
        let proven = self.0.take_if(|candidate| candidate.token == token)?;
        Some(proven.at)
    }
}
