//! A plain link: it only delays or drops packets, and nobody looks on.

use skywave_core::Time;
use skywave_core::driver::DriveLink;
use skywave_core::link::{Link, Measured};

/// A plain link, as most are. Wires lie in a list of their own, apart from the lanes that they
/// belong to, and aligned to cache lines: so the order of [`Link`]'s fields puts what packets need
/// into few of these.
#[repr(align(64))]
pub(crate) struct Wire(Link);

impl Wire {
    /// The wire of a link, which must be plain.
    pub(crate) fn new(link: Link) -> Self {
        debug_assert!(link.is_plain());
        Self(link)
    }

    /// Offers a packet. Returns the time at which it comes out, or `None` if the queue is full.
    #[inline(always)]
    pub(crate) fn send(&mut self, at: Time, size: u32) -> Option<Time> {
        self.0.send_plain(at, size)
    }

    /// What was measured, at the end of the run.
    pub(crate) fn finish(&self, end: Time) -> Measured {
        self.0.finish(end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_link_is_three_cache_lines() {
        assert_eq!(size_of::<Wire>(), 3 * 64);
    }
}
