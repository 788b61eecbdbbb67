//! Cards of several senders (laws) in one table: senders by sets of test cases, with counts and the names of the cases
//! that were not passed.

use std::fmt::Write;

use serde::Serialize;
use skywave_lab::report::render_page;

use super::card::{Card, SetCard, Standing};
use super::text::{in_words, wrapped};
use crate::claims::CSS;

const TEMPLATE: &str = include_str!("matrix.html");

/// Table of judged senders, from a card of each: for each set of test cases, how many a sender passed, and which it
/// failed or is unsure in. All cards must have the same sets in the same order.
#[derive(Clone, Copy, Debug)]
pub struct Matrix<'a>(pub &'a [Card]);

/// A law in a set.
#[derive(Serialize)]
struct Cell<'a> {
    set: &'a str,
    /// Cases passed, of those judged.
    passed: String,
    counts: String,
    failed: Vec<&'a str>,
    unsure: Vec<&'a str>,
}

#[derive(Serialize)]
struct Row<'a> {
    law: &'a str,
    cells: Vec<Cell<'a>>,
}

#[derive(Serialize)]
struct Head<'a> {
    set: &'a str,
    title: &'a str,
}

#[derive(Serialize)]
struct Page<'a> {
    title: &'static str,
    sets: Vec<Head<'a>>,
    rows: Vec<Row<'a>>,
    engine: &'a str,
}

impl<'a> Cell<'a> {
    fn of(set: &'a SetCard) -> Self {
        let names =
            |standing| -> Vec<&str> { set.with(standing).map(|case| case.case.as_str()).collect() };
        let (failed, unsure) = (names(Standing::Fail), names(Standing::Unsure));
        let passed = set.with(Standing::Pass).count();
        let judged = passed + failed.len() + unsure.len();
        Self {
            set: &set.set,
            passed: format!("{passed} of {judged}"),
            counts: in_words(&set.counts()),
            failed,
            unsure,
        }
    }

    /// The cases that were not passed.
    fn open(&self) -> String {
        let named = [("fail", &self.failed), ("unsure", &self.unsure)];
        let some = named.into_iter().filter(|(_, cases)| !cases.is_empty());
        let words = some.map(|(word, cases)| format!("{word}: {}", cases.join(", ")));
        words.collect::<Vec<_>>().join("; ")
    }
}

impl Matrix<'_> {
    fn rows(&self) -> Vec<Row<'_>> {
        let rows = self.0.iter().map(|card| Row {
            law: &card.law,
            cells: card.sets.iter().map(Cell::of).collect(),
        });
        rows.collect()
    }

    /// The sets, as the first card has them.
    fn sets(&self) -> &[SetCard] {
        self.0.first().map_or(&[], |card| &card.sets)
    }

    /// The table as text for a terminal, set by set, in lines of at most `width` columns, but for the sets' titles.
    pub fn table(&self, width: usize) -> String {
        let rows = self.rows();
        let names = rows.iter().map(|row| row.law.chars().count());
        let names = names.max().unwrap_or(0).min(width / 3);
        let mut out = String::new();
        for (at, set) in self.sets().iter().enumerate() {
            // Writing to a string cannot fail.
            let _ = writeln!(out, "{} ({})", set.title, set.set);
            for row in &rows {
                let Some(cell) = row.cells.get(at) else {
                    continue;
                };
                let head = format!("  {:<names$}  {:>8}  ", row.law, cell.passed);
                wrapped(&mut out, &head, &cell.open(), width);
            }
            out.push('\n');
        }
        out
    }

    /// The table as JSON, a line for each sender.
    pub fn to_json_lines(&self) -> String {
        let lines = self.rows().into_iter();
        // Strings and lists: nothing in it can fail.
        lines
            .map(|row| serde_json::to_string(&row).unwrap_or_default() + "\n")
            .collect()
    }

    /// The table as an HTML page.
    ///
    /// # Errors
    /// When the page cannot be rendered, which would be a mistake in its template.
    pub fn page(&self) -> std::io::Result<String> {
        let heads = self.sets().iter().map(|set| Head {
            set: &set.set,
            title: &set.title,
        });
        let page = Page {
            title: "Laws and the cases that they pass",
            sets: heads.collect(),
            rows: self.rows(),
            engine: self.0.first().map_or("", |card| &card.engine),
        };
        render_page(TEMPLATE, CSS, &page, None)
    }
}
