//! Sets of stream positions.

use std::collections::BTreeMap;

/// A set of integers as ranges that neither touch nor overlap.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Ranges {
    /// End by start.
    by_start: BTreeMap<u64, u64>,
}

impl Ranges {
    /// Adds `start..end`; gives how many of them are new.
    pub(super) fn insert(&mut self, start: u64, end: u64) -> u64 {
        if start >= end {
            return 0;
        }
        let (mut from, mut to) = (start, end);
        let mut known = 0;
        // The ranges that overlap or touch, from the last one on.
        while let Some((&first, &last)) = self.by_start.range(..=end).next_back()
            && last >= start
        {
            known += last.min(end).saturating_sub(first.max(start));
            from = from.min(first);
            to = to.max(last);
            self.by_start.remove(&first);
        }
        self.by_start.insert(from, to);
        end - start - known
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_join_and_count_what_is_new() {
        let mut set = Ranges::default();
        assert_eq!(set.insert(10, 20), 10);
        assert_eq!(set.insert(30, 40), 10);
        assert_eq!(set.insert(12, 18), 0);
        assert_eq!(set.insert(20, 25), 5); // touches
        assert_eq!(set.insert(5, 35), 5 + 5);
        assert_eq!(set.insert(7, 7), 0);
        assert_eq!(set.by_start, BTreeMap::from([(5, 40)]));
    }

    #[test]
    fn as_a_set_of_single_integers_says() {
        let mut set = Ranges::default();
        let mut known = std::collections::BTreeSet::new();
        let mut x = 1u64;
        for _ in 0..500 {
            x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let start = (x >> 33) % 1000;
            let end = start + (x >> 50) % 40;
            let new = (start..end).filter(|i| known.insert(*i)).count();
            assert_eq!(set.insert(start, end), new as u64);
        }
        let size: u64 = set.by_start.iter().map(|(start, end)| end - start).sum();
        assert_eq!(size, known.len() as u64);
    }
}
