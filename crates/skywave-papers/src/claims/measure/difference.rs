//! One number less another.

use serde::Deserialize;

use super::condition::Condition;
use super::points::{Point, part};
use super::value::factor;
use super::{Measure, Part};
use crate::claims::error::Fault;
use crate::claims::model::Data;
use crate::claims::select::{Cell, View, scaled};

/// `top` − `bottom`, or how often `per` it is, paired by seed.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::claims) struct Difference {
    pub(super) name: Option<String>,
    top: Data,
    bottom: Data,
    per: Option<Divisor>,
    paper: Option<f64>,
    at_least: Option<f64>,
    at_most: Option<f64>,
    /// Unit of the paper's number; the measured one is converted from SI units.
    #[serde(default)]
    unit: String,
}

#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "must be a number, or a table of data")]
enum Divisor {
    Number(f64),
    Measured(Box<Data>),
}

impl Measure for Difference {
    fn parts(&self, view: &View<'_>) -> Result<Vec<Part>, Fault> {
        let condition = Condition::given(self.paper, self.at_least, self.at_most)?;
        let mut cells: Vec<Cell> = vec![view.cell(&self.top, &[])?, view.cell(&self.bottom, &[])?];
        let number = match &self.per {
            Some(Divisor::Measured(data)) => {
                cells.push(view.cell(data, &[])?);
                1.0
            }
            Some(Divisor::Number(n)) => *n,
            None => 1.0,
        };
        let ours = Cell::jackknife(&cells, |means| match means {
            [top, bottom] => Some((top - bottom) / number),
            [top, bottom, per] if *per != 0.0 => Some((top - bottom) / per),
            _ => None,
        });
        let factor = factor(&self.unit)?;
        let ours = ours.map(|e| scaled(&e, factor));
        let point = Point::new(&condition, "", ours).shown_by(&cells);
        Ok(vec![part("", &condition, &self.unit, &[point])])
    }
}
