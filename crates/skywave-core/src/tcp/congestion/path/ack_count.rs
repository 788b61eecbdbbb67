//! How many segments an ACK says have arrived.

/// Counts a segment once that duplicate ACKs have announced before a cumulative one covers it (Casetti et al.
/// 2002, section 3.2: procedure `AckedCount`).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AckCount {
    /// Segments already counted by duplicate ACKs and not yet covered by a cumulative one.
    accounted: f64,
}

impl AckCount {
    /// Segments that an ACK of `acked` new segments reports; zero of them make it a duplicate.
    pub(crate) fn reported(&mut self, acked: f64) -> f64 {
        if acked == 0.0 {
            self.accounted += 1.0;
            return 1.0;
        }
        if acked <= 1.0 {
            return acked;
        }
        let counted_before = self.accounted.min(acked);
        self.accounted -= counted_before;
        // A cumulative ACK stands for at least the one segment that triggered it.
        (acked - counted_before).max(1.0)
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
}
