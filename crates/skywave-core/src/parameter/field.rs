//! A parameter and its place in a configuration.

use super::{Absent, Form, Kind, Parameter, Refusal, Table, Value};
use crate::time::Duration;
use crate::units::{Limit, Rate};

/// A parameter of the configuration type `C`: its description, and where a `C` keeps its value.
pub struct Field<C> {
    /// Description of the parameter: its name, meaning, kind, default and bounds.
    pub parameter: Parameter,
    place: Place<C>,
}

/// Where a value is kept.
enum Place<C> {
    At(fn(&mut C) -> &mut dyn Stored),
    Within(fn(&mut C) -> Result<&mut dyn Stored, Refusal>),
    By {
        get: fn(&C) -> Option<Value>,
        set: fn(&mut C, Value) -> Result<(), Refusal>,
    },
}

impl<C> Clone for Place<C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<C> Copy for Place<C> {}

impl<C> Clone for Field<C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<C> Copy for Field<C> {}

impl<C> Field<C> {
    /// A parameter of this kind, whose value a configuration keeps at `place`.
    pub const fn new(
        kind: Kind,
        name: &'static str,
        doc: &'static str,
        place: fn(&mut C) -> &mut dyn Stored,
    ) -> Self {
        Self {
            parameter: Parameter::new(kind, name, doc),
            place: Place::At(place),
        }
    }

    /// A parameter that only goes with certain values of the parameters before it; `place` refuses it with others.
    pub const fn within(
        kind: Kind,
        name: &'static str,
        doc: &'static str,
        place: fn(&mut C) -> Result<&mut dyn Stored, Refusal>,
    ) -> Self {
        Self {
            parameter: Parameter::new(kind, name, doc),
            place: Place::Within(place),
        }
    }

    /// A parameter that the configuration keeps in another form than files write it: `get` and `set`
    /// translate.
    pub const fn by(
        kind: Kind,
        name: &'static str,
        doc: &'static str,
        get: fn(&C) -> Option<Value>,
        set: fn(&mut C, Value) -> Result<(), Refusal>,
    ) -> Self {
        Self {
            parameter: Parameter::new(kind, name, doc),
            place: Place::By { get, set },
        }
    }

    /// Makes the parameter one that a file must give.
    pub const fn needed(mut self) -> Self {
        self.parameter.absent = Absent::Needed;
        self
    }

    /// Sets words that describe the default, for which no single value stands ("no limit").
    pub const fn or(mut self, words: &'static str) -> Self {
        self.parameter.absent = Absent::Words(words);
        self
    }

    /// Makes the parameter the only one of its configuration, whose value files write in place of a table.
    pub const fn alone(mut self) -> Self {
        self.parameter.form = Form::Alone;
        self
    }

    /// Makes results show the parameter's value without its name.
    pub const fn by_value(mut self) -> Self {
        self.parameter.form = Form::ByValue;
        self
    }

    /// Sets the largest value of a parameter that is a count.
    pub const fn up_to(mut self, most: u64) -> Self {
        self.parameter.most = most;
        self
    }

    /// Sets the smallest value of a parameter that is a length of time.
    pub const fn no_shorter_than(mut self, shortest: Duration) -> Self {
        self.parameter.shortest = shortest;
        self
    }

    /// Value of the parameter in `config`; `None` where it has none.
    pub(crate) fn get(&self, config: &C) -> Option<Value>
    where
        C: Clone,
    {
        match self.place {
            // `place` needs `&mut`; reading uses a copy.
            Place::At(place) => place(&mut config.clone()).value(),
            Place::Within(place) => place(&mut config.clone()).ok()?.value(),
            Place::By { get, .. } => get(config),
        }
    }

    /// Puts `value` into `config`.
    pub(crate) fn set(&self, config: &mut C, value: Value) -> Result<(), Refusal> {
        if let Err(bound) = self.parameter.bounds(&value) {
            let message = format!("`{}` {bound}", self.parameter.name);
            return Err(Refusal::of(&[], message, "out of bounds"));
        }
        match self.place {
            Place::At(place) => place(config).put(value),
            Place::Within(place) => place(config)?.put(value),
            Place::By { set, .. } => set(config, value),
        }
    }
}

impl<C: Stored> Field<C> {
    /// A parameter that is the whole configuration, in whose place a file must give it ([`alone`](Self::alone)).
    pub const fn whole(kind: Kind, name: &'static str, doc: &'static str) -> Self {
        Self::new(kind, name, doc, |config| config).alone().needed()
    }
}

/// A type in which a configuration keeps a parameter, converted from and to [`Value`].
pub trait Stored {
    /// The value; `None` where there is none.
    fn value(&self) -> Option<Value>;

    /// Takes this value.
    fn put(&mut self, value: Value) -> Result<(), Refusal>;
}

/// Implements [`Stored`] for types that are kept as they are in a [`Value`].
macro_rules! stored {
    ($( $variant:ident: $type:ty, )+) => { $(
        impl Stored for $type {
            fn value(&self) -> Option<Value> {
                Some(Value::$variant(self.clone()))
            }

            fn put(&mut self, value: Value) -> Result<(), Refusal> {
                let Value::$variant(value) = value else {
                    return Err(Refusal::KIND);
                };
                *self = value;
                Ok(())
            }
        }
    )+ };
}

stored! {
    Flag: bool,
    Count: u64,
    Counts: Vec<u64>,
    Period: Duration,
    Rate: Rate,
    Limit: Limit,
}

impl Stored for f64 {
    fn value(&self) -> Option<Value> {
        Some(Value::Number(*self))
    }

    fn put(&mut self, value: Value) -> Result<(), Refusal> {
        *self = match value {
            Value::Number(x) => x,
            Value::Count(n) => n as Self,
            _ => return Err(Refusal::KIND),
        };
        Ok(())
    }
}

/// Implements [`Stored`] for whole numbers of other sizes. A bound beyond their own means no bound.
macro_rules! whole {
    ($($type:ty),+) => { $(
        impl Stored for $type {
            fn value(&self) -> Option<Value> {
                Some(Value::Count(*self as u64))
            }

            fn put(&mut self, value: Value) -> Result<(), Refusal> {
                let Value::Count(value) = value else {
                    return Err(Refusal::KIND);
                };
                *self = Self::try_from(value).unwrap_or(Self::MAX);
                Ok(())
            }
        }
    )+ };
}

whole!(u8, u32, usize);

impl<T: Table> Stored for T {
    fn value(&self) -> Option<Value> {
        let values = (0..T::PARAMETERS.len()).map(|place| self.get(place));
        Some(Value::Table(values.collect()))
    }

    fn put(&mut self, value: Value) -> Result<(), Refusal> {
        let Value::Table(values) = value else {
            return Err(Refusal::KIND);
        };
        for (place, value) in values.into_iter().enumerate() {
            if let Some(value) = value {
                self.set(place, value)?;
            }
        }
        self.check()
    }
}

impl<T: Stored + Default> Stored for Option<T> {
    fn value(&self) -> Option<Value> {
        self.as_ref()?.value()
    }

    fn put(&mut self, value: Value) -> Result<(), Refusal> {
        self.get_or_insert_default().put(value)
    }
}
