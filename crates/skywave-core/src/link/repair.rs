//! How a link repairs errors itself.

use crate::parameter::{Described, Field, Kind, Presets, optional};
use crate::time::Duration;

/// Forward error correction: every packet carries redundancy, which repairs some of those that the
/// loss models corrupt.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fec {
    /// Code rate in (0, 1]: a packet takes 1/rate of its bytes on the air.
    pub rate: f64,
    /// Probability that a corrupted transmission is repaired, each independently.
    pub repair: f64,
}

impl Described for Fec {
    type Config = Self;
    const NAME: &'static str = "fec";
    const SUMMARY: &'static str = "Forward error correction.";
    const DEFAULT: Self = Self {
        rate: 1.0,
        repair: 0.0,
    };
    const FIELDS: &'static [Field<Self>] = &[
        Field::new(
            Kind::Share,
            "rate",
            "Code rate: a packet takes 1/`rate` of its bytes on the air",
            |c: &mut Self| &mut c.rate,
        )
        .needed(),
        Field::probability(
            "repair",
            "Probability that a transmission which the loss models corrupt is repaired, independently",
            |c: &mut Self| &mut c.repair,
        )
        .needed(),
    ];
}

impl Presets for Fec {
    const NONE: &'static str = "No code.";
}

/// Retransmission by the link (TCP-DCR, sections 3.5 and 4); see [`TimedLink`](super::TimedLink).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arq {
    /// Time from the end of a failed transmission until the packet is back at the head of the
    /// queue; `None` for a round trip of the link, twice its delay.
    pub round_trip: Option<Duration>,
    /// Most retransmissions of a packet, then it is given up; `None` for no limit.
    pub retries: Option<u32>,
    /// Deliver in the order of the first transmissions: what comes after a missing packet waits at
    /// the far side until that is repaired or given up.
    pub in_order: bool,
    /// Whether the loss models see retransmissions too. (Blackouts always do.)
    pub errors_on_retransmissions: bool,
}

impl Default for Arq {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl Described for Arq {
    type Config = Self;
    const NAME: &'static str = "arq";
    const SUMMARY: &'static str = "Retransmission by the link.";
    /// As in TCP-DCR's simulations.
    const DEFAULT: Self = Self {
        round_trip: None,
        retries: None,
        in_order: false,
        errors_on_retransmissions: true,
    };
    const FIELDS: &'static [Field<Self>] = &[
        Field::period(
            "round_trip",
            "Time from the end of the failed transmission until the packet is back at the head of the queue",
            |c: &mut Self| &mut c.round_trip,
        )
        .or("twice the link's delay"),
        Field::count(
            "retries",
            "Most retransmissions of a packet; then it is given up",
            |c: &mut Self| &mut c.retries,
        )
        .or("no limit"),
        Field::flag(
            "in_order",
            "What arrives after a missing packet waits at the far side until that one is repaired or given up",
            |c| &mut c.in_order,
        ),
        Field::flag(
            "errors_on_retransmissions",
            "The loss models act on retransmissions too. Blackouts always do",
            |c| &mut c.errors_on_retransmissions,
        ),
    ];
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
