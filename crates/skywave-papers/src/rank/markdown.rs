//! The tables of a study of mechanisms or of families, for a page of documentation.

use std::fmt::Write;

use super::mechanisms::{notes, tables};
use super::{Ranked, Study, families};
use crate::page;
use skywave_lab::report::Grid;

/// Tables of a study as Markdown, then reasons for empty cells. The tables are of mechanisms beside the entries that
/// they are compared with, or of families of paths (kinds of paths that the study names); there are none for a study
/// that has neither.
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
    // A bar would end the cell.
    let cells = |cells: &[String]| -> Vec<String> {
        cells.iter().map(|cell| cell.replace('|', "\\|")).collect()
    };
    page::table(&cells(&grid.head), grid.rows.iter().map(|row| cells(row)))
}
