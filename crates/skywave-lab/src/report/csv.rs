//! Tables as CSV (RFC 4180), for spreadsheets: the columns of the Parquet files in their order. Numbers are the shortest
//! that read back as the same; a missing one is empty. Units stand in the Parquet files and in docs/scenarios.md.

use std::io::{self, Write};

use ::csv::{Terminator, WriterBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type, UInt64Type};
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;

use super::frame::Frame;

/// Writes a table of results as CSV, with the names of its columns in the first line.
///
/// # Errors
/// `out` cannot be written, or a recorded time series cannot be read back.
pub fn write_csv<W: Write>(out: W, frame: Frame<'_>) -> io::Result<()> {
    let mut out = WriterBuilder::new()
        .terminator(Terminator::Any(b'\n'))
        .from_writer(out);
    let schema = frame.schema();
    out.write_record(schema.fields().iter().map(|field| field.name()))?;
    for batch in frame {
        let batch = batch?;
        for row in 0..batch.num_rows() {
            for column in batch.columns() {
                out.write_field(cell(column, row)?)?;
            }
            out.write_record(None::<&[u8]>)?;
        }
    }
    out.flush()
}

/// The text of a cell.
fn cell(column: &ArrayRef, row: usize) -> io::Result<String> {
    if column.is_null(row) {
        return Ok(String::new());
    }
    Ok(match column.data_type() {
        DataType::Utf8 => column.as_string::<i32>().value(row).to_owned(),
        DataType::Boolean => column.as_boolean().value(row).to_string(),
        DataType::Int64 => column.as_primitive::<Int64Type>().value(row).to_string(),
        DataType::UInt64 => column.as_primitive::<UInt64Type>().value(row).to_string(),
        DataType::Float64 => format!("{:?}", column.as_primitive::<Float64Type>().value(row)),
        other => return Err(io::Error::other(format!("no text for columns of {other}"))),
    })
}
