//! The send queue of Linux: what is written lies in buffers, each of which counts for more than its data.
//!
//! An application may write while less than the socket's limit is counted, a whole buffer at a time, and is woken when
//! a third of the limit is free. Nobody says so but the source of the kernel; scripts rely on it.

use std::collections::VecDeque;

/// Bytes that a buffer counts for beside its data: its descriptor and the room for headers.
const OVERHEAD: u64 = 1280;
/// Bytes of a buffer for headers, and of its descriptor, by which the limit grows with the window.
const HEADERS: u64 = 640;
const DESCRIPTOR: u64 = 256;
/// The largest buffer: what a device is handed at once, less the headers.
const LARGEST: u64 = 65_536 - 1 - 320;
/// Windows up to this are not halved to find the size of buffers.
const SMALL_WINDOW: u64 = 536;

/// A buffer, by the positions of its bytes in the stream.
#[derive(Clone, Copy, Debug)]
struct Buffer {
    start: u64,
    end: u64,
}

/// Buffers from the first byte that is not acknowledged on.
#[derive(Clone, Debug, Default)]
pub(crate) struct SendQueue {
    buffers: VecDeque<Buffer>,
    /// Everything before this is acknowledged, ...
    acknowledged: u64,
    /// ... sent, ...
    sent: u64,
    /// ... and written.
    written: u64,
    /// Nothing is added to the last buffer.
    sealed: bool,
}

impl SendQueue {
    /// Bytes that count against the limit.
    pub(crate) fn counted(&self) -> u64 {
        self.written - self.acknowledged + OVERHEAD * self.buffers.len() as u64
    }

    /// Bytes written and not sent.
    pub(crate) fn unsent(&self) -> u64 {
        self.written - self.sent
    }

    /// Bytes that the last buffer of at most `goal` may still take.
    pub(crate) fn room_in_last(&self, goal: u64) -> u64 {
        match self.buffers.back() {
            Some(last) if last.start >= self.sent && !self.sealed => {
                goal.saturating_sub(last.end - last.start)
            }
            _ => 0,
        }
    }

    /// `bytes` are written: to the last buffer of at most `goal` if it has room, else to a new one.
    pub(crate) fn write(&mut self, bytes: u64, goal: u64) {
        let start = self.written;
        self.written += bytes;
        if self.room_in_last(goal) >= bytes
            && let Some(last) = self.buffers.back_mut()
        {
            last.end = self.written;
        } else {
            let end = self.written;
            self.buffers.push_back(Buffer { start, end });
            self.sealed = false;
        }
    }

    /// Bytes that are written next lie in a buffer of their own.
    pub(crate) fn seal(&mut self) {
        self.sealed = true;
    }

    /// Everything below `sent` was sent, at most `most` bytes at once: buffers are cut there.
    pub(crate) fn on_sent(&mut self, sent: u64, most: u64) {
        while self.sent < sent {
            let at = self.buffers.partition_point(|b| b.end <= self.sent);
            let Some(buffer) = self.buffers.get_mut(at) else {
                break;
            };
            let Buffer { start, end } = *buffer;
            let cut = end.min(start + most).min(sent).max(self.sent + 1);
            buffer.end = cut;
            if cut < end {
                self.buffers.insert(at + 1, Buffer { start: cut, end });
            }
            self.sent = cut;
        }
    }

    /// Everything below `acknowledged` is acknowledged.
    pub(crate) fn on_acknowledged(&mut self, acknowledged: u64) {
        self.acknowledged = acknowledged;
        while self.buffers.front().is_some_and(|b| b.end <= acknowledged) {
            self.buffers.pop_front();
        }
    }
}

/// The size of buffers: whole segments of `mss` bytes that are no more than half of the largest window of the peer's.
pub(crate) fn goal(mss: u64, largest_window: u64) -> u64 {
    let mss = mss.max(1);
    let half = if largest_window > SMALL_WINDOW {
        largest_window / 2
    } else {
        largest_window
    };
    let largest = if half > 0 { LARGEST.min(half) } else { LARGEST };
    (largest / mss * mss).max(mss)
}

/// The limit that a window of `segments` makes of a limit that the application has not set.
pub(crate) fn limit_of_window(mss: u64, segments: u64) -> u64 {
    let each = (mss + HEADERS).next_power_of_two() + DESCRIPTOR;
    2 * segments.max(10) * each
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_are_filled_and_cut_where_they_are_sent() {
        let mut queue = SendQueue::default();
        queue.write(16_000, 16_000);
        queue.on_sent(10_000, 64_000);
        assert_eq!(queue.counted(), 16_000 + 2 * OVERHEAD);
        assert_eq!(queue.room_in_last(16_000), 10_000);
        queue.write(10_000, 16_000);
        assert_eq!(queue.counted(), 26_000 + 2 * OVERHEAD);
        assert_eq!(queue.room_in_last(16_000), 0);
        queue.on_acknowledged(10_000);
        assert_eq!(queue.counted(), 16_000 + OVERHEAD);
        queue.on_sent(20_000, 4000);
        assert_eq!(queue.counted(), 16_000 + 4 * OVERHEAD);
        queue.on_acknowledged(15_000);
        assert_eq!(queue.counted(), 11_000 + 3 * OVERHEAD);
    }

    #[test]
    fn sizes_are_whole_segments_of_half_a_window() {
        assert_eq!(goal(1000, 257 << 7), 16_000);
        assert_eq!(goal(988, 2000), 988);
        assert_eq!(goal(1000, 1 << 20), 65_000);
        assert_eq!(limit_of_window(1000, 36), 165_888);
    }
}
