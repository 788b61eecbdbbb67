//! Parameters of members as data: what may be set, and where it is kept.

use crate::time::Duration;

/// A parameter of a member, as others see it.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Name in scenario files.
    pub name: &'static str,
    /// What it is, and its unit if that is not a time.
    pub doc: &'static str,
    /// Which values it may have.
    pub kind: Kind,
    /// How it is written.
    pub form: Form,
}

/// Which values a parameter may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A number above zero.
    Positive,
    /// A number from 0 to 1.
    Probability,
    /// True or false.
    Flag,
    /// A whole number from 1.
    Count,
    /// A length of time above zero.
    Period,
    /// One of these names.
    OneOf(&'static [&'static str]),
}

/// How a parameter is written in scenario files, and in the name that results give to its member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `{ cerl = { a = 0.3 } }`; "cerl(a=0.3)".
    Named,
    /// Its value says enough: `{ ncr = { transmit = "aggressive" } }`; "ncr(aggressive)".
    ByValue,
    /// It is the only one, and written in the place of the table: `{ dupacks = 4 }`; "dupacks(4)".
    Alone,
}

/// A parameter's value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// Of a [`Kind::Positive`] or [`Kind::Probability`].
    Number(f64),
    /// Of a [`Kind::Flag`].
    Flag(bool),
    /// Of a [`Kind::Count`].
    Count(u32),
    /// Of a [`Kind::Period`].
    Period(Duration),
    /// Of a [`Kind::OneOf`]: the place of the name in its list.
    Choice(usize),
}

/// A value that contradicts those set before, in words for whoever wrote it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// What is wrong.
    pub message: &'static str,
    /// What to do about it.
    pub advice: &'static str,
}

/// A parameter and its place in the configuration `C` of its member.
pub struct Field<C> {
    /// The description that others see.
    pub parameter: Parameter,
    place: Place<C>,
}

/// Where a value is kept; which one belongs to a [`Kind`] follows from the constructors of [`Field`].
enum Place<C> {
    Number(fn(&mut C) -> &mut f64),
    Flag(fn(&mut C) -> &mut bool),
    Count(fn(&mut C) -> &mut u32),
    Period(fn(&mut C) -> Result<&mut Duration, Refusal>),
    Choice {
        get: fn(&C) -> usize,
        set: fn(&mut C, usize),
    },
}

impl<C> Field<C> {
    const fn new(
        name: &'static str,
        doc: &'static str,
        kind: Kind,
        form: Form,
        place: Place<C>,
    ) -> Self {
        let parameter = Parameter {
            name,
            doc,
            kind,
            form,
        };
        Self { parameter, place }
    }

    /// A number above zero.
    pub const fn positive(
        name: &'static str,
        doc: &'static str,
        place: fn(&mut C) -> &mut f64,
    ) -> Self {
        let place = Place::Number(place);
        Self::new(name, doc, Kind::Positive, Form::Named, place)
    }

    /// A number from 0 to 1.
    pub const fn probability(
        name: &'static str,
        doc: &'static str,
        place: fn(&mut C) -> &mut f64,
    ) -> Self {
        let place = Place::Number(place);
        Self::new(name, doc, Kind::Probability, Form::Named, place)
    }

    /// True or false.
    pub const fn flag(
        name: &'static str,
        doc: &'static str,
        place: fn(&mut C) -> &mut bool,
    ) -> Self {
        Self::new(name, doc, Kind::Flag, Form::Named, Place::Flag(place))
    }

    /// A whole number from 1.
    pub const fn count(
        name: &'static str,
        doc: &'static str,
        place: fn(&mut C) -> &mut u32,
    ) -> Self {
        Self::new(name, doc, Kind::Count, Form::Named, Place::Count(place))
    }

    /// A whole number from 1, the only parameter of its member.
    pub const fn count_alone(
        name: &'static str,
        doc: &'static str,
        place: fn(&mut C) -> &mut u32,
    ) -> Self {
        Self::new(name, doc, Kind::Count, Form::Alone, Place::Count(place))
    }

    /// A length of time above zero. `place` refuses where it has no meaning beside the values of the
    /// parameters before it.
    pub const fn period(
        name: &'static str,
        doc: &'static str,
        place: fn(&mut C) -> Result<&mut Duration, Refusal>,
    ) -> Self {
        Self::new(name, doc, Kind::Period, Form::Named, Place::Period(place))
    }

    /// One of several names, by its place among them.
    pub const fn choice(
        name: &'static str,
        doc: &'static str,
        form: Form,
        names: &'static [&'static str],
        get: fn(&C) -> usize,
        set: fn(&mut C, usize),
    ) -> Self {
        Self::new(
            name,
            doc,
            Kind::OneOf(names),
            form,
            Place::Choice { get, set },
        )
    }

    /// Its value in `config`; `None` where it has no meaning.
    pub(in crate::tcp) fn get(&self, config: &C) -> Option<Value>
    where
        C: Clone,
    {
        // The places are of what may be changed: a copy's will do.
        let mut copy = config.clone();
        Some(match self.place {
            Place::Number(at) => Value::Number(*at(&mut copy)),
            Place::Flag(at) => Value::Flag(*at(&mut copy)),
            Place::Count(at) => Value::Count(*at(&mut copy)),
            Place::Period(at) => Value::Period(*at(&mut copy).ok()?),
            Place::Choice { get, .. } => Value::Choice(get(config)),
        })
    }

    /// Puts `value` into `config`.
    pub(in crate::tcp) fn set(&self, config: &mut C, value: Value) -> Result<(), Refusal> {
        match (&self.place, value) {
            (Place::Number(at), Value::Number(x)) => *at(config) = x,
            (Place::Flag(at), Value::Flag(x)) => *at(config) = x,
            (Place::Count(at), Value::Count(x)) => *at(config) = x,
            (Place::Period(at), Value::Period(x)) => *at(config)? = x,
            (Place::Choice { set, .. }, Value::Choice(x)) => set(config, x),
            _ => return Err(Refusal::KIND),
        }
        Ok(())
    }
}

impl Refusal {
    /// A value of another kind than the parameter's.
    pub(in crate::tcp) const KIND: Self = Self {
        message: "this value is of another kind than its parameter",
        advice: "give one of the parameter's kind",
    };
}

/// The description of a member's parameters that others see.
pub(in crate::tcp) const fn parameters<C, const N: usize>(fields: &[Field<C>]) -> [Parameter; N] {
    let mut all = [Parameter {
        name: "",
        doc: "",
        kind: Kind::Flag,
        form: Form::Named,
    }; N];
    let mut i = 0;
    while i < N {
        all[i] = fields[i].parameter;
        i += 1;
    }
    all
}

/// The names of a member's parameters.
pub(in crate::tcp) const fn keys<const N: usize>(parameters: &[Parameter]) -> [&'static str; N] {
    let mut all = [""; N];
    let mut i = 0;
    while i < N {
        all[i] = parameters[i].name;
        i += 1;
    }
    all
}
