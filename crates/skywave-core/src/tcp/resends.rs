//! How much may be sent again: a backstop for window laws that no loss holds back.
//!
//! A law may keep its window however much is lost: one of a user's own, or one that takes every loss for a random
//! one. Where nearly nothing arrives, as behind a policer, it would send the receiver's whole window again each round
//! trip, which brings nothing more through and costs without bound. New data cannot do so: the receiver's window
//! moves with what has arrived. So what is sent again is limited by that too, in the manner of a circuit breaker
//! (RFC 8084), and far beyond what any useful sender needs: while one segment in 17 arrives, nothing is held back.

/// Bytes that may be sent again for each one that has arrived.
const FOR_EACH: u64 = 16;

/// Counts what a connection has sent again.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Resends {
    bytes: u64,
}

/// Achievements of a connection that allow it to send bytes again.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Earned {
    /// Bytes of the receiver's window: as many are free.
    pub(crate) window: u32,
    /// Bytes that have arrived.
    pub(crate) arrived: u64,
    /// Expiries of the retransmission timer. Each is worth as much as a segment that arrives: without an answer only
    /// they let anything out.
    pub(crate) timeouts: u64,
    /// Bytes of a full segment.
    pub(crate) mss: u32,
}

impl Resends {
    /// Counts `bytes` that are sent again.
    pub(crate) fn add(&mut self, bytes: u64) {
        self.bytes += bytes;
    }

    /// Whether `bytes` more may be sent again.
    pub(crate) fn allows(self, bytes: u64, earned: Earned) -> bool {
        let answers = earned.arrived + earned.timeouts * u64::from(earned.mss);
        self.bytes + bytes <= u64::from(earned.window) + FOR_EACH * answers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sixteen_bytes_go_again_for_one_that_arrives_and_a_window_for_nothing() {
        let mut resends = Resends::default();
        let mut earned = Earned {
            window: 3000,
            arrived: 0,
            timeouts: 0,
            mss: 1000,
        };
        assert!(resends.allows(3000, earned) && !resends.allows(3001, earned));
        resends.add(3000);
        assert!(!resends.allows(1, earned));
        earned.arrived = 100;
        assert!(resends.allows(1600, earned) && !resends.allows(1601, earned));
        earned.timeouts = 2;
        assert!(resends.allows(33_600, earned) && !resends.allows(33_601, earned));
    }
}
