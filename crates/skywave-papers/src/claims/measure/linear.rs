//! A straight line through a curve.

use serde::Deserialize;

use super::condition::Condition;
use super::curve::{Curve, line};
use super::points::single;
use super::{Measure, Part};
use crate::claims::error::Fault;
use crate::claims::model::{Along, Data};
use crate::claims::select::{Cell, View};

/// Slope and intercept of the line of least squares through the means.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::claims) struct Linear {
    pub(super) name: Option<String>,
    data: Data,
    /// Judge `data` over this, seed by seed.
    over: Option<Data>,
    along: Along,
    paper: Line,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    slope: f64,
    intercept: Option<f64>,
}

impl Measure for Linear {
    fn parts(&self, view: &View<'_>) -> Result<Vec<Part>, Fault> {
        let over = self.over.as_ref();
        let Curve { xs, cells } = Curve::new(view, &self.data, over, &self.along, (None, None))?;
        let part = |name: &str, paper: f64, number: fn((f64, f64)) -> f64| {
            let ours = Cell::jackknife(&cells, |means| line(&xs, means).map(number));
            single(name, &Condition::value(paper), "", ours)
        };
        let mut parts = vec![part("slope", self.paper.slope, |(slope, _)| slope)];
        if let Some(paper) = self.paper.intercept {
            parts.push(part("intercept", paper, |(_, intercept)| intercept));
        }
        Ok(parts)
    }
}
