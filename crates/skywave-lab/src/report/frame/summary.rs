//! Means over the seeds with their intervals, as a table.

use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array};
use arrow_schema::{DataType, Field};
use skywave_sim::outcome::{Column, FLOW, FlowOutcome};

use super::{Frame, chunked, numbers, params::ParamColumns, text, with_unit};
use crate::experiment::stats::Estimate;
use crate::experiment::{Results, RunResult};
use crate::report::study::{Study, StudyPoint};

/// One flow at one point.
struct Line<'a> {
    point: &'a StudyPoint,
    flow: usize,
    name: String,
    /// Number of runs.
    seeds: u64,
    /// Mean and interval of each measured field; `None` without values.
    estimates: Vec<Option<Estimate>>,
}

impl Line<'_> {
    fn transport(&self) -> &str {
        let label = self.point.flows.get(self.flow);
        label.map_or("", |f| &f.transport)
    }
}

/// The flows at a point. Its runs are in memory meanwhile, and no others.
fn lines<'a>(point: &'a StudyPoint, runs: &[RunResult]) -> Vec<Line<'a>> {
    let flows = runs.first().map_or(&[][..], |run| &run.outcome.flows);
    let estimate = |column: &Column<FlowOutcome>, flow: usize| {
        let flows = runs.iter().filter_map(|run| run.outcome.flows.get(flow));
        let values = flows.filter_map(|flow| (column.get)(flow).sample());
        Estimate::of(&values.collect::<Vec<_>>())
    };
    let line = |(flow, outcome): (usize, &FlowOutcome)| Line {
        point,
        flow,
        name: outcome.name.clone(),
        seeds: runs.len() as u64,
        estimates: FLOW.iter().map(|column| estimate(column, flow)).collect(),
    };
    flows.iter().enumerate().map(line).collect()
}

/// Table of means over the seeds: one row for each point of the sweep and flow. A row has the number of seeds, the mean
/// of each measured field and, in `NAME_ci95`, half the width of its 95 % interval (null with fewer than two values).
/// The mean completion time is null unless the flow completed in all runs; the mean of `unfinished` is the share of
/// runs that ended before the flow completed.
pub fn summary<'a>(study: &'a Study, results: &'a Results) -> Frame<'a> {
    let params = ParamColumns::new(study);
    let mut fields = vec![Field::new("scenario", DataType::Utf8, false)];
    fields.extend(params.fields());
    fields.extend([
        Field::new("flow", DataType::Utf8, false),
        Field::new("transport", DataType::Utf8, false),
        Field::new("seeds", DataType::UInt64, false),
    ]);
    for column in FLOW {
        for name in [column.name.to_owned(), format!("{}_ci95", column.name)] {
            let field = Field::new(name, DataType::Float64, true);
            fields.push(with_unit(field, column.unit));
        }
    }
    let points = study.points.iter().enumerate();
    let lines = points.flat_map(|(index, point)| {
        let runs: Vec<RunResult> = results.at(index).flatten().collect();
        lines(point, &runs)
    });
    Frame::new(
        fields,
        chunked(lines).map(move |chunk| {
            let mut columns: Vec<ArrayRef> = vec![text(chunk.iter().map(|_| study.name.as_str()))];
            columns.extend(params.arrays(chunk.iter().map(|l| l.point)));
            columns.push(text(chunk.iter().map(|l| l.name.as_str())));
            columns.push(text(chunk.iter().map(Line::transport)));
            columns.push(numbers(chunk.iter().map(|l| l.seeds)));
            for at in 0..FLOW.len() {
                let estimates = chunk.iter().map(|l| l.estimates[at]);
                let means = estimates.clone().map(|e| Some(e?.mean));
                let halves = estimates.map(|e| e?.half);
                columns.push(Arc::new(means.collect::<Float64Array>()));
                columns.push(Arc::new(halves.collect::<Float64Array>()));
            }
            Ok(columns)
        }),
    )
}
