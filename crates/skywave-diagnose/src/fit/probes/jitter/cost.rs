//! The likelihood of rounded delays under a law of jitter and a host that adds to them.

use super::law::Law;

/// Delays between two bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::fit::probes) struct Cell {
    /// The least that they may be, milliseconds.
    pub(in crate::fit::probes) low: f64,
    /// The most that they may be, milliseconds.
    pub(in crate::fit::probes) high: f64,
    /// How many.
    pub(in crate::fit::probes) count: f64,
}

/// Delays that are not the link's.
#[derive(Clone, Copy, Debug)]
pub(super) struct Host {
    /// Share of delays with a pause of the host in them, and of strays.
    paused: f64,
    /// Mean of the noise that all have, milliseconds.
    noise: f64,
    /// Range of all delays, milliseconds: strays are anywhere in it.
    range: f64,
}

/// Mean of a host's pauses, milliseconds.
const PAUSE_MS: f64 = 4.0;
/// Shares of delays with pauses that are tried.
const PAUSED: [f64; 3] = [0.01, 0.03, 0.1];
/// Means of the noise that are tried, milliseconds.
const NOISES_MS: [f64; 3] = [0.0, 0.05, 0.15];
/// Share of strays among the paused.
const STRAYS: f64 = 0.1;
/// Gauss and Laguerre's two places and weights: exponential noise is taken at these.
const NOISE: [(f64, f64); 2] = [
    (0.585_786_437_626_905, 0.853_553_390_593_273_8),
    (3.414_213_562_373_095, 0.146_446_609_406_726_24),
];

impl Host {
    /// Hosts without noise and with the shares that are tried.
    pub(super) fn shares(cells: &[Cell]) -> [Self; 3] {
        let low = cells.iter().map(|c| c.low).fold(f64::INFINITY, f64::min);
        let high = cells
            .iter()
            .map(|c| c.high)
            .fold(f64::NEG_INFINITY, f64::max);
        PAUSED.map(|paused| Self {
            paused,
            noise: 0.0,
            range: f64::max(high - low, 1.0),
        })
    }

    /// Hosts with the same share of pauses, and each noise that is tried.
    pub(super) fn noises(self) -> [Self; 3] {
        NOISES_MS.map(|noise| Self { noise, ..self })
    }

    /// Minus the log likelihood of cells with a law at this place.
    pub(super) fn cost(self, cells: &[Cell], law: Law, place: f64, scale: f64, shape: f64) -> f64 {
        // A pause comes on top of the jitter: from the jitter's mean on, and the more spread the larger that is.
        let mean = law.mean(scale, shape);
        let pause = PAUSE_MS + mean / 2.0;
        let below = |x: f64| {
            let t = x - place;
            if t <= 0.0 {
                return 0.0;
            }
            let jitter = if self.noise > 0.0 {
                NOISE
                    .map(|(at, weight)| weight * law.cdf(t - at * self.noise, scale, shape))
                    .iter()
                    .sum()
            } else {
                law.cdf(t, scale, shape)
            };
            let paused = (1.0 - STRAYS) * (1.0 - libm::exp(-f64::max(t - mean, 0.0) / pause));
            (1.0 - self.paused) * jitter + self.paused * paused
        };
        let strays = self.paused * STRAYS / self.range;
        // Most cells begin where the one before them ends.
        let mut last = (f64::NAN, 0.0);
        let mut sum = 0.0;
        for &Cell { low, high, count } in cells {
            let before = if low == last.0 { last.1 } else { below(low) };
            last = (high, below(high));
            sum -= count * libm::log(last.1 - before + strays * (high - low));
        }
        sum
    }
}
