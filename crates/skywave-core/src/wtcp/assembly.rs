//! The parts of the stream that the receiver has, and how much more it has room for.

use std::collections::BTreeMap;

use super::packet::{Data, MAX_SACK_BLOCKS, SackBlock, SackBlocks};

/// Bytes of the buffer for each range that may be held beside others, so that a sender of tiny pieces takes
/// no more memory than its buffer. Full packets of which every other one is missing are further apart.
const BYTES_PER_RANGE: u32 = 128;
/// Ranges that may be held however small the buffer is.
const LEAST_RANGES: usize = 64;

/// The fate of a data packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Taken {
    /// The packet has something new.
    New,
    /// The whole packet had arrived before, or there is nothing in it.
    Duplicate,
    /// The packet does not fit the buffer or the end of the stream, or there are too many holes
    /// already.
    Refused,
}

/// The receiver's side of the stream.
#[derive(Clone, Debug)]
pub(super) struct Assembly {
    /// Everything below has arrived.
    next: u64,
    /// Ranges above that have arrived, by start, with their ends: neither touching nor overlapping. What a
    /// packet costs grows with the logarithm of their number.
    held: BTreeMap<u64, u64>,
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
            held: BTreeMap::new(),
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
        let highest = self
            .held
            .last_key_value()
            .map_or(self.next, |(_, &end)| end);
        let short = data.fin && self.end.is_none() && bytes_end < highest;
        if bytes_end > self.limit() || beyond_end || other_end || short {
            return Taken::Refused;
        }
        let before = self.held.range(..=data.rel_seq).next_back();
        let before = before.map(|(&start, &held_to)| (start, held_to));
        // An ACK with a block of nothing would be refused.
        let is_known = end <= self.next || before.is_some_and(|(_, held_to)| end <= held_to);
        if is_known || end == data.rel_seq {
            self.note_end(data, bytes_end);
            return Taken::Duplicate;
        }
        let joins = data.rel_seq <= self.next
            || before.is_some_and(|(_, held_to)| data.rel_seq <= held_to)
            || self.held.range(data.rel_seq..=end).next().is_some();
        if !joins && self.held.len() >= self.most_ranges() {
            return Taken::Refused;
        }
        self.note_end(data, bytes_end);
        self.hold(data.rel_seq, end);
        Taken::New
    }

    fn note_end(&mut self, data: &Data, bytes_end: u64) {
        if data.fin {
            self.end = Some(bytes_end);
        }
    }

    /// Number of ranges that may be held at a time.
    fn most_ranges(&self) -> usize {
        LEAST_RANGES.max((self.buffer / BYTES_PER_RANGE) as usize)
    }

    /// Adds a range, merged with its neighbours; what has become contiguous is no longer held.
    fn hold(&mut self, start: u64, end: u64) {
        let (mut start, mut end) = (start, end);
        // From the last one that begins before its end down to the first that does not reach it.
        while let Some((&other, &other_end)) = self.held.range(..=end).next_back()
            && other_end >= start
        {
            self.held.remove(&other);
            start = start.min(other);
            end = end.max(other_end);
        }
        if start <= self.next {
            self.next = end;
        } else {
            self.held.insert(start, end);
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
        let block = |(&start, &end): (&u64, &u64)| SackBlock {
            // A buffer has less than 2^32 bytes.
            start: (start - self.next) as u32,
            end: u32::try_from(end - self.next).unwrap_or(u32::MAX),
        };
        let blocks = self.held.iter().take(MAX_SACK_BLOCKS).map(block);
        (blocks.collect(), self.held.len() > MAX_SACK_BLOCKS)
    }
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

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
    fn an_empty_packet_brings_nothing() {
        let mut a = Assembly::new(1000);
        assert_eq!(a.insert(&data(100..100, false)), Taken::Duplicate);
        assert_eq!((a.next(), blocks(&a)), (0, vec![]));
        assert_eq!(a.insert(&data(100..100, true)), Taken::New, "an end");
        assert_eq!(blocks(&a), [(100, 101)]);
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

    /// A sender of one-byte pieces with holes between them: their number is bounded, and what fills a hole
    /// or prolongs a range is taken all the same.
    #[test]
    fn holes_are_bounded_and_can_still_be_filled() {
        let buffer = 1 << 20;
        let most = u64::from(buffer / BYTES_PER_RANGE);
        let mut a = Assembly::new(buffer);
        for n in 0..most {
            assert_eq!(
                a.insert(&data(2 * n + 1..2 * n + 2, false)),
                Taken::New,
                "{n}"
            );
        }
        let beyond = 2 * most + 1;
        assert_eq!(a.insert(&data(beyond..beyond + 1, false)), Taken::Refused);
        assert_eq!(a.insert(&data(beyond..beyond + 1, true)), Taken::Refused);
        assert_eq!(a.end, None, "a packet that is refused tells no end");
        assert_eq!(a.insert(&data(beyond - 1..beyond + 1, false)), Taken::New);
        assert_eq!(a.insert(&data(2..3, false)), Taken::New);
        assert_eq!(a.insert(&data(0..1, false)), Taken::New);
        assert_eq!(a.next(), 4);
        assert_eq!(a.insert(&data(0..2 * most, false)), Taken::New);
        assert_eq!((a.next(), a.held.len()), (beyond + 1, 0));
    }

    /// Small buffers, as the paper's, hold every pattern of losses of packets of 512 bytes.
    #[test]
    fn full_packets_of_which_every_other_one_is_missing_are_held() {
        for buffer in [65_536_u32, 4 << 20] {
            let mut a = Assembly::new(buffer);
            for n in 0..u64::from(buffer) / 1024 {
                let piece = 1024 * n + 512..1024 * n + 1024;
                assert_eq!(a.insert(&data(piece, false)), Taken::New);
            }
        }
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
