//! The page for a terminal.

use std::fmt::Write;

use super::rows;
use super::transfers::transfer;
use crate::diagnosis::Diagnosis;

/// Transfers that are told of: those with the most bytes.
const SHOWN: usize = 3;

/// The page as text.
pub fn text(diagnosis: &Diagnosis) -> String {
    let mut out = String::from("The link\n");
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
    if !diagnosis.transfers.is_empty() {
        out.push_str("\nWhy it was slow\n");
        for observed in diagnosis.transfers.iter().take(SHOWN) {
            out.push_str(&transfer(observed));
        }
        let more = diagnosis.transfers.len().saturating_sub(SHOWN);
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
