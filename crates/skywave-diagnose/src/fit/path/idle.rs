//! Variation of an idle link that probes tell and a transfer cannot: how far round trips change without any queue.

use crate::fit::probes::{JitterModel, ProbeFit};

/// Standard deviations above the mean that a variation hardly exceeds.
const HARDLY: f64 = 2.0;

/// Variation of a path's round trips that no queue makes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Idle {
    /// Seconds above the base that round trips hardly exceed: jitter, and repair by the link.
    pub varies_s: f64,
}

impl Idle {
    /// Variation that probes tell; none where there are no probes.
    pub fn of<'a>(probes: impl IntoIterator<Item = &'a ProbeFit>) -> Self {
        let varies = |fit: &ProbeFit| {
            let jitter = fit.jitter.told().map_or(0.0, |choice| most(choice.best()));
            let repair = fit.arq.told().copied().flatten();
            jitter + repair.map_or(0.0, |arq| arq.round_trip_s.value)
        };
        Self {
            varies_s: probes.into_iter().map(varies).fold(0.0, f64::max),
        }
    }
}

/// Round trip above the base that jitter hardly exceeds, seconds.
fn most(jitter: &JitterModel) -> f64 {
    match jitter {
        JitterModel::None => 0.0,
        JitterModel::Uniform { width_s } => width_s.value,
        JitterModel::UniformEachWay { width_s } => 2.0 * width_s.value,
        JitterModel::Exponential { mean_s } => (1.0 + HARDLY) * mean_s.value,
        JitterModel::ExponentialEachWay { mean_s } => {
            (2.0 + HARDLY * core::f64::consts::SQRT_2) * mean_s.value
        }
        JitterModel::Gamma { shape, scale_s } => {
            (shape.value + HARDLY * libm::sqrt(shape.value)) * scale_s.value
        }
    }
}
