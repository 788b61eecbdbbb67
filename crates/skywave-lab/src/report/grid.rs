//! Tables as text cells: what the terminal and the HTML page have in common.

use serde::Serialize;

use super::number::{Scaled, decimals, percent, plus_minus, scale};
use super::panel::{Panel, PanelSeries};
use crate::experiment::Results;
use crate::experiment::stats::Estimate;

mod entities;

pub(super) use entities::{flows, links, stations};

/// A table of text.
#[derive(Clone, Debug, PartialEq, Default, Serialize)]
pub struct Grid {
    /// What it shows, with the unit.
    pub title: String,
    /// Names of the columns.
    pub head: Vec<String>,
    /// Number of first columns that name the row.
    pub names: usize,
    /// The rows.
    pub rows: Vec<Vec<String>>,
    /// Rows that were left out.
    pub left_out: usize,
}

impl Grid {
    /// The same with at most so many rows.
    pub fn limited(mut self, rows: usize) -> Self {
        self.left_out += self.rows.len().saturating_sub(rows);
        self.rows.truncate(rows);
        self
    }
}

/// What stands where there is no number.
pub const NONE: &str = "–";

fn with_unit(label: &str, unit: &str) -> String {
    if unit.is_empty() {
        label.to_owned()
    } else {
        format!("{label} ({unit})")
    }
}

fn cell(estimate: Option<Estimate>, scaled: Scaled, decimals: usize) -> String {
    match estimate {
        None => NONE.to_owned(),
        // What never happened has no interval worth reading.
        Some(e) if e.mean == 0.0 && e.sd == 0.0 => "0".to_owned(),
        Some(e) => plus_minus(&e, scaled.factor, decimals),
    }
}

/// What is measured, against what and by what.
fn against(panel: &Panel, what: &str) -> String {
    match panel.by.as_str() {
        "" => format!("{what} against {}", panel.x.label),
        by => format!("{what} against {}, by {by}", panel.x.label),
    }
}

/// The end of a path, as long as it must be to differ from the ends of all `others`.
fn short_name(path: &str, others: &[&str]) -> String {
    let starts = path.rmatch_indices('.').map(|(at, _)| &path[at + 1..]);
    let unique = |end: &&str| {
        let same = |o: &&&str| **o != path && o.ends_with(&format!(".{end}"));
        others.iter().find(same).is_none()
    };
    starts.into_iter().find(unique).unwrap_or(path).to_owned()
}

/// The panel's values: a row a place on the axis, a column a series.
pub(super) fn values(panel: &Panel) -> Grid {
    let largest = panel.largest();
    let scaled = scale(panel.y_unit, largest);
    let places = decimals(largest * scaled.factor);
    let column = |series: &PanelSeries| match panel.series_label(series) {
        label if label.is_empty() => panel.y_label.clone(),
        label => label,
    };
    let mut columns: Vec<String> = panel.series.iter().map(column).collect();
    // Names on the axis are compared there: the first one is the reference.
    let alone = match panel.series.as_slice() {
        [series] if !panel.is_numeric() && panel.x.values.len() > 1 => Some(series),
        _ => None,
    };
    if alone.is_some() {
        columns.push(format!("gain over {} (%)", panel.x.values[0].label));
    }
    by_series(
        panel,
        against(panel, &with_unit(&panel.y_label, scaled.label)),
        columns,
        |x| {
            let cells = panel
                .series
                .iter()
                .map(|s| cell(s.estimate(x), scaled, places));
            let gain = alone.map(|s| match s.gain_along(x, 0) {
                Some(gain) if x > 0 => percent(&gain),
                _ => NONE.to_owned(),
            });
            cells.chain(gain).collect()
        },
    )
}

/// Differences to the series `reference`, seed by seed; `None` when there is nothing to compare.
pub(super) fn differences(panel: &Panel, reference: usize) -> Option<Grid> {
    let (base, others) = compared(panel, reference)?;
    let largest = panel.largest();
    let scaled = scale(panel.y_unit, largest);
    let places = decimals(largest * scaled.factor);
    let signed = |e: Option<Estimate>| {
        let text = cell(e, scaled, places);
        match e {
            Some(e) if e.mean > 0.0 => format!("+{text}"),
            _ => text,
        }
    };
    Some(by_series(
        panel,
        with_unit(
            &format!(
                "{}, difference from {}",
                panel.y_label,
                panel.series_label(base)
            ),
            scaled.label,
        ),
        others.iter().map(|s| panel.series_label(s)).collect(),
        |x| {
            others
                .iter()
                .map(|s| signed(s.difference(base, x)))
                .collect()
        },
    ))
}

/// Gains over the series `reference`, seed by seed; `None` when there is nothing to compare.
pub(super) fn gains(panel: &Panel, reference: usize) -> Option<Grid> {
    let (base, others) = compared(panel, reference)?;
    Some(by_series(
        panel,
        format!("Gain over {} (%)", panel.series_label(base)),
        others.iter().map(|s| panel.series_label(s)).collect(),
        |x| {
            let gains = others.iter().map(|s| s.gain(base, x));
            gains
                .map(|g| g.map_or(NONE.to_owned(), |g| percent(&g)))
                .collect()
        },
    ))
}

type Compared<'a> = (&'a PanelSeries, Vec<&'a PanelSeries>);

fn compared(panel: &Panel, reference: usize) -> Option<Compared<'_>> {
    let base = panel.series.get(reference)?;
    let others = panel.series.iter().enumerate();
    let others: Vec<_> = others
        .filter(|(i, _)| *i != reference)
        .map(|(_, s)| s)
        .collect();
    // Seeds stand for nothing that could gain.
    (!others.is_empty() && panel.by != "seed").then_some((base, others))
}

fn by_series(
    panel: &Panel,
    title: String,
    columns: Vec<String>,
    cells: impl Fn(usize) -> Vec<String>,
) -> Grid {
    let mut head = vec![short_name(&panel.x.label, &[])];
    head.extend(columns);
    let rows = panel.x.values.iter().enumerate().map(|(x, value)| {
        let mut row = vec![value.label.clone()];
        row.extend(cells(x));
        row
    });
    Grid {
        title,
        head,
        names: 1,
        rows: rows.collect(),
        left_out: 0,
    }
}

/// A number of runs and seeds in words, for the head of tables and pages.
pub(super) fn sample_note(results: &Results) -> String {
    let seeds = results.seeds.len();
    let missing = results.total() - results.finished();
    let note = match seeds {
        1 => "One seed: no intervals.".to_owned(),
        n => format!("Means over {n} seeds with 95% intervals (Student t)."),
    };
    match (missing, results.total()) {
        (0, _) => note,
        (m, total) => format!("{note} These are partial results: {m} of {total} runs are missing."),
    }
}
