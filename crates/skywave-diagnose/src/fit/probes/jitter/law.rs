//! Distributions of jitter from its place on.

use super::Trip;
use crate::fit::special::gamma_cdf;

/// A family of distributions with a scale, and one with a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::fit::probes) enum Law {
    Uniform,
    UniformEachWay,
    Exponential,
    ExponentialEachWay,
    Gamma,
}

impl Law {
    /// The laws that a trip may follow: a single way has no sums of two.
    pub(super) fn of(trip: Trip) -> impl Iterator<Item = Self> {
        let all = [
            Self::Uniform,
            Self::UniformEachWay,
            Self::Exponential,
            Self::ExponentialEachWay,
            Self::Gamma,
        ];
        let is_sum = |law: Self| matches!(law, Self::UniformEachWay | Self::ExponentialEachWay);
        all.into_iter()
            .filter(move |&law| trip == Trip::Round || !is_sum(law))
    }

    /// The mean with this scale; only `Gamma` has a shape.
    pub(super) fn mean(self, scale: f64, shape: f64) -> f64 {
        match self {
            Self::Uniform => scale / 2.0,
            Self::UniformEachWay | Self::Exponential => scale,
            Self::ExponentialEachWay => 2.0 * scale,
            Self::Gamma => scale * shape,
        }
    }

    /// The distribution ends abruptly or at least with a corner, so that the end tells the scale.
    pub(super) fn has_end(self) -> bool {
        matches!(self, Self::Uniform | Self::UniformEachWay)
    }

    /// Probability of at most `x`.
    pub(super) fn cdf(self, x: f64, scale: f64, shape: f64) -> f64 {
        let t = x / scale;
        if t <= 0.0 {
            return 0.0;
        }
        match self {
            Self::Uniform => t.min(1.0),
            Self::UniformEachWay if t < 1.0 => t * t / 2.0,
            Self::UniformEachWay => {
                let left = f64::max(2.0 - t, 0.0);
                1.0 - left * left / 2.0
            }
            Self::Exponential => 1.0 - libm::exp(-t),
            Self::ExponentialEachWay => 1.0 - libm::exp(-t) * (1.0 + t),
            Self::Gamma => gamma_cdf(shape, t),
        }
    }
}
