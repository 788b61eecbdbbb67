//! Packets of a capture that wait for their ends.
//!
//! A packet's end is known later than those of packets behind it, and a capture is in the order of time. So packets
//! wait behind the first one that has not ended, in bounded memory: beyond that the first one is written as it is.

use std::collections::VecDeque;

use skywave_wire::relay::{Course, Direction, End};

/// A packet that came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Record {
    /// When it came, nanoseconds since the beginning of 1970.
    pub(super) at_ns: u64,
    /// The way it goes.
    pub(super) direction: Direction,
    /// Length of the whole packet, bytes.
    pub(super) length: u32,
    /// The bytes that are kept of it.
    pub(super) bytes: Box<[u8]>,
    /// End of the packet; `None` while it is under way.
    pub(super) end: Option<(Course, End)>,
}

impl Record {
    /// Bytes of memory that it takes.
    fn size(&self) -> usize {
        size_of::<Self>() + self.bytes.len()
    }
}

/// Packets in the order in which they came.
#[derive(Debug)]
pub(super) struct Held {
    waiting: VecDeque<Record>,
    /// Packets that have left.
    gone: u64,
    /// Memory that is taken, bytes.
    size: usize,
    /// Memory that may be taken, bytes.
    most: usize,
}

impl Held {
    /// Nothing yet; takes `most` bytes of memory or a packet more.
    pub(super) fn new(most: usize) -> Self {
        Self {
            waiting: VecDeque::new(),
            gone: 0,
            size: 0,
            most,
        }
    }

    /// Adds a packet behind all others.
    pub(super) fn push(&mut self, record: Record) {
        self.size += record.size();
        self.waiting.push_back(record);
    }

    /// Notes how the packet before which `number` others came has ended, unless it has left.
    pub(super) fn ends(&mut self, number: u64, course: Course, end: End) {
        let place = number.checked_sub(self.gone);
        let place = place.and_then(|place| usize::try_from(place).ok());
        if let Some(record) = place.and_then(|place| self.waiting.get_mut(place)) {
            record.end = Some((course, end));
        }
    }

    /// The first packet, if it has ended or there is no room to wait for that.
    pub(super) fn next(&mut self) -> Option<Record> {
        let first = self.waiting.front()?;
        if first.end.is_none() && self.size <= self.most {
            return None;
        }
        self.leave()
    }

    /// The first packet, as it is.
    pub(super) fn leave(&mut self) -> Option<Record> {
        let record = self.waiting.pop_front()?;
        self.gone += 1;
        self.size -= record.size();
        Some(record)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SENT: End = End::Sent;

    fn record(at_ns: u64) -> Record {
        Record {
            at_ns,
            direction: Direction::Forward,
            length: 1500,
            bytes: [0; 100].into(),
            end: None,
        }
    }

    fn held(packets: u64, most: usize) -> Held {
        let mut held = Held::new(most);
        (0..packets).for_each(|at| held.push(record(at)));
        held
    }

    fn left(held: &mut Held) -> Vec<(u64, bool)> {
        let left = std::iter::from_fn(|| held.next());
        left.map(|record| (record.at_ns, record.end.is_some()))
            .collect()
    }

    #[test]
    fn packets_leave_in_the_order_of_time_however_they_end() {
        let mut held = held(4, usize::MAX);
        held.ends(2, Course::default(), SENT);
        held.ends(1, Course::default(), End::Unsent);
        assert_eq!(left(&mut held), []);
        held.ends(0, Course::default(), SENT);
        assert_eq!(left(&mut held), [(0, true), (1, true), (2, true)]);
        // The numbers go on, and of those that have left nothing is known any more.
        held.ends(1, Course::default(), SENT);
        assert_eq!(left(&mut held), []);
        held.push(record(4));
        held.ends(4, Course::default(), SENT);
        held.ends(3, Course::default(), SENT);
        held.ends(5, Course::default(), SENT);
        assert_eq!(left(&mut held), [(3, true), (4, true)]);
        assert_eq!((held.gone, held.size), (5, 0));
    }

    #[test]
    fn the_first_packet_makes_room_without_an_end() {
        let mut held = held(5, 3 * record(0).size());
        held.ends(1, Course::default(), SENT);
        held.ends(4, Course::default(), SENT);
        // Two are too many, of which one had ended.
        assert_eq!(left(&mut held), [(0, false), (1, true)]);
        held.ends(0, Course::default(), SENT);
        held.ends(2, Course::default(), SENT);
        assert_eq!(left(&mut held), [(2, true)]);
        let rest = std::iter::from_fn(|| held.leave()).map(|record| record.at_ns);
        assert_eq!(rest.collect::<Vec<_>>(), [3, 4]);
        assert_eq!(held.size, 0);
    }
}
