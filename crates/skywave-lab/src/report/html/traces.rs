//! Plots over time of recorded series.

use serde::{Serialize, Serializer};

use super::sequence;
use crate::experiment::{Results, SeriesRecord};
use crate::report::plot::{self, Axis, Scale, SeriesData};
use crate::report::study::Study;
use crate::report::summary;
use crate::report::words::Words;
use crate::scenario::{ParamValue, Plot, PlotAxis};

/// Runs whose series are drawn, lines after which no further run is, and lines in one plot.
const MAX_RUNS: usize = 6;
const MAX_LINES: usize = 24;
const MAX_LINES_IN_PLOT: usize = 4;

/// The plots of one run.
#[derive(Debug, Serialize)]
pub(in crate::report) struct Trace {
    pub(in crate::report) title: String,
    #[serde(rename = "svgs", serialize_with = "inline")]
    pub(in crate::report) plots: Vec<plot::Plot>,
}

fn inline<S: Serializer>(plots: &[plot::Plot], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(plots.iter().map(plot::Plot::to_inline_svg))
}

/// Quantities that are drawn when the scenario names none.
const DEFAULT: [&str; 4] = ["cwnd", "rate", "rtt", "queue"];

/// Plots that share their axis: quantities, label, factor.
const GROUPS: [(&[&str], &str, f64); 5] = [
    (&["cwnd", "ssthresh"], "cwnd (segments)", 1.0),
    (&["rate"], "Rate (kb/s)", 1e-3),
    (&["rtt", "srtt", "rto"], "Round trip (ms)", 1e3),
    (&["queue"], "Queue (packets)", 1.0),
    (&["acked"], "Acknowledged (MB)", 1e-6),
];

/// The series of the first runs that have any, and the number of runs left out.
pub(in crate::report) fn traces(
    study: &Study,
    results: &Results,
) -> std::io::Result<(Vec<Trace>, usize)> {
    let mut recorded: Vec<(usize, usize)> = results.recorded().collect();
    // One seed of several points says more than several seeds of one, and the series side by side
    // in the middle of the axis more than one of them all along.
    let middle = middle(study);
    let off = |point: usize| {
        let value = |path: &str| {
            study
                .points
                .get(point)?
                .param(path)
                .map(ToString::to_string)
        };
        middle
            .as_ref()
            .is_some_and(|(path, at)| value(path).as_ref() != Some(at))
    };
    recorded.sort_by_key(|(point, seed_index)| (*seed_index, off(*point), *point));
    let asked: Vec<&Plot> = study
        .report
        .plots
        .iter()
        .filter(|p| p.x == PlotAxis::Time && !p.is_binned())
        .collect();
    let shown = |series: &SeriesRecord| {
        let is = |wanted: &Option<String>| {
            let copy_of = |w: &String| series.entity.strip_prefix(w.as_str());
            wanted.as_ref().is_none_or(|w| {
                copy_of(w).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            })
        };
        let quantity = series.quantity.as_str();
        if asked.is_empty() {
            DEFAULT.contains(&quantity)
        } else {
            let fits = |p: &&Plot| p.y.field == quantity && is(&p.flow) && is(&p.link);
            asked.iter().any(fits)
        }
    };
    let words = Words::of(study);
    let mut traces = Vec::new();
    let mut lines = 0;
    for (point, seed_index) in recorded.iter().take(MAX_RUNS) {
        if lines >= MAX_LINES {
            break;
        }
        let Some(run) = results.get(*point, *seed_index) else {
            continue;
        };
        let mut title = words.values(study.points.get(*point));
        title.push(format!("seed {}", results.seeds[*seed_index]));
        let series = run.series()?;
        let segments = sequence::plots(&series);
        let series: Vec<SeriesRecord> = series.into_iter().filter(|s| shown(s)).collect();
        let mut plots: Vec<plot::Plot> = GROUPS
            .iter()
            .filter_map(|(quantities, label, factor)| draw(&series, quantities, label, *factor))
            .collect();
        lines += plots.iter().map(|p| p.series.len()).sum::<usize>();
        plots.extend(segments);
        traces.push(Trace {
            title: title.join(", "),
            plots,
        });
    }
    let left_out = recorded.len() - traces.len();
    Ok((traces, left_out))
}

/// The path on the horizontal axis of the first plot over a swept path, and its middle value.
fn middle(study: &Study) -> Option<(String, String)> {
    let default = summary::default_plot(study);
    let mut plots = study.report.plots.iter().chain(&default);
    let path = plots.find_map(|p| match &p.x {
        PlotAxis::Param(path) => Some(path.clone()),
        _ => None,
    })?;
    let mut values: Vec<&ParamValue> = study.points.iter().filter_map(|p| p.param(&path)).collect();
    values.sort_by(|a, b| {
        let number = |v: &ParamValue| v.number().unwrap_or(0.0);
        number(a).total_cmp(&number(b))
    });
    values.dedup();
    let middle = values.get(values.len() / 2)?.to_string();
    Some((path, middle))
}

/// The plot of some quantities; `None` when none was recorded.
fn draw(
    series: &[SeriesRecord],
    quantities: &[&str],
    label: &str,
    factor: f64,
) -> Option<plot::Plot> {
    // A queue that was always empty is not worth a line.
    let worth = |s: &&SeriesRecord| {
        quantities.contains(&s.quantity.as_str()) && s.points.iter().any(|p| p.1 != 0.0)
    };
    let mut chosen: Vec<&SeriesRecord> = series.iter().filter(worth).collect();
    if chosen.is_empty() {
        return None;
    }
    // Where there are too many, those that reach highest.
    if chosen.len() > MAX_LINES_IN_PLOT {
        let top = |s: &SeriesRecord| s.points.iter().map(|p| p.1).fold(0.0, f64::max);
        chosen.sort_by(|a, b| top(b).total_cmp(&top(a)));
    }
    let lines = chosen.iter().take(MAX_LINES_IN_PLOT).map(|s| {
        let name = if chosen.iter().all(|c| c.quantity == s.quantity) {
            s.entity.clone()
        } else {
            format!("{}, {}", s.entity, s.quantity)
        };
        let points: Vec<_> = s.points.iter().map(|(t, v)| (*t, v * factor)).collect();
        // A value is recorded when it changes, so it holds until the next point.
        SeriesData::steps(name, &points)
    });
    Some(plot::Plot {
        x: Axis::new("Time (s)", Scale::Linear).from(0.0),
        y: Axis::new(label, Scale::Linear).from(0.0),
        series: lines.collect(),
        size: (720.0, 230.0),
        ..plot::Plot::default()
    })
}
