//! A number between limits.

use serde::Deserialize;

use super::condition::Condition;
use super::points::{Point, part};
use super::{Measure, Part, choices, given, label, place_label, places};
use crate::claims::error::Fault;
use crate::claims::model::{Along, Data};
use crate::claims::select::{Scalar, View};

/// A number between limits.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::claims) struct Bound {
    pub(super) name: Option<String>,
    data: Data,
    /// One part for each value of this parameter.
    by: Option<String>,
    /// Only these values of `by`.
    among: Option<Vec<Scalar>>,
    /// At every value of this parameter.
    along: Option<Along>,
    at_least: Option<f64>,
    at_most: Option<f64>,
}

impl Measure for Bound {
    fn parts(&self, view: &View<'_>) -> Result<Vec<Part>, Fault> {
        if self.at_least.is_none() && self.at_most.is_none() {
            return Err(Fault::new("a bound needs `at_least` or `at_most`"));
        }
        let condition = Condition::between(self.at_least, self.at_most)?;
        let by = self.by.as_deref();
        let along = self.along.as_ref();
        let mut parts = Vec::new();
        for choice in choices(view, &self.data, by, self.among.as_deref())? {
            let choice = choice.as_ref();
            let more = given([(by, choice)]);
            let mut points = Vec::new();
            for place in places(view, &self.data, along, &more)? {
                let place = place.as_ref();
                let name = along.map(|a| a.parameter.as_str());
                let cell = view.cell(&self.data, &given([(by, choice), (name, place)]))?;
                let label = place_label(along, place);
                points.push(Point::new(&condition, label, cell.estimate()).of([&cell]));
            }
            parts.push(part(label(choice), &condition, "", &points));
        }
        Ok(parts)
    }
}
