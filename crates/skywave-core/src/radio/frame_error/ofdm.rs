//! OFDM: what noise does to the constellations, and what the convolutional code leaves of it.
//!
//! Sources. Hard decisions: Pei and Henderson, "Validation of OFDM error rate model in ns-3" (2010),
//! which takes the union bound and the distance spectra of Miller et al., NIST (2003): ns-3's
//! `NistErrorRateModel`. Soft decisions: the union bound of Caire, Taricco and Biglieri, "Bit-interleaved
//! coded modulation" (1998), for an ideal interleaver and Gray mapping.

use super::super::Mode;
use super::{Decoder, loss_of};

/// −ln of the probability that a bit of an OFDM mode survives.
pub(super) fn bit_loss(mode: Mode, decoder: Decoder, sinr: f64) -> f64 {
    let code = match mode {
        Mode::Ofdm6 | Mode::Ofdm12 | Mode::Ofdm24 => &HALF,
        Mode::Ofdm48 => &TWO_THIRDS,
        _ => &THREE_QUARTERS,
    };
    let constellation = match mode {
        Mode::Ofdm6 | Mode::Ofdm9 => &BPSK,
        Mode::Ofdm12 | Mode::Ofdm18 => &QPSK,
        Mode::Ofdm24 | Mode::Ofdm36 => &QAM16,
        _ => &QAM64,
    };
    match decoder {
        Decoder::Hard => code.hard(constellation.bit_error(sinr)),
        Decoder::Soft => code.soft(constellation.reliability(sinr)),
    }
}

/// The code of 802.11 at one rate.
struct Code {
    /// The least Hamming distance of other paths from the right one, and the step to the next distance.
    first: i32,
    step: i32,
    /// Number of paths of each distance, over all phases of puncturing, and that of the wrong bits in them.
    paths: &'static [(f64, f64)],
    /// Bits that enter the coder in a period of puncturing.
    period: f64,
}

/// Rate 1/2: all distances are even.
const HALF: Code = Code {
    first: 10,
    step: 2,
    paths: &[
        (11.0, 36.0),
        (38.0, 211.0),
        (193.0, 1404.0),
        (1331.0, 11_633.0),
        (7275.0, 77_433.0),
        (40_406.0, 502_690.0),
        (234_969.0, 3_322_763.0),
        (1_337_714.0, 21_292_910.0),
        (7_594_819.0, 134_365_911.0),
    ],
    period: 1.0,
};

/// Rate 2/3.
const TWO_THIRDS: Code = Code {
    first: 6,
    step: 1,
    paths: &[
        (1.0, 3.0),
        (16.0, 70.0),
        (48.0, 285.0),
        (158.0, 1276.0),
        (642.0, 6160.0),
        (2435.0, 27_128.0),
        (9174.0, 117_019.0),
        (34_701.0, 498_860.0),
        (131_533.0, 2_103_891.0),
        (499_312.0, 8_784_123.0),
    ],
    period: 2.0,
};

/// Rate 3/4.
const THREE_QUARTERS: Code = Code {
    first: 5,
    step: 1,
    paths: &[
        (8.0, 42.0),
        (31.0, 201.0),
        (160.0, 1492.0),
        (892.0, 10_469.0),
        (4512.0, 62_935.0),
        (23_297.0, 379_644.0),
        (120_976.0, 2_253_373.0),
        (624_304.0, 13_073_811.0),
        (3_229_885.0, 75_152_755.0),
        (16_721_329.0, 428_005_675.0),
    ],
    period: 3.0,
};

impl Code {
    /// −ln of the probability that a bit survives, when the demodulator decides, and errs with
    /// probability `p`.
    fn hard(&self, p: f64) -> f64 {
        // Chernoff's bound for a path at distance d: D^d / 2.
        let d = libm::sqrt(4.0 * p * (1.0 - p));
        let step = if self.step == 2 { d * d } else { d };
        let wrong_bits = self.paths.iter().rev().map(|(_, wrong_bits)| wrong_bits);
        let sum = wrong_bits.fold(0.0, |sum, w| sum * step + w);
        let wrong = sum * libm::pow(d, f64::from(self.first)) / (2.0 * self.period);
        loss_of(wrong)
    }

    /// The same when the demodulator says how sure it is of each bit, `reliability` being that of BPSK with
    /// such a signal-to-noise ratio.
    fn soft(&self, reliability: f64) -> f64 {
        let distances = (self.first..).step_by(self.step as usize);
        let wrong: f64 = (self.paths.iter().zip(distances))
            .map(|((paths, _), d)| paths * q(2.0 * f64::from(d) * reliability))
            .sum();
        loss_of(wrong / self.period)
    }
}

/// Probability that a Gaussian variable exceeds the root of `square` standard deviations.
fn q(square: f64) -> f64 {
    0.5 * libm::erfc(libm::sqrt(square / 2.0))
}

/// A constellation, whose points lie `2` apart on each axis.
struct Constellation {
    /// Mean energy of a point.
    energy: f64,
    /// Factor that turns the probability of taking one of two neighbouring points for the other
    /// into that of a bit error.
    neighbours: f64,
    /// For all bits and points of an axis: how far the next point with another bit is, in steps, and how
    /// often that is so.
    steps: &'static [(f64, f64)],
}

const BPSK: Constellation = Constellation {
    energy: 1.0,
    neighbours: 1.0,
    steps: &[(1.0, 1.0)],
};

const QPSK: Constellation = Constellation {
    energy: 2.0,
    ..BPSK
};

const QAM16: Constellation = Constellation {
    energy: 10.0,
    neighbours: 3.0 / 4.0,
    steps: &[(1.0, 3.0), (2.0, 1.0)],
};

const QAM64: Constellation = Constellation {
    energy: 42.0,
    neighbours: 7.0 / 12.0,
    steps: &[(1.0, 7.0), (2.0, 3.0), (3.0, 1.0), (4.0, 1.0)],
};

impl Constellation {
    /// Probability of a bit error.
    fn bit_error(&self, snr: f64) -> f64 {
        self.neighbours * q(2.0 * snr / self.energy)
    }

    /// −ln of the Bhattacharyya parameter of a bit, on average.
    fn reliability(&self, snr: f64) -> f64 {
        let one_step = snr / self.energy;
        // The nearest points count most; the others are taken relative to them, so that nothing
        // vanishes.
        let rest =
            |&(steps, share): &(f64, f64)| share * libm::exp(-(steps * steps - 1.0) * one_step);
        let all: f64 = self.steps.iter().map(|(_, share)| share).sum();
        let sum: f64 = self.steps.iter().map(rest).sum();
        one_step - libm::log(sum / all)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// The generators of 802.11's code, the latest bit first.
    const GENERATORS: [u32; 2] = [0o133, 0o171];

    /// Number of paths by distance, and of the wrong bits in them, up to `longest`, when of the pairs of
    /// coded bits those of `pattern` are sent.
    fn spectrum(pattern: &[[u32; 2]], longest: u32) -> BTreeMap<u32, (f64, f64)> {
        let step = |state: u32, bit: u32, phase: usize| {
            let register = bit << 6 | state;
            let parity = |generator: u32| (register & generator).count_ones() % 2;
            let [a, b] = GENERATORS.map(parity);
            let [sent_a, sent_b] = pattern[phase % pattern.len()];
            (register >> 1, a * sent_a + b * sent_b)
        };
        let mut found = BTreeMap::new();
        for phase in 0..pattern.len() {
            // Paths that have left the right one: by state and distance, how many, with how many wrong bits.
            let (state, distance) = step(0, 1, phase);
            let mut open = BTreeMap::from([((state, distance), (1.0, 1.0))]);
            for now in phase + 1.. {
                let mut next = BTreeMap::new();
                for (&(state, distance), &(paths, bits)) in &open {
                    for bit in 0..2 {
                        let (state, more) = step(state, bit, now);
                        let distance = distance + more;
                        if distance > longest {
                            continue;
                        }
                        let sums = if state == 0 {
                            found.entry(distance).or_insert((0.0, 0.0))
                        } else {
                            next.entry((state, distance)).or_insert((0.0, 0.0))
                        };
                        sums.0 += paths;
                        sums.1 += bits + f64::from(bit) * paths;
                    }
                }
                if next.is_empty() {
                    break;
                }
                open = next;
            }
        }
        found
    }

    #[test]
    fn the_distances_are_those_of_the_code() {
        for (code, pattern) in [
            (&HALF, &[[1, 1]][..]),
            (&TWO_THIRDS, &[[1, 1], [1, 0]]),
            (&THREE_QUARTERS, &[[1, 1], [1, 0], [0, 1]]),
        ] {
            let longest = code.first + code.step * (code.paths.len() as i32 - 1);
            let found = spectrum(pattern, longest as u32);
            let numbers =
                |all: &[(f64, f64)]| all.iter().map(|&(paths, _)| paths).collect::<Vec<_>>();
            let found: Vec<(f64, f64)> = found.into_values().collect();
            assert_eq!(numbers(&found), numbers(code.paths));
            // The published numbers of wrong bits end a little off.
            for ((_, bits), (_, given)) in found.iter().zip(code.paths) {
                assert!((bits / given - 1.0).abs() < 0.002, "{bits} for {given}");
            }
        }
    }
}
