//! How a frame is modulated: rates, symbols and how long a frame is on the air.
//!
//! Sources: IEEE 802.11-2016 clauses 15 (DSSS), 16 (HR/DSSS), 17 (OFDM) and 18 (ERP).

use crate::parameter::names;
use crate::time::Duration;

/// Modulation and rate of a frame in 802.11b or 802.11g.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mode {
    /// DBPSK, 1 Mb/s (802.11b).
    Dsss1,
    /// DQPSK, 2 Mb/s.
    Dsss2,
    /// CCK, 5.5 Mb/s.
    Cck5,
    /// CCK, 11 Mb/s.
    Cck11,
    /// ERP-OFDM, BPSK 1/2, 6 Mb/s (802.11g).
    Ofdm6,
    /// BPSK 3/4, 9 Mb/s.
    Ofdm9,
    /// QPSK 1/2, 12 Mb/s.
    Ofdm12,
    /// QPSK 3/4, 18 Mb/s.
    Ofdm18,
    /// 16-QAM 1/2, 24 Mb/s.
    Ofdm24,
    /// 16-QAM 3/4, 36 Mb/s.
    Ofdm36,
    /// 64-QAM 2/3, 48 Mb/s.
    Ofdm48,
    /// 64-QAM 3/4, 54 Mb/s.
    Ofdm54,
}

names! {
    /// The preamble of 802.11b's frames.
    // DSSS and CCK.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
    pub enum Preamble {
        /// 192 µs with its header.
        // 144 µs and 48 µs of header, both at 1 Mb/s.
        Long = "long" default,
        /// 96 µs with its header.
        // 72 µs at 1 Mb/s and 24 µs of header at 2 Mb/s; frames at 1 Mb/s have the long one.
        Short = "short",
    }
}

/// SERVICE field and tail bits around an OFDM frame.
const OFDM_EXTRA_BITS: u64 = 16 + 6;
/// An OFDM symbol.
const OFDM_SYMBOL: Duration = Duration::from_micros(4);
/// Training symbols and SIGNAL.
const OFDM_PREAMBLE: Duration = Duration::from_micros(20);
/// Silence that follows an ERP-OFDM frame, so that its SIFS is as long as that of 802.11a.
const SIGNAL_EXTENSION: Duration = Duration::from_micros(6);

impl Mode {
    /// All modes: those of 802.11b by rate, then those of 802.11g by rate.
    pub const ALL: [Self; 12] = [
        Self::Dsss1,
        Self::Dsss2,
        Self::Cck5,
        Self::Cck11,
        Self::Ofdm6,
        Self::Ofdm9,
        Self::Ofdm12,
        Self::Ofdm18,
        Self::Ofdm24,
        Self::Ofdm36,
        Self::Ofdm48,
        Self::Ofdm54,
    ];

    /// Rate of the payload in bits a second.
    pub const fn bps(self) -> u64 {
        match self {
            Self::Dsss1 => 1_000_000,
            Self::Dsss2 => 2_000_000,
            Self::Cck5 => 5_500_000,
            Self::Cck11 => 11_000_000,
            Self::Ofdm6 => 6_000_000,
            Self::Ofdm9 => 9_000_000,
            Self::Ofdm12 => 12_000_000,
            Self::Ofdm18 => 18_000_000,
            Self::Ofdm24 => 24_000_000,
            Self::Ofdm36 => 36_000_000,
            Self::Ofdm48 => 48_000_000,
            Self::Ofdm54 => 54_000_000,
        }
    }

    /// True for the modes of 802.11g, false for those of 802.11b.
    pub const fn is_ofdm(self) -> bool {
        !matches!(self, Self::Dsss1 | Self::Dsss2 | Self::Cck5 | Self::Cck11)
    }

    /// Time from the start of a frame to its payload; `preamble` does not matter for the modes of 802.11g, nor for
    /// 1 Mb/s, which always has the long one.
    pub const fn preamble(self, preamble: Preamble) -> Duration {
        match (self.is_ofdm(), preamble) {
            (true, _) => OFDM_PREAMBLE,
            (false, Preamble::Short) if !matches!(self, Self::Dsss1) => Duration::from_micros(96),
            (false, _) => Duration::from_micros(192),
        }
    }

    /// Signal extension: silence after a frame that counts as part of its airtime, 6 µs in 802.11g, none in 802.11b.
    pub const fn extension(self) -> Duration {
        if self.is_ofdm() {
            SIGNAL_EXTENSION
        } else {
            Duration::ZERO
        }
    }

    /// Time on the air of a frame of `bytes` bytes, MAC header and FCS included, with its preamble and any signal
    /// extension.
    pub const fn airtime(self, bytes: u32, preamble: Preamble) -> Duration {
        let bits = bytes as u64 * 8;
        if self.is_ofdm() {
            let bits_per_symbol = self.bps() / 250_000;
            let symbols = (bits + OFDM_EXTRA_BITS).div_ceil(bits_per_symbol);
            let fixed = OFDM_PREAMBLE.as_nanos() + SIGNAL_EXTENSION.as_nanos();
            Duration::from_nanos(fixed + symbols * OFDM_SYMBOL.as_nanos())
        } else {
            // Whole microseconds, as the frame's LENGTH field has them.
            let us = (bits * 1_000_000).div_ceil(self.bps());
            let preamble = self.preamble(preamble).as_nanos();
            Duration::from_nanos(preamble + us * 1_000)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn us(mode: Mode, bytes: u32, preamble: Preamble) -> f64 {
        mode.airtime(bytes, preamble).as_secs_f64() * 1e6
    }

    #[test]
    fn ofdm_frames_take_whole_symbols() {
        // 16 + 6 bits around 14 bytes are 134: six symbols of 24 bits, two of 96.
        assert!((us(Mode::Ofdm6, 14, Preamble::Long) - 50.0).abs() < 1e-9);
        assert!((us(Mode::Ofdm24, 14, Preamble::Long) - 34.0).abs() < 1e-9);
        assert!((us(Mode::Ofdm54, 1536, Preamble::Long) - 254.0).abs() < 1e-9);
    }

    #[test]
    fn a_short_preamble_is_for_two_mbps_and_above() {
        assert!((us(Mode::Dsss1, 14, Preamble::Short) - 304.0).abs() < 1e-9);
        assert!((us(Mode::Dsss2, 14, Preamble::Short) - 152.0).abs() < 1e-9);
        assert!((us(Mode::Cck11, 1500, Preamble::Long) - (192.0 + 1091.0)).abs() < 1e-9);
    }

    #[test]
    fn a_faster_mode_of_a_standard_is_never_longer_on_the_air() {
        for pair in Mode::ALL
            .windows(2)
            .filter(|p| p[0].is_ofdm() == p[1].is_ofdm())
        {
            for bytes in [0, 1, 14, 20, 100, 1500, 2346] {
                let [slow, fast] = [pair[0], pair[1]].map(|m| m.airtime(bytes, Preamble::Long));
                assert!(fast <= slow, "{pair:?} {bytes}");
            }
        }
    }
}
