//! Forward error correction: more bytes on the air, and a second chance for a corrupted packet.
//!
//! Below the level of packets nothing is modelled: a code has a rate, and repairs each corrupted
//! transmission with a fixed probability. It repairs what the loss models corrupt; in a blackout
//! there is nothing to repair.

use super::config::LinkConfig;
use super::impair::Chance;
use super::repair::Fec;
use crate::rng::Stream;

/// The code of a link.
#[derive(Clone, Debug)]
pub(super) struct Code {
    rate: f64,
    repair: Option<Chance>,
    /// Transmissions repaired and not reported yet.
    pub(super) repairs: u64,
}

impl Code {
    /// The code of a link, if it has one.
    pub(super) fn new(config: &LinkConfig, seed: u64, name: &str) -> Option<Self> {
        let Fec { rate, repair } = config.fec?;
        Some(Self {
            rate,
            repair: Chance::new(repair, Stream::named(seed, name, "fec")),
            repairs: 0,
        })
    }

    /// Bytes on the air for a packet of `size` bytes: size/rate to the nearest byte, so that
    /// rounding errors of the quotient add none.
    pub(super) fn coded(&self, size: u32) -> u32 {
        libm::round(f64::from(size) / self.rate) as u32
    }

    /// A transmission was corrupted. Returns whether the code repairs it.
    pub(super) fn repairs(&mut self) -> bool {
        let repaired = self.repair.as_mut().is_some_and(Chance::happens);
        self.repairs += u64::from(repaired);
        repaired
    }
}
