//! Rule for when nobody has answered for so long that the peer should be asked again, by a probe packet.
//!
//! After a blackout, a sender's window is full of packets of which it hears nothing, and only probes leave. Their
//! interval doubles (RFC 9002 section 6.2.1), in noq up to 2 s *more* each time: after ten dark seconds the next probe
//! may be nine late, while the law would have gone on at its old rate. A small packet each half second of silence
//! costs nobody anything, and the first one that arrives shows what was lost before.

use std::time::{Duration, Instant};

use skywave_core::quic;

/// Longest time for which nothing may be heard, unless two round trips are longer.
const PATIENCE: Duration = Duration::from_nanos(quic::preset::PATIENCE.as_nanos());

/// Detector of a peer that is silent for too long on one connection, so that it should be sent a probe packet at once.
/// Silence is too long if packets were sent but none was received for 500 ms, or for two round trips if these are
/// longer. Time counts from the latest [look](Self::is_too_long) at which there was nothing to wait for (a packet had
/// been received, or none sent, since the look from which it had counted), or from the latest probe. In the example,
/// the second argument counts packets received so far, the third packets sent.
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
/// assert!(silence.is_too_long(at(1400), 10, 6, rtt), "half a second after 900 ms");
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
    /// Interval at which to call [`Self::is_too_long`].
    pub const LOOK: Duration = Duration::from_millis(100);

    /// Detector for a connection that begins at `now`, before any packet was sent or received.
    pub fn new(now: Instant) -> Self {
        Self {
            received: 0,
            sent: 0,
            since: now,
        }
    }

    /// Whether to probe the peer now, as it is silent for too long; `rtt` is the round trip. `received` and `sent` count packets since the connection began. The caller
    /// probes by noq's `handle_network_change`, which sends probes at once and begins their interval anew. True again
    /// after as long a further silence.
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
