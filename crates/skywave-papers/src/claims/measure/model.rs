//! A closed form of a paper's analysis, evaluated.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::condition::Condition;
use super::points::{Point, part};
use super::{Measure, Part};
use crate::claims::error::Fault;
use crate::claims::formulas::Formula;
use crate::claims::select::View;
use skywave_lab::experiment::stats::Estimate;

/// A formula's value, or its ratio to another's, against the paper's number or within limits.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::claims) struct Model {
    pub(super) name: Option<String>,
    of: Evaluation,
    over: Option<Evaluation>,
    /// At every value of this argument, of those formulas that leave it open.
    along: Option<Argument>,
    paper: Option<f64>,
    at_least: Option<f64>,
    at_most: Option<f64>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Evaluation {
    formula: Formula,
    #[serde(default)]
    at: BTreeMap<String, f64>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Argument {
    argument: String,
    values: Vec<f64>,
}

impl Evaluation {
    fn value(&self, along: Option<(&str, f64)>) -> Result<f64, Fault> {
        let mut at = self.at.clone();
        if let Some((argument, value)) = along {
            at.entry(argument.to_owned()).or_insert(value);
        }
        self.formula.value(&at)
    }
}

impl Model {
    /// The number without chance: its interval has no width.
    fn number(&self, along: Option<(&str, f64)>) -> Result<Estimate, Fault> {
        let over = self.over.as_ref().map_or(Ok(1.0), |o| o.value(along))?;
        let mean = self.of.value(along)? / over;
        Ok(Estimate {
            half: Some(0.0),
            ..Estimate::from_moments(1, mean, 0.0)
        })
    }
}

impl Measure for Model {
    fn parts(&self, _: &View<'_>) -> Result<Vec<Part>, Fault> {
        let condition = Condition::given(self.paper, self.at_least, self.at_most)?;
        let mut points = Vec::new();
        let values = self.along.as_ref().map_or(vec![None], |along| {
            let all = along.values.iter();
            all.map(|&x| Some((along.argument.as_str(), x))).collect()
        });
        for along in values {
            let place = along.map_or(String::new(), |(name, x)| format!("{name} = {x}"));
            let number = self.number(along)?;
            points.push(Point::new(&condition, place, Some(number)));
        }
        Ok(vec![part("", &condition, "", &points)])
    }
}
