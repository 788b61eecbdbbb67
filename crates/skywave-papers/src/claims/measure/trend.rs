//! Falling or rising at every step of a sweep.

use serde::Deserialize;

use super::condition::Condition;
use super::curve::quotient;
use super::points::{Point, part};
use super::{Direction, Measure, Part, choices, given, label};
use crate::claims::error::Fault;
use crate::claims::model::{Along, Data};
use crate::claims::select::{Scalar, View};

/// A curve that falls or rises from each value of a parameter to the next.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::claims) struct Trend {
    pub(super) name: Option<String>,
    data: Data,
    /// Judge `data` over this, seed by seed.
    over: Option<Data>,
    /// One curve for each value of this parameter.
    by: Option<String>,
    /// Only these values of `by`.
    among: Option<Vec<Scalar>>,
    along: Along,
    direction: Direction,
}

impl Measure for Trend {
    fn parts(&self, view: &View<'_>) -> Result<Vec<Part>, Fault> {
        let condition = Condition::called(self.direction.limits(), self.direction.as_str());
        let by = self.by.as_deref();
        let mut parts = Vec::new();
        for choice in choices(view, &self.data, by, self.among.as_deref())? {
            let more = given([(by, choice.as_ref())]);
            let values = view.values(&self.data, &self.along, &more)?;
            if values.len() < 2 {
                return Err(Fault::new(format!(
                    "`{}` has one value only: nothing to rise or fall",
                    self.along.parameter
                )));
            }
            let mut points = Vec::new();
            for step in values.windows(2) {
                let at = |value| {
                    let mut more = more.clone();
                    more.push((&self.along.parameter, value));
                    quotient(view, &self.data, self.over.as_ref(), &more)
                };
                let change = at(&step[1])?.lead(&at(&step[0])?);
                let label = format!("{} {} → {}", self.along.parameter, step[0], step[1]);
                points.push(Point::new(&condition, label, change));
            }
            parts.push(part(label(choice.as_ref()), &condition, "%", &points));
        }
        Ok(parts)
    }
}
