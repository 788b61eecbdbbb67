//! Means with intervals, paired differences, gains and fairness.
//!
//! Replications are independent and roughly normal, so a mean has a Student t interval. Variants run
//! on common random numbers (the same seeds), so two variants are compared seed by seed: the
//! interval of the difference leaves out what both have in common.

use std::collections::BTreeMap;

/// Confidence level of the interval of every [`Estimate`]: 95 %.
pub const CONFIDENCE: f64 = 0.95;

/// Mean of some samples with its 95 % confidence interval (Student's t).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// Number of samples.
    pub n: usize,
    /// Sample mean.
    pub mean: f64,
    /// Sample standard deviation (divisor n − 1); zero for one sample.
    pub sd: f64,
    /// Half the width of the 95 % confidence interval; `None` for one sample, which has no spread to estimate.
    pub half: Option<f64>,
}

impl Estimate {
    /// Estimate from `samples`; `None` without samples, or when a sample is not finite (such as the time until an event
    /// that did not happen before the end of the run): the mean of the finite samples would be too small.
    pub fn of(samples: &[f64]) -> Option<Self> {
        if samples.is_empty() || samples.iter().any(|sample| !sample.is_finite()) {
            return None;
        }
        let n = samples.len();
        let mean = samples.iter().sum::<f64>() / n as f64;
        // Two passes: the sum of squared deviations does not cancel.
        let squares: f64 = samples.iter().map(|x| (x - mean) * (x - mean)).sum();
        let sd = libm::sqrt(squares / (n.max(2) - 1) as f64);
        Some(Self::from_moments(n, mean, sd))
    }

    /// Estimate from `n` samples with this mean and standard deviation (divisor n − 1).
    pub fn from_moments(n: usize, mean: f64, sd: f64) -> Self {
        let half = (n > 1).then(|| t_critical(n - 1) * sd / libm::sqrt(n as f64));
        Self { n, mean, sd, half }
    }

    /// Lower and upper end of the 95 % interval; both are the mean when there is no interval.
    pub fn bounds(&self) -> (f64, f64) {
        let half = self.half.unwrap_or(0.0);
        (self.mean - half, self.mean + half)
    }

    /// Whether the mean differs significantly from zero: true if the 95 % interval does not contain zero; false for one
    /// sample.
    pub fn is_significant(&self) -> bool {
        let (low, high) = self.bounds();
        self.half.is_some() && (low > 0.0 || high < 0.0)
    }

    /// Whether two measurements of one thing agree: true if the means differ by at most `tolerance`, as a share of the
    /// reference's mean (0.1 is 10 %), or the 95 % intervals overlap. The interval of one sample is its mean alone.
    pub fn agrees(&self, reference: &Self, tolerance: f64) -> bool {
        let (low, high) = self.bounds();
        let (their_low, their_high) = reference.bounds();
        self.is_close(reference, tolerance) || (low <= their_high && their_low <= high)
    }

    /// Whether the means differ by at most `tolerance`, as a share of the reference's mean (0.1 is 10 %).
    pub fn is_close(&self, reference: &Self, tolerance: f64) -> bool {
        (self.mean - reference.mean).abs() <= tolerance * reference.mean.abs()
    }
}

/// Mean and median of a measured number over some runs. A time until an event that did not happen in a run counts as
/// infinite: there is then no mean, and no median if it is infinite too.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Average {
    /// Mean of the samples with its interval; `None` without samples, or when a sample is infinite.
    pub mean: Option<Estimate>,
    /// Median of the samples, infinite ones counted as the largest; `None` without samples, or when the median is
    /// infinite.
    pub median: Option<f64>,
    /// Number of finite samples.
    pub finite: usize,
    /// Number of infinite samples: runs that ended before the event whose time is measured.
    pub late: usize,
    /// Number of runs, those without a sample included.
    pub runs: usize,
}

impl Average {
    /// Average of the samples of `runs` runs; a sample is infinite if the run ended before the event whose time is
    /// measured.
    pub fn of(samples: &[f64], runs: usize) -> Self {
        let mut sorted = samples.to_vec();
        sorted.sort_by(f64::total_cmp);
        let finite = sorted.iter().filter(|sample| sample.is_finite()).count();
        Self {
            mean: Estimate::of(samples),
            median: quantile(&sorted, 0.5).filter(|median| median.is_finite()),
            finite,
            late: sorted.len() - finite,
            runs,
        }
    }

    /// Mean of the samples, or their median when there is no mean; `None` when there is neither.
    pub fn middle(&self) -> Option<f64> {
        self.mean.map(|estimate| estimate.mean).or(self.median)
    }
}

/// The pairs of values that exist on both sides, with their place.
fn pairs(a: &[Option<f64>], b: &[Option<f64>]) -> Vec<(usize, f64, f64)> {
    a.iter()
        .zip(b)
        .enumerate()
        .filter_map(|(seed, (a, b))| Some((seed, (*a)?, (*b)?)))
        .collect()
}

/// Mean of the differences `a − b`, paired by seed: entry `i` of both must come from the same seed. `None` if no seed
/// has a value in both, or a difference is not finite.
pub fn paired_difference(a: &[Option<f64>], b: &[Option<f64>]) -> Option<Estimate> {
    let differences: Vec<f64> = pairs(a, b).iter().map(|(_, a, b)| a - b).collect();
    Estimate::of(&differences)
}

/// Relative gain of `a` over `b`, mean(a) / mean(b) − 1, with an interval paired by seed: 0.1 is 10 % more. Entry `i`
/// of both must come from the same seed.
///
/// The gain is the ratio of means, as papers state gains, and not the mean of ratios, which one bad seed of `b`
/// dominates. Single zeros do no harm. `None` if no seed has a value in both, a mean is infinite, or the mean of `b`
/// is not above zero.
pub fn paired_gain(a: &[Option<f64>], b: &[Option<f64>]) -> Option<Estimate> {
    mean_ratio(&[(a, b)]).map(|ratio| Estimate {
        mean: ratio.mean - 1.0,
        ..ratio
    })
}

/// Samples of two variants to compare; entry `i` of both is from the same seed, `None` where the seed has no sample.
pub type Paired<'a> = (&'a [Option<f64>], &'a [Option<f64>]);

/// Mean over several comparisons of the ratio mean(a) / mean(b), all with the same seeds.
///
/// The interval is the delta method's for ratios of paired means. With R a ratio of n pairs, one seed moves R by its
/// residual (a − R b) / mean(b), divided by n. A seed moves the mean of all ratios by the average of these moves over
/// the comparisons; so the interval includes what comparisons have in common, and a seed that one comparison lacks
/// still counts in the others. `None` without comparisons, when a comparison has no pair, when a mean is infinite, or
/// when the mean of some `b` is not above zero.
pub fn mean_ratio(comparisons: &[Paired<'_>]) -> Option<Estimate> {
    let all: Vec<_> = comparisons.iter().map(|(a, b)| pairs(a, b)).collect();
    let places = all.iter().flatten().map(|&(seed, ..)| (seed, 0.0));
    let mut shifts: BTreeMap<usize, f64> = places.collect();
    let seeds = shifts.len() as f64;
    let mut ratios = 0.0;
    for pairs in &all {
        let n = pairs.len() as f64;
        let mean_a = pairs.iter().map(|p| p.1).sum::<f64>() / n;
        let mean_b = pairs.iter().map(|p| p.2).sum::<f64>() / n;
        if pairs.is_empty() || mean_b <= 0.0 || !(mean_a.is_finite() && mean_b.is_finite()) {
            return None;
        }
        let ratio = mean_a / mean_b;
        ratios += ratio;
        for (seed, a, b) in pairs {
            // The mean of the shifts divides by all seeds, but this ratio has n of them.
            let shift = (a - ratio * b) / mean_b * (seeds / n);
            *shifts.entry(*seed).or_default() += shift;
        }
    }
    let count = comparisons.len() as f64;
    let shifts: Vec<f64> = shifts.into_values().map(|shift| shift / count).collect();
    Estimate::of(&shifts).map(|e| Estimate {
        mean: ratios / count,
        ..e
    })
}

/// Jain's fairness index of n shares: 1 when all are equal, 1/n when one share is everything; `None` when there are no
/// shares, or all are zero.
pub fn jain(shares: &[f64]) -> Option<f64> {
    let sum: f64 = shares.iter().sum();
    let squares: f64 = shares.iter().map(|x| x * x).sum();
    (squares > 0.0).then(|| sum * sum / (shares.len() as f64 * squares))
}

/// The two-sided critical value of Student's t at [`CONFIDENCE`].
fn t_critical(dof: usize) -> f64 {
    t_quantile(f64::midpoint(1.0, CONFIDENCE), dof)
}

/// Quantile of the ascending samples `sorted`: the value below which the share `share` (0 to 1) of them lies,
/// interpolated between neighbours (as R's type 7 and NumPy's default); `None` without samples. Samples may be +∞.
pub fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let at = share.clamp(0.0, 1.0) * last as f64;
    let below = sorted[at as usize];
    let above = sorted[(at as usize + 1).min(last)];
    if at.fract() == 0.0 || above.is_infinite() {
        return Some(if at.fract() == 0.0 { below } else { above });
    }
    Some(below + (above - below) * at.fract())
}

/// Quantile of Student's t distribution with `dof` degrees of freedom: the value t with P(T ≤ t) = `p`.
///
/// Bisection on the exact distribution: slow next to an approximation and the same on every machine.
pub fn t_quantile(p: f64, dof: usize) -> f64 {
    if p < 0.5 {
        return -t_quantile(1.0 - p, dof);
    }
    let (mut low, mut high) = (0.0, 1.0);
    while t_distribution(high, dof) < p && high < 1e300 {
        high *= 2.0;
    }
    for _ in 0..200 {
        let middle = f64::midpoint(low, high);
        if middle <= low || middle >= high {
            break;
        }
        if t_distribution(middle, dof) < p {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}

/// Distribution function P(T ≤ t) of Student's t for `dof` degrees of freedom: the finite sums of Abramowitz and Stegun
/// 26.7.3 and 26.7.4.
pub fn t_distribution(t: f64, dof: usize) -> f64 {
    let nu = dof.max(1) as f64;
    let theta = libm::atan(t / libm::sqrt(nu));
    let (sin, cos) = (libm::sin(theta), libm::cos(theta));
    let odd = dof % 2 == 1 || dof == 0;
    // Terms cos^k (2·4·…)/(3·5·…) or cos^k (1·3·…)/(2·4·…), k up to dof − 2.
    let (mut term, mut k) = if odd { (cos, 1) } else { (1.0, 0) };
    let mut sum = 0.0;
    while k + 2 <= dof {
        sum += term;
        term *= cos * cos * (k as f64 + 1.0) / (k as f64 + 2.0);
        k += 2;
    }
    let inside = if odd {
        2.0 / std::f64::consts::PI * (theta + sin * sum)
    } else {
        sin * sum
    };
    f64::midpoint(1.0, inside)
}

#[cfg(test)]
#[path = "stats_tests.rs"]
mod tests;
