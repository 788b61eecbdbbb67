//! Tables as Parquet files, with what they depend on in their metadata. The same results give the same bytes.

use std::io::{self, Write};

use ::parquet::arrow::ArrowWriter;
use ::parquet::basic::Compression;
use ::parquet::file::metadata::KeyValue;
use ::parquet::file::properties::WriterProperties;
use skywave_core::rng::GENERATOR;

use super::frame::Frame;
use super::study::Study;
use crate::experiment::Results;

/// Most rows of a group, and of which number all are a multiple. All cells of a group wait in memory.
const MOST_ROWS: usize = 1 << 20;
const ROWS: usize = 1 << 16;
/// Cells that a group has at most if it has more rows than [`ROWS`].
const CELLS: usize = 1 << 24;

/// Number of rows in a row group of a table with `columns` columns.
fn rows_of_a_group(columns: usize) -> usize {
    let rows = CELLS / columns.max(1);
    (rows - rows % ROWS).clamp(ROWS, MOST_ROWS)
}

/// Writes a table of results with what they depend on: the seeds, the scenario, and how many runs there are.
pub(super) fn write<W: Write + Send>(
    out: W,
    frame: Frame<'_>,
    study: &Study,
    results: &Results,
) -> io::Result<()> {
    let seeds: Vec<String> = results.seeds.iter().map(ToString::to_string).collect();
    let runs = format!("{} of {}", results.finished(), results.total());
    let metadata = [
        ("seeds", seeds.join(",")),
        ("runs", runs),
        ("title", study.title.clone()),
        ("scenario", study.text.clone()),
    ];
    write_frame(out, frame, &results.engine, metadata)?;
    results.check()
}

/// Writes a table of results as a Parquet file. Its metadata, under keys `skywave.KEY`, say what the numbers depend on:
/// the version `engine` of the engine, the random generator, and the pairs of key and value in `metadata`.
pub fn write_frame<W: Write + Send>(
    out: W,
    frame: Frame<'_>,
    engine: &str,
    metadata: impl IntoIterator<Item = (&'static str, String)>,
) -> io::Result<()> {
    let entry = |(key, value): (&str, String)| KeyValue::new(format!("skywave.{key}"), value);
    let always = [
        ("version", engine.to_owned()),
        ("generator", GENERATOR.to_owned()),
    ];
    let metadata = always.into_iter().chain(metadata).map(entry).collect();
    let rows = rows_of_a_group(frame.schema().fields().len());
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_max_row_group_row_count(Some(rows))
        .set_created_by(engine.to_owned())
        .set_key_value_metadata(Some(metadata))
        .build();
    let mut writer = ArrowWriter::try_new(out, frame.schema(), Some(properties))?;
    for batch in frame {
        writer.write(&batch?)?;
    }
    writer.close()?;
    Ok(())
}
