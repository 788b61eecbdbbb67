//! A measured number against the paper's.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::condition::Condition;
use super::points::single;
use super::{Measure, Part, variant};
use crate::claims::error::Fault;
use crate::claims::model::Data;
use crate::claims::select::{Scalar, View, scaled};

/// Numbers of several choices.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::claims) struct Value {
    pub(super) name: Option<String>,
    data: Data,
    /// The parameter whose values are the keys of `paper`.
    #[serde(default = "variant")]
    by: String,
    /// The paper's numbers.
    paper: BTreeMap<String, f64>,
    /// Unit of the paper's numbers; the measured ones are converted from SI units.
    #[serde(default)]
    unit: String,
}

impl Measure for Value {
    fn parts(&self, view: &View<'_>) -> Result<Vec<Part>, Fault> {
        let factor = factor(&self.unit)?;
        let part = |(choice, paper): (&String, &f64)| {
            let choice_value = Scalar::Text(choice.clone());
            let cell = view.cell(&self.data, &[(&self.by, &choice_value)])?;
            let ours = cell.estimate().map(|e| scaled(&e, factor));
            let condition = Condition::value(*paper);
            Ok(single(choice, &condition, &self.unit, ours))
        };
        let named = self.paper.iter();
        let wanted = named.filter(|(name, _)| view.has(&Scalar::Text((*name).clone())));
        wanted.map(part).collect()
    }
}

/// How many of a unit one SI unit is.
pub(in crate::claims) fn factor(unit: &str) -> Result<f64, Fault> {
    Ok(match unit {
        "" | "s" | "b/s" | "packets" | "segments" => 1.0,
        "Mb/s" => 1e-6,
        "kb/s" | "kB" => 1e-3,
        "ms" => 1e3,
        "%" => 100.0,
        other => {
            let known = [
                "s", "ms", "b/s", "kb/s", "Mb/s", "kB", "packets", "segments", "%",
            ];
            return Err(Fault::unknown("unit", other, known));
        }
    })
}
