//! Looking into a run while it goes on: packets on links, and stopping early.

use std::sync::atomic::AtomicBool;

use skywave_core::Time;
use skywave_core::link::Fate;
use skywave_core::packet::Packet;

/// A packet offered to a link, and what becomes of it.
#[derive(Clone, Copy, Debug)]
pub struct Offer<'a> {
    /// Time at which the packet reaches the link's sending node.
    pub at: Time,
    /// The link's index in the specification.
    pub link: usize,
    /// The packet as it was offered.
    pub packet: &'a Packet,
    /// Decision of the link, such as delivery at a time or a drop. (A packet that a link with ARQ still has at the end
    /// of the run arrives at the end.)
    pub fate: Fate,
    /// Number of times that the link transmits the packet; above 1 only with ARQ.
    pub transmissions: u32,
}

/// Receiver of the packets of a run, as each is offered to a link.
pub trait Observer {
    /// A packet was offered to a link. Calls for one link come in the order of time; between links
    /// they need not, and some may lie after the end of the run (fates are decided ahead).
    fn on_offer(&mut self, offer: &Offer<'_>);
}

/// Influence of a caller on a run besides waiting for it: watching its packets, or cancelling it.
#[derive(Default)]
pub struct Watch<'a> {
    /// Observer that is told of every packet offered to any link; `None` for nobody.
    pub observer: Option<&'a mut dyn Observer>,
    /// Flag that another thread sets to stop the run soon; `None` if nobody is to cancel it.
    pub cancel: Option<&'a AtomicBool>,
}
