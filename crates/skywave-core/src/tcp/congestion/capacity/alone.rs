//! Whether anybody else fills the bottleneck's queue.
//!
//! A sender that is alone at its bottleneck empties the queue when it keeps no more than a BDP in flight. If
//! the queue stays although it does, others fill it. So a round trip without a queue is the evidence of being
//! alone, and where there has been none for a while the sender looks for it: it keeps a BDP in flight for up to
//! two round trips. (Copa, section 2.2, judges by the same evidence; BBR looks for it once in eight round trips.)

/// Without a round trip that saw no queue for this long, the sender looks for one; ...
const PATIENCE: u64 = 16;
/// ... it is not alone after this long; ...
const EVIDENCE: u64 = 20;
/// ... and then looks this often.
const PATIENCE_BESIDE_OTHERS: u64 = 32;
/// It takes one round trip until a smaller window shows, and one to see it.
const LOOKS_FOR: u64 = 2;

/// Evidence of being alone. All is counted in round trips of the connection.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Alone {
    /// The last one that saw no queue.
    empty: u64,
    /// The last one in which the sender looked.
    looked: u64,
    /// It looks until this one.
    looks_until: Option<u64>,
    now: u64,
}

impl Alone {
    /// A round trip is over.
    pub(super) fn on_round(&mut self, now: u64) {
        self.now = now;
        if self.looks_until.is_some_and(|end| now >= end) {
            self.stop_looking();
        }
        let patience = if self.is_alone() {
            PATIENCE
        } else {
            PATIENCE_BESIDE_OTHERS
        };
        if self.looks_until.is_none() && now >= self.empty.max(self.looked) + patience {
            self.looks_until = Some(now + LOOKS_FOR);
        }
    }

    /// A segment has seen no queue.
    pub(super) fn on_empty(&mut self) {
        self.empty = self.now;
        if self.looks_until.is_some() {
            self.stop_looking();
        }
    }

    fn stop_looking(&mut self) {
        self.looks_until = None;
        self.looked = self.now;
    }

    /// Nobody else fills the queue.
    pub(super) fn is_alone(self) -> bool {
        self.now <= self.empty + EVIDENCE
    }

    /// The sender is to keep no more than a BDP in flight.
    pub(super) fn looks(self) -> bool {
        self.looks_until.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(rounds: u64) -> Alone {
        let mut alone = Alone::default();
        (1..=rounds).for_each(|round| alone.on_round(round));
        alone
    }

    #[test]
    fn a_sender_looks_after_sixteen_round_trips_with_a_queue() {
        assert!(!after(15).looks());
        assert!(after(16).looks());
        assert!(after(17).looks(), "for two round trips");
        assert!(!after(18).looks());
    }

    #[test]
    fn a_round_trip_without_a_queue_ends_the_look() {
        let mut alone = after(17);
        alone.on_empty();
        assert!(!alone.looks() && alone.is_alone());
        (18..33).for_each(|round| alone.on_round(round));
        assert!(!alone.looks());
        alone.on_round(33);
        assert!(alone.looks());
    }

    #[test]
    fn a_queue_that_stays_is_filled_by_others() {
        assert!(after(20).is_alone());
        assert!(!after(21).is_alone());
        // The next look is 32 round trips after the one before, which ended in round 18.
        assert!(!after(49).looks());
        assert!(after(50).looks());
        let mut alone = after(51);
        alone.on_empty();
        assert!(alone.is_alone());
    }
}
