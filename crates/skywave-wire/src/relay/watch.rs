//! Watching the packets of a relay: when each comes, and how it ends.

use skywave_core::Time;

use super::machine::{Cause, Course, Direction};

/// How a packet ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The system took it at the other side.
    Sent,
    /// The packet was lost on the way.
    Lost(Cause),
    /// The system refused it at the other side, or nobody is there any more.
    Unsent,
    /// Never arrives: a link has a rate of zero.
    NeverSent,
}

/// Observer of a relay's packets, which is told when each comes and how it ends; copies that a link makes are
/// not told.
pub trait Watch {
    /// A packet comes, before the first link; `at` counts from the first packet, and never goes back.
    fn comes(&mut self, at: Time, direction: Direction, packet: &[u8]);

    /// The packet before which `number` others came has ended. Packets end in any order; those still under way at the
    /// relay's end do not.
    fn ends(&mut self, number: u64, course: Course, end: End);

    /// Called some ten times a second.
    fn tick(&mut self);
}

/// Nobody.
impl Watch for () {
    fn comes(&mut self, _: Time, _: Direction, _: &[u8]) {}

    fn ends(&mut self, _: u64, _: Course, _: End) {}

    fn tick(&mut self) {}
}
