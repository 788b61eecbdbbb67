//! When nobody has answered for so long that the peer should be asked again.
//!
//! After a blackout, a sender's window is full of packets of which it hears nothing, and only probes leave. Their
//! interval doubles (RFC 9002 section 6.2.1), in noq up to 2 s *more* each time: after ten dark seconds the next probe
//! may be nine late, while the law would have gone on at its old rate. A small packet each half second of silence
//! costs nobody anything, and the first one that arrives shows what was lost before.

use std::time::{Duration, Instant};

/// How long nothing may be heard. Half a second, or two round trips of a path that is longer.
const PATIENCE: Duration = Duration::from_millis(500);

/// Watch over the silence of one connection: tells when to ask a peer that does not answer.
///
/// ```
/// # use std::time::{Duration, Instant};
/// # use skywave_quic::Silence;
/// let (start, rtt) = (Instant::now(), Duration::from_millis(100));
/// let mut silence = Silence::new(start);
/// let at = |ms| start + Duration::from_millis(ms);
/// assert!(!silence.is_too_long(at(100), 10, 5, rtt), "ten packets have come");
/// assert!(!silence.is_too_long(at(900), 10, 5, rtt), "nothing was sent after them");
/// assert!(!silence.is_too_long(at(1000), 10, 6, rtt));
/// assert!(silence.is_too_long(at(1400), 10, 6, rtt), "half a second after that");
/// assert!(!silence.is_too_long(at(1500), 10, 8, rtt), "asked a moment ago");
/// ```
#[derive(Clone, Debug)]
pub struct Silence {
    received: u64,
    sent: u64,
    /// Since when an answer is missing, or when the peer was asked last.
    since: Instant,
}

impl Silence {
    /// How often to ask [`Self::is_too_long`].
    pub const LOOK: Duration = Duration::from_millis(100);

    /// A watch over one connection that begins at `now`, before any packet.
    pub fn new(now: Instant) -> Self {
        Self {
            received: 0,
            sent: 0,
            since: now,
        }
    }

    /// Nothing came for 500 ms, or two `rtt` if that is longer, although packets were sent: the peer should
    /// be asked now, by noq's `handle_network_change`, which sends probes at once and begins their interval
    /// anew. True again after as long. `received` and `sent` are the packets so far.
    pub fn is_too_long(&mut self, now: Instant, received: u64, sent: u64, rtt: Duration) -> bool {
        if received != self.received || sent == self.sent {
            (self.received, self.sent, self.since) = (received, sent, now);
            return false;
        }
        let is_too_long = now.saturating_duration_since(self.since) >= PATIENCE.max(2 * rtt);
        if is_too_long {
            self.since = now;
        }
        is_too_long
    }
}
