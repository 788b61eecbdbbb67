//! Titles and names of plots, their axes and their series.

use super::panel::{XAxis, XValue};
use super::words::Words;
use crate::scenario::{Plot, PlotAxis, PlotKind};

/// The title of a plot, and the words that name its file.
pub(super) struct Caption {
    /// The heading: the scenario's own, or else one made of the labels of the axes.
    pub(super) title: String,
    /// The title in a few words, for the name of a file.
    pub(super) name: String,
}

impl Caption {
    /// The names of a plot of `measured` whose series are told apart by `by`.
    pub(super) fn of(plot: &Plot, measured: &str, x: &XAxis, by: &str) -> Self {
        let metric = plot.y.name;
        let (shown, name) = match (plot.kind, &plot.x) {
            (PlotKind::Cdf, _) => (
                format!("Distribution of {}", uncapitalised(measured)),
                format!("{metric} cdf"),
            ),
            (_, PlotAxis::Time) => (
                format!("{measured} over time"),
                format!("{metric} over time"),
            ),
            (PlotKind::Box, _) => (
                format!("Spread of {} against {}", uncapitalised(measured), x.label),
                format!("{metric} box against {}", x.brief),
            ),
            (PlotKind::Line, _) => (
                format!("{measured} against {}", x.label),
                format!("{metric} against {}", x.brief),
            ),
        };
        let given = plot.title.as_ref().filter(|title| !title.is_empty());
        let title = given.cloned().unwrap_or_else(|| match by {
            "" => shown,
            by => format!("{shown}, by {by}"),
        });
        Self { title, name }
    }
}

/// The name of a series for people: numbers, yes and no say what they are of, unless the file names them.
pub(super) fn series_name(words: &Words<'_>, plot: &Plot, value: &XValue) -> String {
    let written = &value.label;
    let is_word = written.parse::<bool>().is_err()
        && !written.starts_with(|c: char| c.is_ascii_digit() || c == '-' || c == '.');
    let of = match &plot.by {
        Some(PlotAxis::Param(path)) => words.brief(path),
        Some(PlotAxis::Seed) => "seed".into(),
        _ => return value.name.clone(),
    };
    if is_word || plot.names.values().any(|name| *name == value.name) {
        value.name.clone()
    } else {
        format!("{of} {}", value.name)
    }
}

/// A label for the middle of a line; abbreviations stay as they are.
fn uncapitalised(label: &str) -> String {
    let mut letters = label.chars();
    match (letters.next(), letters.clone().next()) {
        (Some(first), Some(second)) if !second.is_uppercase() => {
            first.to_lowercase().chain(letters).collect()
        }
        _ => label.to_owned(),
    }
}

/// An axis in words; `measured` is what is measured.
pub(super) fn axis_name(words: &Words<'_>, axis: &PlotAxis, measured: &str) -> String {
    match axis {
        PlotAxis::Param(path) => words.path(path),
        PlotAxis::Seed => "seed".into(),
        PlotAxis::Time => "time".into(),
        PlotAxis::Flow => "flow".into(),
        PlotAxis::Measure => measured.to_owned(),
    }
}
