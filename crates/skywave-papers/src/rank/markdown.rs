//! The tables of a study of mechanisms or of families, for a page of documentation.

use std::fmt::Write;

use super::mechanisms::{notes, tables};
use super::{Ranked, Study, families};
use skywave_lab::report::Grid;

/// The tables as Markdown, with why cells are empty after them; without families, nothing without a mechanism that has a
/// base.
pub fn markdown(study: &Study, ranked: &Ranked) -> String {
    let mut out = String::new();
    let grids = if study.has_families() {
        families::markdown_grids(study, ranked)
    } else {
        tables(study, &ranked.ranking)
    };
    for grid in grids {
        // Writing to a string cannot fail, here and below.
        let _ = writeln!(out, "{}:\n\n{}", grid.title, table(&grid));
    }
    for (letter, reason) in notes(study) {
        let _ = writeln!(out, "({letter}) {reason}  ");
    }
    out
}

fn table(grid: &Grid) -> String {
    let line = |cells: &[String]| {
        // A bar would end the cell.
        let cells = cells.iter().map(|cell| cell.replace('|', "\\|"));
        format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "))
    };
    let rule = format!("|{}\n", "---|".repeat(grid.head.len()));
    let rows: String = grid.rows.iter().map(|row| line(row)).collect();
    format!("{}{rule}{rows}", line(&grid.head))
}
