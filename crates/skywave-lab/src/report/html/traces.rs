//! Plots over time of recorded series.

use serde::Serialize;

use crate::experiment::{Results, SeriesRecord};
use crate::report::plot::{Axis, Plot, Scale, SeriesData};
use crate::report::study::Study;

/// Runs whose series are drawn, and lines in one plot.
const MAX_RUNS: usize = 4;
const MAX_LINES: usize = 6;

/// The plots of one run.
#[derive(Debug, Serialize)]
pub(super) struct Trace {
    title: String,
    svgs: Vec<String>,
}

/// Plots that share their axis: quantities, label, factor.
const GROUPS: [(&[&str], &str, f64); 4] = [
    (&["cwnd", "ssthresh"], "cwnd (segments)", 1.0),
    (&["rtt", "srtt", "rto"], "Round trip (ms)", 1e3),
    (&["queue"], "Queue (packets)", 1.0),
    (&["acked"], "Acknowledged (MB)", 1e-6),
];

/// The series of the first runs that have any, and the number of runs left out.
pub(super) fn traces(study: &Study, results: &Results) -> std::io::Result<(Vec<Trace>, usize)> {
    let mut recorded: Vec<_> = results
        .iter()
        .filter(|(_, _, run)| run.has_series())
        .collect();
    // One seed of several points says more than several seeds of one.
    recorded.sort_by_key(|(point, seed_index, _)| (*seed_index, *point));
    let asked: Vec<&str> = study
        .report
        .plots
        .iter()
        .filter(|p| p.x == crate::scenario::PlotAxis::Time)
        .map(|p| p.y.field)
        .collect();
    let mut traces = Vec::new();
    for (point, seed_index, run) in recorded.iter().take(MAX_RUNS) {
        let params = study.points.get(*point).map(|p| p.params.as_slice());
        let params = params.unwrap_or_default().iter();
        let mut title: Vec<String> = params
            .map(|(path, value)| format!("{path} = {value}"))
            .collect();
        title.push(format!("seed {}", results.seeds[*seed_index]));
        let series = run.series()?;
        let shown = |quantity: &str| {
            if asked.is_empty() {
                matches!(quantity, "cwnd" | "rtt" | "queue")
            } else {
                asked.contains(&quantity)
            }
        };
        let known = GROUPS.iter().filter_map(|(quantities, label, factor)| {
            let quantities: Vec<&str> = quantities.iter().copied().filter(|q| shown(q)).collect();
            plot(&series, &quantities, label, *factor)
        });
        traces.push(Trace {
            title: title.join(", "),
            svgs: known.map(|p| p.to_inline_svg()).collect(),
        });
    }
    let left_out = recorded.len() - traces.len();
    Ok((traces, left_out))
}

/// The plot of some quantities; `None` when none was recorded.
fn plot(series: &[SeriesRecord], quantities: &[&str], label: &str, factor: f64) -> Option<Plot> {
    // A queue that was always empty is no news.
    let worth = |s: &&SeriesRecord| {
        quantities.contains(&s.quantity.as_str()) && s.points.iter().any(|p| p.1 != 0.0)
    };
    let mut chosen: Vec<&SeriesRecord> = series.iter().filter(worth).collect();
    if chosen.is_empty() {
        return None;
    }
    // Where there are too many, those that reach highest.
    if chosen.len() > MAX_LINES {
        let top = |s: &SeriesRecord| s.points.iter().map(|p| p.1).fold(0.0, f64::max);
        chosen.sort_by(|a, b| top(b).total_cmp(&top(a)));
    }
    let lines = chosen.iter().take(MAX_LINES).map(|s| {
        let name = match quantities {
            [_] => s.entity.clone(),
            _ => format!("{}, {}", s.entity, s.quantity),
        };
        let points: Vec<_> = s.points.iter().map(|(t, v)| (*t, v * factor)).collect();
        SeriesData::line(name, &points)
    });
    Some(Plot {
        x: Axis::new("Time (s)", Scale::Linear),
        y: Axis::new(label, Scale::Linear).from(0.0),
        series: lines.collect(),
        size: (720.0, 230.0),
        ..Plot::default()
    })
}
