//! How many percent one choice is above others.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::condition::Condition;
use super::points::single;
use super::{Measure, Part, variant};
use crate::claims::error::Fault;
use crate::claims::model::Data;
use crate::claims::select::{Scalar, View, scaled};

/// The gains of one choice over others.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::claims) struct Gain {
    pub(super) name: Option<String>,
    data: Data,
    /// The parameter whose values are compared.
    #[serde(default = "variant")]
    by: String,
    /// Choice whose gain is measured.
    of: Scalar,
    /// Choices that it gains over, each with the paper's gain in percent.
    over: BTreeMap<String, f64>,
}

impl Measure for Gain {
    fn parts(&self, view: &View<'_>) -> Result<Vec<Part>, Fault> {
        let ours = view.cell(&self.data, &[(&self.by, &self.of)])?;
        let part = |(other, paper): (&String, &f64)| {
            if *paper == 0.0 {
                return Err(Fault::new(
                    "a gain of 0 is none: say with `ratio` between which limits the two are the same",
                ));
            }
            let other_value = Scalar::Text(other.clone());
            let base = view.cell(&self.data, &[(&self.by, &other_value)])?;
            let percent = ours.gain(&base).map(|g| scaled(&g, 100.0));
            Ok(single(other, &Condition::gain(*paper), "%", percent))
        };
        let named = self.over.iter();
        let wanted = named.filter(|(name, _)| view.has(&Scalar::Text((*name).clone())));
        wanted.map(part).collect()
    }
}
