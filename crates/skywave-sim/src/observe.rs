//! Looking into a run while it goes on: packets on links, and stopping early.

use std::sync::atomic::AtomicBool;

use skywave_core::Time;
use skywave_core::link::Fate;
use skywave_core::packet::Packet;

/// A packet offered to a link, and what becomes of it.
#[derive(Clone, Copy, Debug)]
pub struct Offer<'a> {
    /// When the packet reaches the link's sending node.
    pub at: Time,
    /// The link's index in the specification.
    pub link: usize,
    /// The packet as it was offered.
    pub packet: &'a Packet,
    /// The link's decision. (A packet that a link with ARQ still has at the end of the run arrives
    /// at the end.)
    pub fate: Fate,
    /// How often the link transmits the packet; above 1 only with ARQ.
    pub transmissions: u32,
}

/// Watches the packets of a run.
pub trait Observer {
    /// A packet was offered to a link. Calls for one link come in the order of time; between links
    /// they need not, and some may lie after the end of the run (fates are decided ahead).
    fn on_offer(&mut self, offer: &Offer<'_>);
}

/// Influence of a caller on a run besides waiting for it: watching its packets, or cancelling it.
#[derive(Default)]
pub struct Watch<'a> {
    /// Sees every packet on every link.
    pub observer: Option<&'a mut dyn Observer>,
    /// Set from another thread to stop the run soon.
    pub cancel: Option<&'a AtomicBool>,
}
