//! Watching the packets of a relay: when each comes, and how it ends.

use skywave_core::Time;

use super::machine::{Cause, Course, Direction};

/// Fate of a packet that came to a relay, as [`Watch::ends`] is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Sent: the system took the packet at the other side.
    Sent,
    /// Lost within the relay, for this reason.
    Lost(Cause),
    /// Not sent: the system refused the packet at the other side, or its client is gone.
    Unsent,
    /// Never sent: the packet is on a link with a rate of zero.
    NeverSent,
}

/// Observer of a relay's packets, which is told when each comes and how it ends, but nothing of the copies that links
/// make.
pub trait Watch {
    /// Called when a packet comes, before the first link. `at` is the time since the first packet, and never goes back;
    /// packets are numbered in the order of these calls, from 0.
    fn comes(&mut self, at: Time, direction: Direction, packet: &[u8]);

    /// Called when the packet with this number has ended. Packets end in any order; for those still under way at the
    /// end of the relay there is no call, except with [`End::NeverSent`].
    fn ends(&mut self, number: u64, course: Course, end: End);

    /// Called some ten times a second, whether packets come or not.
    fn tick(&mut self);
}

/// Observer that takes no notice.
impl Watch for () {
    fn comes(&mut self, _: Time, _: Direction, _: &[u8]) {}

    fn ends(&mut self, _: u64, _: Course, _: End) {}

    fn tick(&mut self) {}
}
