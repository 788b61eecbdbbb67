//! Tables for the terminal.

use std::fmt::Write;

use super::grid::{self, Grid};
use super::panel::sketches;
use super::study::Study;
use crate::experiment::Results;

/// Rows of one table that a terminal is given.
const MAX_ROWS: usize = 60;

/// Rows of all tables together after which no further table is printed.
const MAX_ROWS_IN_ALL: usize = 150;

/// The file that has the rows of most tables.
const RUNS: &str = "results.parquet";

/// Results as text for a terminal of `width` columns. Each plot that is not over time has a table of its values, and
/// one of the differences from its first series. A table of flows follows if a run has several, if there is no plot
/// (as when nothing was swept) or none but of recorded time series, or if `[report] table` asks for it; with it comes a
/// table of the flows that proxies split, measured from end to end. After 150 rows, further tables are left out, with a
/// note on where to find them.
pub fn table(study: &Study, results: &Results, width: usize) -> String {
    let mut out = String::new();
    let (mut rows, mut left_out) = (0, 0);
    let mut push = |heading: &str, grid: &Grid, data: &str| {
        rows += grid.rows.len();
        if !heading.is_empty() {
            out.push_str(heading);
            out.push('\n');
        }
        out.push_str(&render(grid, width, data));
        out.push('\n');
        rows >= MAX_ROWS_IN_ALL
    };
    let mut is_full = false;
    let sketches = sketches(study);
    // One panel at a time is in memory, and measured only if it is shown.
    for sketch in &sketches {
        let panel = if is_full {
            sketch.outline(study, results)
        } else {
            sketch.panel(study, results)
        };
        if panel.over_time {
            continue;
        }
        if is_full {
            left_out += 1 + usize::from(grid::has_differences(&panel, 0));
            continue;
        }
        let values = grid::values(&panel, MAX_ROWS);
        is_full = push(&panel.facet_label(), &values, RUNS);
        match grid::differences(&panel, 0, MAX_ROWS) {
            Some(_) if is_full => left_out += 1,
            Some(differences) => is_full = push("", &differences, RUNS),
            None => {}
        }
    }
    let several = results
        .iter()
        .any(|(_, _, run)| run.outcome.flows.len() > 1);
    let asked = !study.report.table.is_empty();
    if sketches.is_empty() || several || asked {
        if is_full {
            left_out += 1;
        } else {
            is_full = push("", &grid::flows(study, results, MAX_ROWS), RUNS);
        }
        // What the halves of a split flow do not tell: it from end to end.
        let split = results
            .iter()
            .any(|(_, _, run)| !run.outcome.proxies.is_empty());
        if split && is_full {
            left_out += 1;
        } else if split {
            push(
                "",
                &grid::proxies(study, results, MAX_ROWS),
                "proxies.parquet",
            );
        }
    }
    if left_out > 0 {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "… and {left_out} more tables: report.html has them\n");
    }
    out.push_str(&grid::sample_note(results));
    out.push('\n');
    out
}

/// Text of a table for a terminal of `width` columns; a table that is too wide is split into several blocks of columns.
/// `data` names the file that has the rows that were left out.
pub fn render(grid: &Grid, width: usize, data: &str) -> String {
    let mut out = format!("{}\n", grid.title);
    let widths: Vec<usize> = (0..grid.head.len())
        .map(|c| {
            let cells = grid.rows.iter().filter_map(|r| r.get(c));
            let cells = cells.chain(grid.head.get(c));
            cells.map(|s| s.chars().count()).max().unwrap_or(0)
        })
        .collect();
    // Two spaces between columns, one at both ends.
    let names: usize = widths[..grid.names].iter().map(|w| w + 2).sum();
    let mut from = grid.names;
    while from < grid.head.len() {
        let mut to = from + 1;
        let mut used = names + widths[from] + 2;
        while to < grid.head.len() && used + widths[to] + 2 <= width {
            used += widths[to] + 2;
            to += 1;
        }
        let columns: Vec<usize> = (0..grid.names).chain(from..to).collect();
        let rule = "─".repeat(used);
        let head = line(grid, &grid.head, &columns, &widths);
        // Writing to a string cannot fail.
        let _ = write!(out, "{rule}\n{head}{rule}\n");
        for row in &grid.rows {
            out.push_str(&line(grid, row, &columns, &widths));
        }
        let _ = writeln!(out, "{rule}");
        from = to;
    }
    if grid.left_out > 0 {
        let _ = writeln!(out, "… and {} more rows: {data} has them", grid.left_out);
    }
    out
}

/// Some cells of a row: words to the left, numbers to the right of their columns.
fn line(grid: &Grid, row: &[String], columns: &[usize], widths: &[usize]) -> String {
    let cells = columns.iter().map(|&c| {
        let (cell, width) = (row.get(c).map_or("", String::as_str), widths[c]);
        if c < grid.names && !is_number(grid, c) {
            format!("{cell:<width$}")
        } else {
            format!("{cell:>width$}")
        }
    });
    let line = format!(" {}", cells.collect::<Vec<_>>().join("  "));
    format!("{}\n", line.trim_end())
}

/// Whether a naming column holds numbers, with or without a unit.
fn is_number(grid: &Grid, column: usize) -> bool {
    let mut cells = grid.rows.iter().filter_map(|r| r.get(column));
    cells.all(|c| c.starts_with(|c: char| c.is_ascii_digit() || c == '-'))
}
