//! The list of what a ledger has not settled.

use std::collections::BTreeMap;

use super::Entry;

/// Entries that are kept in one list, unless they are of one segment: to put another one among them may move
/// them all.
const MANY: usize = 1024;

/// Entries for which a flow may have room without using it.
const ROOM: usize = 16;

/// Entries by segment and time. Most flows have few, in one list. Where nearly everything is lost there are as many
/// as segments sent, and each takes no longer than the logarithm of their number.
#[derive(Debug, Default)]
pub(super) struct Entries {
    /// Entries of the first segments, in order.
    first: Vec<Entry>,
    /// The segments after those; few flows ever have any.
    rest: Option<Box<Rest>>,
}

/// Entries of many segments, by the segments' ends.
#[derive(Debug, Default)]
struct Rest(BTreeMap<u64, Vec<Entry>>);

impl Entries {
    /// The first segments in order, each with all its entries.
    pub(super) fn first(&self) -> &[Entry] {
        &self.first
    }

    /// End of the first segment; as large as can be if there is none.
    pub(super) fn first_end(&self) -> u64 {
        self.first.first().map_or(u64::MAX, |entry| entry.end())
    }

    /// Another entry, behind those of the same segment and time.
    pub(super) fn insert(&mut self, entry: Entry) {
        if let Some(rest) = &mut self.rest
            && let Some((&first, _)) = rest.0.first_key_value()
            && first <= entry.end()
        {
            return insert(rest.0.entry(entry.end()).or_default(), entry);
        }
        insert(&mut self.first, entry);
        if self.first.len() > MANY {
            self.split();
        }
    }

    /// Moves the later segments of the first ones to the rest, if there are several.
    #[cold]
    fn split(&mut self) {
        let middle = self.first[MANY / 2].end();
        let below = self.first.partition_point(|entry| entry.end() < middle);
        let at = match below {
            0 => self.first.partition_point(|entry| entry.end() == middle),
            _ => below,
        };
        let segments = self.first[at..].chunk_by(|a, b| a.end() == b.end());
        let segments = segments.map(|entries| (entries[0].end(), entries.to_vec()));
        self.rest.get_or_insert_default().0.extend(segments);
        self.first.truncate(at);
    }

    /// Takes the first `entries` away, which are whole segments.
    pub(super) fn remove(&mut self, entries: usize) {
        self.first.drain(..entries);
        if self.first.is_empty() {
            self.refill();
        }
        if self.first.capacity() > ROOM {
            self.first.shrink_to(2 * self.first.len());
        }
    }

    /// The first ones are used up: takes more from the rest.
    fn refill(&mut self) {
        while let Some(rest) = &mut self.rest
            && self.first.len() < MANY / 2
        {
            match rest.0.pop_first() {
                Some((_, mut entries)) => self.first.append(&mut entries),
                None => self.rest = None,
            }
        }
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        let rest = self.rest.iter().flat_map(|rest| rest.0.values());
        self.first.len() + rest.map(Vec::len).sum::<usize>()
    }
}

fn insert(entries: &mut Vec<Entry>, entry: Entry) {
    grow(entries);
    let key = entry.key();
    // Most losses are those of the newest segments.
    let place = match entries.last() {
        Some(last) if last.key() > key => entries.partition_point(|entry| entry.key() <= key),
        _ => entries.len(),
    };
    entries.insert(place, entry);
}

/// Makes room for one more entry. A list that doubles would lie half empty in many flows.
fn grow(entries: &mut Vec<Entry>) {
    if entries.len() == entries.capacity() {
        entries.reserve_exact(entries.len() / 4 + 4);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use skywave_core::{Duration, Time};

    use super::super::{Found, What};
    use super::*;

    /// Sorting key: segment, time and order of insertion.
    fn key(entry: &Entry) -> (u64, Time, u64) {
        (entry.end(), entry.at, entry.segment)
    }

    /// Segments that are not over many entries are in lists of no more than that.
    fn is_short(entries: &[Entry]) -> bool {
        entries.len() <= MANY || entries[0].end() == entries[entries.len() - 1].end()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        #[test]
        fn they_come_in_order_however_they_were_put_in(
            put in prop::collection::vec((0_u64..300, 0_u64..60), 0..6000),
            takes in prop::collection::vec(0_usize..2000, 0..8),
            same in any::<bool>(),
        ) {
            let mut entries = Entries::default();
            let mut model = Vec::new();
            let step = put.len() / (takes.len() + 1) + 1;
            let mut takes = takes.into_iter();
            for part in put.chunks(step) {
                for &(end, ms) in part {
                    let end = if same { end / 250 } else { end };
                    // What tells entries of one time apart is the order in which they came.
                    let what = if model.len() % 2 == 0 { Found::Sack } else { Found::Timeout };
                    let at = Time::ZERO + Duration::from_millis(ms);
                    let entry = Entry::new(at, end, What::Resent(what));
                    entries.insert(entry);
                    model.push(entry);
                    prop_assert!(is_short(entries.first()));
                }
                model.sort_by_key(|entry: &Entry| entry.key());
                prop_assert_eq!(entries.len(), model.len());
                prop_assert_eq!(entries.first_end(), model.first().map_or(u64::MAX, |e| e.end()));
                let first = entries.first().len();
                prop_assert!(entries.first().iter().map(key).eq(model[..first].iter().map(key)));
                if let Some(take) = takes.next() {
                    let end = entries.first().get(take.min(first.saturating_sub(1))).map(|e| e.end());
                    let whole = entries.first().partition_point(|e| Some(e.end()) <= end);
                    entries.remove(whole);
                    model.drain(..whole);
                }
            }
            let mut all = Vec::new();
            while !entries.first().is_empty() {
                all.extend_from_slice(entries.first());
                entries.remove(entries.first().len());
            }
            prop_assert!(all.iter().map(key).eq(model.iter().map(key)));
            prop_assert_eq!(entries.len(), 0);
        }
    }
}
