//! A curve that falls like a negative exponential.

use serde::Deserialize;

use super::condition::Condition;
use super::curve::{Curve, line};
use super::points::{Point, part};
use super::{Measure, Part, choices, label_of};
use crate::claims::error::Fault;
use crate::claims::model::{Along, Data};
use crate::claims::select::{Cell, Scalar, View};
use crate::claims::verdict::{Limits, Verdict};

/// A curve over loss rates x that a·exp(−b·x) describes better than a straight line does, with b
/// above 1: steeper than the share 1 − x that arrives.
///
/// The exponential is the line through the logarithms. Its squared residuals are compared with
/// those of the straight line that has the least of all lines, which favours the latter.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::claims) struct Exponential {
    pub(super) name: Option<String>,
    data: Data,
    /// One curve for each value of this parameter.
    by: Option<String>,
    /// Only these values of `by`.
    among: Option<Vec<Scalar>>,
    along: Along,
}

impl Measure for Exponential {
    fn parts(&self, view: &View<'_>) -> Result<Vec<Part>, Fault> {
        let steeper = Condition::within(Limits {
            low: Some(1.0),
            high: None,
            strict: true,
        });
        let better = Condition::within(Limits {
            low: None,
            high: Some(1.0),
            strict: true,
        });
        let by = self.by.as_deref();
        let mut parts = Vec::new();
        for choice in choices(view, &self.data, by, self.among.as_deref())? {
            let choice = choice.as_ref();
            let Curve { xs, cells } =
                Curve::new(view, &self.data, None, &self.along, (by, choice))?;
            let mut add =
                |what: &str, condition: &Condition, number: fn(&[f64], &[f64]) -> Option<f64>| {
                    let estimate = Cell::jackknife(&cells, |means| number(&xs, means));
                    let mut point = Point::new(condition, "", estimate);
                    if estimate.is_none() && Cell::all_run(&cells) {
                        // A curve that touches zero, or is a straight line to the last bit.
                        point.verdict = Verdict::NotReproduced;
                    }
                    parts.push(part(label_of(choice, what), condition, "", &[point]));
                };
            add("rate", &steeper, rate);
            add("residuals over a line's", &better, residuals);
        }
        Ok(parts)
    }
}

/// Logarithm of a and −b of a·exp(−b·x).
fn fit(xs: &[f64], ys: &[f64]) -> Option<(f64, f64)> {
    let logarithms: Option<Vec<f64>> = ys
        .iter()
        .map(|&y| (y > 0.0).then(|| libm::log(y)))
        .collect();
    line(xs, &logarithms?)
}

/// b of a·exp(−b·x).
fn rate(xs: &[f64], ys: &[f64]) -> Option<f64> {
    fit(xs, ys).map(|(slope, _)| -slope)
}

/// Squared residuals of the exponential as a share of the straight line's.
fn residuals(xs: &[f64], ys: &[f64]) -> Option<f64> {
    let (slope, intercept) = line(xs, ys)?;
    let (log_slope, log_intercept) = fit(xs, ys)?;
    let squares = |model: &dyn Fn(f64) -> f64| -> f64 {
        let pairs = xs.iter().zip(ys);
        pairs.map(|(&x, y)| (model(x) - y) * (model(x) - y)).sum()
    };
    let straight = squares(&|x| intercept + slope * x);
    let bent = squares(&|x| libm::exp(log_intercept + log_slope * x));
    (straight > 0.0).then(|| bent / straight)
}

#[cfg(test)]
mod tests {
    use super::*;

    const XS: [f64; 5] = [0.01, 0.04, 0.07, 0.10, 0.13];

    #[test]
    fn an_exponential_is_known_by_its_rate() {
        let ys = XS.map(|x| 1500.0 * libm::exp(-8.0 * x));
        assert!((rate(&XS, &ys).unwrap() - 8.0).abs() < 1e-9);
        assert!(residuals(&XS, &ys).unwrap() < 1e-9);
    }

    #[test]
    fn a_line_is_not_taken_for_one() {
        let ys = XS.map(|x| 1500.0 - 9000.0 * x + if x == 0.04 { 1.0 } else { 0.0 });
        assert!(residuals(&XS, &ys).unwrap() > 1.0);
        // Nor is a curve without anything at its end.
        assert_eq!(rate(&XS, &[4.0, 3.0, 2.0, 1.0, 0.0]), None);
    }
}
