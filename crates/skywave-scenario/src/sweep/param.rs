//! The value of a swept field, for the columns of results.

use super::notation;
use crate::model::quantity::Quantity;
use crate::read::tree::{Node, Value};

/// One value of a swept field, as written and as a number.
#[derive(Clone, Debug, PartialEq)]
pub struct ParamValue {
    /// Value as written in the file.
    pub written: Written,
    /// Number in SI units that the value means; `None` if what is written has no unit.
    pub quantity: Option<Quantity>,
}

/// A value as written in a scenario file.
#[derive(Clone, Debug, PartialEq)]
pub enum Written {
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A number with a fraction or an exponent.
    Float(f64),
    /// A string without its quotes, or a table or array as it stands in the file.
    Text(String),
}

impl ParamValue {
    /// The value at `node` of the file `text`.
    pub(crate) fn of(node: &Node, text: &str) -> Self {
        let written = match &node.value {
            Value::Bool(b) => Written::Bool(*b),
            Value::Int(i) => Written::Int(*i),
            Value::Float(x) => Written::Float(*x),
            Value::Text(s) | Value::Date(s) => Written::Text(s.clone()),
            Value::Array(_) | Value::Table(_) => {
                Written::Text(text.get(node.span.clone()).unwrap_or_default().to_owned())
            }
        };
        let quantity = node.as_text().and_then(Quantity::parse);
        Self { written, quantity }
    }

    /// Text of the value for tables and plots: a string, a number or a flag as it is, a table or an array without
    /// TOML's signs. `{ preset = "cerl", recovery = "sack" }` is `cerl, recovery sack`.
    pub fn short(&self) -> String {
        match &self.written {
            Written::Text(text) if text.starts_with(['{', '[']) => notation::in_words(text),
            _ => self.to_string(),
        }
    }

    /// Value as a number, in its base unit (s, bit/s, B, packets, segments, m, m/s, dB, dBm) if it has one; `None` for
    /// text and flags.
    pub fn number(&self) -> Option<f64> {
        match (&self.quantity, &self.written) {
            (Some(q), _) => Some(q.value),
            (None, Written::Int(i)) => Some(*i as f64),
            (None, Written::Float(x)) => Some(*x),
            (None, _) => None,
        }
    }
}

/// Key that is equal for two values that mean the same: the same number in any unit, a name and the table that it is
/// short for, tables with the same keys in any order.
pub(super) fn key(node: &Node) -> String {
    match &node.value {
        Value::Table(entries) => match entries.as_slice() {
            [only] if only.key == "preset" => key(&only.node),
            [only] if matches!(&only.node.value, Value::Table(none) if none.is_empty()) => {
                format!("\"{}", only.key)
            }
            _ => {
                let keys = entries
                    .iter()
                    .map(|e| format!("{} = {}", e.key, key(&e.node)));
                let mut keys: Vec<String> = keys.collect();
                keys.sort();
                format!("{{{}}}", keys.join(", "))
            }
        },
        Value::Array(items) => {
            let keys: Vec<String> = items.iter().map(key).collect();
            format!("[{}]", keys.join(", "))
        }
        _ => {
            let value = ParamValue::of(node, "");
            let unit = value.quantity.as_ref().map_or("", |q| q.unit);
            match value.number() {
                // No negative zero.
                Some(number) => format!("{:?} {unit}", number + 0.0),
                None => format!("\"{value}"),
            }
        }
    }
}

impl std::fmt::Display for ParamValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.written {
            Written::Bool(b) => b.fmt(f),
            Written::Int(i) => i.fmt(f),
            Written::Float(x) => write!(f, "{x:?}"),
            Written::Text(s) => f.write_str(s),
        }
    }
}
