//! The numbers that a packet has at a link.

use std::fmt;

/// The numbers of a packet at a link: the caller's number for the packet, its flow, its bytes, and a note. The
/// link gives all of them back with the packet's fate. It reads the flow (for fair queueing) and the bytes.
///
/// A tag is two words with two numbers in each, so that the processor copies it in registers: it is slow to read a
/// value as a whole that was written to memory in parts.
///
/// ```
/// use skywave_core::link::Tag;
///
/// let tag = Tag::new(7, 1500).of_flow(3).with_note(42);
/// assert_eq!((tag.id(), tag.size(), tag.flow(), tag.note()), (7, 1500, 3, 42));
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Tag {
    /// Flow, and number.
    who: u64,
    /// Bytes, and note.
    what: u64,
}

impl Tag {
    /// Packet number `id` of `size` bytes, of flow 0 and with note 0.
    #[inline]
    pub const fn new(id: u32, size: u32) -> Self {
        Self {
            who: id as u64,
            what: (size as u64) << 32,
        }
    }

    /// Sets the flow, which fair queueing tells apart from others.
    #[inline]
    pub const fn of_flow(self, flow: u32) -> Self {
        Self {
            who: (flow as u64) << 32 | self.id() as u64,
            ..self
        }
    }

    /// Sets the note: a number of the caller's that the link gives back with the packet's fate.
    #[inline]
    pub const fn with_note(self, note: u32) -> Self {
        Self {
            what: (self.size() as u64) << 32 | note as u64,
            ..self
        }
    }

    /// Raises the note by one; the note must be below [`u32::MAX`].
    #[inline]
    pub const fn with_next_note(self) -> Self {
        debug_assert!(self.note() < u32::MAX);
        Self {
            what: self.what + 1,
            ..self
        }
    }

    /// Sets the caller's number for the packet.
    #[inline]
    pub const fn with_id(self, id: u32) -> Self {
        Self {
            who: (self.flow() as u64) << 32 | id as u64,
            ..self
        }
    }

    /// The caller's number for the packet.
    #[inline]
    pub const fn id(self) -> u32 {
        self.who as u32
    }

    /// Number of the packet's flow, which fair queueing tells apart from others.
    #[inline]
    pub const fn flow(self) -> u32 {
        (self.who >> 32) as u32
    }

    /// Size of the packet in bytes.
    #[inline]
    pub const fn size(self) -> u32 {
        (self.what >> 32) as u32
    }

    /// The caller's note about the packet.
    #[inline]
    pub const fn note(self) -> u32 {
        self.what as u32
    }
}

impl fmt::Debug for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tag")
            .field("id", &self.id())
            .field("flow", &self.flow())
            .field("size", &self.size())
            .field("note", &self.note())
            .finish()
    }
}
