//! OFDM: bit errors of the constellations, and what the convolutional code leaves of them.
//!
//! Source: Pei and Henderson, "Validation of OFDM error rate model in ns-3" (2010), which takes the
//! union bound and the distance spectra of Miller et al., NIST (2003): ns-3's `NistErrorRateModel`.

use super::loss_of;

/// Errors that the decoder of the code of 802.11 makes: `weights[i]` is the number of wrong bits in
/// the paths at a Hamming distance of `first + i * step` from the right one, over all puncturing phases.
pub(super) struct Code {
    first: i32,
    step: i32,
    weights: &'static [f64],
    /// Bits that enter the coder in a period of puncturing.
    period: f64,
}

/// Rate 1/2: all distances are even.
pub(super) const HALF: Code = Code {
    first: 10,
    step: 2,
    weights: &[
        36.0,
        211.0,
        1404.0,
        11_633.0,
        77_433.0,
        502_690.0,
        3_322_763.0,
        21_292_910.0,
        134_365_911.0,
    ],
    period: 1.0,
};

/// Rate 2/3.
pub(super) const TWO_THIRDS: Code = Code {
    first: 6,
    step: 1,
    weights: &[
        3.0,
        70.0,
        285.0,
        1276.0,
        6160.0,
        27_128.0,
        117_019.0,
        498_860.0,
        2_103_891.0,
        8_784_123.0,
    ],
    period: 2.0,
};

/// Rate 3/4.
pub(super) const THREE_QUARTERS: Code = Code {
    first: 5,
    step: 1,
    weights: &[
        42.0,
        201.0,
        1492.0,
        10_469.0,
        62_935.0,
        379_644.0,
        2_253_373.0,
        13_073_811.0,
        75_152_755.0,
        428_005_675.0,
    ],
    period: 3.0,
};

impl Code {
    /// −ln of the probability that a bit survives, when the demodulator errs with probability `p`.
    pub(super) fn bit_loss(&self, p: f64) -> f64 {
        // Chernoff's bound for a path at distance d: D^d / 2.
        let d = libm::sqrt(4.0 * p * (1.0 - p));
        let step = if self.step == 2 { d * d } else { d };
        let sum = self.weights.iter().rev().fold(0.0, |sum, w| sum * step + w);
        let wrong = sum * libm::pow(d, f64::from(self.first)) / (2.0 * self.period);
        loss_of(wrong)
    }
}

/// Bit error probability of BPSK.
pub(super) fn bpsk(snr: f64) -> f64 {
    0.5 * libm::erfc(libm::sqrt(snr))
}

/// Of QPSK.
pub(super) fn qpsk(snr: f64) -> f64 {
    0.5 * libm::erfc(libm::sqrt(snr / 2.0))
}

/// Of 16-QAM.
pub(super) fn qam16(snr: f64) -> f64 {
    3.0 / 8.0 * libm::erfc(libm::sqrt(snr / 10.0))
}

/// Of 64-QAM.
pub(super) fn qam64(snr: f64) -> f64 {
    7.0 / 24.0 * libm::erfc(libm::sqrt(snr / 42.0))
}
