//! Results as Parquet files: `results.parquet`, `links.parquet` and `series.parquet`.
//!
//! The only module that knows of Arrow and Parquet. Swept parameters are typed columns; quantities
//! are in SI units with the unit in the field's metadata. The same results give the same bytes.

use std::collections::HashMap;
use std::io::{self, Write};
use std::sync::Arc;

use ::parquet::arrow::ArrowWriter;
use ::parquet::basic::Compression;
use ::parquet::file::metadata::KeyValue;
use ::parquet::file::properties::WriterProperties;
use arrow_array::builder::{Float64Builder, UInt64Builder};
use arrow_array::{ArrayRef, RecordBatch, StringArray, UInt64Array};
use arrow_schema::{DataType, Field, Schema};
use skywave_core::rng::GENERATOR;

use super::row::{Row, rows};
use super::study::Study;
use crate::experiment::columns::{Cell, Column, FLOW, LINK, Unit};
use crate::experiment::{Results, SeriesRecord};

mod params;

use params::ParamColumns;

/// Rows that are put together before they are written.
const BATCH: usize = 64 * 1024;

/// Writes one row a run and flow.
pub fn write_results<W: Write + Send>(out: W, study: &Study, results: &Results) -> io::Result<()> {
    let params = ParamColumns::new(study);
    let mut fields = vec![
        Field::new("scenario", DataType::Utf8, false),
        Field::new("seed", DataType::UInt64, false),
    ];
    fields.extend(params.fields());
    fields.push(Field::new("flow", DataType::Utf8, false));
    fields.push(Field::new("transport", DataType::Utf8, false));
    fields.extend(FLOW.iter().map(measured_field));
    let mut writer = Writer::new(out, fields, study, results)?;
    let all: Vec<Row<'_>> = rows(study, results).collect();
    for chunk in all.chunks(BATCH) {
        let mut columns: Vec<ArrayRef> = vec![
            text(chunk.iter().map(|r| r.scenario)),
            numbers(chunk.iter().map(|r| r.seed)),
        ];
        columns.extend(params.arrays(chunk.iter().map(|r| r.point)));
        columns.push(text(chunk.iter().map(|r| r.flow.name.as_str())));
        columns.push(text(chunk.iter().map(|r| r.transport)));
        columns.extend(
            FLOW.iter()
                .map(|c| measured(c, chunk.iter().map(|r| r.flow))),
        );
        writer.write(columns)?;
    }
    writer.close()
}

/// Writes one row a run and link.
pub fn write_links<W: Write + Send>(out: W, study: &Study, results: &Results) -> io::Result<()> {
    let params = ParamColumns::new(study);
    let mut fields = vec![
        Field::new("scenario", DataType::Utf8, false),
        Field::new("seed", DataType::UInt64, false),
    ];
    fields.extend(params.fields());
    fields.push(Field::new("link", DataType::Utf8, false));
    fields.extend(LINK.iter().map(measured_field));
    let mut writer = Writer::new(out, fields, study, results)?;
    let all: Vec<_> = results
        .iter()
        .filter_map(|(point, seed, run)| Some((study.points.get(point)?, seed, run)))
        .flat_map(|(point, seed, run)| {
            let links = run.outcome.links.iter();
            links.map(move |link| (point, results.seeds[seed], link))
        })
        .collect();
    for chunk in all.chunks(BATCH) {
        let mut columns: Vec<ArrayRef> = vec![
            text(chunk.iter().map(|_| study.name.as_str())),
            numbers(chunk.iter().map(|r| r.1)),
        ];
        columns.extend(params.arrays(chunk.iter().map(|r| r.0)));
        columns.push(text(chunk.iter().map(|r| r.2.name.as_str())));
        columns.extend(LINK.iter().map(|c| measured(c, chunk.iter().map(|r| r.2))));
        writer.write(columns)?;
    }
    writer.close()
}

/// Writes every sample of every recorded time series: one row a run, entity, quantity and time.
pub fn write_series<W: Write + Send>(out: W, study: &Study, results: &Results) -> io::Result<()> {
    let params = ParamColumns::new(study);
    let mut fields = vec![Field::new("seed", DataType::UInt64, false)];
    fields.extend(params.fields());
    fields.extend([
        Field::new("entity", DataType::Utf8, false),
        Field::new("quantity", DataType::Utf8, false),
        Field::new("time_s", DataType::Float64, false).with_metadata(unit("s")),
        Field::new("value", DataType::Float64, false),
    ]);
    let mut writer = Writer::new(out, fields, study, results)?;
    for (point, seed, run) in results.iter() {
        let Some(point) = study.points.get(point) else {
            continue;
        };
        for SeriesRecord {
            entity,
            quantity,
            points,
        } in run.series()?
        {
            for chunk in points.chunks(BATCH) {
                let n = chunk.len();
                let mut times = Float64Builder::with_capacity(n);
                let mut values = Float64Builder::with_capacity(n);
                for (time, value) in chunk {
                    times.append_value(*time);
                    values.append_value(*value);
                }
                let seed = results.seeds[seed];
                let mut columns = vec![numbers(std::iter::repeat_n(seed, n))];
                columns.extend(params.arrays(std::iter::repeat_n(point, n)));
                columns.push(text(std::iter::repeat_n(entity.as_str(), n)));
                columns.push(text(std::iter::repeat_n(quantity.as_str(), n)));
                columns.push(Arc::new(times.finish()));
                columns.push(Arc::new(values.finish()));
                writer.write(columns)?;
            }
        }
    }
    writer.close()
}

/// A Parquet file being written.
struct Writer<W: Write + Send> {
    inner: ArrowWriter<W>,
    schema: Arc<Schema>,
}

impl<W: Write + Send> Writer<W> {
    fn new(out: W, fields: Vec<Field>, study: &Study, results: &Results) -> io::Result<Self> {
        let schema = Arc::new(Schema::new(fields));
        let seeds: Vec<String> = results.seeds.iter().map(ToString::to_string).collect();
        let runs = format!("{} of {}", results.finished(), results.total());
        let entry =
            |key: &str, value: &str| KeyValue::new(format!("skywave.{key}"), value.to_owned());
        let metadata = vec![
            entry("version", &results.engine),
            entry("generator", GENERATOR),
            entry("seeds", &seeds.join(",")),
            entry("runs", &runs),
            entry("title", &study.title),
            entry("scenario", &study.text),
        ];
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_created_by(results.engine.clone())
            .set_key_value_metadata(Some(metadata))
            .build();
        Ok(Self {
            inner: ArrowWriter::try_new(out, Arc::clone(&schema), Some(properties))?,
            schema,
        })
    }

    fn write(&mut self, columns: Vec<ArrayRef>) -> io::Result<()> {
        let batch =
            RecordBatch::try_new(Arc::clone(&self.schema), columns).map_err(io::Error::other)?;
        Ok(self.inner.write(&batch)?)
    }

    fn close(self) -> io::Result<()> {
        self.inner.close()?;
        Ok(())
    }
}

fn text<'a>(values: impl Iterator<Item = &'a str>) -> ArrayRef {
    Arc::new(StringArray::from_iter_values(values))
}

fn numbers(values: impl Iterator<Item = u64>) -> ArrayRef {
    Arc::new(UInt64Array::from_iter_values(values))
}

/// Metadata of a field with a unit. One entry only: the order of several would be by chance.
fn unit(name: &str) -> HashMap<String, String> {
    HashMap::from([("unit".to_owned(), name.to_owned())])
}

/// What kind a measured column is, by the cell of an outcome without data.
fn measured_field<T: Default>(column: &Column<T>) -> Field {
    let (kind, nullable) = match (column.get)(&T::default()) {
        Cell::Count(_) => (DataType::UInt64, false),
        Cell::Real(_) => (DataType::Float64, false),
        Cell::Maybe(_) => (DataType::Float64, true),
    };
    let field = Field::new(column.name, kind, nullable);
    match column.unit {
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
        let mut builder = UInt64Builder::new();
        for outcome in outcomes {
            match (column.get)(outcome) {
                Cell::Count(n) => builder.append_value(n),
                Cell::Real(_) | Cell::Maybe(_) => builder.append_null(),
            }
        }
        Arc::new(builder.finish())
    } else {
        let mut builder = Float64Builder::new();
        for outcome in outcomes {
            match (column.get)(outcome) {
                Cell::Real(x) => builder.append_value(x),
                Cell::Maybe(x) => builder.append_option(x),
                Cell::Count(n) => builder.append_value(n as f64),
            }
        }
        Arc::new(builder.finish())
    }
}
