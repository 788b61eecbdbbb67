//! A plain link: it only delays or drops packets, and nobody looks on.
//!
//! Plain links have a rate, a queue that is no RED, and nothing else. All that a packet reads and writes there is
//! in one cache line if it finds the link idle, in two if it must wait: packets of one size start at equal
//! distances, so that three numbers describe a queue of them (`link/starts.rs` of the core). A route names plain
//! links by their place in the list, so that nothing else is looked up.

use skywave_core::Time;
use skywave_core::link::{Link, Measured, Pipe};

/// A plain link, as most are. Wires lie in a list of their own, apart from the lanes that they
/// belong to, and aligned to cache lines: so the order of [`Pipe`]'s fields puts what packets need
/// into few of these.
#[repr(align(64))]
pub(crate) struct Wire(Pipe);

impl Wire {
    /// The wire of a link, which must be plain.
    pub(crate) fn new(link: Link) -> Self {
        debug_assert!(link.is_plain());
        Self(link.into_pipe())
    }

    /// Offers a packet. Returns the time at which it comes out, or `None` if the queue is full.
    /// `window` is that in which the run measures.
    #[inline(always)]
    pub(crate) fn send(&mut self, at: Time, size: u32, window: &(Time, Time)) -> Option<Time> {
        self.0.send(at, size, window)
    }

    /// Measurements of the link, at the end of the run.
    pub(crate) fn finish(&self, end: Time, window: &(Time, Time)) -> Measured {
        self.0.finish(end, window)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_link_is_two_cache_lines() {
        assert_eq!(size_of::<Wire>(), 2 * 64);
    }
}
