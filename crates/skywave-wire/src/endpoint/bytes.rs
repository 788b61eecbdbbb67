//! A part of a stream of bytes, which moves on.

use std::collections::VecDeque;
use std::ops::Range;

/// Bytes from one stream position on.
#[derive(Clone, Debug, Default)]
pub(super) struct Bytes {
    start: u64,
    bytes: VecDeque<u8>,
}

impl Bytes {
    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Adds some at the end.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend(bytes);
    }

    /// Stores some at a position; what is between them and the end so far is zeros. Those before the
    /// start are of no interest any more.
    pub(super) fn put(&mut self, position: u64, bytes: &[u8]) {
        let skip = self.start.saturating_sub(position).min(bytes.len() as u64) as usize;
        let bytes = &bytes[skip..];
        let Some(from) = self.offset(position + skip as u64) else {
            return;
        };
        let end = from + bytes.len();
        if self.bytes.len() < end {
            self.bytes.resize(end, 0);
        }
        let (front, back) = self.bytes.as_mut_slices();
        let (in_front, in_back) = parts(front.len(), from, end);
        let (first, second) = bytes.split_at(in_front.len());
        front[in_front].copy_from_slice(first);
        back[in_back].copy_from_slice(second);
    }

    /// Adds those from a position on to the end of `out`: `len` of them, or as many as there are.
    pub(super) fn copy(&self, position: u64, len: usize, out: &mut Vec<u8>) {
        let Some(from) = self.offset(position) else {
            return;
        };
        let end = (from + len).min(self.bytes.len());
        if from < end {
            let (front, back) = self.bytes.as_slices();
            let (in_front, in_back) = parts(front.len(), from, end);
            out.extend_from_slice(&front[in_front]);
            out.extend_from_slice(&back[in_back]);
        }
    }

    /// Takes the first ones out, as many as `out` holds and `most` allows.
    pub(super) fn take(&mut self, out: &mut [u8], most: u64) -> usize {
        let n = out.len().min(self.bytes.len());
        let n = usize::try_from(most).map_or(n, |most| n.min(most));
        let (front, back) = self.bytes.as_slices();
        let (in_front, in_back) = parts(front.len(), 0, n);
        let (first, second) = out[..n].split_at_mut(in_front.len());
        first.copy_from_slice(&front[in_front]);
        second.copy_from_slice(&back[in_back]);
        self.bytes.drain(..n);
        self.start += n as u64;
        n
    }

    /// Forgets those before a position.
    pub(super) fn forget(&mut self, before: u64) {
        if let Some(n) = self.offset(before) {
            let n = n.min(self.bytes.len());
            self.bytes.drain(..n);
            self.start += n as u64;
        }
    }

    fn offset(&self, position: u64) -> Option<usize> {
        usize::try_from(position.checked_sub(self.start)?).ok()
    }
}

/// The parts of a range that lie in each of the ring's two slices.
fn parts(front: usize, from: usize, end: usize) -> (Range<usize>, Range<usize>) {
    (
        from.min(front)..end.min(front),
        from.saturating_sub(front)..end.saturating_sub(front),
    )
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

    proptest! {
        /// The ring wraps at any place.
        #[test]
        fn a_window_of_a_stream_holds_what_the_stream_has(
            steps in prop::collection::vec((0..4_u8, 0..40_usize, 0..40_usize), 1..200),
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
                bytes.copy(start + (b as u64).min(end - start), 17, &mut out);
                let from = start + (b as u64).min(end - start);
                prop_assert_eq!(&out, &piece(from, ((end - from) as usize).min(17)));
            }
        }
    }
}
