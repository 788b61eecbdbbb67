//! From the numbers of a panel to its plot.

use super::number::{Scaled, scale};
use super::panel::{Panel, XAxis};
use super::plot::{Axis, Look, Plot, Scale, SeriesData};
use super::words::{capitalised, with_unit};
use crate::experiment::stats::quantile;
use crate::scenario::PlotKind;
use skywave_sim::outcome::Unit;

/// Most markers of a series: more would be a smear, and make the file large.
const MAX_MARKERS: usize = 1000;

/// Plot of a panel (the numbers and words for one plot), without a title.
pub fn panel_plot(panel: &Panel) -> Plot {
    match panel.kind {
        PlotKind::Line => lines(panel),
        PlotKind::Box => boxes(panel),
        PlotKind::Cdf => distribution(panel),
    }
}

/// Means with their intervals.
fn lines(panel: &Panel) -> Plot {
    let scaled = scale(panel.y_unit, panel.largest());
    let (x, x_factor) = x_axis(&panel.x, panel.is_numeric());
    let numeric = panel.is_numeric();
    let dense = panel.series.len() * panel.x.values.len() > MAX_MARKERS;
    let series = panel.series.iter().map(|series| {
        let points = panel.x.values.iter().enumerate().filter_map(|(at, value)| {
            let e = series.estimate(at)?;
            let x = match value.number {
                Some(number) if numeric => number * x_factor,
                _ => at as f64,
            };
            Some((x, e.mean * scaled.factor, e.half.map(|h| h * scaled.factor)))
        });
        let label = series.name.clone();
        if numeric && (dense || panel.over_time) {
            let points: Vec<_> = points.map(|(x, y, _)| (x, y)).collect();
            SeriesData::line(label, &points)
        } else {
            SeriesData::marked(label, points.collect())
        }
    });
    Plot {
        series: series.collect(),
        x: if panel.over_time { x.from(0.0) } else { x },
        y: y_axis(panel, scaled),
        ..Plot::default()
    }
}

/// A box for each place on the axis, which are side by side whatever they are.
fn boxes(panel: &Panel) -> Plot {
    let scaled = scale(panel.y_unit, panel.largest());
    let (x, _) = x_axis(&panel.x, false);
    let series = panel.series.iter().map(|series| {
        let five = |at: usize| {
            let sorted = series.sorted(at);
            let box_of = [0.0, 0.25, 0.5, 0.75, 1.0].map(|share| quantile(&sorted, share));
            let box_of = box_of
                .into_iter()
                .flatten()
                .filter(|value| value.is_finite());
            box_of.map(move |value| (at as f64, value * scaled.factor))
        };
        let points = (0..panel.x.values.len()).flat_map(five);
        SeriesData::of(&series.name, Look::Boxes, points)
    });
    Plot {
        series: series.collect(),
        x,
        y: y_axis(panel, scaled),
        ..Plot::default()
    }
}

/// The share of samples that are at most a value, for each series.
fn distribution(panel: &Panel) -> Plot {
    let all = panel.series.iter().flat_map(|s| s.sorted(0));
    let all = all.filter(|value| value.is_finite());
    let scaled = scale(panel.y_unit, all.map(f64::abs).fold(0.0, f64::max));
    let series = panel.series.iter().map(|series| {
        let sorted = series.sorted(0);
        // What is later than the end of the run counts, and is not drawn.
        let count = sorted.len() as f64;
        let sorted: Vec<f64> = sorted
            .into_iter()
            .filter(|value| value.is_finite())
            .collect();
        let first = sorted.first().map(|first| (first * scaled.factor, 0.0));
        let steps = sorted.iter().enumerate();
        let steps = steps.map(|(i, value)| (value * scaled.factor, (i as f64 + 1.0) / count));
        let points: Vec<(f64, f64)> = first.into_iter().chain(steps).collect();
        SeriesData::steps(series.name.clone(), &points)
    });
    let label = panel.x.given.as_deref().unwrap_or(&panel.y_label);
    let share = panel.y_given.as_deref().unwrap_or("Share of samples");
    Plot {
        series: series.collect(),
        x: Axis::new(with_unit(label, scaled.label), numbers(panel.x.log)),
        y: Axis::new(share, Scale::Linear).from(0.0).to(1.0),
        ..Plot::default()
    }
}

fn y_axis(panel: &Panel, scaled: Scaled) -> Axis {
    let label = panel.y_given.as_deref().unwrap_or(&panel.y_label);
    let label = with_unit(label, scaled.label);
    let axis = Axis::new(label, numbers(panel.y_log));
    if panel.y_log { axis } else { axis.from(0.0) }
}

/// The horizontal axis and what its numbers are multiplied by.
fn x_axis(x: &XAxis, numeric: bool) -> (Axis, f64) {
    let words = x.given.clone().unwrap_or_else(|| capitalised(&x.label));
    if !numeric {
        let names = x.values.iter().map(|v| v.name.clone()).collect();
        return (Axis::new(words, Scale::Categories(names)), 1.0);
    }
    let largest = x.values.iter().filter_map(|v| v.number);
    let largest = largest.map(f64::abs).fold(0.0, f64::max);
    let (factor, unit) = match x.unit {
        Some("bit/s") => Some(scale(Unit::BitRate, largest)),
        Some("s") => Some(scale(Unit::Seconds, largest)),
        Some("B") => Some(scale(Unit::Bytes, largest)),
        _ => None,
    }
    .map_or((1.0, x.unit.unwrap_or("")), |s| (s.factor, s.label));
    (Axis::new(with_unit(&words, unit), numbers(x.log)), factor)
}

/// The scale of an axis of numbers.
fn numbers(is_log: bool) -> Scale {
    if is_log { Scale::Log } else { Scale::Linear }
}
