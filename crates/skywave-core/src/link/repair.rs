//! How a link repairs errors itself.

use crate::parameter::{Presets, optional, parameters};
use crate::time::Duration;

parameters! {
    /// Forward error correction: a code that lengthens each packet on the air and repairs some corrupted ones.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Fec as "fec" {
        /// Code rate: a packet takes 1/`rate` of its bytes on the air.
        rate: f64 = 1.0, Share.needed();
        /// Probability that a transmission which the loss models corrupt is repaired, independently.
        repair: f64 = 0.0, Probability.needed();
    }
}

impl Presets for Fec {
    const NONE: &'static str = "No code.";
}

parameters! {
    /// Retransmission by the link.
    // TCP-DCR, sections 3.5 and 4, with the defaults of its simulations; see `TimedLink`.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Arq as "arq" {
        /// Time from the end of the failed transmission until the packet is back at the head of the queue.
        round_trip: Option<Duration> = None, Period.or("twice the link's delay");
        /// Most retransmissions of a packet; then it is given up.
        retries: Option<u32> = None, Count.or("no limit");
        /// Delivery in the order of the first transmissions: what arrives after a missing packet waits at the far side
        /// until that one is repaired or given up.
        in_order: bool = false, Flag;
        /// The loss models act on retransmissions too. Blackouts always do.
        errors_on_retransmissions: bool = true, Flag;
    }
}

impl Presets for Arq {
    const NONE: &'static str = "No retransmission.";
    const PRESETS: &'static [(&'static str, &'static str, Self)] = &[(
        "tcp-dcr",
        "As in TCP-DCR's simulations: all defaults, the same as `{}`.",
        Self::DEFAULT,
    )];
}

optional!(Fec, Arq);
