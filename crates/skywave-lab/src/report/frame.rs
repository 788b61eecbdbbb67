//! Results as Arrow tables, in batches: what the Parquet files hold and what other programs are
//! handed in memory.
//!
//! Swept parameters are typed columns; quantities are in SI units with the unit in the field's
//! metadata.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray, UInt64Array};
use arrow_schema::{DataType, Field, Schema, SchemaRef};

use super::row::{Row, rows};
use super::study::{Study, StudyPoint};
use skywave_sim::outcome::{
    Cell, Column, FLOW, LINK, Outcome, PROXY, ProxyOutcome, STATION, StationOutcome, Unit,
};

use crate::experiment::{Results, timeline};

mod params;
mod summary;

use params::ParamColumns;

pub use summary::summary;

/// Rows that are put together in one batch.
const BATCH: usize = 64 * 1024;

/// An Arrow table of results: its schema, and an iterator over batches of its rows.
pub struct Frame<'a> {
    schema: SchemaRef,
    batches: Box<dyn Iterator<Item = io::Result<RecordBatch>> + 'a>,
}

impl<'a> Frame<'a> {
    /// Table with the columns `fields`; each item of `columns` is a batch of rows, with one array for each field.
    pub fn new(
        fields: Vec<Field>,
        columns: impl Iterator<Item = io::Result<Vec<ArrayRef>>> + 'a,
    ) -> Self {
        let schema = Arc::new(Schema::new(fields));
        let of = Arc::clone(&schema);
        let batches = columns.map(move |columns| {
            RecordBatch::try_new(Arc::clone(&of), columns?).map_err(io::Error::other)
        });
        Self {
            schema,
            batches: Box::new(batches),
        }
    }

    /// The table without a column.
    pub(super) fn without(self, column: &str) -> Self {
        let fields = self.schema.fields().iter().enumerate();
        let kept = fields.filter(|(_, field)| field.name() != column);
        let kept: Vec<usize> = kept.map(|(at, _)| at).collect();
        let fields = kept.iter().map(|&at| self.schema.field(at).clone());
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let batches = self.batches;
        Self {
            schema,
            batches: Box::new(batches.map(move |batch| {
                batch.and_then(|batch| batch.project(&kept).map_err(io::Error::other))
            })),
        }
    }

    /// Schema of the table: names, types and units of the columns.
    pub fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}

/// The batches. An error is a recorded time series that cannot be read back.
impl Iterator for Frame<'_> {
    type Item = io::Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        self.batches.next()
    }
}

/// Table of the flows' measurements: one row for each run and flow.
pub fn runs<'a>(study: &'a Study, results: &'a Results) -> Frame<'a> {
    runs_of(study, rows(study, results))
}

/// Table of these rows, one a run and flow.
pub(super) fn runs_of<'a>(study: &'a Study, rows: impl Iterator<Item = Row<'a>> + 'a) -> Frame<'a> {
    let params = ParamColumns::new(study);
    let mut fields = vec![
        Field::new("scenario", DataType::Utf8, false),
        Field::new("seed", DataType::UInt64, false),
    ];
    fields.extend(params.fields());
    fields.push(Field::new("flow", DataType::Utf8, false));
    fields.push(Field::new("transport", DataType::Utf8, false));
    fields.extend(FLOW.iter().map(measured_field));
    let chunks = chunked(rows);
    Frame::new(
        fields,
        chunks.map(move |chunk: Vec<Row<'a>>| {
            let mut columns: Vec<ArrayRef> = vec![
                text(chunk.iter().map(|r| r.scenario)),
                numbers(chunk.iter().map(|r| r.seed)),
            ];
            columns.extend(params.arrays(chunk.iter().map(|r| r.point)));
            columns.push(text(chunk.iter().map(|r| r.flow.name.as_str())));
            columns.push(text(chunk.iter().map(|r| r.transport)));
            columns.extend(
                FLOW.iter()
                    .map(|c| measured(c, chunk.iter().map(|r| &r.flow))),
            );
            Ok(columns)
        }),
    )
}

/// Table of the links' measurements: one row for each run and link.
pub fn links<'a>(study: &'a Study, results: &'a Results) -> Frame<'a> {
    entities(
        study,
        results,
        "link",
        LINK,
        |link| &link.name,
        |outcome| outcome.links,
    )
}

/// Table of the flows that a proxy splits, measured from end to end: one row for each run and split flow.
pub fn proxies<'a>(study: &'a Study, results: &'a Results) -> Frame<'a> {
    let name: fn(&ProxyOutcome) -> &str = |proxy| &proxy.name;
    entities(study, results, "flow", PROXY, name, |outcome| {
        outcome.proxies
    })
}

/// Table of the radio stations' measurements: one row for each run and station.
pub fn stations<'a>(study: &'a Study, results: &'a Results) -> Frame<'a> {
    let name: fn(&StationOutcome) -> &str = |station| &station.name;
    entities(study, results, "station", STATION, name, |outcome| {
        outcome.stations
    })
}

/// Points, seeds and outcomes of all runs that are there.
fn outcomes<'a>(
    study: &'a Study,
    results: &'a Results,
) -> impl Iterator<Item = (&'a StudyPoint, u64, Outcome)> + 'a {
    let runs = results.iter();
    runs.filter_map(|(point, seed, run)| {
        Some((study.points.get(point)?, results.seeds[seed], run.outcome))
    })
}

/// One row a run and entity; `of` gives the entities of an outcome, `name` the name of one.
fn entities<'a, T: Default + 'static>(
    study: &'a Study,
    results: &'a Results,
    what: &str,
    columns: &'static [Column<T>],
    name: fn(&T) -> &str,
    of: fn(Outcome) -> Vec<T>,
) -> Frame<'a> {
    let params = ParamColumns::new(study);
    let mut fields = vec![
        Field::new("scenario", DataType::Utf8, false),
        Field::new("seed", DataType::UInt64, false),
    ];
    fields.extend(params.fields());
    fields.push(Field::new(what, DataType::Utf8, false));
    fields.extend(columns.iter().map(measured_field));
    let all = outcomes(study, results).flat_map(move |(point, seed, outcome)| {
        let entities = of(outcome).into_iter();
        entities.map(move |entity| (point, seed, entity))
    });
    Frame::new(
        fields,
        chunked(all).map(move |chunk| {
            let mut arrays: Vec<ArrayRef> = vec![
                text(chunk.iter().map(|_| study.name.as_str())),
                numbers(chunk.iter().map(|r| r.1)),
            ];
            arrays.extend(params.arrays(chunk.iter().map(|r| r.0)));
            arrays.push(text(chunk.iter().map(|r| name(&r.2))));
            let measured = |c| measured(c, chunk.iter().map(|r| &r.2));
            arrays.extend(columns.iter().map(measured));
            Ok(arrays)
        }),
    )
}

/// A part of an entity, such as a bin of a flow: its run, the entity's name, and the part itself.
type Part<'a, T> = (&'a StudyPoint, u64, Arc<str>, T);

/// One row a run, entity and part of it; `of` gives the parts of an outcome with the names of their entities, `columns`
/// the arrays of the fields `more`.
fn parts<'a, T: 'static, P: Iterator<Item = (Arc<str>, T)> + 'a>(
    study: &'a Study,
    results: &'a Results,
    what: &str,
    more: impl IntoIterator<Item = Field>,
    of: fn(Outcome) -> P,
    columns: fn(&[Part<'_, T>]) -> Vec<ArrayRef>,
) -> Frame<'a> {
    let params = ParamColumns::new(study);
    let mut fields = vec![Field::new("seed", DataType::UInt64, false)];
    fields.extend(params.fields());
    fields.push(Field::new(what, DataType::Utf8, false));
    fields.extend(more);
    let all = outcomes(study, results).flat_map(move |(point, seed, outcome)| {
        of(outcome).map(move |(name, part)| (point, seed, name, part))
    });
    Frame::new(
        fields,
        chunked(all).map(move |chunk| {
            let mut arrays = vec![numbers(chunk.iter().map(|r| r.1))];
            arrays.extend(params.arrays(chunk.iter().map(|r| r.0)));
            arrays.push(text(chunk.iter().map(|r| &*r.2)));
            arrays.extend(columns(&chunk));
            Ok(arrays)
        }),
    )
}

/// The parts of an entity with its name.
fn named<T>(name: String, parts: impl Iterator<Item = T>) -> impl Iterator<Item = (Arc<str>, T)> {
    let name: Arc<str> = name.into();
    parts.map(move |part| (Arc::clone(&name), part))
}

/// Table of what radio stations did over time: one row for each run, station and stretch of one activity (sending,
/// receiving, …).
pub fn timelines<'a>(study: &'a Study, results: &'a Results) -> Frame<'a> {
    let fields = [
        Field::new("from_s", DataType::Float64, false).with_metadata(unit("s")),
        Field::new("to_s", DataType::Float64, false).with_metadata(unit("s")),
        Field::new("activity", DataType::Utf8, false),
    ];
    let of = |outcome: Outcome| {
        let stations = outcome.stations.into_iter();
        stations.flat_map(|station| named(station.name, station.timeline.into_iter()))
    };
    parts(study, results, "station", fields, of, |spans| {
        vec![
            reals(spans.iter().map(|r| r.3.from_s)),
            reals(spans.iter().map(|r| r.3.to_s)),
            text(spans.iter().map(|r| timeline::name(r.3.activity))),
        ]
    })
}

/// Table of delivered bytes over time: one row for each run, flow and time bin (of the length that `bins` in the
/// scenario's `[run]` sets), with the payload bytes that the receiving application got in that bin alone.
pub fn bins<'a>(study: &'a Study, results: &'a Results) -> Frame<'a> {
    let fields = [
        Field::new("start_s", DataType::Float64, false).with_metadata(unit("s")),
        Field::new("delivered_bytes", DataType::UInt64, false).with_metadata(unit("B")),
    ];
    let of = |outcome: Outcome| {
        let (width, delivered) = match outcome.bins {
            Some(bins) => (bins.width_s, bins.delivered),
            None => (0.0, Vec::new()),
        };
        let flows = outcome.flows.into_iter().zip(delivered);
        flows.flat_map(move |(flow, delivered)| {
            let numbered = delivered.into_iter().enumerate();
            named(
                flow.name,
                numbered.map(move |(i, bytes)| (i as f64 * width, bytes)),
            )
        })
    };
    parts(study, results, "flow", fields, of, |bins| {
        vec![
            reals(bins.iter().map(|r| r.3.0)),
            numbers(bins.iter().map(|r| r.3.1)),
        ]
    })
}

/// Table of single transfers (requests): one row for each run, flow and transfer that the run recorded by itself.
pub fn requests<'a>(study: &'a Study, results: &'a Results) -> Frame<'a> {
    let fields = [
        Field::new("start_s", DataType::Float64, false).with_metadata(unit("s")),
        Field::new("bytes", DataType::UInt64, false).with_metadata(unit("B")),
        Field::new("request_time_s", DataType::Float64, true).with_metadata(unit("s")),
    ];
    let of = |outcome: Outcome| {
        let kept = outcome.requests.unwrap_or_default();
        let flows = outcome.flows.into_iter().zip(kept);
        flows.flat_map(|(flow, requests)| named(flow.name, requests.into_iter()))
    };
    parts(study, results, "flow", fields, of, |requests| {
        let times: Float64Array = requests.iter().map(|r| r.3.took_s).collect();
        vec![
            reals(requests.iter().map(|r| r.3.start_s)),
            numbers(requests.iter().map(|r| r.3.bytes)),
            Arc::new(times),
        ]
    })
}

/// Table of all samples of recorded time series: one row for each run, flow or link, quantity and time.
pub fn series<'a>(study: &'a Study, results: &'a Results) -> Frame<'a> {
    let params = Arc::new(ParamColumns::new(study));
    let mut fields = vec![Field::new("seed", DataType::UInt64, false)];
    fields.extend(params.fields());
    fields.extend([
        Field::new("entity", DataType::Utf8, false),
        Field::new("quantity", DataType::Utf8, false),
        Field::new("time_s", DataType::Float64, false).with_metadata(unit("s")),
        Field::new("value", DataType::Float64, false),
    ]);
    let runs = results.recorded().filter_map(|(point, seed)| {
        let run = results.get(point, seed)?;
        Some((study.points.get(point)?, results.seeds[seed], run))
    });
    let columns = runs.flat_map(move |(point, seed, run)| {
        // One run is in memory at a time.
        let (records, failed) = match run.series() {
            Ok(records) => (records, None),
            Err(error) => (Vec::new(), Some(Err(error))),
        };
        let params = Arc::clone(&params);
        let columns = records.into_iter().flat_map(move |record| {
            let params = Arc::clone(&params);
            let chunks = chunked(record.points.into_iter());
            chunks.map(move |chunk: Vec<(f64, f64)>| {
                let n = chunk.len();
                let (times, values): (Vec<f64>, Vec<f64>) = chunk.into_iter().unzip();
                let mut columns = vec![numbers(std::iter::repeat_n(seed, n))];
                columns.extend(params.arrays(std::iter::repeat_n(point, n)));
                columns.push(text(std::iter::repeat_n(record.entity.as_str(), n)));
                columns.push(text(std::iter::repeat_n(record.quantity.as_str(), n)));
                columns.push(Arc::new(Float64Array::from(times)) as ArrayRef);
                columns.push(Arc::new(Float64Array::from(values)));
                Ok(columns)
            })
        });
        failed.into_iter().chain(columns)
    });
    Frame::new(fields, columns)
}

/// Rows by the batch.
fn chunked<T>(mut rows: impl Iterator<Item = T>) -> impl Iterator<Item = Vec<T>> {
    std::iter::from_fn(move || {
        let chunk: Vec<T> = rows.by_ref().take(BATCH).collect();
        (!chunk.is_empty()).then_some(chunk)
    })
}

/// Arrow column of texts.
pub fn text<'a>(values: impl Iterator<Item = &'a str>) -> ArrayRef {
    Arc::new(StringArray::from_iter_values(values))
}

fn numbers(values: impl Iterator<Item = u64>) -> ArrayRef {
    Arc::new(UInt64Array::from_iter_values(values))
}

fn reals(values: impl Iterator<Item = f64>) -> ArrayRef {
    Arc::new(Float64Array::from_iter_values(values))
}

/// Metadata of an Arrow field: the key `unit` with a unit such as `s`. One entry only: the order of several would be by
/// chance.
pub fn unit(name: &str) -> HashMap<String, String> {
    HashMap::from([("unit".to_owned(), name.to_owned())])
}

/// The type of a measured column, as the cell of an outcome without data shows it.
fn measured_field<T: Default>(column: &Column<T>) -> Field {
    let (kind, nullable) = match (column.get)(&T::default()) {
        Cell::Count(_) => (DataType::UInt64, false),
        Cell::Real(_) => (DataType::Float64, false),
        Cell::Maybe(_) | Cell::Later => (DataType::Float64, true),
    };
    with_unit(Field::new(column.name, kind, nullable), column.unit)
}

fn with_unit(field: Field, of: Unit) -> Field {
    match of {
        Unit::BitRate => field.with_metadata(unit("bit/s")),
        Unit::Bytes => field.with_metadata(unit("B")),
        Unit::Seconds => field.with_metadata(unit("s")),
        Unit::Packets => field.with_metadata(unit("packets")),
        Unit::Segments => field.with_metadata(unit("segments")),
        Unit::Count | Unit::Share | Unit::Ratio => field,
    }
}

fn measured<'a, T: Default + 'static>(
    column: &Column<T>,
    outcomes: impl Iterator<Item = &'a T>,
) -> ArrayRef {
    if let Cell::Count(_) = (column.get)(&T::default()) {
        let counts = outcomes.map(|outcome| match (column.get)(outcome) {
            Cell::Count(n) => Some(n),
            Cell::Real(_) | Cell::Maybe(_) | Cell::Later => None,
        });
        Arc::new(counts.collect::<UInt64Array>())
    } else {
        let numbers = outcomes.map(|outcome| match (column.get)(outcome) {
            Cell::Real(x) => Some(x),
            Cell::Maybe(x) => x,
            Cell::Later => None,
            Cell::Count(n) => Some(n as f64),
        });
        Arc::new(numbers.collect::<Float64Array>())
    }
}

#[cfg(test)]
mod tests;
