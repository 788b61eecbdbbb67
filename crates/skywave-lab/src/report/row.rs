//! The result row: one a run and flow.

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use skywave_sim::outcome::{Cell, FLOW, FlowOutcome};

use super::caution::is_same;
use super::study::{Study, StudyPoint};
use crate::experiment::Results;
use crate::scenario::{ParamValue, Written};

/// Result row: the measurements of one flow in one run, with the scenario, seed and sweep point of the run.
#[derive(Clone, Debug)]
pub struct Row<'a> {
    /// Name of the scenario.
    pub scenario: &'a str,
    /// Seed of the run.
    pub seed: u64,
    /// Point of the sweep at which the run was made.
    pub point: &'a StudyPoint,
    /// Name of the flow's transport: a preset's, and after it what `transport` sets besides, as in
    /// `cerl recovery=sack`; other keys of the flow, such as `tcp`, do not show in it.
    pub transport: &'a str,
    /// Measurements of the flow.
    pub flow: FlowOutcome,
    /// Whether all seeds gave the same result at this point, so that confidence intervals there have no width and say
    /// nothing; `None` if the experiment has only one seed.
    pub same_for_all_seeds: Option<bool>,
}

/// Iterator over the result rows of an experiment, point by point, then seed by seed, then flow by flow.
pub fn rows<'a>(study: &'a Study, results: &'a Results) -> impl Iterator<Item = Row<'a>> {
    rows_at(study, results, 0..results.points())
}

/// The rows of some points.
pub(super) fn rows_at<'a>(
    study: &'a Study,
    results: &'a Results,
    points: impl Iterator<Item = usize> + 'a,
) -> impl Iterator<Item = Row<'a>> {
    points.flat_map(move |at| {
        let same = (results.seeds.len() > 1).then(|| is_same(results, at));
        let point = study.points.get(at);
        let runs = results.seeds.iter().zip(results.at(at));
        runs.flat_map(move |(&seed, run)| {
            let flows = run.map(|run| run.outcome.flows).unwrap_or_default();
            let flows = flows.into_iter().enumerate();
            flows.filter_map(move |(i, flow)| {
                let point = point?;
                Some(Row {
                    scenario: &study.name,
                    seed,
                    point,
                    transport: point.flows.get(i).map_or("", |f| &f.transport),
                    flow,
                    same_for_all_seeds: same,
                })
            })
        })
    })
}

impl Row<'_> {
    /// The row as one line of JSON, without the end of the line.
    pub fn to_json(&self) -> String {
        // Strings, numbers and maps with string keys: nothing in a row can fail.
        serde_json::to_string(self).unwrap_or_default()
    }
}

impl Serialize for Row<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("scenario", self.scenario)?;
        map.serialize_entry("seed", &self.seed)?;
        map.serialize_entry("params", &Params(&self.point.params))?;
        map.serialize_entry("flow", &self.flow.name)?;
        map.serialize_entry("transport", self.transport)?;
        for column in FLOW {
            match (column.get)(&self.flow) {
                Cell::Count(n) => map.serialize_entry(column.name, &n)?,
                // JSON has no infinities: they become null, as missing values do.
                Cell::Real(x) => map.serialize_entry(column.name, &x)?,
                Cell::Maybe(x) => map.serialize_entry(column.name, &x)?,
                Cell::Later => map.serialize_entry(column.name, &None::<f64>)?,
            }
        }
        if let Some(same) = self.same_for_all_seeds {
            map.serialize_entry("same_for_all_seeds", &same)?;
        }
        map.end()
    }
}

/// Swept paths with their values as written.
struct Params<'a>(&'a [(String, ParamValue)]);

impl Serialize for Params<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (path, value) in self.0 {
            match &value.written {
                Written::Bool(b) => map.serialize_entry(path, b)?,
                Written::Int(i) => map.serialize_entry(path, i)?,
                Written::Float(x) => map.serialize_entry(path, x)?,
                Written::Text(s) => map.serialize_entry(path, s)?,
            }
        }
        map.end()
    }
}
