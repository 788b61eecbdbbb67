//! How power falls with distance.

use std::f64::consts::PI;

use super::db_to_ratio;

/// A model of path loss: how received power falls with distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PathLoss {
    /// Two rays, one of them reflected by the ground (Rappaport, Wireless Communications, 4.6): the
    /// fourth power of distance; free space (Friis) up to where both are equal.
    TwoRayGround {
        /// Wavelength in metres.
        wavelength: f64,
        /// Height of both antennas above the ground, in metres.
        antenna_height: f64,
    },
    /// Power falls by a power of distance, from a reference distance on (Rappaport, 4.9).
    LogDistance {
        /// Exponent of distance: 2 in free space, 3 to 5 where buildings shadow.
        exponent: f64,
        /// Reference distance in metres.
        reference: f64,
        /// Ratio of received to transmitted power at the reference distance, and nearer.
        gain: f64,
    },
}

impl PathLoss {
    /// Log-distance loss: `loss_db` decibels up to `reference` metres, then 10 · `exponent` decibels more for each
    /// tenfold distance.
    pub fn log_distance(exponent: f64, reference: f64, loss_db: f64) -> Self {
        Self::LogDistance {
            exponent,
            reference,
            gain: db_to_ratio(-loss_db),
        }
    }

    /// Power received at `distance` metres when power `tx` is sent; in the (linear) unit of `tx`.
    pub fn received(&self, tx: f64, distance: f64) -> f64 {
        match *self {
            Self::TwoRayGround {
                wavelength,
                antenna_height,
            } => {
                let square = distance * distance;
                if distance < crossover(wavelength, antenna_height) {
                    let wave = wavelength / (4.0 * PI);
                    // Near the antenna, where the formula does not hold, no more than is sent.
                    (tx * (wave * wave / square)).min(tx)
                } else {
                    let height = antenna_height * antenna_height;
                    tx * (height / square) * (height / square)
                }
            }
            Self::LogDistance {
                exponent,
                reference,
                gain,
            } => {
                if distance <= reference {
                    tx * gain
                } else {
                    tx * gain * libm::pow(distance / reference, -exponent)
                }
            }
        }
    }

    /// Distance in metres at which the sent power `tx` has fallen to `rx`; 0 if it is weaker than `rx` everywhere.
    pub fn range(&self, tx: f64, rx: f64) -> f64 {
        match *self {
            Self::TwoRayGround {
                wavelength,
                antenna_height,
            } => {
                let crossover = crossover(wavelength, antenna_height);
                let ratio = libm::sqrt(tx / rx);
                let ground = antenna_height * libm::sqrt(ratio);
                if tx < rx {
                    0.0
                } else if ground >= crossover {
                    ground
                } else {
                    wavelength / (4.0 * PI) * ratio
                }
            }
            Self::LogDistance {
                exponent,
                reference,
                gain,
            } => {
                let ratio = tx * gain / rx;
                if ratio < 1.0 {
                    0.0
                } else {
                    reference * libm::pow(ratio, 1.0 / exponent)
                }
            }
        }
    }
}

/// Where two-ray ground and free space are equal, in metres.
fn crossover(wavelength: f64, antenna_height: f64) -> f64 {
    4.0 * PI * antenna_height * antenna_height / wavelength
}
