//! One ratio smaller than another: a lead that is smaller there than here.

use serde::Deserialize;

use super::condition::Condition;
use super::points::{Point, part};
use super::ratio::Sides;
use super::{Measure, Part, label, place_label};
use crate::claims::error::Fault;
use crate::claims::model::{Along, Data};
use crate::claims::select::{Scalar, View};
use crate::claims::verdict::Limits;
use skywave_lab::experiment::stats::Estimate;

/// Two ratios, the first of them smaller: `small / large` is at most `at_most`.
///
/// The two come from different runs, so the interval treats them as independent (first order).
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::claims) struct Contrast {
    pub(super) name: Option<String>,
    small: RatioOf,
    large: RatioOf,
    /// One part for each value of this parameter, wherever it is left open.
    by: Option<String>,
    /// Only these values of `by`.
    among: Option<Vec<Scalar>>,
    /// At every value of this parameter that all have.
    along: Option<Along>,
    at_most: f64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RatioOf {
    top: Data,
    bottom: Data,
}

impl RatioOf {
    fn sides<'a>(&'a self, by: Option<&'a str>, along: Option<&'a Along>) -> Sides<'a> {
        Sides {
            top: &self.top,
            bottom: &self.bottom,
            by,
            along,
        }
    }
}

impl Measure for Contrast {
    fn parts(&self, view: &View<'_>) -> Result<Vec<Part>, Fault> {
        let condition = Condition::within(Limits {
            low: None,
            high: Some(self.at_most),
            strict: self.at_most >= 1.0,
        });
        let along = self.along.as_ref();
        let small = self.small.sides(self.by.as_deref(), along);
        let large = self.large.sides(self.by.as_deref(), along);
        let mut parts = Vec::new();
        for choice in small.choices(view, self.among.as_deref())? {
            let choice = choice.as_ref();
            let others = large.places(view, choice)?;
            let mut points = Vec::new();
            for place in small.places(view, choice)? {
                let place = place.as_ref();
                let number = place.and_then(Scalar::number);
                let same = |o: &&Option<Scalar>| o.as_ref().and_then(Scalar::number) == number;
                let Some(other) = others.iter().find(same) else {
                    continue;
                };
                let a = small.ratio(view, choice, place)?;
                let b = large.ratio(view, choice, other.as_ref())?;
                let quotient = a.zip(b).and_then(|(a, b)| quotient(&a, &b));
                points.push(Point::new(&condition, place_label(along, place), quotient));
            }
            if points.is_empty() {
                return Err(Fault::new(
                    "the two ratios have no value of the sweep in common",
                ));
            }
            parts.push(part(label(choice), &condition, "", &points));
        }
        Ok(parts)
    }
}

/// a / b of independent estimates, with the interval of first order.
fn quotient(a: &Estimate, b: &Estimate) -> Option<Estimate> {
    if a.mean <= 0.0 || b.mean <= 0.0 {
        return None;
    }
    let mean = a.mean / b.mean;
    let relative = |x: f64, y: f64| mean * libm::hypot(x / a.mean, y / b.mean);
    Some(Estimate {
        n: a.n.min(b.n),
        mean,
        sd: relative(a.sd, b.sd),
        half: a.half.zip(b.half).map(|(x, y)| relative(x, y)),
    })
}
