//! The parts of an outcome that are hashed, and how.

use serde_json::Value;
use skywave_lab::experiment::columns::{Cell, LINK};
use skywave_sim::outcome::{LinkOutcome, Outcome};

use crate::columns;

/// Digits of a hash: enough that two outcomes of this table do not agree by chance, and few enough that a
/// line of it can be read.
const DIGITS: usize = 12;

/// Collects outcomes, and hashes all of them together.
#[derive(Default)]
pub(crate) struct Hash(blake3::Hasher);

impl Hash {
    /// A row of results: of one flow of one run.
    pub(crate) fn row(&mut self, row: &Value) {
        for column in columns::ROW {
            // The shortest decimal that reads as the same bits again: equal texts are equal numbers.
            let value = row
                .get(column)
                .unwrap_or_else(|| panic!("the rows no longer have the column `{column}`"));
            self.entry(column, &value.to_string());
        }
    }

    /// The parts that are not in rows: links, time series and bins. The number of the engine's events is
    /// left out, because it may change while results stay the same.
    pub(crate) fn rest(&mut self, outcome: &Outcome) {
        for link in &outcome.links {
            self.link(link);
        }
        for series in &outcome.series {
            self.entry("series", &series.entity);
            self.entry("quantity", series.quantity);
            for (time, value) in &series.points {
                self.entry(&bits(*time), &bits(*value));
            }
        }
        if let Some(bins) = &outcome.bins {
            self.entry("bins", &bits(bins.width_s));
            for flow in &bins.delivered {
                self.entry("delivered", &format!("{flow:?}"));
            }
        }
    }

    fn link(&mut self, link: &LinkOutcome) {
        self.entry("link", &link.name);
        for name in columns::OF_A_LINK {
            let column = LINK
                .iter()
                .find(|column| column.name == *name)
                .unwrap_or_else(|| panic!("links no longer have the column `{name}`"));
            let value = match (column.get)(link) {
                Cell::Count(n) => n.to_string(),
                Cell::Real(x) | Cell::Maybe(Some(x)) => bits(x),
                Cell::Maybe(None) | Cell::Later => "none".to_owned(),
            };
            self.entry(name, &value);
        }
    }

    fn entry(&mut self, name: &str, value: &str) {
        for part in [name, "=", value, "\n"] {
            self.0.update(part.as_bytes());
        }
    }

    /// The hash of everything added so far.
    pub(crate) fn digits(&self) -> String {
        let mut digits = self.0.finalize().to_hex().to_string();
        digits.truncate(DIGITS);
        digits
    }
}

/// All bits of a number.
fn bits(x: f64) -> String {
    format!("{:016x}", x.to_bits())
}
