//! Tables as text cells: what the terminal and the HTML page have in common.

use serde::Serialize;

use super::number::{Scaled, decimals, fixed, percent, plus_minus, scale};
use super::panel::{Panel, PanelSeries};
use super::words::with_unit;
use crate::experiment::Results;
use crate::experiment::stats::{Average, Estimate, quantile};
use crate::scenario::PlotKind;

mod entities;

pub(super) use entities::{flows, links, proxies, stations};

/// A table whose cells are text, for the terminal or a page.
#[derive(Clone, Debug, PartialEq, Default, Serialize)]
pub struct Grid {
    /// Title of the table: the quantity that it shows, with the unit, or the things that it lists, as in `Flows`.
    pub title: String,
    /// Names of the columns.
    pub head: Vec<String>,
    /// Number of leading columns whose cells name the row; the columns after them hold its values.
    pub names: usize,
    /// Rows of the table, each with a cell for each column.
    pub rows: Vec<Vec<String>>,
    /// Number of rows that were left out because the table would be too long.
    pub left_out: usize,
}

impl Grid {
    /// The table cut to its first `rows` rows; rows beyond are dropped, and counted in [`Self::left_out`].
    pub fn limited(mut self, rows: usize) -> Self {
        self.left_out += self.rows.len().saturating_sub(rows);
        self.rows.truncate(rows);
        self
    }
}

/// Text of a table's cell whose number is missing.
pub const NONE: &str = "–";

fn cell(estimate: Option<Estimate>, scaled: Scaled, decimals: usize) -> String {
    match estimate {
        None => NONE.to_owned(),
        // The interval of something that never happened is not worth reading.
        Some(e) if e.mean == 0.0 && e.sd == 0.0 => "0".to_owned(),
        Some(e) => plus_minus(&e, scaled.factor, decimals),
    }
}

/// Text of a number from several runs. Where not all of them have one, and for a time `until` something in any case, it
/// says how many have; where that has not come in all of them, the median stands in place of the mean.
fn of_runs(average: &Average, until: bool, scaled: Scaled, decimals: usize) -> String {
    let Average {
        mean,
        median,
        finite,
        late,
        runs,
    } = *average;
    let number = match (mean, median) {
        (None, Some(median)) => format!("median {}", fixed(median * scaled.factor, decimals)),
        (mean, _) => cell(mean, scaled, decimals),
    };
    let says_of_how_many = match mean {
        Some(_) => finite < runs || until && runs > 1,
        None => late > 0,
    };
    if says_of_how_many {
        format!("{number} ({finite} of {runs})")
    } else {
        number
    }
}

/// A title: what is measured, against what and by what.
fn against(panel: &Panel, what: &str) -> String {
    match panel.by.as_str() {
        "" => format!("{what} against {}", panel.x.label),
        by => format!("{what} against {}, by {by}", panel.x.label),
    }
}

/// The head of a series' column.
fn column(panel: &Panel, series: &PanelSeries) -> String {
    if series.name.is_empty() {
        panel.y_label.clone()
    } else {
        series.name.clone()
    }
}

/// The panel's values: a row a place on the axis, of the first `limit`, and a column a series.
pub(super) fn values(panel: &Panel, limit: usize) -> Grid {
    if panel.kind == PlotKind::Cdf {
        return percentiles(panel);
    }
    let largest = panel.largest();
    let scaled = scale(panel.y_unit, largest);
    let places = decimals(largest * scaled.factor);
    let mut columns: Vec<String> = panel.series.iter().map(|s| column(panel, s)).collect();
    // Names on the axis are compared there: the first one is the reference.
    let alone = match panel.series.as_slice() {
        [series] if !panel.is_numeric() && panel.x.values.len() > 1 => Some(series),
        _ => None,
    };
    if alone.is_some() {
        columns.push(format!("difference from {} (%)", panel.x.values[0].name));
    }
    by_series(
        (panel, limit),
        against(panel, &with_unit(&panel.y_label, scaled.label)),
        columns,
        |x| {
            let cells = panel
                .series
                .iter()
                .map(|s| of_runs(&s.average(x), panel.until, scaled, places));
            let gain = alone.map(|s| match s.gain_along(x, 0) {
                Some(gain) if x > 0 => percent(&gain),
                _ => NONE.to_owned(),
            });
            cells.chain(gain).collect()
        },
    )
}

/// The percentiles of a distribution: a row a percentile, a column a series.
fn percentiles(panel: &Panel) -> Grid {
    const PERCENTILES: [u8; 5] = [5, 25, 50, 75, 95];
    let sorted: Vec<Vec<f64>> = panel.series.iter().map(|s| s.sorted(0)).collect();
    let largest = sorted
        .iter()
        .flatten()
        .copied()
        .filter(|value| value.is_finite())
        .fold(0.0, |a: f64, b| a.max(b.abs()));
    let scaled = scale(panel.y_unit, largest);
    let places = decimals(largest * scaled.factor);
    let rows = PERCENTILES.into_iter().map(|percentile| {
        let values = sorted.iter().map(|values| {
            let value = quantile(values, f64::from(percentile) / 100.0);
            let value = value.filter(|value| value.is_finite());
            value.map_or(NONE.to_owned(), |v| fixed(v * scaled.factor, places))
        });
        std::iter::once(format!("{percentile}%"))
            .chain(values)
            .collect()
    });
    let mut head = vec!["percentile".to_owned()];
    head.extend(panel.series.iter().map(|series| column(panel, series)));
    Grid {
        title: with_unit(&panel.title, scaled.label),
        head,
        names: 1,
        rows: rows.collect(),
        left_out: 0,
    }
}

/// Differences to the series `reference`, seed by seed, at the first `limit` places; `None` when there is nothing to compare.
pub(super) fn differences(panel: &Panel, reference: usize, limit: usize) -> Option<Grid> {
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
        (panel, limit),
        with_unit(
            &format!("{}, difference from {}", panel.y_label, base.name),
            scaled.label,
        ),
        others.iter().map(|s| s.name.clone()).collect(),
        |x| {
            others
                .iter()
                .map(|s| signed(s.difference(base, x)))
                .collect()
        },
    ))
}

/// Whether there is anything to compare with the series `reference`.
pub(super) fn has_differences(panel: &Panel, reference: usize) -> bool {
    compared(panel, reference).is_some()
}

/// Gains over the series `reference`, seed by seed, at the first `limit` places; `None` when there is nothing to compare.
pub(super) fn gains(panel: &Panel, reference: usize, limit: usize) -> Option<Grid> {
    let (base, others) = compared(panel, reference)?;
    Some(by_series(
        (panel, limit),
        format!("Difference from {} (%)", base.name),
        others.iter().map(|s| s.name.clone()).collect(),
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
    if panel.kind == PlotKind::Cdf || panel.over_time {
        return None;
    }
    let base = panel.series.get(reference)?;
    let others = panel.series.iter().enumerate();
    let others: Vec<_> = others
        .filter(|(i, _)| *i != reference)
        .map(|(_, s)| s)
        .collect();
    // A series that is a seed cannot gain over another.
    (!others.is_empty() && panel.by != "seed").then_some((base, others))
}

/// A table with a row a place, no more than `limit`.
fn by_series(
    (panel, limit): (&Panel, usize),
    title: String,
    columns: Vec<String>,
    cells: impl Fn(usize) -> Vec<String>,
) -> Grid {
    let mut head = vec![panel.x.brief.clone()];
    head.extend(columns);
    let places = panel.x.values.iter().take(limit).enumerate();
    let rows = places.map(|(x, value)| {
        let mut row = vec![value.name.clone()];
        row.extend(cells(x));
        row
    });
    Grid {
        title,
        head,
        names: 1,
        rows: rows.collect(),
        left_out: panel.x.values.len().saturating_sub(limit),
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
