//! The verdict rule, the same for every claim of every paper.
//!
//! A claim comes down to *parts*, each an estimate with its 95 % interval beside what the paper
//! says. What the paper says divides the line of numbers into zones:
//!
//! | part | reproduced | direction only | not reproduced |
//! |---|---|---|---|
//! | gain in percent | within 25 % of the paper's gain | else, to the paper's side and more than *the same* | else |
//! | value | within 10 % of the paper's value | elsewhere within a factor of two | else |
//! | order, bound, shape, invariant: something lies above (or below, or between) limits | inside | – | outside |
//!
//! A part has the verdict of the zone in which *the whole interval* lies. An interval that reaches into
//! two zones shows neither: the part has *too few seeds* to tell. So no verdict hangs on less than its interval, and more seeds
//! turn one into another only through *too few seeds*, but for the chance that the interval leaves. A single
//! run has no interval, and too few seeds. An undecided interval of more than 25 % of its number to either side is named
//! beside the counts: there nothing was measured well. What has to hold at every point of a sweep (or at the share
//! of them that the paper says) is judged at each.
//!
//! Two variants are compared seed by seed (common random numbers), so an order is reproduced
//! when the interval of the paired difference leaves out zero. Where a text gives a word
//! and no number, the same number stands for it everywhere: *same*, *identical*, *flat*: within 5 %;
//! *slightly*, *almost*, *a little*: within 15 %; *close*, *similar*: within 25 %; *strongly*, *much*:
//! by more than 25 %. So a gain has the paper's direction only from 5 % on, or from a quarter of the paper's where
//! that is less.
//!
//! A part that is not reproduced because of a sender that the paper compares with is *baseline differs*
//! instead: `baseline.rs` has the rule. A part whose outcome was put in is *circular*, and counts for nothing.
//!
//! A claim has the verdict of its worst part, in the order *reproduced*, *direction only*, *too few
//! seeds*, *baseline differs*, *not reproduced*: an undecided part leaves the claim undecided unless
//! another part already fails.

use serde::{Serialize, Serializer};

use skywave_lab::experiment::stats::Estimate;

/// Largest difference of a reproduced gain from the paper's gain, as a share of the paper's gain.
pub const GAIN_TOLERANCE: f64 = 0.25;
/// Largest difference between two numbers at which they are called the same, in percent.
pub const SAME: f64 = 5.0;
/// Largest difference of a reproduced value from the paper's value, as a share of the paper's value.
pub const VALUE_TOLERANCE: f64 = 0.10;
/// Largest factor by which a measured value may be above or below the paper's to be [`Verdict::DirectionOnly`].
pub const VALUE_FACTOR: f64 = 2.0;

/// Half the width of our number's 95 % interval, as a share of the paper's number (of ours, or of 100 %, where the paper
/// states a condition), above which reports name an undecided part ([`Verdict::TooFewSeeds`]) of a core claim beside the
/// counts: its runs measured next to nothing.
pub const WIDEST: f64 = GAIN_TOLERANCE;

/// Verdict on a paper's claim, or on a part (one number) of it, after our own runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Our number agrees with the paper's, or meets its condition.
    Reproduced,
    /// Our gain has the paper's sign, but not its amount; or our value is off the paper's by more than 10 %, and by a
    /// factor of two at most.
    DirectionOnly,
    /// Number of seeds too small to tell: the interval of our number reaches from one verdict's zone into another's, or
    /// there is none, as with one seed.
    TooFewSeeds,
    /// Our number does not agree because of a sender that the paper compares with: the paper's number of that sender is
    /// refuted by another program, see [`Baseline`](super::Baseline).
    BaselineDiffers,
    /// Our number does not agree with the paper's, or does not meet its condition.
    NotReproduced,
    /// Outcome that shows nothing, because it was put in, as by a setting that was chosen to give it; the claim says
    /// why.
    Circular,
    /// Claim about something that no simulation could measure; the claim says why.
    NotTestable,
    /// Runs that the claim needs are missing.
    NotRun,
}

impl Verdict {
    /// All verdicts, best first.
    pub const ALL: [Self; 8] = [
        Self::Reproduced,
        Self::DirectionOnly,
        Self::TooFewSeeds,
        Self::BaselineDiffers,
        Self::NotReproduced,
        Self::Circular,
        Self::NotTestable,
        Self::NotRun,
    ];

    /// Words for the verdict, as in tables: `direction only`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Reproduced => "reproduced",
            Self::DirectionOnly => "direction only",
            Self::TooFewSeeds => "too few seeds",
            Self::BaselineDiffers => "baseline differs",
            Self::NotReproduced => "not reproduced",
            Self::Circular => "circular",
            Self::NotTestable => "not testable",
            Self::NotRun => "not run",
        }
    }

    /// Verdict on a claim whose parts have these verdicts: the worst of those that are not [`Self::Circular`], circular
    /// if all are, not run if there are none.
    pub fn of_parts(parts: impl IntoIterator<Item = Self> + Clone) -> Self {
        let counted = parts.clone().into_iter().filter(|v| *v != Self::Circular);
        let worst = counted.max().or_else(|| parts.into_iter().max());
        worst.unwrap_or(Self::NotRun)
    }

    /// Verdict on a statement that must hold at no less than a `share` (0 to 1) of `points`: the best verdict that so
    /// many points attain. Too few seeds if it depends on points with too few seeds; not run if some point is not run.
    pub fn of_share(points: &[Self], share: f64) -> Self {
        // A share such as 0.8 is no exact binary number: leave room for the last digit.
        Self::of_count(points, share * points.len() as f64 - 1e-9)
    }

    /// Verdict on a statement that must hold at one or more of `points`: the best of their verdicts. Too few seeds if
    /// it depends on points with too few seeds; not run if some point is not run.
    pub fn of_any(points: &[Self]) -> Self {
        Self::of_count(points, 1.0)
    }

    fn of_count(points: &[Self], needed: f64) -> Self {
        if points.is_empty() || points.contains(&Self::NotRun) {
            return Self::NotRun;
        }
        let attained = |undecided: Self| {
            let verdicts = || {
                let decided = |v: &Self| {
                    if *v == Self::TooFewSeeds {
                        undecided
                    } else {
                        *v
                    }
                };
                points.iter().map(decided)
            };
            let at_least =
                |level: Self| verdicts().filter(|v| *v <= level).count() as f64 >= needed;
            let levels = [Self::Reproduced, Self::DirectionOnly];
            let best = levels.into_iter().find(|level| at_least(*level));
            best.unwrap_or(Self::NotReproduced)
        };
        let (worst, best) = (attained(Self::NotReproduced), attained(Self::Reproduced));
        if worst == best {
            worst
        } else {
            Self::TooFewSeeds
        }
    }
}

impl Serialize for Verdict {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl std::fmt::Display for Verdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.as_str())
    }
}

/// The verdict when one zone holds the mean and both ends of the interval; zones are numbered along the line.
fn by_zone(ours: &Estimate, zone: impl Fn(f64) -> usize, verdicts: &[Verdict]) -> Verdict {
    let (low, high) = ours.bounds();
    let here = zone(ours.mean);
    if ours.half.is_some() && zone(low) == here && zone(high) == here {
        verdicts[here]
    } else {
        Verdict::TooFewSeeds
    }
}

/// A number as a multiple of the paper's. Only zero is as large as zero.
fn multiple(x: f64, paper: f64) -> f64 {
    if x == paper { 1.0 } else { x / paper }
}

/// Room for the last digit of a decimal number.
const SLACK: f64 = 1e-12;

/// Verdict on a measured gain `ours` against the paper's, both in percent, by [`GAIN_TOLERANCE`] and [`SAME`].
pub fn gain(paper: f64, ours: &Estimate) -> Verdict {
    use Verdict::{DirectionOnly, NotReproduced, Reproduced};
    let least = (SAME / paper.abs()).min(GAIN_TOLERANCE);
    let zone = |x| match multiple(x, paper) {
        ratio if ratio <= least => 0,
        ratio if ratio < 1.0 - GAIN_TOLERANCE - SLACK => 1,
        ratio if ratio <= 1.0 + GAIN_TOLERANCE + SLACK => 2,
        _ => 3,
    };
    let verdicts = [NotReproduced, DirectionOnly, Reproduced, DirectionOnly];
    by_zone(ours, zone, &verdicts)
}

/// Verdict on a measured value `ours` against the paper's in the same unit, by [`VALUE_TOLERANCE`] and
/// [`VALUE_FACTOR`].
pub fn value(paper: f64, ours: &Estimate) -> Verdict {
    use Verdict::{DirectionOnly, NotReproduced, Reproduced};
    let zone = |x| match multiple(x, paper) {
        ratio if ratio < 1.0 / VALUE_FACTOR => 0,
        ratio if ratio < 1.0 - VALUE_TOLERANCE - SLACK => 1,
        ratio if ratio <= 1.0 + VALUE_TOLERANCE + SLACK => 2,
        ratio if ratio <= VALUE_FACTOR => 3,
        _ => 4,
    };
    let verdicts = [
        NotReproduced,
        DirectionOnly,
        Reproduced,
        DirectionOnly,
        NotReproduced,
    ];
    by_zone(ours, zone, &verdicts)
}

/// Limits that a number has to lie between; `None` is no limit.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Limits {
    /// Lower limit; `None` if there is none.
    pub low: Option<f64>,
    /// Upper limit; `None` if there is none.
    pub high: Option<f64>,
    /// Whether a number that equals a limit is outside: true for "above" and "below", false for "at least" and "at
    /// most".
    pub strict: bool,
}

impl Limits {
    /// Limits of a number that has to be above zero.
    pub const POSITIVE: Self = Self {
        low: Some(0.0),
        high: None,
        strict: true,
    };
    /// Limits of a number that has to be below zero.
    pub const NEGATIVE: Self = Self {
        low: None,
        high: Some(0.0),
        strict: true,
    };

    /// Limits of a number that may be at most `high`.
    pub const fn at_most(high: f64) -> Self {
        Self {
            low: None,
            high: Some(high),
            strict: false,
        }
    }

    /// Verdict on a number that has to lie between the limits: reproduced if its whole 95 % interval is inside, not
    /// reproduced if the whole interval is outside on one side, else too few seeds.
    pub fn judge(&self, ours: &Estimate) -> Verdict {
        use Verdict::{NotReproduced, Reproduced};
        by_zone(
            ours,
            |x| self.zone(x),
            &[NotReproduced, Reproduced, NotReproduced],
        )
    }

    /// 0 below the limits, 1 between them, 2 above.
    fn zone(&self, x: f64) -> usize {
        let below = |low: f64| if self.strict { x <= low } else { x < low };
        let above = |high: f64| if self.strict { x >= high } else { x > high };
        match (self.low.is_some_and(below), self.high.is_some_and(above)) {
            (true, _) => 0,
            (false, false) => 1,
            (false, true) => 2,
        }
    }

    /// Distance of a number from the nearest limit, in the number's unit; below zero outside of the limits, infinite
    /// without limits.
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
