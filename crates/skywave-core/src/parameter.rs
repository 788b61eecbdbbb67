//! Configurations described once: which parameters there are, what they mean, where they are kept.
//!
//! The file of a model declares its configuration, each field with its meaning, type, default and kind. Everything else
//! is made from that: reading a scenario file, with the place of each mistake; the JSON schema and `docs/reference.md`;
//! what the fuzzers draw.
//!
//! # How a configuration is described
//!
//! ```text
//! parameters! {
//!     /// A token bucket, for whose tokens packets wait.  // what users read
//!     #[derive(Clone, Copy, Debug, PartialEq, Eq)]
//!     pub struct Shaper as "shaper" {                     // as scenario files write it
//!         /// Rate at which bytes leave in the long run.
//!         rate: Rate = Rate::from_bps(1_000_000), Rate.needed();
//!     }
//! }
//! ```
//!
//! `parameters!` (`record.rs`) makes the struct, its defaults, and a table of [`Field`]s: of each the name, the meaning,
//! the kind and the place ([`Configuration`]). Without `as` the description ([`Described`]) is written out, as for a member
//! of a family whose state has another type; one that is configured by a bare number has its `Field` there, too
//! (`link/loss/iid.rs`).
//!
//! - [`Kind`] says which values a parameter may have; how they are written, read, drawn and shown in the schema
//!   follows from it.
//! - Without more a parameter is optional, and its default is the value in `DEFAULT`. With
//!   [`needed`](Field::needed) a file must give it; [`or`](Field::or) puts the default into words where it is no
//!   value ("no limit", "`every`"). A constructor that one of these follows needs the type of its closure's argument.
//! - [`alone`](Field::alone): the only one, written in place of the table.
//! - Bounds are on the field: [`up_to`](Field::up_to), [`no_shorter_than`](Field::no_shorter_than).
//! - Parameters are set in the order of the table. A rule between two parameters belongs to the later one if it
//!   says whether that may be given at all ([`Field::within`]), and to [`Described::check`] if it is about
//!   the values of both. A [`Refusal`] names the keys to point at.
//!
//! What may be chosen follows from how it is registered; nothing else names its parameters:
//!
//! | a configuration that is | core | a scenario's model | becomes |
//! |---|---|---|---|
//! | one of several names | `names!`: [`Named`] | `NamedModel<Handshake>` | `Handshake`, by `0` |
//! | one of several, by name | `family!` lists them: [`Family`] | `MemberModel<LossConfig>` | `LossConfig`, by `built_in` |
//! | a table | `parameters!` with `as`: [`Table`] | `TableModel<wtcp::Config>` | `wtcp::Config`, by `over` |
//! | such a table that may be left out by `"none"`, or have presets | `optional!`, [`Presets`] | `OptionalModel<Fec>` | `Option<Fec>`, by `optional` |

pub(crate) mod family;
mod field;
pub(crate) mod names;
pub(crate) mod record;
pub(crate) mod table;

use std::borrow::Cow;

use crate::time::Duration;
use crate::units::{Level, Limit, Rate};

pub(crate) use family::family;
pub use family::{Configuration, Described, Family, Member, Settings};
pub use field::{Field, Stored};
pub use names::Named;
pub(crate) use names::names;
pub(crate) use record::parameters;
pub use table::{Optional, Presets, Table};
pub(crate) use table::{optional, table};

/// Description of one parameter of a configuration, from which scenario files are read and the schema and the
/// reference are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Name in scenario files.
    pub name: &'static str,
    /// Meaning, with the unit of a number that is not a time.
    pub doc: &'static str,
    /// Kind of value that the parameter takes.
    pub kind: Kind,
    /// Form in which the parameter is written.
    pub form: Form,
    /// Value where a file gives none.
    pub absent: Absent,
    /// Largest value of a [`Kind::Count`].
    pub most: u64,
    /// Smallest value of a [`Kind::Period`] or [`Kind::Time`].
    pub shortest: Duration,
}

impl Parameter {
    /// A parameter with a default value, which files write under its name in a table.
    pub const fn new(kind: Kind, name: &'static str, doc: &'static str) -> Self {
        Self {
            name,
            doc,
            kind,
            form: Form::Named,
            absent: Absent::Default,
            most: u32::MAX as u64,
            shortest: Duration::ZERO,
        }
    }

    /// Whether a scenario file must give the parameter.
    pub const fn is_needed(&self) -> bool {
        matches!(self.absent, Absent::Needed)
    }

    /// Meaning and default in a sentence, for people; `default` is the value in the default configuration,
    /// `None` if that has none.
    pub fn described(&self, default: Option<&Value>) -> String {
        let doc = self.doc;
        match (self.absent, default) {
            (Absent::Needed, _) => format!("{doc}."),
            (Absent::Words(words), _) => format!("{doc}; default {words}."),
            (Absent::Default, Some(value)) => format!("{doc}; default {}.", self.notation(value)),
            (Absent::Default, None) => format!("{doc}; default none."),
        }
    }

    /// Text by which a scenario file writes this value of the parameter.
    pub fn notation(&self, value: &Value) -> String {
        match (value, self.kind) {
            (Value::Limit(Limit::Bytes(n)), _) | (Value::Count(n), Kind::Bytes | Kind::Size) => {
                format!("\"{n}B\"")
            }
            (Value::Choice(i), Kind::OneOf(names)) => format!("{:?}", names[*i]),
            (Value::Choice(n), _) => n.to_string(),
            (Value::Count(n), _) => n.to_string(),
            (Value::Number(x), _) => x.to_string(),
            (Value::Flag(x), _) => x.to_string(),
            (Value::Period(time), _) => format!("\"{}\"", in_words(*time)),
            (Value::Rate(rate), _) => format!("\"{}bps\"", rate.as_bps()),
            (Value::Limit(Limit::Packets(n)), _) => format!("\"{n} packets\""),
            (Value::Level(Level::Packets(n)), _) => format!("\"{n} packets\""),
            (Value::Level(Level::Bytes(n)), _) => format!("\"{n}B\""),
            (Value::Counts(numbers), _) => format!("{numbers:?}"),
            (Value::Table(values), Kind::Table(parameters, _)) => {
                let all = parameters.iter().zip(values);
                let given = all.filter_map(|(p, value)| {
                    Some(format!("{} = {}", p.name, p.notation(value.as_ref()?)))
                });
                format!("{{ {} }}", given.collect::<Vec<_>>().join(", "))
            }
            (Value::Table(_), _) => "{}".to_owned(),
        }
    }

    /// Checks a value of the right kind against [`Self::most`] and [`Self::shortest`], not against the range of its
    /// kind; the error says what it must be ("must be at most 9").
    pub fn bounds(&self, value: &Value) -> Result<(), String> {
        match *value {
            Value::Count(n) if self.kind == Kind::Count && n > self.most => {
                Err(format!("must be at most {}", self.most))
            }
            Value::Period(time) if time < self.shortest => {
                Err(format!("must be at least {}", in_words(self.shortest)))
            }
            _ => Ok(()),
        }
    }
}

/// Value of a parameter that a file does not give.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Absent {
    /// The value in the default configuration.
    Default,
    /// A file must give it.
    Needed,
    /// The default in words, where no single value tells it: "twice the link's delay".
    Words(&'static str),
}

/// The kind of a parameter's value, with its range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A number above zero.
    Positive,
    /// A number from 0 to 1.
    Probability,
    /// A number from 0 to below 1.
    BelowOne,
    /// A number above 0, at most 1.
    Share,
    /// True or false.
    Flag,
    /// A whole number from 1.
    Count,
    /// A list of whole numbers from 1.
    Counts,
    /// A whole number from 0 to 255.
    Byte,
    /// A length of time above zero.
    Period,
    /// A length of time, zero or more.
    Time,
    /// A rate above zero.
    Rate,
    /// A number of bytes above zero.
    Size,
    /// Bytes of a packet, from 1 to 65,495 in files.
    Bytes,
    /// Capacity of a queue; a file may also give a time, for what is sent in it.
    Limit,
    /// A length of a queue, in the unit of its limit; a file may also give a time, for what is sent in it.
    Level,
    /// A name from this list.
    OneOf(&'static [&'static str]),
    /// A table of these parameters, with their names.
    Table(&'static [Parameter], &'static [&'static str]),
}

/// Form of a parameter in scenario files, and in the name that results give to its model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Value with its name: `{ cerl = { a = 0.3 } }` in files, "cerl(a=0.3)" in results.
    Named,
    /// Value with its name in files, without it in results: `{ ncr = { transmit = "aggressive" } }`;
    /// "ncr(aggressive)".
    ByValue,
    /// The only parameter, in the place of the table: `{ dupacks = 4 }` in files; "dupacks(4)" in results.
    Alone,
}

/// A parameter's value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Value of a kind that is a number with a fraction.
    Number(f64),
    /// Value of a [`Kind::Flag`].
    Flag(bool),
    /// Value of a [`Kind::Count`] or [`Kind::Byte`]; bytes of a [`Kind::Size`] or [`Kind::Bytes`].
    Count(u64),
    /// Values of a [`Kind::Counts`].
    Counts(Vec<u64>),
    /// Value of a [`Kind::Period`] or [`Kind::Time`]; for a [`Kind::Limit`] or [`Kind::Level`],
    /// what is sent in this time, until the rate is known.
    Period(Duration),
    /// Value of a [`Kind::Rate`].
    Rate(Rate),
    /// Value of a [`Kind::Limit`].
    Limit(Limit),
    /// Value of a [`Kind::Level`].
    Level(Level),
    /// Index of the name of a [`Kind::OneOf`] in its list.
    Choice(usize),
    /// Values of the parameters of a [`Kind::Table`], in their order; `None` where there is no value.
    Table(Vec<Option<Value>>),
}

/// Refusal of a value of a configuration, in words for whoever wrote the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Keys of the file to point at: the first of these that the file gives, or the whole table if it gives none of
    /// them. Empty for the value being set.
    pub keys: &'static [&'static str],
    /// Mistake, in a sentence.
    pub message: Cow<'static, str>,
    /// Remedy, in a sentence.
    pub advice: Cow<'static, str>,
}

impl Refusal {
    /// A value of another kind than the parameter's.
    pub(crate) const KIND: Self = Self::new(
        "this value is of another kind than its parameter",
        "give one of the parameter's kind",
    );

    /// Refusal of the value being set: the mistake and the remedy, a sentence each.
    pub const fn new(message: &'static str, advice: &'static str) -> Self {
        Self {
            keys: &[],
            message: Cow::Borrowed(message),
            advice: Cow::Borrowed(advice),
        }
    }

    /// Refusal of the values of these keys together: the mistake and the remedy, a sentence each.
    pub fn of(
        keys: &'static [&'static str],
        message: impl Into<Cow<'static, str>>,
        advice: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self {
            keys,
            message: message.into(),
            advice: advice.into(),
        }
    }
}

/// A length of time with the unit that people would take.
fn in_words(time: Duration) -> String {
    const UNITS: [(u64, &str); 4] = [
        (60_000_000_000, "min"),
        (1_000_000_000, "s"),
        (1_000_000, "ms"),
        (1_000, "us"),
    ];
    let nanos = time.as_nanos();
    let fits = |(size, name): &(u64, &str)| {
        nanos >= *size && (*name != "min" || nanos.is_multiple_of(*size))
    };
    match UNITS.iter().copied().find(fits) {
        Some((size, unit)) => format!("{}{unit}", nanos as f64 / size as f64),
        None => format!("{nanos}ns"),
    }
}

#[cfg(test)]
mod tests;
