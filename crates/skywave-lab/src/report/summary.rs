//! From the outcome of a run to one number, and what that number is called.

use skywave_sim::outcome::{FlowOutcome, LinkOutcome, Outcome, StationOutcome};

use super::study::Study;
use crate::experiment::columns::{Column, FLOW, LINK, Pooling, STATION, Unit};
use crate::experiment::stats::jain;
use crate::scenario::{GOODPUT, Metric, Plot, PlotAxis, Sample};

/// Fields of the table of flows when the scenario names none.
const DEFAULT_TABLE: [&str; 7] = [
    "goodput_bps",
    "rtt_mean_s",
    "delay_p95_s",
    "retransmits",
    "timeouts",
    "queue_drops",
    "channel_drops",
];

/// A measured quantity, for people.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Measured {
    pub(super) label: String,
    pub(super) unit: Unit,
}

fn find<T>(columns: &'static [Column<T>], metric: Metric) -> Option<&'static Column<T>> {
    columns.iter().find(|c| c.name == metric.field)
}

/// Pools the flows that `wanted` takes: rates and counts add up, times and windows are averaged.
pub(super) fn of_flows(
    outcome: &Outcome,
    metric: Metric,
    wanted: impl Fn(&FlowOutcome, usize) -> bool,
) -> Option<f64> {
    let column = find(FLOW, metric)?;
    let flows = outcome.flows.iter().enumerate();
    pool(column, flows.filter(|(i, f)| wanted(f, *i)).map(|(_, f)| f))
}

/// The same for links.
pub(super) fn of_links(
    outcome: &Outcome,
    metric: Metric,
    wanted: impl Fn(&LinkOutcome, usize) -> bool,
) -> Option<f64> {
    let links = outcome.links.iter().enumerate();
    pool(
        find(LINK, metric)?,
        links.filter(|(i, l)| wanted(l, *i)).map(|(_, l)| l),
    )
}

/// The same for stations.
pub(super) fn of_stations(
    outcome: &Outcome,
    metric: Metric,
    wanted: impl Fn(&StationOutcome, usize) -> bool,
) -> Option<f64> {
    let stations = outcome.stations.iter().enumerate();
    pool(
        find(STATION, metric)?,
        stations.filter(|(i, s)| wanted(s, *i)).map(|(_, s)| s),
    )
}

/// One number of several flows, links or stations; `None` when none of them has one.
pub(super) fn pool<'a, T: 'static>(
    column: &Column<T>,
    of: impl Iterator<Item = &'a T>,
) -> Option<f64> {
    let values: Vec<f64> = of.filter_map(|o| (column.get)(o).number()).collect();
    let sum: f64 = values.iter().sum();
    match column.pooling {
        _ if values.is_empty() => None,
        Pooling::Sum => Some(sum),
        Pooling::Mean => Some(sum / values.len() as f64),
    }
}

/// Jain's index of the flows' goodputs.
pub(super) fn fairness(outcome: &Outcome) -> Option<f64> {
    let shares: Vec<f64> = outcome.flows.iter().map(|f| f.goodput_bps).collect();
    jain(&shares)
}

/// The name of the vertical axis of a plot.
pub(super) fn describe(study: &Study, plot: &Plot, points: &[usize]) -> Measured {
    if let Some(link) = &plot.link {
        let column = find(LINK, plot.y);
        return Measured {
            label: format!("{}, link {link}", column.map_or(plot.y.name, |c| c.label)),
            unit: column.map_or(Unit::Count, |c| c.unit),
        };
    }
    if let Some(station) = &plot.station {
        let column = find(STATION, plot.y);
        let label = column.map_or(plot.y.name, |c| c.label);
        return Measured {
            label: format!("{label}, station {station}"),
            unit: column.map_or(Unit::Count, |c| c.unit),
        };
    }
    let Some(column) = find(FLOW, plot.y) else {
        return Measured {
            label: plot.y.name.to_owned(),
            unit: Unit::Count,
        };
    };
    let flows = points.iter().filter_map(|&p| study.points.get(p)).map(|p| {
        let in_plot = |f: &&super::FlowLabel| plot.flow.as_ref().is_none_or(|w| f.group == *w);
        p.flows.iter().filter(in_plot).count()
    });
    let alone = plot.by == Some(PlotAxis::Flow) || plot.sample == Sample::Flow;
    let pooled = flows.max() > Some(1) && !alone;
    let label = match column.pooling {
        Pooling::Sum if pooled => format!("{}, sum over flows", column.label),
        Pooling::Mean if pooled => format!("{}, mean over flows", column.label),
        _ => column.label.to_owned(),
    };
    let label = match &plot.flow {
        Some(flow) => format!("{label}, flow {flow}"),
        None => label,
    };
    Measured {
        label,
        unit: column.unit,
    }
}

/// The columns of the table of flows.
pub(super) fn table_columns(study: &Study) -> Vec<&'static Column<FlowOutcome>> {
    let asked = &study.report.table;
    if asked.is_empty() {
        let wanted = |name: &&str| FLOW.iter().find(|c| c.name == *name);
        DEFAULT_TABLE.iter().filter_map(wanted).collect()
    } else {
        asked.iter().filter_map(|m| find(FLOW, *m)).collect()
    }
}

/// Goodput over the number that is swept most finely, a series for each value of another path; no
/// plot when nothing is swept.
pub(super) fn default_plot(study: &Study) -> Vec<Plot> {
    let mut paths: Vec<(&str, usize, bool)> = study
        .paths()
        .map(|path| {
            let values = study.points.iter().filter_map(|p| p.param(path));
            let mut labels: Vec<String> = values.clone().map(ToString::to_string).collect();
            labels.sort_unstable();
            labels.dedup();
            (
                path,
                labels.len(),
                values.into_iter().all(|v| v.number().is_some()),
            )
        })
        .filter(|(_, values, _)| *values > 1)
        .collect();
    // Numbers first, then those with most values; the sort keeps the order of the scenario.
    paths.sort_by_key(|&(_, values, numeric)| (!numeric, std::cmp::Reverse(values)));
    let Some((x, ..)) = paths.first() else {
        return Vec::new();
    };
    let series =
        |&&(_, values, numeric): &&(&str, usize, bool)| (2..=12).contains(&values) && !numeric;
    let by = paths[1..].iter().find(series).or(paths.get(1));
    vec![Plot {
        by: by.map(|(path, ..)| PlotAxis::Param((*path).to_owned())),
        ..Plot::new(PlotAxis::Param((*x).to_owned()), GOODPUT)
    }]
}
