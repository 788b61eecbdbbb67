//! From the points of a sweep to one part: which of them decides, and how many agree.

use super::Part;
use super::condition::Condition;
use crate::claims::deciding::{Deciding, Number};
use crate::claims::select::Cell;
use crate::claims::verdict::Verdict;
use skywave_lab::experiment::stats::Estimate;

/// One point of a sweep.
#[derive(Clone, Debug)]
pub(super) struct Point {
    /// Place of the point as `parameter = value`; empty for a claim without a sweep.
    pub(super) place: String,
    /// Choices that are compared at the point, where they differ from point to point.
    pub(super) pair: String,
    /// Number measured at the point.
    pub(super) estimate: Option<Estimate>,
    /// Verdict on the number against the paper's.
    pub(super) verdict: Verdict,
    /// Numbers that `estimate` is made of, where they are known.
    pub(super) numbers: Vec<Number>,
    /// Whether the limits are those of the number, or of the two divided.
    pub(super) limited: bool,
}

impl Point {
    /// A number that a condition judges.
    pub(super) fn new(
        condition: &Condition,
        place: impl Into<String>,
        estimate: Option<Estimate>,
    ) -> Self {
        let verdict = estimate.map_or(Verdict::NotRun, |e| condition.judge(&e));
        Self {
            place: place.into(),
            pair: String::new(),
            estimate,
            verdict,
            numbers: Vec::new(),
            limited: true,
        }
    }

    /// The point with the numbers that it is made of in another way than by division.
    pub(super) fn shown_by<'a>(self, cells: impl IntoIterator<Item = &'a Cell>) -> Self {
        Self {
            limited: false,
            ..self.of(cells)
        }
    }

    /// The point with the number that it is, or the two that are divided.
    pub(super) fn of<'a>(mut self, cells: impl IntoIterator<Item = &'a Cell>) -> Self {
        let numbers = cells.into_iter().filter_map(Cell::number);
        self.numbers = numbers.cloned().collect();
        self
    }
}

/// At how many points something must hold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Need {
    /// At this share of them.
    Share(f64),
    /// At one.
    Any,
}

impl Need {
    pub(super) const ALL: Self = Self::Share(1.0);
}

/// The part for one number.
pub(super) fn single(
    name: impl Into<String>,
    condition: &Condition,
    unit: &str,
    ours: Option<Estimate>,
) -> Part {
    part(name, condition, unit, &[Point::new(condition, "", ours)])
}

/// The part for numbers that have to satisfy `condition` at all points of a sweep.
pub(super) fn part(
    name: impl Into<String>,
    condition: &Condition,
    unit: &str,
    points: &[Point],
) -> Part {
    part_of(name, condition, unit, points, Need::ALL)
}

/// The part for numbers that have to satisfy `condition` at as many points of a sweep as `need` says. The point that
/// decides is, of those with the part's verdict, the one with the smallest (for [`Need::Any`] the largest) margin.
pub(super) fn part_of(
    name: impl Into<String>,
    condition: &Condition,
    unit: &str,
    points: &[Point],
    need: Need,
) -> Part {
    let verdicts: Vec<Verdict> = points.iter().map(|p| p.verdict).collect();
    let verdict = match need {
        Need::Share(share) => Verdict::of_share(&verdicts, share),
        Need::Any => Verdict::of_any(&verdicts),
    };
    let mut decisive: Option<(&Point, Estimate, f64)> = None;
    // A point that has another verdict does not decide, unless all have.
    let telling = |point: &&Point| point.verdict == verdict || !verdicts.contains(&verdict);
    for point in points.iter().filter(telling) {
        let Some(e) = point.estimate else { continue };
        let margin = condition.margin(e.mean);
        let decides = decisive.is_none_or(|(_, _, best)| match need {
            Need::Share(_) => margin < best,
            Need::Any => margin > best,
        });
        if decides {
            decisive = Some((point, e, margin));
        }
    }
    let holding = verdicts.iter().filter(|v| **v == Verdict::Reproduced);
    let mut words: Vec<String> = Vec::new();
    if let Some((point, ..)) = decisive {
        if !point.place.is_empty() {
            words.push(format!("at {}", point.place));
        }
        if !point.pair.is_empty() {
            words.push(point.pair.clone());
        }
    }
    let mut remark = words.join(", ");
    if points.len() > 1 && decisive.is_some() {
        let count = format!("{} of {} points", holding.count(), points.len());
        remark = format!("{remark}; holds beyond the interval at {count}");
    }
    if let Some((_, e, _)) = decisive.filter(|_| verdict == Verdict::TooFewSeeds) {
        let reached: Vec<&str> = condition.reached(&e).iter().map(|v| v.as_str()).collect();
        if reached.len() > 1 {
            let comma = if remark.is_empty() { "" } else { "; " };
            remark = format!("{remark}{comma}{}", reached.join(" or "));
        }
    }
    let remark = Some(remark).filter(|r| !r.is_empty());
    let deciding = decisive.map(|(point, ..)| Deciding {
        place: point.place.clone(),
        numbers: point.numbers.clone(),
        limits: condition.limits().filter(|_| point.limited),
    });
    let e = decisive.map(|(_, e, _)| e);
    Part {
        name: name.into(),
        paper: condition.stated(),
        ours: e.map(|e| e.mean),
        ci95: e.and_then(|e| interval(&e)),
        unit: unit.to_owned(),
        verdict,
        remark,
        deciding,
    }
}

/// The interval of an estimate, when it has one.
fn interval(e: &Estimate) -> Option<[f64; 2]> {
    e.half.map(|_| e.bounds().into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::verdict::Limits;

    #[test]
    fn the_point_that_is_shown_has_the_parts_verdict() {
        let condition = Condition::within(Limits {
            low: Some(0.5),
            high: None,
            strict: false,
        });
        let point = |place: &str, mean: f64, half: f64| {
            let estimate = Estimate {
                half: Some(half),
                ..Estimate::from_moments(9, mean, 0.0)
            };
            Point::new(&condition, place, Some(estimate))
        };
        let points = [point("a = 1", 0.52, 0.01), point("a = 2", 0.6, 0.2)];
        let part = part("", &condition, "", &points);
        assert_eq!(part.verdict, Verdict::TooFewSeeds);
        assert_eq!(part.ours, Some(0.6));
        assert_eq!(
            part.remark.as_deref(),
            Some(
                "at a = 2; holds beyond the interval at 1 of 2 points; reproduced or not reproduced"
            )
        );
    }
}
