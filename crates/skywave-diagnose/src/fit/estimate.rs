//! Numbers with their intervals.

use std::fmt;

use serde::Serialize;

/// Number estimated from measurements, with its 95 % interval; what holds it tells the unit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// The likeliest value.
    pub value: f64,
    /// Lower bound of the 95 % interval.
    pub low: f64,
    /// Upper bound of the 95 % interval.
    pub high: f64,
}

impl Estimate {
    /// Estimate with its likeliest value and the bounds of its 95 % interval.
    pub fn new(value: f64, low: f64, high: f64) -> Self {
        Self { value, low, high }
    }

    /// Value and bounds without an amount, none of them below 0.
    pub(crate) fn less(self, amount: f64) -> Self {
        let less = |x: f64| f64::max(0.0, x - amount);
        Self::new(less(self.value), less(self.low), less(self.high))
    }

    /// Estimate whose value and bounds are multiplied by `factor`, to convert it to another unit.
    pub fn scaled(self, factor: f64) -> Self {
        Self::new(self.value * factor, self.low * factor, self.high * factor)
    }
}

/// Value that records tell, or the reason why they cannot.
#[derive(Clone, Debug, PartialEq)]
pub enum Known<T> {
    /// Value that the records tell.
    Told(T),
    /// Not to be told: a clause that says why ("the queue was never filled").
    Unknown(String),
}

impl<T> Known<T> {
    /// The value; `None` if it is unknown.
    pub fn told(&self) -> Option<&T> {
        match self {
            Self::Told(value) => Some(value),
            Self::Unknown(_) => None,
        }
    }

    /// Value that `change` makes of a known one; an unknown one stays so.
    pub(crate) fn map<U>(&self, change: impl FnOnce(&T) -> U) -> Known<U> {
        match self {
            Self::Told(value) => Known::Told(change(value)),
            Self::Unknown(why) => Known::Unknown(why.clone()),
        }
    }

    /// A value that may be missing, and the clause that says why it is unknown then.
    pub(crate) fn or_unknown(value: Option<T>, reason: &str) -> Self {
        value.map_or_else(|| Self::unknown(reason), Self::Told)
    }

    /// Unknown value; `reason` is the clause that says why it is unknown.
    pub fn unknown(reason: impl fmt::Display) -> Self {
        Self::Unknown(reason.to_string())
    }
}

impl<T> From<Option<T>> for Known<T> {
    fn from(value: Option<T>) -> Self {
        Self::or_unknown(value, "there are no candidates")
    }
}
