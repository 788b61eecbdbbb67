//! Rising, then flat.

use serde::Deserialize;

use super::condition::Condition;
use super::points::{Point, part};
use super::{Measure, Part, choices, given, label_of};
use crate::claims::error::Fault;
use crate::claims::model::{Along, Data};
use crate::claims::select::{Cell, Scalar, View};
use crate::claims::verdict::{Limits, SAME, Verdict};

/// Limits of "flat": the same as the value at the end.
const FLAT: Limits = Limits {
    low: Some(1.0 - SAME / 100.0),
    high: Some(1.0 + SAME / 100.0),
    strict: false,
};

/// A curve that levels off.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::claims) struct Plateau {
    pub(super) name: Option<String>,
    data: Data,
    /// One curve for each value of this parameter.
    by: Option<String>,
    /// Only these values of `by`.
    among: Option<Vec<Scalar>>,
    along: Along,
    /// Where the flat part begins.
    flat_from: Scalar,
    /// Whether the curve rises from its start to there; default yes.
    #[serde(default = "yes")]
    rises: bool,
    /// Where more than half of the whole rise is done.
    knee: Option<Scalar>,
}

fn yes() -> bool {
    true
}

impl Plateau {
    fn curve(&self, view: &View<'_>, choice: Option<&Scalar>) -> Result<Vec<Part>, Fault> {
        let more = given([(self.by.as_deref(), choice)]);
        let parameter = self.along.parameter.as_str();
        let cell = |value: &Scalar| {
            let mut more = more.clone();
            more.push((parameter, value));
            view.cell(&self.data, &more)
        };
        let values = view.values(&self.data, &self.along, &more)?;
        let (Some(first), Some(last)) = (values.first(), values.last()) else {
            return Err(Fault::new("this sweep has no value"));
        };
        let (first_cell, last_cell) = (cell(first)?, cell(last)?);
        let name = |what: &str| label_of(choice, what);
        let mut parts = Vec::new();
        if self.rises {
            let condition = Condition::called(Limits::POSITIVE, "rising");
            let rise = cell(&self.flat_from)?.lead(&first_cell);
            let at = format!("{parameter} {first} → {}", self.flat_from);
            let point = Point::new(&condition, at, rise);
            parts.push(part(name("rise"), &condition, "%", &[point]));
        }
        if let Some(knee) = &self.knee {
            let half = Limits {
                low: Some(0.5),
                high: None,
                strict: false,
            };
            let condition = Condition::called(half, "≥ 0.5 of the rise");
            let above = |c: Cell| {
                Cell::combine(&[c, first_cell.clone()], |xs| match xs {
                    [x, first] => Some(x - first),
                    _ => None,
                })
            };
            let whole = above(last_cell.clone());
            let share = above(cell(knee)?).ratio(&whole);
            let at = format!("{parameter} = {knee}");
            let mut point = Point::new(&condition, at, share);
            if share.is_none() && whole.estimate().is_some() {
                // It was run, but there is no rise to take a share of.
                point.verdict = Verdict::NotReproduced;
            }
            parts.push(part(name("knee"), &condition, "", &[point]));
        }
        let start = self.flat_from.number().ok_or_else(|| {
            Fault::new(format!(
                "`{}` is not a number: where is it flat?",
                self.flat_from
            ))
        })?;
        let flat = Condition::called(FLAT, format!("{FLAT} of the value at {last}"));
        let mut points = Vec::new();
        for value in &values {
            let inside = value
                .number()
                .is_some_and(|x| x >= start - 1e-9 * start.abs());
            if inside && value != last {
                let ratio = cell(value)?.ratio(&last_cell);
                points.push(Point::new(&flat, format!("{parameter} = {value}"), ratio));
            }
        }
        if points.is_empty() {
            return Err(Fault::new(format!(
                "the flat part from {} is one point",
                self.flat_from
            )));
        }
        parts.push(part(name("flat"), &flat, "", &points));
        Ok(parts)
    }
}

impl Measure for Plateau {
    fn parts(&self, view: &View<'_>) -> Result<Vec<Part>, Fault> {
        let choices = choices(view, &self.data, self.by.as_deref(), self.among.as_deref())?;
        let mut parts = Vec::new();
        for choice in &choices {
            parts.extend(self.curve(view, choice.as_ref())?);
        }
        Ok(parts)
    }
}
