//! From the outcome of a run to one number, and what that number is called.

use skywave_sim::outcome::{Column, FLOW, FlowOutcome, LINK, Outcome, Pooling, STATION, Unit};

use super::study::{Study, StudyPoint};
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
    /// Whether the quantity is a time until something, which may not have come by the end of a run.
    pub(super) until: bool,
}

fn find<T>(columns: &'static [Column<T>], metric: Metric) -> Option<&'static Column<T>> {
    columns.iter().find(|c| c.name == metric.field)
}

/// Pools the flows that `wanted` takes: rates and counts add up, times and windows are averaged.
pub(super) fn of_flows(
    outcome: &Outcome,
    point: &StudyPoint,
    metric: Metric,
    wanted: impl Fn(&FlowOutcome, usize) -> bool,
) -> Option<f64> {
    let flows = outcome.flows.iter().enumerate();
    let flows = flows.filter(|(i, f)| wanted(f, *i));
    pool_flows(point, find(FLOW, metric)?, flows)
}

/// Items of the numbered flows by which data count once: of a flow that a proxy splits only the half that
/// ends at the destination counts, unless no flow among these ends at one.
pub(super) fn once<T>(
    point: &StudyPoint,
    flows: impl Iterator<Item = (usize, T)> + Clone,
) -> impl Iterator<Item = T> {
    let any = flows.clone().any(|(flow, _)| point.arrives(flow));
    flows.filter_map(move |(flow, item)| (!any || point.arrives(flow)).then_some(item))
}

/// Pools these numbered flows of a run.
pub(super) fn pool_flows<'a>(
    point: &StudyPoint,
    column: &Column<FlowOutcome>,
    flows: impl Iterator<Item = (usize, &'a FlowOutcome)> + Clone,
) -> Option<f64> {
    match column.pooling {
        Pooling::Arriving => pool(column, once(point, flows)),
        Pooling::Sum | Pooling::Mean => pool(column, flows.map(|(_, flow)| flow)),
    }
}

/// Pools the links or stations that `wanted` takes: rates and counts add up, the rest is averaged.
pub(super) fn of_all<T>(
    all: &[T],
    columns: &'static [Column<T>],
    metric: Metric,
    wanted: impl Fn(&T, usize) -> bool,
) -> Option<f64> {
    let numbered = all.iter().enumerate();
    let wanted = numbered.filter(|(index, one)| wanted(one, *index));
    pool(find(columns, metric)?, wanted.map(|(_, one)| one))
}

/// One number of several flows, links or stations; `None` when none of them has one, and infinite when one of them is
/// later than the end of the run.
pub(super) fn pool<'a, T: 'static>(
    column: &Column<T>,
    of: impl Iterator<Item = &'a T>,
) -> Option<f64> {
    let values: Vec<f64> = of.filter_map(|o| (column.get)(o).sample()).collect();
    let sum: f64 = values.iter().sum();
    match column.pooling {
        _ if values.is_empty() => None,
        Pooling::Sum | Pooling::Arriving => Some(sum),
        Pooling::Mean => Some(sum / values.len() as f64),
    }
}

/// Jain's index of the flows' goodputs; `None` of a single flow.
pub(super) fn fairness(outcome: &Outcome, point: &StudyPoint) -> Option<f64> {
    let flows = outcome.flows.iter().enumerate();
    let flows = flows.filter(|(index, _)| point.arrives(*index));
    let shares: Vec<f64> = flows.map(|(_, flow)| flow.goodput_bps).collect();
    (shares.len() > 1).then(|| jain(&shares))?
}

/// The name of the vertical axis of a plot.
pub(super) fn describe(study: &Study, plot: &Plot, points: &[usize]) -> Measured {
    if let Some(link) = &plot.link {
        return of_one(LINK, plot.y, &format!("link {link}"));
    }
    if let Some(station) = &plot.station {
        return of_one(STATION, plot.y, &format!("station {station}"));
    }
    let Some(column) = find(FLOW, plot.y) else {
        return Measured {
            label: plot.y.name.to_owned(),
            unit: Unit::Count,
            until: false,
        };
    };
    let flows = points.iter().filter_map(|&p| study.points.get(p)).map(|p| {
        let in_plot = |f: &&super::FlowLabel| plot.flow.as_ref().is_none_or(|w| f.group == *w);
        p.flows.iter().filter(in_plot).count()
    });
    let alone = plot.by == Some(PlotAxis::Flow) || plot.sample != Sample::Run;
    let pooled = flows.max() > Some(1) && !alone;
    let label = match column.pooling {
        Pooling::Sum | Pooling::Arriving if pooled => format!("{}, sum over flows", column.label),
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
        until: column.until,
    }
}

/// Name and unit of a measured quantity of one link or station.
fn of_one<T>(columns: &'static [Column<T>], metric: Metric, whose: &str) -> Measured {
    let column = find(columns, metric);
    let label = column.map_or(metric.name, |c| c.label);
    Measured {
        label: format!("{label}, {whose}"),
        unit: column.map_or(Unit::Count, |c| c.unit),
        until: false,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::FlowLabel;

    fn flow(goodput_bps: f64) -> FlowOutcome {
        FlowOutcome {
            goodput_bps,
            retransmits: 1,
            ..FlowOutcome::default()
        }
    }

    #[test]
    fn what_arrives_of_a_split_flow_counts_once() {
        let outcome = Outcome {
            flows: vec![
                flow(8.0), // to the proxy
                flow(6.0), // from there
                flow(1.0), // the proxy's state
                flow(2.0), // another flow
            ],
            ..Outcome::default()
        };
        let label = |inner| FlowLabel {
            inner,
            ..FlowLabel::default()
        };
        let point = StudyPoint {
            flows: [true, false, true, false].map(label).to_vec(),
            ..StudyPoint::default()
        };
        let pooled = |name| {
            let column = FLOW.iter().find(|c| c.name == name).expect("a column");
            pool_flows(&point, column, outcome.flows.iter().enumerate())
        };
        assert_eq!(pooled("goodput_bps"), Some(8.0));
        assert_eq!(pooled("retransmits"), Some(4.0));
        // A plot of one part is of that.
        let goodput = FLOW.iter().find(|c| c.name == "goodput_bps").expect("one");
        let near = outcome.flows.iter().enumerate().take(1);
        assert_eq!(pool_flows(&point, goodput, near), Some(8.0));
        assert_eq!(fairness(&outcome, &point), jain(&[6.0, 2.0]));
    }
}
