//! Whether a frame survives noise and interference.
//!
//! Bit errors as ns-3 has them: [`ofdm`] and [`dsss`]. They are exponentials and integrals, and asked
//! for at every change of interference, so a table a mode keeps them, interpolated between steps of
//! 1/256 of an octave of SINR. Its entries are −ln of the probability that one bit survives.

mod dsss;
mod ofdm;

use std::sync::OnceLock;

use super::Mode;
use crate::parameter::{Named, names};

/// Steps an octave, as a power of two.
const STEP_BITS: u32 = 8;
/// Bits of a float's mantissa below those that count the steps.
const REST_BITS: u32 = f64::MANTISSA_DIGITS - 1 - STEP_BITS;
/// Where bits are lost for certain the table has this: one of e^40 survives.
const CERTAIN_LOSS: f64 = 40.0;
/// Tables begin at the octave below which a bit's fate is no better than this...
const HOPELESS: f64 = 0.65;
/// ... and end at the one above which less than this is lost of a bit.
const NO_LOSS: f64 = 1e-15;

names! {
    /// Input of the decoder of OFDM's code.
    // It does not matter for DSSS and CCK.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Decoder {
        /// The decoder knows how sure each bit is.
        // As in any receiver that one can buy: 3 to 4.5 dB better. ns-3's tables, its default, are close to it.
        Soft = "soft",
        /// The decoder is given bits: ns-3's model of NIST.
        // `NistErrorRateModel`.
        Hard = "hard",
    }
}

/// Probability that `bits` bits of a frame, sent in `mode`, are all received without an error at a constant `sinr`, a
/// ratio of powers (not in decibels). Never falls when `sinr` grows.
pub fn survives(mode: Mode, decoder: Decoder, sinr: f64, bits: f64) -> f64 {
    static TABLES: [[OnceLock<Table>; Decoder::ALL.len()]; Mode::ALL.len()] =
        [const { [const { OnceLock::new() }; Decoder::ALL.len()] }; Mode::ALL.len()];
    let table = &TABLES[mode as usize][decoder as usize];
    let table = table.get_or_init(|| Table::new(|sinr| bit_loss(mode, decoder, sinr)));
    let loss = table.at(sinr) * bits;
    if loss > 0.0 { libm::exp(-loss) } else { 1.0 }
}

/// −ln of the probability that a bit survives.
fn bit_loss(mode: Mode, decoder: Decoder, sinr: f64) -> f64 {
    let loss = match mode {
        Mode::Dsss1 => dsss::dbpsk(sinr),
        Mode::Dsss2 => dsss::dqpsk(sinr),
        Mode::Cck5 => dsss::cck_5_5(sinr),
        Mode::Cck11 => dsss::cck_11(sinr),
        _ => ofdm::bit_loss(mode, decoder, sinr),
    };
    loss.min(CERTAIN_LOSS)
}

/// −ln of the probability that an error of probability `p` does not happen.
fn loss_of(p: f64) -> f64 {
    -libm::log1p(-p.min(1.0))
}

/// A falling function of SINR.
struct Table {
    /// [`key`] of the first entry.
    first: u64,
    /// Values at the ends of steps; beside the table they are the first one and 0.
    values: Vec<f64>,
}

impl Table {
    fn new(loss: impl Fn(f64) -> f64) -> Self {
        let octave = |n: i32| libm::exp2(f64::from(n));
        // Of octaves where all is lost and where nothing is, as far as anyone may ask.
        let first = (-30..30).rfind(|&n| loss(octave(n)) >= HOPELESS);
        let last = (-30..30).find(|&n| loss(octave(n)) < NO_LOSS);
        let (first, last) = (
            key(octave(first.unwrap_or(-30))),
            key(octave(last.unwrap_or(30))),
        );
        let values = (first..=last).map(|key| loss(f64::from_bits(key << REST_BITS)));
        Self {
            first,
            values: values.collect(),
        }
    }

    fn at(&self, sinr: f64) -> f64 {
        let start = self.values[0];
        if sinr <= 0.0 || sinr.is_nan() {
            return start;
        }
        let Some(step) = key(sinr).checked_sub(self.first) else {
            return start;
        };
        let Some(&[low, high]) = self
            .values
            .get(step as usize..)
            .and_then(<[f64]>::first_chunk)
        else {
            return 0.0;
        };
        let rest = sinr.to_bits() & ((1 << REST_BITS) - 1);
        low + (high - low) * (rest as f64 / (1u64 << REST_BITS) as f64)
    }
}

/// Exponent of a positive number and first bits of its mantissa, which are in the order of the numbers.
fn key(sinr: f64) -> u64 {
    sinr.to_bits() >> REST_BITS
}

#[cfg(test)]
mod tests;
