//! Packets of a link with a time of its own, and a first-in first-out list of them.

use std::collections::VecDeque;

use crate::link::Tag;
use crate::packet::Ecn;
use crate::time::Time;
use crate::units::Backlog;

/// A packet in the queue of a link, or in transmission.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub(crate) tag: Tag,
    /// When it came to the link.
    pub(crate) came: Time,
    /// ECN field that the packet came with.
    pub(in crate::link) ecn: Ecn,
    /// Whether the queue has marked the packet.
    pub(crate) marked: bool,
    /// Transmissions so far.
    pub(in crate::link) transmissions: u32,
    /// Place of the packet in the order of first transmissions; 0 before its own.
    pub(in crate::link) number: u64,
}

impl Frame {
    /// A packet that comes at `came`.
    #[inline]
    pub(crate) fn new(came: Time, tag: Tag, ecn: Ecn) -> Self {
        Self {
            tag,
            came,
            ecn,
            marked: false,
            transmissions: 0,
            number: 0,
        }
    }

    /// Marks the packet, if it is ECN-capable and `wanted`; false if it has to be dropped.
    pub(super) fn mark(&mut self, wanted: bool) -> bool {
        let marks = wanted && self.ecn.is_capable();
        self.marked |= marks;
        marks
    }
}

/// Packets that leave from the head, as CoDel looks at them.
pub(super) trait Heads {
    /// Takes the first packet.
    fn pop(&mut self) -> Option<Frame>;

    /// Bytes of all packets.
    fn bytes(&self) -> u64;
}

/// Packets in the order in which they leave, and their bytes.
#[derive(Clone, Debug, Default)]
pub(in crate::link) struct Frames {
    list: VecDeque<Frame>,
    bytes: u64,
}

impl Frames {
    pub(super) fn push(&mut self, frame: Frame) {
        self.bytes += u64::from(frame.tag.size());
        self.list.push_back(frame);
    }

    /// Puts a packet before the others.
    pub(in crate::link) fn push_front(&mut self, frame: Frame) {
        self.bytes += u64::from(frame.tag.size());
        self.list.push_front(frame);
    }

    #[inline]
    pub(in crate::link) fn pop(&mut self) -> Option<Frame> {
        let frame = self.list.pop_front()?;
        self.bytes -= u64::from(frame.tag.size());
        Some(frame)
    }

    /// Takes out the packet of this number, wherever it is.
    pub(super) fn withdraw(&mut self, id: u32) {
        let place = self.list.iter().position(|frame| frame.tag.id() == id);
        if let Some(frame) = place.and_then(|place| self.list.remove(place)) {
            self.bytes -= u64::from(frame.tag.size());
        }
    }

    /// The packet that leaves next.
    #[inline]
    pub(super) fn head(&self) -> Option<&Frame> {
        self.list.front()
    }

    pub(in crate::link) fn len(&self) -> usize {
        self.list.len()
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(in crate::link) fn totals(&self) -> Backlog {
        Backlog::new(self.len(), self.bytes)
    }
}

impl Heads for Frames {
    #[inline]
    fn pop(&mut self) -> Option<Frame> {
        self.pop()
    }

    #[inline]
    fn bytes(&self) -> u64 {
        self.bytes
    }
}
