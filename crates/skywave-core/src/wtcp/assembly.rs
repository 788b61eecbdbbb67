//! Which parts of the stream the receiver has, and how much more it has room for.

use std::ops::Range;

use super::packet::{Data, MAX_SACK_BLOCKS, SackBlock, SackBlocks};

/// The fate of a data packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Taken {
    /// It has something new.
    New,
    /// All of it was there.
    Duplicate,
    /// It does not fit the buffer, or the end of the stream.
    Refused,
}

/// The receiver's side of the stream.
#[derive(Clone, Debug)]
pub(super) struct Assembly {
    /// Everything below has arrived.
    next: u64,
    /// Ranges above that have arrived, in order, neither touching nor overlapping.
    held: Vec<Range<u64>>,
    /// Bytes that the application has read.
    read: u64,
    /// Where the stream ends, once known.
    end: Option<u64>,
    buffer: u32,
}

impl Assembly {
    /// Nothing yet, with room for `buffer` bytes.
    pub(super) fn new(buffer: u32) -> Self {
        Self {
            next: 0,
            held: Vec::new(),
            read: 0,
            end: None,
            buffer,
        }
    }

    /// Takes what `data` brings.
    pub(super) fn insert(&mut self, data: &Data) -> Taken {
        let Some(end) = data.end() else {
            return Taken::Refused;
        };
        let bytes_end = end - u64::from(data.fin);
        let beyond_end = self.end.is_some_and(|e| bytes_end > e);
        let other_end = data.fin && self.end.is_some_and(|e| bytes_end != e);
        let highest = self.held.last().map_or(self.next, |last| last.end);
        let short = data.fin && self.end.is_none() && bytes_end < highest;
        if bytes_end > self.limit() || beyond_end || other_end || short {
            return Taken::Refused;
        }
        if data.fin {
            self.end = Some(bytes_end);
        }
        if end <= self.next
            || self
                .held
                .iter()
                .any(|h| h.start <= data.rel_seq && end <= h.end)
        {
            return Taken::Duplicate;
        }
        self.hold(data.rel_seq..end);
        Taken::New
    }

    /// Adds a range, merged with its neighbours; what has become contiguous is no longer held.
    fn hold(&mut self, range: Range<u64>) {
        let from = self.held.partition_point(|h| h.end < range.start);
        let to = self.held.partition_point(|h| h.start <= range.end);
        let merged = self.held[from..to]
            .iter()
            .fold(range, |m, h| m.start.min(h.start)..m.end.max(h.end));
        self.held.splice(from..to, [merged]);
        if self.held[0].start <= self.next {
            self.next = self.held.remove(0).end;
        }
    }

    /// The application has read `bytes` more; not more than there are.
    pub(super) fn read(&mut self, bytes: u64) {
        self.read += bytes.min(self.readable());
    }

    /// Bytes in order that the application has not read.
    pub(super) fn readable(&self) -> u64 {
        self.arrived() - self.read
    }

    /// Bytes in order that have arrived.
    pub(super) fn arrived(&self) -> u64 {
        self.next - u64::from(self.is_complete())
    }

    /// The end of the stream has arrived and everything before it.
    pub(super) fn is_complete(&self) -> bool {
        self.end.is_some_and(|end| self.next > end)
    }

    /// The cumulative acknowledgement.
    pub(super) fn next(&self) -> u64 {
        self.next
    }

    /// Bytes from this position on do not fit the buffer.
    pub(super) fn limit(&self) -> u64 {
        self.read + u64::from(self.buffer)
    }

    /// The lowest blocks that are held, and whether there are more.
    pub(super) fn sack(&self) -> (SackBlocks, bool) {
        let block = |held: &Range<u64>| SackBlock {
            // A buffer has less than 2^32 bytes.
            start: (held.start - self.next) as u32,
            end: u32::try_from(held.end - self.next).unwrap_or(u32::MAX),
        };
        let blocks = self.held.iter().take(MAX_SACK_BLOCKS).map(block);
        (blocks.collect(), self.held.len() > MAX_SACK_BLOCKS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(range: Range<u64>, fin: bool) -> Data {
        Data {
            rel_seq: range.start,
            len: (range.end - range.start) as u16,
            fin,
            ..Data::default()
        }
    }

    fn blocks(assembly: &Assembly) -> Vec<(u32, u32)> {
        let (blocks, _) = assembly.sack();
        blocks.iter().map(|b| (b.start, b.end)).collect()
    }

    #[test]
    fn holes_are_held_merged_and_filled() {
        let mut a = Assembly::new(1000);
        assert_eq!(a.insert(&data(100..200, false)), Taken::New);
        assert_eq!(a.insert(&data(300..400, false)), Taken::New);
        assert_eq!(blocks(&a), [(100, 200), (300, 400)]);
        assert_eq!(a.insert(&data(200..300, false)), Taken::New);
        assert_eq!(blocks(&a), [(100, 400)]);
        assert_eq!(a.insert(&data(150..250, false)), Taken::Duplicate);
        assert_eq!(a.insert(&data(0..100, false)), Taken::New);
        assert_eq!((a.next(), blocks(&a)), (400, vec![]));
        assert_eq!(a.insert(&data(0..100, false)), Taken::Duplicate);
    }

    #[test]
    fn the_buffer_is_what_is_unread() {
        let mut a = Assembly::new(100);
        assert_eq!(a.insert(&data(50..101, false)), Taken::Refused);
        assert_eq!(a.insert(&data(0..100, false)), Taken::New);
        assert_eq!((a.readable(), a.limit()), (100, 100));
        a.read(30);
        assert_eq!((a.readable(), a.limit()), (70, 130));
        assert_eq!(a.insert(&data(100..130, false)), Taken::New);
        a.read(1000);
        assert_eq!((a.readable(), a.limit()), (0, 230));
    }

    #[test]
    fn the_end_takes_a_position_and_stays_where_it_is() {
        let mut a = Assembly::new(100);
        assert_eq!(a.insert(&data(10..20, true)), Taken::New);
        assert_eq!(blocks(&a), [(10, 21)]);
        assert_eq!(a.insert(&data(20..21, false)), Taken::Refused);
        assert_eq!(a.insert(&data(0..15, true)), Taken::Refused);
        assert!(!a.is_complete());
        assert_eq!(a.insert(&data(0..10, false)), Taken::New);
        assert!(a.is_complete());
        assert_eq!((a.next(), a.arrived(), a.readable()), (21, 20, 20));
    }

    #[test]
    fn an_end_below_what_has_arrived_is_refused() {
        let mut a = Assembly::new(100);
        assert_eq!(a.insert(&data(10..20, false)), Taken::New);
        assert_eq!(a.insert(&data(0..5, true)), Taken::Refused);
        assert_eq!(a.insert(&data(u64::MAX..u64::MAX, true)), Taken::Refused);
    }

    #[test]
    fn a_sack_has_the_lowest_blocks_and_says_when_there_are_more() {
        let mut a = Assembly::new(1000);
        for n in 0..6 {
            a.insert(&data(20 * n + 10..20 * n + 20, false));
        }
        assert!(!a.sack().1);
        a.insert(&data(500..510, false));
        let (blocks, more) = a.sack();
        assert!(more);
        assert_eq!(
            blocks.last(),
            Some(&SackBlock {
                start: 110,
                end: 120
            })
        );
    }
}
