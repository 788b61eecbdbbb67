//! Validation: our numbers beside those of other simulators, point by point, with a verdict by one
//! rule.
//!
//! A [`Set`] is a folder: a table of reference rows, a template that makes a scenario file of each row, so that what is
//! validated is what users run, and `set.toml`, which says what is compared (docs/own-comparison.md). [`Set`] is a
//! [`Design`](skywave_lab::experiment::Design) for [`skywave_lab::experiment::run`].

pub mod live;
mod markdown;
mod model;
mod place;
mod row;
mod set;
mod table;
mod text;
mod verdict;

use skywave_lab::experiment::Results;
use skywave_lab::experiment::stats::Estimate;

pub use markdown::{Line, VERB, in_page};
pub use model::Terms;
pub use row::Row;
pub use set::{Set, SetError, names};
pub use verdict::{Comparison, Quantity};

impl Set {
    /// Compares the other simulator's numbers in every row, one scenario, with `results`, which must be those of
    /// running this set (comparison with another simulator).
    pub fn judge(&self, results: &Results) -> Judged<'_> {
        let rows = self
            .rows()
            .iter()
            .enumerate()
            .map(|(point, row)| JudgedRow {
                row,
                terms: &self.terms,
                comparisons: compare(&self.terms, row, point, results),
            });
        Judged {
            set: self,
            rows: rows.collect(),
        }
    }
}

/// Each quantity that the reference has and all our runs have.
fn compare(terms: &Terms, row: &Row, point: usize, results: &Results) -> Vec<Comparison> {
    let one = |&(quantity, theirs): &(Quantity, Estimate)| {
        let samples = results.samples(point, |run| quantity.of(&run.outcome, &row.reading));
        let samples: Option<Vec<f64>> = samples.into_iter().collect();
        Some(Comparison {
            quantity,
            ours: Estimate::of(&samples?)?,
            theirs,
            tolerance: terms.tolerance(quantity),
        })
    };
    row.reference.iter().filter_map(one).collect()
}

/// A set (comparison with another simulator) after our runs: our numbers beside the other simulator's, row by row.
#[derive(Clone, Debug)]
pub struct Judged<'a> {
    /// The comparison: scenarios, and another simulator's numbers for them.
    pub set: &'a Set,
    /// Rows of the set, in order: in each one scenario, and both simulators' numbers for it.
    pub rows: Vec<JudgedRow<'a>>,
}

/// A row of a set (comparison with another simulator): one scenario, our numbers for it and the other simulator's.
#[derive(Clone, Debug)]
pub struct JudgedRow<'a> {
    /// Row of the set: a scenario, and the other simulator's numbers for it.
    pub row: &'a Row,
    /// The terms, which say what decides.
    terms: &'a Terms,
    /// Comparison of each quantity for which both our runs and the other simulator have numbers.
    pub comparisons: Vec<Comparison>,
}

impl JudgedRow<'_> {
    /// Whether all decisive quantities ([`Terms::decisive`]) agree, by tolerance or by overlapping intervals.
    pub fn agrees(&self) -> bool {
        self.without(Comparison::agrees).next().is_none()
    }

    /// Whether all decisive quantities ([`Terms::decisive`]) agree by their tolerance, whatever the intervals are.
    pub fn is_close(&self) -> bool {
        self.without(Comparison::is_close).next().is_none()
    }

    /// Decisive quantities ([`Terms::decisive`]) that do not agree, or that one of the simulators does not have.
    pub fn apart(&self) -> impl Iterator<Item = Quantity> {
        self.without(Comparison::agrees)
    }

    /// The quantities that decide and have no comparison that `holds`.
    fn without(&self, holds: fn(&Comparison) -> bool) -> impl Iterator<Item = Quantity> {
        let held = move |quantity: Quantity| {
            let mut comparisons = self.comparisons.iter();
            comparisons.any(|c| c.quantity == quantity && holds(c))
        };
        self.terms.decisive().filter(move |&q| !held(q))
    }
}

impl Judged<'_> {
    /// Number of rows in which our numbers and the other simulator's agree, by tolerance or by overlapping intervals.
    pub fn agreeing(&self) -> usize {
        self.rows.iter().filter(|row| row.agrees()).count()
    }

    /// Number of rows that agree by their tolerances, whatever the intervals are ([`JudgedRow::is_close`]). Rows that
    /// agree but are not counted here do so only because intervals overlap, which says little with few seeds.
    pub fn close(&self) -> usize {
        self.rows.iter().filter(|row| row.is_close()).count()
    }

    /// Whether the comparison passes: there are rows, and at least the required share of them ([`Terms::required`], 0
    /// if that is `None`) agrees.
    pub fn passes(&self) -> bool {
        let needed = self.set.terms.required.unwrap_or(0.0) * self.rows.len() as f64;
        !self.rows.is_empty() && self.agreeing() as f64 >= needed
    }
}

#[cfg(test)]
mod tests;
