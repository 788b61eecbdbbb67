//! The page for a terminal.

use std::fmt::Write;

use super::rows;
use super::transfers::transfer;
use crate::diagnosis::Diagnosis;

/// Transfers that are told of: those with the most bytes.
const SHOWN: usize = 3;

/// Share of the largest transfer's bytes below which another is small.
const SMALL: f64 = 0.01;

/// The page as text.
pub fn text(diagnosis: &Diagnosis) -> String {
    let mut out = String::new();
    if !diagnosis.is_empty() {
        link(&mut out, diagnosis);
    }
    if !diagnosis.is_empty() && !diagnosis.transfers.is_empty() {
        let most = diagnosis.transfers[0].transfer.delivered as f64;
        let shown = diagnosis
            .transfers
            .iter()
            .take(SHOWN)
            .filter(|o| o.transfer.delivered as f64 >= SMALL * most);
        out.push_str("\nWhy it was slow\n");
        shown
            .clone()
            .for_each(|observed| out.push_str(&transfer(observed)));
        let more = diagnosis.transfers.len() - shown.count();
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
