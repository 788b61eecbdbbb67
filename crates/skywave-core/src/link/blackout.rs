//! Times in which nothing gets through.
//!
//! A packet is lost when its transmission *ends* in a blackout: it has used the queue and the
//! transmitter, which do not notice, and its last bit goes nowhere. Packets already in flight when
//! a blackout begins arrive.

use super::config::Blackout;
use crate::time::Time;

/// The blackouts of a link, passed one after the other.
#[derive(Clone, Debug)]
pub(super) struct Blackouts {
    sorted: Vec<Blackout>,
    /// The first one that is not over.
    next: usize,
}

impl Blackouts {
    pub(super) fn new(mut blackouts: Vec<Blackout>) -> Self {
        blackouts.sort_by_key(|blackout| blackout.start);
        Self {
            sorted: blackouts,
            next: 0,
        }
    }

    /// A transmission ends at `departure`, which must not decrease. Returns whether that is in a
    /// blackout.
    pub(super) fn cover(&mut self, departure: Time) -> bool {
        while let Some(blackout) = self.sorted.get(self.next) {
            if departure < blackout.end {
                return departure >= blackout.start;
            }
            self.next += 1;
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn blackouts(spans: &[(u64, u64)]) -> Vec<Blackout> {
        let blackout = |&(start, end): &(u64, u64)| Blackout {
            start: Time::from_nanos(start),
            end: Time::from_nanos(end),
        };
        spans.iter().map(blackout).collect()
    }

    #[test]
    fn a_blackout_holds_its_start_and_not_its_end() {
        let mut b = Blackouts::new(blackouts(&[(10, 20), (30, 40)]));
        let covered: Vec<u64> = (0..50).filter(|&t| b.cover(Time::from_nanos(t))).collect();
        assert_eq!(covered, (10..20).chain(30..40).collect::<Vec<_>>());
    }

    proptest! {
        #[test]
        fn overlapping_or_unsorted_ones_cover_their_union(
            spans in prop::collection::vec((0u64..100, 0u64..100), 0..8),
        ) {
            let list = blackouts(&spans);
            let mut b = Blackouts::new(list.clone());
            for t in (0..110).map(Time::from_nanos) {
                let inside = list.iter().any(|b| (b.start..b.end).contains(&t));
                prop_assert_eq!(b.cover(t), inside);
            }
        }
    }
}
