//! The best of several choices against the worst.

use serde::Deserialize;

use super::condition::Condition;
use super::points::{Point, part};
use super::{Measure, Part, choices, given, place_label, places, variant};
use crate::claims::error::Fault;
use crate::claims::model::{Along, Data};
use crate::claims::select::{Cell, Scalar, View};
use crate::claims::verdict::Limits;

/// Choices that lie close together: the largest mean over the smallest one.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::claims) struct Spread {
    pub(super) name: Option<String>,
    data: Data,
    /// The parameter whose values are compared.
    #[serde(default = "variant")]
    by: String,
    /// Only these values of `by`.
    among: Option<Vec<Scalar>>,
    /// At every value of this parameter.
    along: Option<Along>,
    at_most: f64,
}

impl Measure for Spread {
    fn parts(&self, view: &View<'_>) -> Result<Vec<Part>, Fault> {
        let condition = Condition::within(Limits::at_most(self.at_most));
        let all = choices(view, &self.data, Some(&self.by), self.among.as_deref())?;
        let along = self.along.as_ref();
        let mut points = Vec::new();
        for place in places(view, &self.data, along, &[])? {
            let place = place.as_ref();
            let name = along.map(|a| a.parameter.as_str());
            let mut cells: Vec<(String, f64, Cell)> = Vec::new();
            for choice in all.iter().flatten() {
                let mut more = given([(name, place)]);
                more.push((&self.by, choice));
                let cell = view.cell(&self.data, &more)?;
                if let Some(e) = cell.estimate() {
                    cells.push((choice.to_string(), e.mean, cell));
                }
            }
            let by_mean = |a: &&(String, f64, Cell), b: &&(String, f64, Cell)| a.1.total_cmp(&b.1);
            let best = cells.iter().max_by(by_mean);
            let worst = cells.iter().min_by(by_mean);
            let mut point = Point::new(&condition, place_label(along, place), None);
            if let (Some(best), Some(worst)) = (best, worst) {
                let ratio = best.2.ratio(&worst.2);
                point = Point::new(&condition, point.place, ratio);
                point.pair = format!("{} over {}", best.0, worst.0);
            }
            points.push(point);
        }
        Ok(vec![part("", &condition, "", &points)])
    }
}
