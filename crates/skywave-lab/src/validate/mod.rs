//! Validation: our numbers beside those of other simulators, point by point, with a verdict by one
//! rule.
//!
//! A [`Set`] is a table of reference rows. Each row becomes a scenario file, so that what is
//! validated is what users run; [`Set`] is a [`Design`] for [`crate::experiment::run`].

mod agent;
mod case;
mod case_ns;
mod case_toml;
pub mod live;
mod reference;
mod text;
mod verdict;

use skywave_sim::Spec;

use crate::experiment::stats::Estimate;
use crate::experiment::{Design, Results};
use crate::scenario::{Scenario, ScenarioError};

pub use agent::Agent;
pub use case::{Case, Cerl, Dcr, Path, Queue, Sifest};
pub use reference::Row;
pub use verdict::{Comparison, Quantity};

/// What is asked of a set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Requirement {
    /// This share of its rows must agree.
    Share(f64),
    /// Nothing: it is printed for what it shows.
    None,
}

/// Rows that belong together, ready to run.
#[derive(Clone, Debug)]
pub struct Set {
    /// Its name on the command line.
    pub name: String,
    /// What it compares.
    pub title: String,
    /// What is asked of it.
    pub requirement: Requirement,
    /// The other simulator, as a column's heading.
    pub peer: &'static str,
    /// What to know about the rows.
    pub note: &'static str,
    rows: Vec<Row>,
    scenarios: Vec<Scenario>,
    seeds: Vec<u64>,
}

/// The names of the built-in sets.
pub const SETS: &[&str] = &["cerl", "sifest", "dcr", "linux"];

impl Set {
    /// A built-in set with seeds 1 to `seeds`; `None` when there is none of this name.
    pub fn named(name: &str, seeds: u64) -> Option<Result<Self, ScenarioError>> {
        let cerl = |comparable| {
            let mut rows = reference::cerl();
            rows.retain(|row| row.case.agent.comparable == comparable);
            rows
        };
        let (title, requirement, note, rows) = match name {
            "cerl" => (
                "one flow over CERL's path against ns-2.35",
                Requirement::Share(0.95),
                "Vegas in ns-2 sends no header; our packets are as large on the wire.",
                cerl(true),
            ),
            "sifest" => (
                "one flow over SIFEST's path against ns-2.35, with and without voice",
                Requirement::Share(0.90),
                "",
                reference::sifest(),
            ),
            "dcr" => (
                "24 SACK flows over TCP-DCR's path against ns-2.35",
                Requirement::Share(0.90),
                "",
                reference::dcr(),
            ),
            "linux" => (
                "CERL's path against ns-2.35's ports of Linux, which differ on purpose",
                Requirement::None,
                "Not judged: those are other algorithms; see docs/validation.md.",
                cerl(false),
            ),
            _ => return None,
        };
        Some(Self::new(name, title, requirement, note, rows, seeds))
    }

    /// A set of `rows` with seeds 1 to `seeds`.
    pub fn new(
        name: &str,
        title: &str,
        requirement: Requirement,
        note: &'static str,
        rows: Vec<Row>,
        seeds: u64,
    ) -> Result<Self, ScenarioError> {
        let scenario = |row: &Row| Scenario::parse(name, &row.case.scenario(), None);
        let scenarios = rows.iter().map(scenario).collect::<Result<_, _>>()?;
        Ok(Self {
            name: name.to_owned(),
            title: title.to_owned(),
            requirement,
            peer: "ns-2",
            note,
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
            comparisons: compare(row, point, results),
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

fn compare(row: &Row, point: usize, results: &Results) -> Vec<Comparison> {
    let one = |&(quantity, theirs): &(Quantity, Estimate)| {
        let samples = results.samples(point, |run| quantity.of(&run.outcome, &row.case));
        let samples: Vec<f64> = samples.into_iter().flatten().collect();
        Some(Comparison {
            quantity,
            ours: Estimate::of(&samples)?,
            theirs,
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
    /// Each quantity that both have.
    pub comparisons: Vec<Comparison>,
}

impl JudgedRow<'_> {
    /// All quantities agree.
    pub fn agrees(&self) -> bool {
        self.comparisons.iter().all(Comparison::agrees)
    }
}

impl Judged<'_> {
    /// Rows that agree.
    pub fn agreeing(&self) -> usize {
        self.rows.iter().filter(|row| row.agrees()).count()
    }

    /// Whether what is asked of the set holds.
    pub fn passes(&self) -> bool {
        match self.set.requirement {
            Requirement::Share(share) => {
                self.agreeing() as f64 >= share * self.rows.len() as f64
            }
            Requirement::None => true,
        }
    }
}
