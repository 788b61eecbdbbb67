//! Options that two SYNs agree on, and what becomes of the halves without them.
//!
//! Without SACK, when the peer does not permit it, a recovery with a scoreboard becomes NewReno, and RACK-TLP and
//! TCP-NCR count three duplicate ACKs. The other slots stay. The slow start threshold begins at the largest
//! window that the peer can announce, not at this end's own buffer.

use super::ConnectionConfig;
use crate::packet::{Flags, Options, Segment, SynOptions};
use crate::tcp::config::{Composition, DetectionConfig, NewRenoConfig, RecoveryConfig, TcpConfig};
use crate::tcp::wire::MAX_SHIFT;
use crate::units::Segments;

/// Largest payload, in bytes, that a peer is taken to accept whose SYN has no MSS option (RFC 9293 section
/// 3.7.1, for IPv4).
pub const DEFAULT_MSS: u16 = 536;
/// Nobody is believed who asks for smaller segments: they would cost more headers than data.
const LEAST_MSS: u16 = 48;
/// The largest window of a header without scaling.
pub(super) const UNSCALED_WINDOW: u32 = 0xffff;
/// The largest window with scaling.
pub(super) const SCALED_WINDOW: u32 = UNSCALED_WINDOW << MAX_SHIFT;

/// Options of a connection: each one is in force if both SYNs had it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Agreed {
    /// Payload bytes of a full segment: the lesser of what this end sends and the peer accepts.
    pub mss: u32,
    /// Windows are scaled (RFC 7323 section 2).
    pub window_scaling: bool,
    /// Receivers send SACK blocks (RFC 2018).
    pub sack: bool,
    /// Segments carry timestamps (RFC 7323 section 3).
    pub timestamps: bool,
    /// Explicit congestion notification is in use (RFC 3168).
    pub ecn: bool,
}

impl Agreed {
    /// The options that `config` offers.
    pub(super) fn offered(config: &ConnectionConfig) -> Self {
        Self {
            mss: config.tcp.mss,
            window_scaling: config.window_scaling,
            sack: config.tcp.sack,
            timestamps: config.tcp.timestamps,
            ecn: config.tcp.ecn,
        }
    }

    /// The part of an offer that the peer's SYN, with or without ACK, takes up.
    #[must_use]
    pub(super) fn with(self, syn: &Segment) -> Self {
        let theirs = syn.options.syn().copied().unwrap_or_default();
        let mss = theirs.mss.unwrap_or(DEFAULT_MSS).max(LEAST_MSS);
        Self {
            mss: self.mss.min(u32::from(mss)),
            window_scaling: self.window_scaling && theirs.window_scale.is_some(),
            sack: self.sack && theirs.sack_permitted,
            timestamps: self.timestamps && syn.timestamps.is_some(),
            ecn: self.ecn && sets_up_ecn(syn),
        }
    }

    /// The largest window that a segment other than a SYN can tell.
    pub(super) fn largest_window(self) -> u32 {
        if self.window_scaling {
            SCALED_WINDOW
        } else {
            UNSCALED_WINDOW
        }
    }

    /// Options and control bits of this end's SYN, which answers the peer's if `ack` is set.
    pub(super) fn write_syn(self, syn: &mut Segment, config: &ConnectionConfig, ack: bool) {
        let shift = config.window_shift;
        let shift = shift.unwrap_or_else(|| shift_for(config.tcp.rwnd));
        syn.options = Options::Syn(SynOptions {
            // Of what this end accepts; `self.mss` is of what it sends.
            mss: Some(config.tcp.mss.min(u32::from(u16::MAX)) as u16),
            window_scale: self.window_scaling.then_some(shift.min(MAX_SHIFT)),
            sack_permitted: self.sack,
        });
        // RFC 3168 section 6.1.1: ECE and CWR offer, ECE alone accepts.
        syn.flags.set(Flags::ECE, self.ecn);
        syn.flags.set(Flags::CWR, self.ecn && !ack);
    }

    /// The halves' configuration under this agreement. Without SACK a recovery that needs a scoreboard
    /// is NewReno, and a detector that reads reports of blocks counts three duplicate ACKs, which is
    /// what is left of each (RFC 6675 section 1, RFC 8985 section 3, RFC 4653 section 3).
    pub(super) fn applied_to(self, config: &TcpConfig) -> TcpConfig {
        let mut config = TcpConfig {
            mss: self.mss,
            sack: self.sack,
            timestamps: self.timestamps,
            ecn: self.ecn,
            // RFC 5681 section 3.1: arbitrarily high. This end's own buffer says nothing of the peer's.
            initial_ssthresh: Some(config.initial_ssthresh.unwrap_or_else(|| {
                Segments::from_bytes(u64::from(self.largest_window()), self.mss)
            })),
            ..config.clone()
        };
        if !self.sack {
            forgo_sack(&mut config.composition);
        }
        config
    }
}

/// RFC 3168 section 6.1.1. A SYN-ACK that sets CWR too reflects what it was sent: its host does not
/// know these bits.
fn sets_up_ecn(syn: &Segment) -> bool {
    let both = Flags::ECE | Flags::CWR;
    let wanted = if syn.is_ack() { Flags::ECE } else { both };
    syn.flags & both == wanted
}

/// The least shift that lets a header tell of `window` (RFC 7323 section 2.2).
fn shift_for(window: u32) -> u8 {
    let fits = |shift: &u8| window >> shift <= UNSCALED_WINDOW;
    (0..MAX_SHIFT).find(fits).unwrap_or(MAX_SHIFT)
}

fn forgo_sack(composition: &mut Composition) {
    if composition.recovery.uses_sack() {
        composition.recovery = RecoveryConfig::NewReno(NewRenoConfig::DEFAULT);
    }
    if composition.detection.needs_sack() {
        composition.detection = DetectionConfig::Dupacks(3);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shift_is_the_least_one_that_fits() {
        let shifts = [
            (0, 0),
            (65_535, 0),
            (65_536, 1),
            (131_071, 1),
            (131_072, 2),
            (1 << 20, 5),
            (SCALED_WINDOW, 14),
            (u32::MAX, 14),
        ];
        for (window, shift) in shifts {
            assert_eq!(shift_for(window), shift, "{window}");
        }
    }
}
