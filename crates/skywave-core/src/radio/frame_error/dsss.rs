//! DSSS and CCK: −ln of the probability that a bit survives.
//!
//! Source: Pei and Henderson, "Validation of ns-3 802.11b PHY model" (2009), after Fuxjäger et al.
//! and Proakis, Digital Communications: ns-3's `DsssErrorRateModel`, with its integral for CCK.

use std::f64::consts::{FRAC_1_SQRT_2, PI, SQRT_2};

use super::loss_of;

/// Hertz; noise and interference are spread over it.
const BANDWIDTH: f64 = 22e6;
/// Symbols a second of 1 and 2 Mb/s.
const SYMBOLS: f64 = 1e6;
/// Code words a second of CCK, of eight chips each.
const CODE_WORDS: f64 = 1.375e6;

/// 1 Mb/s.
pub(super) fn dbpsk(sinr: f64) -> f64 {
    let snr_per_bit = sinr * BANDWIDTH / SYMBOLS;
    loss_of(0.5 * libm::exp(-snr_per_bit))
}

/// 2 Mb/s. Proakis' approximation for differential QPSK, for a high SNR; at a low one no worse than
/// guessing.
pub(super) fn dqpsk(sinr: f64) -> f64 {
    let x = sinr * BANDWIDTH / SYMBOLS / 2.0;
    let factor = (SQRT_2 + 1.0) / libm::sqrt(8.0 * PI * SQRT_2);
    let wrong = factor / libm::sqrt(x) * libm::exp(-(2.0 - SQRT_2) * x);
    loss_of(wrong.min(0.5))
}

/// 5.5 Mb/s: a code word is one of 16 biorthogonal ones and carries 4 bits.
pub(super) fn cck_5_5(sinr: f64) -> f64 {
    let snr_per_word = sinr * BANDWIDTH / CODE_WORDS;
    loss_of(biorthogonal(snr_per_word / 2.0)) / 4.0
}

/// 11 Mb/s: a code word counts as two independent ones, each of 16 and with half of the energy.
pub(super) fn cck_11(sinr: f64) -> f64 {
    let snr_per_word = sinr * BANDWIDTH / CODE_WORDS;
    2.0 * loss_of(biorthogonal(snr_per_word / 4.0)) / 8.0
}

/// Probability that one of 16 biorthogonal signals is taken for another, at the SNR `energy`.
///
/// With β = √(2·energy) and a normal x, the right correlator shows x + β; the other seven, of either
/// sign, stay below that with probability (2Φ(x + β) − 1)⁷ (Proakis, section 5.2).
fn biorthogonal(energy: f64) -> f64 {
    /// Standard deviations that are integrated, and steps in one. The integrand is smooth and
    /// vanishes at both ends, so the sum of its values is good to 4e-6.
    const REACH: i32 = 9;
    const PER_UNIT: i32 = 2;

    let beta = libm::sqrt(2.0 * energy);
    let step = 1.0 / f64::from(PER_UNIT);
    let density = |x: f64| libm::exp(-x * x / 2.0) * step / libm::sqrt(2.0 * PI);
    let wrong = |x: f64| {
        // One of the others is beyond: 1 − (1 − q)⁷, written so that a small q is not lost.
        let q = libm::erfc((x + beta).max(0.0) * FRAC_1_SQRT_2);
        let kept = 1.0 - q;
        q * (0..7).fold(0.0, |sum, _| sum * kept + 1.0)
    };
    (-REACH * PER_UNIT..=REACH * PER_UNIT)
        .map(|n| f64::from(n) * step)
        .map(|x| density(x) * wrong(x))
        .sum()
}
