//! A part of a stream of bytes, which moves on.

use std::collections::VecDeque;
use std::ops::Range;

/// Bytes of a page, what is allocated at a time: a packet or a few.
const PAGE: usize = 4096;

/// Bytes from one stream position on. Memory is taken for the pages in which some have arrived, not for
/// the window: a packet at its end costs one page.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bytes {
    start: u64,
    end: u64,
    /// From the page of `start` on.
    pages: VecDeque<Option<Box<[u8; PAGE]>>>,
}

impl Bytes {
    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        (self.end - self.start) as usize
    }

    /// Adds some at the end.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.put(self.end, bytes);
    }

    /// Stores some at a position; what is between them and the end so far is zeros. Those before the
    /// start are of no interest any more.
    pub(crate) fn put(&mut self, position: u64, mut bytes: &[u8]) {
        let skip = self.start.saturating_sub(position).min(bytes.len() as u64);
        bytes = &bytes[skip as usize..];
        let mut position = position + skip;
        if position < self.start {
            return;
        }
        self.end = self.end.max(position + bytes.len() as u64);
        while !bytes.is_empty() {
            let (page, range) = self.place(position, bytes.len());
            if self.pages.len() <= page {
                self.pages.resize(page + 1, None);
            }
            let kept = self.pages[page].get_or_insert_with(|| Box::new([0; PAGE]));
            let (now, later) = bytes.split_at(range.len());
            kept[range].copy_from_slice(now);
            position += now.len() as u64;
            bytes = later;
        }
    }

    /// Adds those from a position on to the end of `out`: `len` of them, or as many as there are.
    pub(crate) fn copy(&self, position: u64, len: usize, out: &mut Vec<u8>) {
        let end = self.end.min(position.saturating_add(len as u64));
        let mut position = position;
        while (self.start..end).contains(&position) {
            let (page, range) = self.place(position, (end - position) as usize);
            position += range.len() as u64;
            match self.pages.get(page) {
                Some(Some(page)) => out.extend_from_slice(&page[range]),
                _ => out.resize(out.len() + range.len(), 0),
            }
        }
    }

    /// Takes the first ones out, as many as `out` holds and `most` allows.
    pub(crate) fn take(&mut self, out: &mut [u8], most: u64) -> usize {
        let n = out.len().min(self.len());
        let n = usize::try_from(most).map_or(n, |most| n.min(most));
        let mut done = 0;
        while done < n {
            let (page, range) = self.place(self.start + done as u64, n - done);
            let out = &mut out[done..done + range.len()];
            done += range.len();
            match self.pages.get(page) {
                Some(Some(page)) => out.copy_from_slice(&page[range]),
                _ => out.fill(0),
            }
        }
        self.forget(self.start + n as u64);
        n
    }

    /// Forgets those before a position.
    pub(crate) fn forget(&mut self, before: u64) {
        let before = before.min(self.end);
        if before <= self.start {
            return;
        }
        let gone = (before / PAGE as u64 - self.start / PAGE as u64) as usize;
        self.pages.drain(..gone.min(self.pages.len()));
        self.start = before;
    }

    /// Index of the page that holds `position`, which must not lie before the start, and the range of `len` bytes in
    /// that page from there, cut at the page's end.
    fn place(&self, position: u64, len: usize) -> (usize, Range<usize>) {
        let page = position / PAGE as u64 - self.start / PAGE as u64;
        let from = (position % PAGE as u64) as usize;
        (page as usize, from..PAGE.min(from + len))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn holes_are_filled_later() {
        let mut bytes = Bytes::default();
        bytes.put(3, b"def");
        bytes.put(0, b"abc");
        let mut out = [0; 4];
        assert_eq!(bytes.take(&mut out, 2), 2);
        assert_eq!(&out[..2], b"ab");
        bytes.put(1, b"xc");
        let mut all = Vec::new();
        bytes.copy(2, 99, &mut all);
        assert_eq!(all, b"cdef");
    }

    /// Memory is taken for what has arrived, not for the window up to it.
    #[test]
    fn a_packet_at_the_end_of_the_window_takes_one_page() {
        let mut bytes = Bytes::default();
        bytes.put((4 << 20) - 10, b"far ahead!");
        let taken = |bytes: &Bytes| bytes.pages.iter().flatten().count();
        assert_eq!((bytes.len(), taken(&bytes)), (4 << 20, 1));
        let mut out = vec![1; (4 << 20) - 10];
        assert_eq!(bytes.take(&mut out, u64::MAX), out.len());
        assert!(out.iter().all(|byte| *byte == 0));
        assert_eq!(bytes.take(&mut out, u64::MAX), 10);
        assert_eq!(&out[..10], b"far ahead!");
        assert_eq!((bytes.len(), taken(&bytes)), (0, 0));
    }

    proptest! {
        /// Pages begin and end at any place.
        #[test]
        fn a_window_of_a_stream_holds_what_the_stream_has(
            steps in prop::collection::vec((0..4_u8, 0..4000_usize, 0..4000_usize), 1..100),
        ) {
            let byte = |n: u64| (n % 251) as u8;
            let piece = |from: u64, len: usize| (from..from + len as u64).map(byte).collect::<Vec<_>>();
            let mut bytes = Bytes::default();
            let (mut start, mut end) = (0, 0);
            for (kind, a, b) in steps {
                match kind {
                    0 => {
                        bytes.push(&piece(end, a));
                        end += a as u64;
                    }
                    1 => {
                        let from = start + (a as u64).min(end - start);
                        bytes.put(from.saturating_sub(3), &piece(from.saturating_sub(3), b));
                        end = end.max(from.saturating_sub(3) + b as u64).max(start);
                    }
                    2 => {
                        let mut out = vec![0; a];
                        let n = bytes.take(&mut out, b as u64);
                        prop_assert_eq!(n, a.min(b).min((end - start) as usize));
                        prop_assert_eq!(&out[..n], &piece(start, n)[..]);
                        start += n as u64;
                    }
                    _ => {
                        start += (a as u64).min(end - start);
                        bytes.forget(start);
                    }
                }
                prop_assert_eq!(bytes.len() as u64, end - start);
                let mut out = Vec::new();
                bytes.copy(start + (b as u64).min(end - start), 5000, &mut out);
                let from = start + (b as u64).min(end - start);
                prop_assert_eq!(&out, &piece(from, ((end - from) as usize).min(5000)));
            }
        }
    }
}
