//! Variation of an idle link that probes tell and a transfer cannot: how far round trips change without any queue.

use crate::fit::probes::{Arq, Base, JitterModel, ProbeFit};
use crate::transfer::Transfer;

/// Standard deviations above the mean that a variation hardly exceeds.
const HARDLY: f64 = 2.0;

/// Share of the segments that a link sends again which others overtake, from which on it is known to let them.
const OVERTAKEN: f64 = 0.2;

/// Share of a repair's time by which queues vary that have repairs in them.
const REPAIRED: f64 = 0.25;

/// A variation above this makes the spacing of single packets tell nothing, seconds.
pub(super) const SPACED_S: f64 = 0.002;

/// Variation of a path's round trips that is not due to queues, as probes of the idle link tell it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Idle {
    /// Distribution of the jitter; `None` if there is none, or probes do not tell.
    pub jitter: Option<JitterModel>,
    /// Mean round trip of the idle link, jitter included, seconds; `None` where there is no jitter.
    pub mean_s: Option<f64>,
    /// Time above the base round trip that jitter hardly exceeds, seconds: about its mean and two standard deviations.
    /// 0 without jitter.
    pub varies_s: f64,
    /// Difference of the longest and the shortest level of the base round trip, seconds; 0 if it does not change.
    pub steps_s: f64,
    /// Retransmission by the link itself; `None` if probes show none.
    pub arq: Option<Arq>,
}

impl Idle {
    /// Variation of the idle link from fits of probes: the largest jitter and steps among them; none without fits.
    pub fn of<'a>(probes: impl IntoIterator<Item = &'a ProbeFit>) -> Self {
        let mut idle = Self::default();
        for fit in probes {
            let (mean_s, most_s) = fit
                .jitter
                .told()
                .map_or((0.0, 0.0), |jitter| above(jitter.best()));
            let steps = fit.base.told().map_or(0.0, Base::range_s);
            if most_s > idle.varies_s {
                idle.varies_s = most_s;
                idle.jitter = fit.jitter.told().map(|choice| *choice.best());
                idle.mean_s = fit.base.told().map(|base| base.least().value + mean_s);
            }
            idle.steps_s = idle.steps_s.max(steps);
            idle.arq = idle.arq.or(fit.arq.told().copied().flatten());
        }
        idle
    }

    /// Order of packets while the link sends one again, kept or not, as a transfer tells; `None` if it does not repair.
    pub(super) fn in_order(&self, transfer: &Transfer) -> Option<bool> {
        let arq = self.arq?;
        let overtaken: u64 = transfer
            .bins
            .iter()
            .map(|bin| u64::from(bin.overtaken))
            .sum();
        let repaired = arq.p.value * transfer.sent.len() as f64;
        Some(
            arq.in_order
                .unwrap_or((overtaken as f64) < OVERTAKEN * repaired),
        )
    }

    /// Bytes by which a queue of `bps` bits a second is not known: of what is sent again in between a part.
    pub(super) fn blurred(&self, bps: f64) -> f64 {
        let repair_s = self
            .arq
            .map_or(0.0, |arq| arq.round_trip_s.value * REPAIRED);
        (self.varies_s + repair_s) * bps / 8.0
    }

    /// Variation with the link's repair: where packets overtake those that wait for it, few of them wait.
    pub(super) fn beside(self, transfer: &Transfer) -> Self {
        let blocked_s = match (self.arq, self.in_order(transfer)) {
            (Some(arq), Some(true)) => arq.round_trip_s.value,
            _ => 0.0,
        };
        Self {
            varies_s: self.varies_s + blocked_s,
            ..self
        }
    }
}

/// Seconds above the base that jitter takes on average, and that it hardly exceeds.
fn above(jitter: &JitterModel) -> (f64, f64) {
    let around = |mean_s: f64, deviation_s: f64| (mean_s, mean_s + HARDLY * deviation_s);
    match jitter {
        JitterModel::None => (0.0, 0.0),
        JitterModel::Uniform { width_s } => (width_s.value / 2.0, width_s.value),
        JitterModel::UniformEachWay { width_s } => (width_s.value, 2.0 * width_s.value),
        JitterModel::Exponential { mean_s } => around(mean_s.value, mean_s.value),
        JitterModel::ExponentialEachWay { mean_s } => {
            around(2.0 * mean_s.value, core::f64::consts::SQRT_2 * mean_s.value)
        }
        JitterModel::Gamma { shape, scale_s } => around(
            shape.value * scale_s.value,
            libm::sqrt(shape.value) * scale_s.value,
        ),
    }
}
