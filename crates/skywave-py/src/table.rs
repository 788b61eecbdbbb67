//! Arrow tables handed to Python: in place through the PyCapsule interface, or column by column for
//! those who have no library that speaks Arrow.
//!
//! <https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html>

use std::io;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::{Float64Type, Int64Type, UInt64Type};
use arrow_array::{
    Array, ArrayRef, Float64Array, RecordBatch, RecordBatchIterator, StringArray, UInt64Array,
};
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{ArrowError, DataType, Field, SchemaRef};
use pyo3::exceptions::{PyIndexError, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyList};
use skywave_lab::report::frame::{Frame, unit};

/// Name, unit, kind and values of a column.
type Column<'py> = (String, Option<String>, String, Bound<'py, PyAny>);

/// A table in Arrow's memory format.
#[pyclass(frozen, module = "skywave._skywave")]
pub(crate) struct Table {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
}

impl Table {
    /// All rows of `frame`.
    pub(crate) fn collect(frame: Frame<'_>) -> io::Result<Self> {
        Ok(Self {
            schema: frame.schema(),
            batches: frame.collect::<Result<_, _>>()?,
        })
    }

    /// The pieces of a column.
    fn column(&self, index: usize) -> PyResult<impl Iterator<Item = &ArrayRef>> {
        if index >= self.schema.fields().len() {
            return Err(PyIndexError::new_err("there is no such column"));
        }
        Ok(self.batches.iter().map(move |b| b.column(index)))
    }
}

fn failed(error: &ArrowError) -> PyErr {
    PyRuntimeError::new_err(error.to_string())
}

#[pymethods]
impl Table {
    /// A table of columns: name, unit, kind (`number`, `count` or `text`) and values, in which a gap is None.
    #[new]
    #[pyo3(signature = (columns, /))]
    fn new(columns: Vec<Column<'_>>) -> PyResult<Self> {
        let mut fields = Vec::with_capacity(columns.len());
        let mut arrays: Vec<ArrayRef> = Vec::with_capacity(columns.len());
        for (name, of, kind, values) in columns {
            let array: ArrayRef = match kind.as_str() {
                "number" => Arc::new(Float64Array::from(values.extract::<Vec<Option<f64>>>()?)),
                "count" => Arc::new(UInt64Array::from(values.extract::<Vec<Option<u64>>>()?)),
                _ => Arc::new(StringArray::from(values.extract::<Vec<Option<String>>>()?)),
            };
            let field = Field::new(name, array.data_type().clone(), true);
            fields.push(field.with_metadata(of.map(|of| unit(&of)).unwrap_or_default()));
            arrays.push(array);
        }
        let frame = Frame::new(fields, std::iter::once(Ok(arrays)));
        Self::collect(frame).map_err(|error| PyRuntimeError::new_err(error.to_string()))
    }

    fn __len__(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    /// The schema as a capsule with an `ArrowSchema`.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(&*self.schema).map_err(|e| failed(&e))?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }

    /// The rows as a capsule with an `ArrowArrayStream`. The consumer reads the memory of this
    /// table; another schema than ours may be asked for, and is not given.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        // A batch is a list of references to its columns' memory: nothing is copied.
        let batches = self.batches.clone().into_iter().map(Ok);
        let reader = RecordBatchIterator::new(batches, self.schema.clone());
        let stream = FFI_ArrowArrayStream::new(Box::new(reader));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }

    /// Name and unit of each column.
    #[getter]
    fn fields(&self) -> Vec<(String, Option<String>)> {
        let fields = self.schema.fields().iter();
        fields
            .map(|f| (f.name().clone(), f.metadata().get("unit").cloned()))
            .collect()
    }

    /// The values of a column in rows `start` to `stop`, as objects of Python.
    #[pyo3(signature = (index, start, stop, /))]
    fn values<'py>(
        &self,
        py: Python<'py>,
        index: usize,
        start: usize,
        stop: usize,
    ) -> PyResult<Bound<'py, PyList>> {
        let list = PyList::empty(py);
        let mut before = 0;
        for array in self.column(index)? {
            let from = start.saturating_sub(before).min(array.len());
            let to = stop.saturating_sub(before).min(array.len());
            for row in from..to {
                append(&list, array, row)?;
            }
            before += array.len();
        }
        Ok(list)
    }

    /// A column of numbers as numpy's name of their type and their bytes; None for other columns.
    /// Whole numbers with gaps become floats, a gap is NaN.
    #[pyo3(signature = (index, /))]
    fn buffer<'py>(
        &self,
        py: Python<'py>,
        index: usize,
    ) -> PyResult<Option<(&'static str, Bound<'py, PyBytes>)>> {
        let arrays: Vec<&ArrayRef> = self.column(index)?.collect();
        let gaps = arrays.iter().any(|a| a.null_count() > 0);
        let mut bytes = Vec::new();
        let name = match (self.schema.field(index).data_type(), gaps) {
            (DataType::UInt64, false) => {
                for array in arrays {
                    let values = array.as_primitive::<UInt64Type>().values().iter();
                    bytes.extend(values.flat_map(|n| n.to_ne_bytes()));
                }
                "uint64"
            }
            (DataType::Int64, false) => {
                for array in arrays {
                    let values = array.as_primitive::<Int64Type>().values().iter();
                    bytes.extend(values.flat_map(|n| n.to_ne_bytes()));
                }
                "int64"
            }
            (DataType::UInt64 | DataType::Int64 | DataType::Float64, _) => {
                for array in arrays {
                    for row in 0..array.len() {
                        bytes.extend(number(array, row).unwrap_or(f64::NAN).to_ne_bytes());
                    }
                }
                "float64"
            }
            _ => return Ok(None),
        };
        Ok(Some((name, PyBytes::new(py, &bytes))))
    }
}

/// One value as an object of Python; a gap is None.
fn append(list: &Bound<'_, PyList>, array: &ArrayRef, row: usize) -> PyResult<()> {
    if array.is_null(row) {
        return list.append(list.py().None());
    }
    match array.data_type() {
        DataType::Utf8 => list.append(array.as_string::<i32>().value(row)),
        DataType::Boolean => list.append(array.as_boolean().value(row)),
        DataType::UInt64 => list.append(array.as_primitive::<UInt64Type>().value(row)),
        DataType::Int64 => list.append(array.as_primitive::<Int64Type>().value(row)),
        DataType::Float64 => list.append(array.as_primitive::<Float64Type>().value(row)),
        other => Err(PyRuntimeError::new_err(format!("no column is {other}"))),
    }
}

/// A number of any type; `None` for a gap.
fn number(array: &ArrayRef, row: usize) -> Option<f64> {
    if array.is_null(row) {
        return None;
    }
    match array.data_type() {
        DataType::UInt64 => Some(array.as_primitive::<UInt64Type>().value(row) as f64),
        DataType::Int64 => Some(array.as_primitive::<Int64Type>().value(row) as f64),
        DataType::Float64 => Some(array.as_primitive::<Float64Type>().value(row)),
        _ => None,
    }
}
