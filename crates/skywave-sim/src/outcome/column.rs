//! Columns: all that is said of a measured number, once.
//!
//! A field of an outcome and its column are one entry of a table. Result rows, Parquet files, stored runs, plots, the names
//! in scenarios, their schema and their reference follow the tables.

/// Measured value of a flow, link, proxy or station, as a cell of a table of results.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cell {
    /// A count.
    Count(u64),
    /// A real number that is always there.
    Real(f64),
    /// A real number that some runs do not have.
    Maybe(Option<f64>),
    /// A time of something that has not happened by the end of the run, but would happen later.
    Later,
}

impl Cell {
    /// Value of the cell as a finite number; `None` if the run has no value, or for a time later than its end.
    pub fn number(self) -> Option<f64> {
        match self {
            Self::Count(n) => Some(n as f64),
            Self::Real(x) => Some(x),
            Self::Maybe(x) => x,
            Self::Later => None,
        }
        .filter(|x| x.is_finite())
    }

    /// The cell's value as a sample for statistics: infinity for a time later than the end of the run, so that
    /// quantiles over many runs are right, and their mean is not finite. `None` if the run has no value.
    pub fn sample(self) -> Option<f64> {
        match self {
            Self::Later => Some(f64::INFINITY),
            other => other.number(),
        }
    }
}

/// Unit of a measured number; decides how the number is scaled and written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Bits per second.
    BitRate,
    /// Bytes.
    Bytes,
    /// Seconds.
    Seconds,
    /// Packets.
    Packets,
    /// Segments of one MSS.
    Segments,
    /// Number of events or packets of some kind.
    Count,
    /// A share between 0 and 1, written in percent.
    Share,
    /// A pure number.
    Ratio,
}

/// Way in which the values of several flows become one number for the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pooling {
    /// Sum over the flows, for rates and counts.
    Sum,
    /// Sum over the flows, for arrivals (goodput, throughput, delivered bytes): a flow that a proxy splits
    /// counts once, and not by each of its two connections.
    Arriving,
    /// Mean over the flows that have a value, for times, windows and shares.
    Mean,
}

/// Column of a table of results: a measured field of the outcome `T`, with its names, unit and meaning.
#[derive(Clone, Copy, Debug)]
pub struct Column<T: 'static> {
    /// Name of the field, as in rows of results and files; scenarios may use it too.
    pub name: &'static str,
    /// Name of the field in scenarios and in the reference; the field's own name if there is no shorter one.
    pub short: &'static str,
    /// Meaning and unit, in a sentence: the reference and editors show it. Empty if scenarios cannot name the field.
    pub about: &'static str,
    /// Name of the field for people, as in tables and plots.
    pub label: &'static str,
    /// Unit of the field's values.
    pub unit: Unit,
    /// Way in which the values of several flows become one number for the run.
    pub pooling: Pooling,
    /// Whether the field is a time until something, which may not have come by the end of the run.
    pub until: bool,
    /// Function that reads the field from an outcome.
    pub get: fn(&T) -> Cell,
    /// Function that writes the field of an outcome from a stored number, given as a real number and as a count,
    /// of which it takes the one of the field's type; `None` if that is missing from a field that must have it. A
    /// count of the table of losses is added to what is there.
    pub set: fn(&mut T, Option<f64>, Option<u64>) -> Option<()>,
}

impl<T> Column<T> {
    /// Whether `name` is the field's name in results ([`Self::name`]) or in scenarios ([`Self::short`]).
    pub fn is_called(&self, name: &str) -> bool {
        self.short == name || self.name == name
    }
}

/// A type of measured fields.
pub(super) trait Number: Copy {
    /// The value in a table.
    fn cell(self) -> Cell;

    /// The value from a stored number, read as a real one and as a count; `None` where it is missing.
    fn stored(real: Option<f64>, count: Option<u64>) -> Option<Self>;
}

impl Number for u64 {
    fn cell(self) -> Cell {
        Cell::Count(self)
    }

    fn stored(_: Option<f64>, count: Option<u64>) -> Option<Self> {
        count
    }
}

impl Number for f64 {
    fn cell(self) -> Cell {
        Cell::Real(self)
    }

    fn stored(real: Option<f64>, _: Option<u64>) -> Option<Self> {
        real
    }
}

impl Number for Option<f64> {
    fn cell(self) -> Cell {
        Cell::Maybe(self)
    }

    fn stored(real: Option<f64>, _: Option<u64>) -> Option<Self> {
        Some(real)
    }
}

/// An outcome and the table of its columns, both from one list. An entry is a field of the outcome: its meaning, its name,
/// its name in scenarios if that is another one, its type, unit, pooling and label, and `until` for a time that may come
/// after the end of the run. After `~` comes a field that is no number; of a table of losses with its cells, each with its
/// name, cause, finding and label.
macro_rules! measured {
    ($(#[$of:meta])* $outcome:ident, $(#[$doc:meta])* $table:ident:
     $($(#[doc = $about:literal])+
       $field:ident $($short:literal)?: $type:ty, $unit:ident, $pooling:ident, $label:literal $(, $until:ident)?;)*
     $(~ $(#[$other_doc:meta])* $other:ident: $other_type:ty;
       $($cell:ident $cause:ident $found:ident $of_cell:literal;)*)?) => {
        $(#[$of])*
        #[derive(Clone, Debug, PartialEq, Default, serde::Serialize)]
        pub struct $outcome {
            /// Name of the measured flow, link, proxy or station, as in the specification.
            pub name: String,
            $($(#[doc = $about])+ pub $field: $type,)*
            $($(#[$other_doc])* pub $other: $other_type,)?
        }

        $(#[$doc])*
        pub const $table: &[Column<$outcome>] = &[
            $(Column::<$outcome> {
                name: stringify!($field),
                short: [$($short,)? stringify!($field)][0],
                about: concat!($($about),+).trim_ascii(),
                label: $label,
                unit: Unit::$unit,
                pooling: Pooling::$pooling,
                until: false,
                get: |of| of.$field.cell(),
                set: |of, real, count| {
                    of.$field = Number::stored(real, count)?;
                    Some(())
                },
            }$(.$until())?,)*
            $($(Column::<$outcome> {
                name: stringify!($cell),
                short: stringify!($cell),
                about: "",
                label: $of_cell,
                unit: Unit::Count,
                pooling: Pooling::Sum,
                until: false,
                get: |of| Cell::Count(of.$other.count(LossCause::$cause, Found::$found)),
                set: |of, _, count| {
                    of.$other.add(LossCause::$cause, Found::$found, count?);
                    Some(())
                },
            },)*)?
        ];
    };
}
pub(super) use measured;
