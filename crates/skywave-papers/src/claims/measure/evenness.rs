//! The fastest flow of a run against the slowest.

use serde::Deserialize;

use super::condition::Condition;
use super::points::{Point, part};
use super::{Measure, Part};
use crate::claims::error::Fault;
use crate::claims::model::Data;
use crate::claims::select::{Cell, View};
use crate::claims::verdict::Limits;

/// Flows of one run that progress alike: largest over smallest, averaged over the runs.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::claims) struct Evenness {
    pub(super) name: Option<String>,
    data: Data,
    flows: Vec<String>,
    at_most: f64,
}

impl Measure for Evenness {
    fn parts(&self, view: &View<'_>) -> Result<Vec<Part>, Fault> {
        let condition = Condition::within(Limits::at_most(self.at_most));
        let cell = |flow: &String| {
            let data = Data {
                flow: Some(flow.clone()),
                ..self.data.clone()
            };
            view.cell(&data, &[])
        };
        let cells: Vec<Cell> = self.flows.iter().map(cell).collect::<Result<_, _>>()?;
        let uneven = |xs: &[f64]| {
            let most = xs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let least = xs.iter().copied().fold(f64::INFINITY, f64::min);
            (least > 0.0).then(|| most / least)
        };
        let estimate = Cell::combine(&cells, uneven).estimate();
        let point = Point::new(&condition, "", estimate).shown_by(&cells);
        Ok(vec![part("", &condition, "", &[point])])
    }
}
