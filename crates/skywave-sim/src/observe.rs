//! Looking into a run while it goes on: packets on links, and stopping early.

use std::sync::atomic::AtomicBool;

use skywave_core::Time;
use skywave_core::link::Fate;
use skywave_core::packet::Packet;

/// Offer of a packet to a link, with what becomes of the packet, as an [`Observer`] is told of it.
#[derive(Clone, Copy, Debug)]
pub struct Offer<'a> {
    /// Time at which the packet reaches the link's sending node.
    pub at: Time,
    /// Index of the link in [`Spec::links`](crate::spec::Spec::links).
    pub link: usize,
    /// The packet as it was offered.
    pub packet: &'a Packet,
    /// Decision of the link, such as delivery at a time or a drop. (A packet that the link has not decided about by the
    /// end of the run arrives at the end.)
    pub fate: Fate,
    /// Number of times that the link transmits the packet; above 1 only with ARQ. A link without ARQ whose queue
    /// decides on arrival gives 1 even for a packet that it does not transmit.
    pub transmissions: u32,
}

/// Observer of a run: it is told of each packet that is offered to a link.
pub trait Observer {
    /// Takes note of a packet that was offered to a link. Calls for one link come in the order of time; calls for
    /// different links need not. No packet is offered at or after the end of the run, but the times in
    /// [`Offer::fate`], which is decided ahead, may lie there.
    fn on_offer(&mut self, offer: &Offer<'_>);

    /// Whether the run is to stop soon, as if [`Watch::cancel`] were set.
    fn has_enough(&self) -> bool {
        false
    }
}

/// Means by which the caller of [`simulate_watched`](crate::simulate_watched) observes a run's packets or cancels it.
#[derive(Default)]
pub struct Watch<'a> {
    /// Observer that is told of every packet offered to any link; `None` if nobody observes.
    pub observer: Option<&'a mut dyn Observer>,
    /// Flag that stops the run soon after it is set, by the observer or by another thread; `None` if nobody but the
    /// observer ([`Observer::has_enough`]) is to cancel the run.
    pub cancel: Option<&'a AtomicBool>,
}
