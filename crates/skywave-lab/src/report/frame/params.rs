//! Swept parameters as typed columns.

use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Float64Array, Int64Array, StringArray};
use arrow_schema::{DataType, Field};

use super::unit;
use crate::report::study::{Study, StudyPoint};
use crate::scenario::{ParamValue, Written};

/// The type of a parameter's column: the narrowest that holds every value of the sweep.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    Quantity(&'static str),
    Bool,
    Int,
    Float,
    Text,
}

/// The columns of all swept parameters.
pub(super) struct ParamColumns(Vec<(String, Kind)>);

impl ParamColumns {
    pub(super) fn new(study: &Study) -> Self {
        let kinds = study.paths().map(|path| {
            let values = study.points.iter().filter_map(|p| p.param(path));
            let kind = values.map(kind).reduce(common).unwrap_or(Kind::Text);
            (path.to_owned(), kind)
        });
        Self(kinds.collect())
    }

    pub(super) fn fields(&self) -> impl Iterator<Item = Field> {
        self.0.iter().map(|(path, kind)| match kind {
            Kind::Quantity(name) => {
                Field::new(path, DataType::Float64, true).with_metadata(unit(name))
            }
            Kind::Bool => Field::new(path, DataType::Boolean, true),
            Kind::Int => Field::new(path, DataType::Int64, true),
            Kind::Float => Field::new(path, DataType::Float64, true),
            Kind::Text => Field::new(path, DataType::Utf8, true),
        })
    }

    /// One array a parameter, with a value for each of `points`.
    pub(super) fn arrays<'a>(
        &self,
        points: impl Iterator<Item = &'a StudyPoint> + Clone,
    ) -> impl Iterator<Item = ArrayRef> {
        self.0.iter().map(move |(path, kind)| -> ArrayRef {
            let values = points.clone().map(|p| p.param(path));
            let written = values.clone().map(|v| v.map(|v| &v.written));
            match kind {
                Kind::Quantity(_) | Kind::Float => {
                    let numbers = values.map(|v| v.and_then(ParamValue::number));
                    Arc::new(numbers.collect::<Float64Array>())
                }
                Kind::Bool => Arc::new(
                    written
                        .map(|w| match w {
                            Some(Written::Bool(b)) => Some(*b),
                            _ => None,
                        })
                        .collect::<BooleanArray>(),
                ),
                Kind::Int => Arc::new(
                    written
                        .map(|w| match w {
                            Some(Written::Int(i)) => Some(*i),
                            _ => None,
                        })
                        .collect::<Int64Array>(),
                ),
                Kind::Text => Arc::new(
                    values
                        .map(|v| v.map(ToString::to_string))
                        .collect::<StringArray>(),
                ),
            }
        })
    }
}

fn kind(value: &ParamValue) -> Kind {
    match (&value.quantity, &value.written) {
        (Some(quantity), _) => Kind::Quantity(quantity.unit),
        (None, Written::Bool(_)) => Kind::Bool,
        (None, Written::Int(_)) => Kind::Int,
        (None, Written::Float(_)) => Kind::Float,
        (None, Written::Text(_)) => Kind::Text,
    }
}

fn common(a: Kind, b: Kind) -> Kind {
    match (a, b) {
        (a, b) if a == b => a,
        (Kind::Int | Kind::Float, Kind::Int | Kind::Float) => Kind::Float,
        _ => Kind::Text,
    }
}
