//! The file of a set, as written: docs/own-comparison.md.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::Quantity;

/// Terms of a comparison: what is compared, which share of rows must agree, and how a row of the reference table
/// becomes a scenario.
///
/// *Templates* are texts in the language of Jinja over the row's cells and the set's variables; *expressions* are what
/// such texts have between braces.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Terms {
    /// Title that says what the set compares.
    pub title: String,
    /// Notes on the rows, printed above them; may be empty.
    #[serde(default)]
    pub note: String,
    /// Name of the other simulator, as a heading of table columns.
    pub peer: String,
    /// Place among the built-in sets; those without one come last.
    pub(super) order: Option<u32>,
    /// Share of rows, 0 to 1, that must agree; `None` if numbers are only printed and no share is required.
    pub required: Option<f64>,
    /// Most replications of a row.
    pub(super) most_seeds: Option<u64>,
    /// The reference as CSV, relative to the file.
    #[serde(default = "tables")]
    pub(super) tables: Vec<String>,
    /// The template of a row's scenario, relative to the file.
    #[serde(default = "scenario")]
    pub(super) scenario: String,
    /// Expression: the rows that are compared; default all.
    pub(super) rows: Option<String>,
    /// Whether the first of the rows with the same labels counts alone.
    #[serde(default)]
    pub(super) once: bool,
    /// The columns and variables that tell rows apart.
    pub(super) labels: Vec<String>,
    /// The column with the number of runs that a row sums up.
    #[serde(default = "runs")]
    pub(super) runs: String,
    /// Number or expression: bytes of a packet that the reference counts as payload; default as ours.
    pub(super) payload: Option<Value>,
    /// Number or expression: how many flows, from the first on, are measured together; default 1.
    pub(super) measured: Option<Value>,
    /// Number or expression: how many flows after these are measured as those beside; default 0.
    pub(super) beside: Option<Value>,
    /// Number or expression: seconds of the wait in our queue that the reference does not count; default 0.
    pub(super) wait_less: Option<Value>,
    /// The quantities, in the order of `--json`.
    pub(super) quantity: Vec<Measured>,
    /// Values that the table has no column for: numbers or templates, in their order.
    #[serde(default)]
    pub(super) variables: Map<String, Value>,
    /// The names of senders in the reference, and the transport here, as in a scenario.
    #[serde(default)]
    pub(super) senders: BTreeMap<String, toml::Value>,
    /// How ns-2 runs a row.
    pub(super) live: Option<Live>,
}

/// A quantity of the reference.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Measured {
    /// The quantity.
    pub(super) name: Quantity,
    /// The column with a number a run, or the beginning of the names of those with mean, deviation and interval;
    /// default the quantity's name.
    pub(super) column: Option<String>,
    /// Part of the flows that the quantity is of, where the column has a number a flow and run.
    pub(super) flows: Option<Part>,
    /// The table has the mean over the flows, and not the sum.
    #[serde(default)]
    pub(super) per_flow: bool,
    /// The row's verdict depends on it.
    #[serde(default = "decides")]
    pub(super) decides: bool,
    /// How far apart the means may be, as a share of the reference's; default [`Quantity::tolerance`].
    pub(super) tolerance: Option<f64>,
}

/// Part of the flows of a cell that has a number a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Part {
    /// The sum over all.
    All,
    /// The first one, where there are others.
    First,
    /// The sum over all but the first one.
    Others,
    /// The first one's share of the sum.
    Share,
}

/// How ns-2 runs a row.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Live {
    /// The script for ns-2, relative to the file. It takes names and values in turn, `seed` among them, and prints
    /// lines of a quantity's name and a value.
    pub(super) script: String,
    /// Templates of the arguments.
    pub(super) arguments: Map<String, Value>,
    /// Cells of a point of the user's choice that the user does not give.
    pub(super) point: Map<String, Value>,
}

impl Terms {
    /// Quantities on which a row's verdict depends; others are only printed.
    pub fn decisive(&self) -> impl Iterator<Item = Quantity> {
        let decisive = self.quantity.iter().filter(|measured| measured.decides);
        decisive.map(|measured| measured.name)
    }

    /// Largest difference at which our mean of a quantity agrees with the reference's, as a share of the reference's
    /// mean (0.05 is 5 %).
    pub fn tolerance(&self, quantity: Quantity) -> f64 {
        let mut all = self.quantity.iter();
        let measured = all.find(|measured| measured.name == quantity);
        let own = measured.and_then(|measured| measured.tolerance);
        own.unwrap_or(quantity.tolerance())
    }
}

impl Part {
    /// The part's value among the numbers of a run's flows; `None` of one flow alone, except for the sum.
    pub(super) fn of(self, flows: &[f64]) -> Option<f64> {
        let (first, others) = flows.split_first()?;
        let rest = || others.iter().sum::<f64>();
        match self {
            Self::All => Some(flows.iter().sum()),
            _ if others.is_empty() => None,
            Self::First => Some(*first),
            Self::Others => Some(rest()),
            Self::Share => Some(first / (first + rest())),
        }
    }
}

fn tables() -> Vec<String> {
    vec!["reference.csv".to_owned()]
}

fn scenario() -> String {
    "scenario.toml.jinja".to_owned()
}

fn runs() -> String {
    "n".to_owned()
}

fn decides() -> bool {
    true
}
