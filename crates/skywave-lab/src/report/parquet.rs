//! Results as Parquet files: `results.parquet`, `links.parquet`, `bins.parquet` and `series.parquet`, with what they
//! depend on in their metadata. The same results give the same bytes.

use std::io::{self, Write};

use ::parquet::arrow::ArrowWriter;
use ::parquet::basic::Compression;
use ::parquet::file::metadata::KeyValue;
use ::parquet::file::properties::WriterProperties;
use skywave_core::rng::GENERATOR;

use super::frame::{self, Frame};
use super::study::Study;
use crate::experiment::Results;

/// Writes one row a run and flow.
pub fn write_results<W: Write + Send>(out: W, study: &Study, results: &Results) -> io::Result<()> {
    write(out, frame::runs(study, results), study, results)
}

/// Writes one row a run and link.
pub fn write_links<W: Write + Send>(out: W, study: &Study, results: &Results) -> io::Result<()> {
    write(out, frame::links(study, results), study, results)
}

/// Writes delivered bytes over time: one row a run, flow and bin.
pub fn write_bins<W: Write + Send>(out: W, study: &Study, results: &Results) -> io::Result<()> {
    write(out, frame::bins(study, results), study, results)
}

/// Writes every sample of every recorded time series: one row a run, entity, quantity and time.
pub fn write_series<W: Write + Send>(out: W, study: &Study, results: &Results) -> io::Result<()> {
    write(out, frame::series(study, results), study, results)
}

fn write<W: Write + Send>(
    out: W,
    frame: Frame<'_>,
    study: &Study,
    results: &Results,
) -> io::Result<()> {
    let seeds: Vec<String> = results.seeds.iter().map(ToString::to_string).collect();
    let runs = format!("{} of {}", results.finished(), results.total());
    let entry = |key: &str, value: &str| KeyValue::new(format!("skywave.{key}"), value.to_owned());
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
    let mut writer = ArrowWriter::try_new(out, frame.schema(), Some(properties))?;
    for batch in frame {
        writer.write(&batch?)?;
    }
    writer.close()?;
    Ok(())
}
