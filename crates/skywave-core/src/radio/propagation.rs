//! Reach of a transmission: the stations that hear it, and how strongly.
//!
//! Power falls with distance ([`PathLoss`]). Limits, in power or in metres ([`Hearing`]), say what
//! that is good for: a frame can be received, keeps the channel busy, only disturbs, or is nothing.

mod path_loss;

pub use path_loss::PathLoss;

use super::Position;
use crate::time::Duration;

/// Metres a second.
const SPEED_OF_LIGHT: f64 = 299_792_458.0;
/// Joules a kelvin.
const BOLTZMANN: f64 = 1.380_649e-23;
/// Temperature that noise figures refer to, in kelvins.
const REFERENCE_TEMPERATURE: f64 = 290.0;

/// Strength of a transmission at the place of another station.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Heard {
    /// Received power in milliwatts.
    pub power_mw: f64,
    /// Whether the signal is strong enough to be received, if nothing disturbs it.
    pub decodable: bool,
    /// Whether the signal is strong enough to keep the channel busy.
    pub sensed: bool,
}

impl Heard {
    /// A transmission within the limits of reception, sensing and interference or not; `None` beyond all of them.
    fn within([decodable, sensed, disturbs]: [bool; 3], mw: impl FnOnce() -> f64) -> Option<Self> {
        (decodable || sensed || disturbs).then(|| Self {
            power_mw: mw(),
            decodable,
            sensed: sensed || decodable,
        })
    }
}

/// Model of propagation: how strongly stations hear each other, all of which have the same radio.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Propagation {
    /// Model of how power falls with distance.
    pub path_loss: PathLoss,
    /// Transmitted power in milliwatts, all gains included.
    pub tx_mw: f64,
    /// Limits from which a frame can be received, keeps the channel busy, or only disturbs others.
    pub hearing: Hearing,
}

/// Limits from which a frame can be received, keeps the channel busy, or only disturbs others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Hearing {
    /// Received power decides.
    Power(Thresholds),
    /// Distance decides; power only says which of two frames is the stronger one.
    Distance(Ranges),
}

/// Limits of received power, in milliwatts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thresholds {
    /// Power from which a frame can be received.
    pub reception_mw: f64,
    /// Power from which a frame keeps the channel busy; a frame that can be received does so even below.
    pub sensing_mw: f64,
    /// Power from which a frame disturbs other frames; a frame that can be received or sensed does so even below.
    pub interference_mw: f64,
}

/// Limits of distance, in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ranges {
    /// Distance up to which a frame can be received.
    pub reception: f64,
    /// Distance up to which a frame keeps the channel busy; a frame that can be received does so even beyond.
    pub sensing: f64,
    /// Distance up to which a frame disturbs other frames; a frame that can be received or sensed does so even beyond.
    pub interference: f64,
}

impl Propagation {
    /// ns-2's 914 MHz Lucent `WaveLAN` card over two-ray ground: 250 m of reception, 550 m of carrier sense, no
    /// interference beyond. Its capture threshold, 10 dB, is a setting of the receiver
    /// ([`Reception`](super::Reception)).
    ///
    /// Source: the defaults of `Phy/WirelessPhy` and `Antenna/OmniAntenna` in ns-2.35.
    pub fn ns2_wavelan() -> Self {
        let sensing_mw = 1.559e-8;
        Self {
            path_loss: PathLoss::TwoRayGround {
                // ns-2 counts with light of 3e8 m/s.
                wavelength: 3e8 / 914e6,
                antenna_height: 1.5,
            },
            tx_mw: 281.838_15,
            hearing: Hearing::Power(Thresholds {
                reception_mw: 3.652e-7,
                sensing_mw,
                interference_mw: sensing_mw,
            }),
        }
    }

    /// ns-3's defaults: log-distance loss with exponent 3, 16.0206 dBm sent; a preamble is detected from −82 dBm (if it
    /// is also 4 dB above the noise: [`Reception`](super::Reception)), energy keeps the channel busy from −62 dBm, and
    /// a signal below −101 dBm is ignored. The noise is a setting of the receiver ([`channel_noise_mw`]).
    ///
    /// Source: attributes of `LogDistancePropagationLossModel`, `WifiPhy` and
    /// `ThresholdPreambleDetectionModel` in ns-3's reference.
    pub fn ns3_default() -> Self {
        Self {
            path_loss: PathLoss::log_distance(3.0, 1.0, 46.6777),
            tx_mw: dbm_to_mw(16.0206),
            hearing: Hearing::Power(Thresholds {
                reception_mw: dbm_to_mw(-82.0),
                sensing_mw: dbm_to_mw(-62.0),
                interference_mw: dbm_to_mw(-101.0),
            }),
        }
    }

    /// Propagation with fixed ranges in metres; a frame disturbs others as far as it is sensed. Power falls with the
    /// fourth power of distance, only so that a receiver with capture can compare two frames.
    pub fn ranges(reception: f64, sensing: f64) -> Self {
        Self {
            path_loss: PathLoss::log_distance(4.0, 1.0, 0.0),
            tx_mw: 1.0,
            hearing: Hearing::Distance(Ranges {
                reception,
                sensing,
                interference: sensing,
            }),
        }
    }

    /// Strength at `to` of a transmission from `from`; `None` if it is too weak even to disturb.
    pub fn reach(&self, from: Position, to: Position) -> Option<Heard> {
        let distance = from.distance(to);
        let power = || self.path_loss.received(self.tx_mw, distance);
        match self.hearing {
            Hearing::Power(least) => {
                let power = power();
                let limits = [least.reception_mw, least.sensing_mw, least.interference_mw];
                Heard::within(limits.map(|least| power >= least), || power)
            }
            Hearing::Distance(most) => {
                let limits = [most.reception, most.sensing, most.interference];
                Heard::within(limits.map(|most| distance <= most), power)
            }
        }
    }

    /// Propagation delay from one place to another, at the speed of light.
    pub fn delay(from: Position, to: Position) -> Duration {
        Duration::from_secs_f64(from.distance(to) / SPEED_OF_LIGHT)
    }

    /// Distance in metres within which a frame can be received.
    pub fn reception_range(&self) -> f64 {
        match self.hearing {
            Hearing::Power(least) => self.path_loss.range(self.tx_mw, least.reception_mw),
            Hearing::Distance(most) => most.reception,
        }
    }

    /// Distance in metres within which a transmission keeps the channel busy.
    pub fn sensing_range(&self) -> f64 {
        match self.hearing {
            Hearing::Power(least) => {
                let weakest = least.sensing_mw.min(least.reception_mw);
                self.path_loss.range(self.tx_mw, weakest)
            }
            Hearing::Distance(most) => most.sensing.max(most.reception),
        }
    }
}

/// Converts a power from dBm to milliwatts.
pub fn dbm_to_mw(dbm: f64) -> f64 {
    db_to_ratio(dbm)
}

/// Converts decibels to a ratio of powers.
pub fn db_to_ratio(db: f64) -> f64 {
    libm::pow(10.0, db / 10.0)
}

/// Converts a ratio of powers to decibels, or a power in milliwatts to dBm.
pub fn ratio_to_db(ratio: f64) -> f64 {
    10.0 * libm::log10(ratio)
}

/// Thermal noise in milliwatts of an 802.11 channel at ns-3's default receiver: 20 MHz, noise figure 7 dB.
pub fn channel_noise_mw() -> f64 {
    thermal_noise_mw(20e6, 7.0)
}

/// Thermal noise in milliwatts of a receiver with `bandwidth` in hertz and a noise figure in decibels, at 290 K.
pub fn thermal_noise_mw(bandwidth: f64, noise_figure_db: f64) -> f64 {
    BOLTZMANN * REFERENCE_TEMPERATURE * bandwidth * 1000.0 * db_to_ratio(noise_figure_db)
}

#[cfg(test)]
mod tests;
