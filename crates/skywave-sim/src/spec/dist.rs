//! Distributions of what a source draws.

use std::sync::Arc;

use skywave_core::rng::Stream;

/// Probability distribution that an application's sizes (bytes) or times (seconds) are drawn from.
#[derive(Clone, Debug, PartialEq)]
pub enum Dist {
    /// Always one value, given here.
    Constant(f64),
    /// Uniform between two bounds.
    Uniform(f64, f64),
    /// Uniform on the whole numbers `low..=high`, each times `unit`.
    Whole {
        /// Smallest whole number, before it is multiplied.
        low: u64,
        /// Largest whole number, before it is multiplied.
        high: u64,
        /// Factor by which the whole number is multiplied.
        unit: f64,
    },
    /// Exponential with this mean.
    Exponential(f64),
    /// Pareto with this mean and shape.
    Pareto {
        /// Mean of the values.
        mean: f64,
        /// Shape (exponent of the tail), above 1.
        shape: f64,
    },
    /// Lognormal with this mean of the values and this spread of their logarithm.
    Lognormal {
        /// Mean of the values, not of their logarithm.
        mean: f64,
        /// Standard deviation of the values' natural logarithm.
        sigma: f64,
    },
    /// Measured distribution, as in [`Stream::empirical`]: points, each of a value and the share of all values that are
    /// at most as large.
    Empirical(Arc<[(f64, f64)]>),
}

impl Dist {
    /// Value drawn from the distribution by random numbers of the stream `draws`.
    pub fn draw(&self, draws: &mut Stream) -> f64 {
        match *self {
            Self::Constant(value) => value,
            Self::Uniform(low, high) => draws.uniform(low, high),
            Self::Whole { low, high, unit } => draws.uniform_int(low, high) as f64 * unit,
            Self::Exponential(mean) => draws.exponential(mean),
            Self::Pareto { mean, shape } => draws.pareto(mean, shape),
            Self::Lognormal { mean, sigma } => draws.lognormal(mean, sigma),
            Self::Empirical(ref points) => draws.empirical(points),
        }
    }

    /// Mean of the distribution, in the unit of its values.
    pub fn mean(&self) -> f64 {
        match *self {
            Self::Constant(mean)
            | Self::Exponential(mean)
            | Self::Pareto { mean, .. }
            | Self::Lognormal { mean, .. } => mean,
            Self::Uniform(low, high) => f64::midpoint(low, high),
            Self::Whole { low, high, unit } => f64::midpoint(low as f64, high as f64) * unit,
            Self::Empirical(ref points) => {
                let first = points.first().map_or(0.0, |(value, share)| value * share);
                let pieces = points.windows(2).map(|pair| {
                    let ((low, below), (high, share)) = (pair[0], pair[1]);
                    f64::midpoint(low, high) * (share - below)
                });
                first + pieces.sum::<f64>()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_are_those_of_many_draws() {
        let points = [(10.0, 0.25), (30.0, 0.75), (30.0, 0.8), (100.0, 1.0)];
        let all = [
            Dist::Constant(3.0),
            Dist::Uniform(1.0, 4.0),
            Dist::Whole {
                low: 1,
                high: 9,
                unit: 2.0,
            },
            Dist::Exponential(5.0),
            Dist::Pareto {
                mean: 2.0,
                shape: 3.0,
            },
            Dist::Lognormal {
                mean: 2.0,
                sigma: 0.5,
            },
            Dist::Empirical(points.into()),
        ];
        for dist in all {
            let mut draws = Stream::named(1, "test", "mean");
            let sum: f64 = (0..200_000).map(|_| dist.draw(&mut draws)).sum();
            let (drawn, mean) = (sum / 200_000.0, dist.mean());
            assert!(
                (drawn / mean - 1.0).abs() < 0.01,
                "{dist:?}: {drawn} for {mean}"
            );
        }
    }
}
