//! Validation: our numbers beside those of other simulators, point by point, with a verdict by one
//! rule.
//!
//! A [`Set`] is a table of reference rows. Each row becomes a scenario file, so that what is
//! validated is what users run; [`Set`] is a [`Design`] for [`skywave_lab::experiment::run`].

mod agent;
mod case;
mod case_ns;
mod case_toml;
mod kernel;
pub mod live;
mod markdown;
mod modern;
mod reference;
mod sets;
mod shares;
mod table;
mod text;
mod verdict;
mod witness;
mod witness_toml;

use skywave_sim::Spec;

use skywave_lab::experiment::stats::Estimate;
use skywave_lab::experiment::{Design, Results};
use skywave_scenario::{NoFiles, Scenario, ScenarioError};

pub use agent::Agent;
pub use case::{Case, Cerl, Dcr, Path, Queue, Radios, RedBottleneck, Sifest, Wifi};
pub use kernel::Relayed;
pub use markdown::{Line, VERB, in_page};
pub use modern::{Discipline, Dumbbell};
pub use reference::Row;
pub use sets::{SETS, SetError};
pub use shares::Shared;
pub use table::Unreadable;
pub use verdict::{Comparison, Quantity};
pub use witness::{Channel, Shape, Stack, Witness};

/// The peer of the sets that compare with ns-2.
const NS2: &str = "ns-2";

/// The terms of a comparison: what is compared, and what is asked of it.
#[derive(Clone, Debug)]
pub struct Terms {
    /// A title that says what it compares.
    pub title: &'static str,
    /// The other simulator, as a column's heading.
    pub peer: &'static str,
    /// The share of rows that must agree; `None` where nothing is asked.
    pub required: Option<f64>,
    /// The quantities that decide; others are only printed.
    pub decisive: &'static [Quantity],
    /// How far apart goodputs may be, as a share of the reference's; `None`: as everywhere.
    pub goodput_tolerance: Option<f64>,
    /// Notes on the rows.
    pub note: String,
}

/// Rows that belong together, ready to run.
#[derive(Clone, Debug)]
pub struct Set {
    /// Its name on the command line.
    pub name: String,
    /// The terms of the comparison.
    pub terms: Terms,
    rows: Vec<Row>,
    scenarios: Vec<Scenario>,
    seeds: Vec<u64>,
}

impl Set {
    /// A set of `rows` with seeds 1 to `seeds`.
    pub fn new(
        name: &str,
        terms: Terms,
        rows: Vec<Row>,
        seeds: u64,
    ) -> Result<Self, ScenarioError> {
        let scenario = |row: &Row| Scenario::parse(name, &row.case.scenario(), &NoFiles);
        let scenarios = rows.iter().map(scenario).collect::<Result<_, _>>()?;
        Ok(Self {
            name: name.to_owned(),
            terms,
            rows,
            scenarios,
            seeds: (1..=seeds).collect(),
        })
    }

    /// Its rows.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Compares every row with `results`, which must be of this set.
    pub fn judge(&self, results: &Results) -> Judged<'_> {
        let rows = self.rows.iter().enumerate().map(|(point, row)| JudgedRow {
            row,
            decisive: self.terms.decisive,
            comparisons: compare(&self.terms, row, point, results),
        });
        Judged {
            set: self,
            rows: rows.collect(),
        }
    }
}

impl Design for Set {
    fn points(&self) -> usize {
        self.scenarios.len()
    }

    fn seeds(&self) -> &[u64] {
        &self.seeds
    }

    fn spec(&self, point: usize, seed: u64) -> Spec {
        self.scenarios[point].points()[0].spec(seed)
    }
}

/// Each quantity that the reference has and all our runs have.
fn compare(terms: &Terms, row: &Row, point: usize, results: &Results) -> Vec<Comparison> {
    let one = |&(quantity, theirs): &(Quantity, Estimate)| {
        let samples = results.samples(point, |run| quantity.of(&run.outcome, &row.case));
        let samples: Option<Vec<f64>> = samples.into_iter().collect();
        Some(Comparison {
            quantity,
            ours: Estimate::of(&samples?)?,
            theirs,
            tolerance: match quantity {
                Quantity::Goodput => terms.goodput_tolerance.unwrap_or(quantity.tolerance()),
                _ => quantity.tolerance(),
            },
        })
    };
    row.reference.iter().filter_map(one).collect()
}

/// A set with its verdicts.
#[derive(Clone, Debug)]
pub struct Judged<'a> {
    /// The set.
    pub set: &'a Set,
    /// Its rows, in order.
    pub rows: Vec<JudgedRow<'a>>,
}

/// A row with its verdict.
#[derive(Clone, Debug)]
pub struct JudgedRow<'a> {
    /// The row.
    pub row: &'a Row,
    /// The quantities that decide.
    decisive: &'static [Quantity],
    /// Each quantity that both have.
    pub comparisons: Vec<Comparison>,
}

impl JudgedRow<'_> {
    /// All quantities that decide agree.
    pub fn agrees(&self) -> bool {
        self.without(Comparison::agrees).next().is_none()
    }

    /// All quantities that decide agree by their tolerance, without the intervals.
    pub fn is_close(&self) -> bool {
        self.without(Comparison::is_close).next().is_none()
    }

    /// The quantities that decide and do not agree, or that one side does not have.
    pub fn apart(&self) -> impl Iterator<Item = Quantity> {
        self.without(Comparison::agrees)
    }

    /// The quantities that decide and have no comparison that `holds`.
    fn without(&self, holds: fn(&Comparison) -> bool) -> impl Iterator<Item = Quantity> {
        let held = move |quantity: Quantity| {
            let mut comparisons = self.comparisons.iter();
            comparisons.any(|c| c.quantity == quantity && holds(c))
        };
        self.decisive.iter().copied().filter(move |&q| !held(q))
    }
}

impl Judged<'_> {
    /// Rows that agree.
    pub fn agreeing(&self) -> usize {
        self.rows.iter().filter(|row| row.agrees()).count()
    }

    /// Rows that agree by tolerance alone; the others that agree do so only because intervals
    /// overlap, which says little with few seeds.
    pub fn close(&self) -> usize {
        self.rows.iter().filter(|row| row.is_close()).count()
    }

    /// Whether there are rows, and what is asked of them holds.
    pub fn passes(&self) -> bool {
        let needed = self.set.terms.required.unwrap_or(0.0) * self.rows.len() as f64;
        !self.rows.is_empty() && self.agreeing() as f64 >= needed
    }
}

#[cfg(test)]
mod tests;
