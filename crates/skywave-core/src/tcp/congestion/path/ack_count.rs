//! How many segments an ACK says have arrived.

/// Counts a segment once that duplicate ACKs have announced before a cumulative one covers it (Casetti et al.
/// 2002, section 3.2: procedure `AckedCount`).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AckCount {
    /// UCLA's module for ns-2: the segment that triggers an ACK is counted apart from those that duplicates
    /// have announced, and none counts more than two.
    at_most_two: bool,
    /// Segments already counted by duplicate ACKs and not yet covered by a cumulative one.
    accounted: f64,
}

impl AckCount {
    /// Nothing counted yet.
    pub(crate) fn new(at_most_two: bool) -> Self {
        Self {
            at_most_two,
            accounted: 0.0,
        }
    }

    /// Segments that an ACK of `acked` new segments reports; zero of them make it a duplicate.
    pub(crate) fn reported(&mut self, acked: f64) -> f64 {
        if acked == 0.0 {
            self.accounted += 1.0;
            return 1.0;
        }
        if acked <= 1.0 {
            return acked;
        }
        let own = if self.at_most_two && self.accounted >= acked {
            1.0
        } else {
            0.0
        };
        let counted_before = self.accounted.min(acked - own);
        self.accounted -= counted_before;
        // A cumulative ACK stands for at least the one segment that triggered it.
        let most = if self.at_most_two { 2.0 } else { acked };
        (acked - counted_before).clamp(1.0, most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn acked_count_counts_each_segment_once() {
        // Procedure AckedCount of the 2002 paper.
        let mut count = AckCount::default();
        assert_eq!(count.reported(1.0), 1.0); // a segment
        assert_eq!(count.reported(2.0), 2.0); // a delayed ACK of two
        for _ in 0..4 {
            assert_eq!(count.reported(0.0), 1.0); // four duplicates, a segment each
        }
        assert_eq!(count.accounted, 4.0);
        assert_eq!(count.reported(3.0), 1.0); // a partial ACK: three of these, counted as its trigger
        assert_eq!(count.accounted, 1.0);
        assert_eq!(count.reported(5.0), 4.0); // a cumulative ACK: one was counted before
        assert_eq!(count.accounted, 0.0);
    }

    #[test]
    fn at_most_two_counts_the_trigger_apart() {
        let mut count = AckCount::new(true);
        for _ in 0..4 {
            assert_eq!(count.reported(0.0), 1.0);
        }
        // Of the three, one is new and two had been announced.
        assert_eq!(count.reported(3.0), 1.0);
        assert_eq!(count.accounted, 2.0);
        assert_eq!(count.reported(3.0), 1.0);
        assert_eq!(count.accounted, 0.0);
        assert_eq!(count.reported(5.0), 2.0); // ACKs before it were lost
    }
}
