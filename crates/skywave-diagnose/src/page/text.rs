//! The page for a terminal.

use std::fmt::Write;

use super::goodness::{HEADING, goodness};
use super::rows;
use super::transfers::transfer;
use crate::diagnosis::Diagnosis;

/// Page of a diagnosis as plain text, for a terminal.
pub fn text(diagnosis: &Diagnosis) -> String {
    let mut out = String::new();
    if !diagnosis.is_empty() {
        link(&mut out, diagnosis);
    }
    if !diagnosis.goodness.is_empty() {
        let _ = writeln!(out, "\n{HEADING}");
        let lines = diagnosis.goodness.iter().map(goodness);
        out.extend(lines);
    }
    if !diagnosis.is_empty() && !diagnosis.transfers.is_empty() {
        out.push_str("\nWhy it was slow\n");
        diagnosis
            .largest()
            .for_each(|observed| out.push_str(&transfer(observed)));
        let more = diagnosis.transfers.len() - diagnosis.largest().count();
        if more > 0 {
            let _ = writeln!(out, "  and {more} smaller transfers (--json has all)");
        }
    }
    if !diagnosis.notes.is_empty() {
        out.push('\n');
        for note in &diagnosis.notes {
            let _ = writeln!(out, "Note: {note}");
        }
    }
    out
}

fn link(out: &mut String, diagnosis: &Diagnosis) {
    out.push_str("The link\n");
    let rows = rows(&diagnosis.link);
    let width = rows.iter().map(|row| row.name.len()).max().unwrap_or(0);
    for row in rows.iter().filter(|row| row.is_known) {
        // Writing to a string does not fail.
        let _ = writeln!(out, "  {:width$}  {}  [{}]", row.name, row.value, row.from);
    }
    let unknown: Vec<_> = rows.iter().filter(|row| !row.is_known).collect();
    if !unknown.is_empty() {
        out.push_str("\nWhat the records cannot tell\n");
        for row in unknown {
            let _ = writeln!(out, "  {:width$}  {}", row.name, row.value);
        }
    }
}
