//! Means over the seeds with their intervals, as a table.

use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array};
use arrow_schema::{DataType, Field};
use skywave_sim::outcome::FlowOutcome;

use super::{Frame, chunked, numbers, params::ParamColumns, text, with_unit};
use crate::experiment::columns::{Column, FLOW};
use crate::experiment::stats::Estimate;
use crate::experiment::{Results, RunResult};
use crate::report::study::{Study, StudyPoint};

/// One flow at one point, with all its runs.
struct Line<'a> {
    point: &'a StudyPoint,
    runs: &'a [Option<RunResult>],
    flow: usize,
    name: &'a str,
}

impl Line<'_> {
    fn seeds(&self) -> u64 {
        self.runs.iter().flatten().count() as u64
    }

    fn transport(&self) -> &str {
        let label = self.point.flows.get(self.flow);
        label.map_or("", |f| &f.transport)
    }

    fn estimate(&self, column: &Column<FlowOutcome>) -> Option<Estimate> {
        let flows = self.runs.iter().flatten().map(|r| &r.outcome.flows);
        let values = flows.filter_map(|f| (column.get)(f.get(self.flow)?).number());
        Estimate::of(&values.collect::<Vec<_>>())
    }
}

/// One row a point of the sweep and flow: the number of seeds, and of each measured field its mean
/// and, in `NAME_ci95`, half the width of its 95% interval (null with fewer than two values).
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
    let lines = study.points.iter().enumerate().flat_map(|(index, point)| {
        let runs = results.at(index);
        let first = runs.iter().flatten().next();
        let flows = first.map_or(&[][..], |run| &run.outcome.flows);
        let line = move |(flow, outcome): (usize, &'a FlowOutcome)| Line {
            point,
            runs,
            flow,
            name: &outcome.name,
        };
        flows.iter().enumerate().map(line)
    });
    Frame::new(
        fields,
        chunked(lines).map(move |chunk| {
            let mut columns: Vec<ArrayRef> = vec![text(chunk.iter().map(|_| study.name.as_str()))];
            columns.extend(params.arrays(chunk.iter().map(|l| l.point)));
            columns.push(text(chunk.iter().map(|l| l.name)));
            columns.push(text(chunk.iter().map(Line::transport)));
            columns.push(numbers(chunk.iter().map(Line::seeds)));
            for column in FLOW {
                let estimates: Vec<_> = chunk.iter().map(|l| l.estimate(column)).collect();
                let means = estimates.iter().map(|e| Some(e.as_ref()?.mean));
                let halves = estimates.iter().map(|e| e.as_ref()?.half);
                columns.push(Arc::new(means.collect::<Float64Array>()));
                columns.push(Arc::new(halves.collect::<Float64Array>()));
            }
            Ok(columns)
        }),
    )
}
