//! A TOML document as a small tree in which everything knows its place in the text.
//!
//! `toml` gives spans for all of it; this tree owns its strings, keeps the order of the file, and
//! lets the sweep replace a node by another one *with that one's place*.

use std::ops::Range;

use toml::de::{DeTable, DeValue};

use crate::read::depth::{self, MAX_DEPTH, too_deep};
use crate::read::error::is_command;
use crate::read::fault::Fault;

/// A place in the text, in bytes.
pub(crate) type Span = Range<usize>;

/// A value and its place.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) span: Span,
    pub(crate) value: Value,
}

/// A TOML value.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(String),
    Date(String),
    Array(Vec<Node>),
    Table(Vec<Entry>),
}

/// One key of a table.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) key_span: Span,
    pub(crate) node: Node,
}

/// Reads a TOML document; its root is always a table.
pub(crate) fn parse(text: &str) -> Result<Node, Fault> {
    depth::check(text)?;
    let root = DeTable::parse(text).map_err(|e| {
        let end = text.len();
        let span = e
            .span()
            .map_or(end..end, |s| s.start.min(end)..s.end.min(end));
        let fault = Fault::new(span, "this is not valid TOML").label(e.message());
        if e.message().contains("must be quoted") {
            fault.help("a value with a unit is text: \"1%\", \"20Mbps\", \"40ms\"")
        } else {
            fault
        }
    })?;
    Ok(Node {
        span: 0..text.len(),
        value: table(root.get_ref(), 0)?,
    })
}

fn table(t: &DeTable<'_>, depth: usize) -> Result<Value, Fault> {
    let mut entries = Vec::with_capacity(t.len());
    for (key, value) in t {
        entries.push(Entry {
            key: plain(key.get_ref(), &key.span())?,
            key_span: key.span(),
            node: node(value.get_ref(), value.span(), depth + 1)?,
        });
    }
    // The map is sorted by name; the file's order is what its author sees.
    entries.sort_by_key(|e| e.key_span.start);
    Ok(Value::Table(entries))
}

fn node(value: &DeValue<'_>, span: Span, depth: usize) -> Result<Node, Fault> {
    if depth > MAX_DEPTH {
        return Err(too_deep(span));
    }
    let value = match value {
        DeValue::Boolean(b) => Value::Bool(*b),
        DeValue::Integer(i) => match i64::from_str_radix(i.as_str(), i.radix()) {
            Ok(i) => Value::Int(i),
            Err(_) => return Err(Fault::new(span, "this number does not fit in 64 bits")),
        },
        DeValue::Float(x) => match x.as_str().parse() {
            Ok(x) => Value::Float(x),
            Err(_) => return Err(Fault::new(span, "this is not a number")),
        },
        DeValue::String(s) => Value::Text(plain(s, &span)?),
        DeValue::Datetime(d) => Value::Date(d.to_string()),
        DeValue::Array(a) => Value::Array(
            a.iter()
                .map(|v| node(v.get_ref(), v.span(), depth + 1))
                .collect::<Result<_, _>>()?,
        ),
        DeValue::Table(t) => table(t, depth)?,
    };
    Ok(Node { span, value })
}

/// The text, which may be shown at a terminal: it has no characters that would be obeyed there.
fn plain(text: &str, span: &Span) -> Result<String, Fault> {
    match text.chars().find(|c| is_command(*c)) {
        None => Ok(text.to_owned()),
        Some(c) => Err(
            Fault::new(span.clone(), "a text cannot have control characters")
                .label(format!("U+{:04X} is in it", u32::from(c))),
        ),
    }
}

impl Node {
    /// An empty table that stands at `span`.
    pub(crate) fn empty_table(span: Span) -> Self {
        Self {
            span,
            value: Value::Table(Vec::new()),
        }
    }

    /// Mistake in this value.
    pub(crate) fn fault(&self, message: impl Into<String>) -> Fault {
        Fault::new(self.span.clone(), message)
    }

    /// The value of `key`, when this is a table that has it.
    pub(crate) fn get(&self, key: &str) -> Option<&Self> {
        self.entry(key).map(|e| &e.node)
    }

    /// The entry of `key`, when this is a table that has it.
    pub(crate) fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries().iter().find(|e| e.key == key)
    }

    /// The entries, when this is a table; otherwise none.
    pub(crate) fn entries(&self) -> &[Entry] {
        match &self.value {
            Value::Table(entries) => entries,
            _ => &[],
        }
    }

    /// Takes `key` out of this table.
    pub(crate) fn remove(&mut self, key: &str) -> Option<Entry> {
        match &mut self.value {
            Value::Table(entries) => {
                let at = entries.iter().position(|e| e.key == key)?;
                Some(entries.remove(at))
            }
            _ => None,
        }
    }

    /// The text, when this is a string.
    pub(crate) fn as_text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(s) => Some(s),
            _ => None,
        }
    }

    /// The elements, when this is an array.
    pub(crate) fn as_array(&self) -> Option<&[Self]> {
        match &self.value {
            Value::Array(a) => Some(a),
            _ => None,
        }
    }

    /// Words for this value, as a message says it: `the number 80`, `a table`.
    pub(crate) fn describe(&self) -> String {
        match &self.value {
            Value::Bool(b) => format!("`{b}`"),
            Value::Int(i) => format!("the number {i}"),
            Value::Float(x) => format!("the number {x:?}"),
            Value::Text(s) => format!("the string {s:?}"),
            Value::Date(d) => format!("the date {d}"),
            Value::Array(_) => "an array".into(),
            Value::Table(_) => "a table".into(),
        }
    }
}
