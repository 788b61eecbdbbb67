//! The verdict rule, the same for every claim of every paper.
//!
//! A claim comes down to *parts*, each an estimate with its 95 % interval beside what the paper
//! says. A part is judged by one of four rules:
//!
//! | part | reproduced | direction only | not reproduced |
//! |---|---|---|---|
//! | gain in percent | within 25 % of the paper's gain | the sign is the paper's, and the interval leaves out zero | else |
//! | value | within 10 % of the paper's value | within a factor of two | else |
//! | order, bound, shape, invariant: something lies above (or below, or between) limits | the whole interval does | only the mean does | else |
//! | the same at every point of a sweep | at each point (or at the share of them that the paper says) | only by the means | else |
//!
//! A gain or a value is reproduced only if the interval is precise enough to show it: its half-width
//! is at most the tolerance, 25 % of the paper's gain or 10 % of the paper's value. Then a result that
//! equals the paper's is found reproduced 95 times in 100, and one that is off by twice the tolerance
//! at most 3 times in 100. A wider interval (as two seeds easily give, whose Student's t is 12.7) would
//! agree with any number near the paper's. A part whose mean is within the tolerance, or whose interval
//! holds the paper's number, has *too few seeds* to tell if the interval is wider than that. A single
//! run has no interval, and too few seeds. The other rules need no such limit: an interval that lies
//! inside the limits is narrow enough.
//!
//! Two variants are compared seed by seed (common random numbers), so an order holds "beyond the
//! interval" when the interval of the paired difference leaves out zero. Where a text gives a word
//! and no number, the same number stands for it everywhere: *same*, *identical*, *flat*: within 5 %;
//! *slightly*, *almost*, *a little*: within 15 %; *close*, *similar*: within 25 %; *strongly*, *much*:
//! by more than 25 %.
//!
//! A part that is not reproduced because of a sender that the paper compares with is *baseline differs*
//! instead: `baseline.rs` has the rule.
//!
//! A claim has the verdict of its worst part, in the order *reproduced*, *direction only*, *too few
//! seeds*, *baseline differs*, *not reproduced*: an undecided part leaves the claim undecided unless
//! another part already fails.

use serde::Serialize;

use skywave_lab::experiment::stats::Estimate;

/// How far a measured gain may be from the paper's, and half the width that its interval may have; as
/// a share of the paper's.
pub const GAIN_TOLERANCE: f64 = 0.25;
/// How far a measured value may be from the paper's, and half the width that its interval may have; as
/// a share of the paper's.
pub const VALUE_TOLERANCE: f64 = 0.10;
/// The factor within which a value has at least the right size.
pub const VALUE_FACTOR: f64 = 2.0;

/// The verdict on a claim, or on a part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub enum Verdict {
    /// As the paper says.
    #[serde(rename = "reproduced")]
    Reproduced,
    /// Better or worse as the paper says, but not by as much, or not beyond chance.
    #[serde(rename = "direction only")]
    DirectionOnly,
    /// Too few seeds to tell: agrees with the paper, but by an interval wider than the tolerance, which
    /// would agree with other numbers too.
    #[serde(rename = "too few seeds")]
    TooFewSeeds,
    /// Not as the paper says, because of a sender that it compares with: what the paper has of it is refuted
    /// by another program, as [`Baseline`](super::Baseline) says.
    #[serde(rename = "baseline differs")]
    BaselineDiffers,
    /// Not as the paper says.
    #[serde(rename = "not reproduced")]
    NotReproduced,
    /// Nothing that a simulation could measure; the claim says why.
    #[serde(rename = "not testable")]
    NotTestable,
    /// The runs that it needs are missing.
    #[serde(rename = "not run")]
    NotRun,
}

impl Verdict {
    /// All verdicts, best first.
    pub const ALL: [Self; 7] = [
        Self::Reproduced,
        Self::DirectionOnly,
        Self::TooFewSeeds,
        Self::BaselineDiffers,
        Self::NotReproduced,
        Self::NotTestable,
        Self::NotRun,
    ];

    /// The verdict in words.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Reproduced => "reproduced",
            Self::DirectionOnly => "direction only",
            Self::TooFewSeeds => "too few seeds",
            Self::BaselineDiffers => "baseline differs",
            Self::NotReproduced => "not reproduced",
            Self::NotTestable => "not testable",
            Self::NotRun => "not run",
        }
    }

    /// The verdict on a claim with these parts: the worst of them.
    pub fn of_parts(parts: impl IntoIterator<Item = Self>) -> Self {
        parts.into_iter().max().unwrap_or(Self::NotRun)
    }

    /// The verdict when at least `share` of `points` must hold: the one that this share attains.
    pub fn of_share(points: &[Self], share: f64) -> Self {
        if points.is_empty() || points.contains(&Self::NotRun) {
            return Self::NotRun;
        }
        let attained = |verdict: Self| {
            let count = points.iter().filter(|v| **v <= verdict).count();
            // A share such as 0.8 is no exact binary number: leave room for the last digit.
            count as f64 >= share * points.len() as f64 - 1e-9
        };
        let levels = [Self::Reproduced, Self::DirectionOnly, Self::TooFewSeeds];
        let best = levels.into_iter().find(|v| attained(*v));
        best.unwrap_or(Self::NotReproduced)
    }
}

impl std::fmt::Display for Verdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.as_str())
    }
}

/// The rule for a gain; `paper` and `ours` in one unit, as shares or in percent.
pub fn gain(paper: f64, ours: &Estimate) -> Verdict {
    if let Some(verdict) = agreement(paper, ours, GAIN_TOLERANCE) {
        verdict
    } else if ours.is_significant() && (ours.mean > 0.0) == (paper > 0.0) {
        Verdict::DirectionOnly
    } else {
        Verdict::NotReproduced
    }
}

/// The rule for a value.
pub fn value(paper: f64, ours: &Estimate) -> Verdict {
    let ratio = ours.mean / paper;
    if let Some(verdict) = agreement(paper, ours, VALUE_TOLERANCE) {
        verdict
    } else if (1.0 / VALUE_FACTOR..=VALUE_FACTOR).contains(&ratio) {
        Verdict::DirectionOnly
    } else {
        Verdict::NotReproduced
    }
}

/// The verdict on a mean within `tolerance` of the paper's number, or an interval that holds the
/// paper's number: reproduced if the interval is no wider than the tolerance to either side. `None`
/// when neither is so.
fn agreement(paper: f64, ours: &Estimate, tolerance: f64) -> Option<Verdict> {
    let (low, high) = ours.bounds();
    // Room for the last digit of a decimal number.
    let tolerance = tolerance * paper.abs() * (1.0 + 1e-12);
    let near = (ours.mean - paper).abs() <= tolerance;
    if !near && !(low..=high).contains(&paper) {
        return None;
    }
    // In a precise interval that holds the paper's number, the mean is near it.
    let precise = ours.half.is_some_and(|half| half <= tolerance);
    Some(if precise {
        Verdict::Reproduced
    } else {
        Verdict::TooFewSeeds
    })
}

/// Limits that a number has to lie between; a missing one is no limit.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Limits {
    /// Lower limit.
    pub low: Option<f64>,
    /// Upper limit.
    pub high: Option<f64>,
    /// The limits themselves do not count as inside: better is not the same.
    pub strict: bool,
}

impl Limits {
    /// Above zero.
    pub const POSITIVE: Self = Self {
        low: Some(0.0),
        high: None,
        strict: true,
    };
    /// Below zero.
    pub const NEGATIVE: Self = Self {
        low: None,
        high: Some(0.0),
        strict: true,
    };

    /// This or less.
    pub const fn at_most(high: f64) -> Self {
        Self {
            low: None,
            high: Some(high),
            strict: false,
        }
    }

    fn contain(&self, x: f64) -> bool {
        let above = |low: f64| if self.strict { x > low } else { x >= low };
        let below = |high: f64| if self.strict { x < high } else { x <= high };
        self.low.is_none_or(above) && self.high.is_none_or(below)
    }

    /// The rule for a number that has to lie between limits. A single run has no interval, and
    /// holds beyond chance for nothing.
    pub fn judge(&self, ours: &Estimate) -> Verdict {
        let (low, high) = ours.bounds();
        if !self.contain(ours.mean) {
            Verdict::NotReproduced
        } else if ours.half.is_some() && self.contain(low) && self.contain(high) {
            Verdict::Reproduced
        } else {
            Verdict::DirectionOnly
        }
    }

    /// How far inside the limits a number is, at the nearest of them; below zero outside.
    pub fn margin(&self, x: f64) -> f64 {
        let below = self.low.map_or(f64::INFINITY, |low| x - low);
        let above = self.high.map_or(f64::INFINITY, |high| high - x);
        below.min(above)
    }
}

impl std::fmt::Display for Limits {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (above, below) = if self.strict {
            ("> ", "< ")
        } else {
            ("≥ ", "≤ ")
        };
        match (self.low, self.high) {
            (Some(low), Some(high)) => write!(f, "{low} to {high}"),
            (Some(low), None) => write!(f, "{above}{low}"),
            (None, Some(high)) => write!(f, "{below}{high}"),
            (None, None) => f.write_str("any"),
        }
    }
}

#[cfg(test)]
#[path = "verdict_tests.rs"]
mod tests;
