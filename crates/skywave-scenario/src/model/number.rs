//! Plain numbers with their bounds: probabilities, counts.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, Visitor};

/// Implements reading and the schema of a checked number.
macro_rules! number {
    ($(#[$doc:meta])* $name:ident($type:ty), $expected:literal, $check:expr, $schema:tt) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct $name(pub(crate) $type);

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Check;
                impl Visitor<'_> for Check {
                    type Value = f64;

                    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                        f.write_str($expected)
                    }

                    fn visit_i64<E: Error>(self, n: i64) -> Result<f64, E> {
                        // Whole numbers above 2^53 are refused below, so the cast is exact.
                        let check: fn(f64) -> bool = $check;
                        let (n, whole) = (n as f64, n);
                        if check(n) && n.abs() <= 9e15 {
                            return Ok(n);
                        }
                        Err(E::invalid_value(serde::de::Unexpected::Signed(whole), &self))
                    }

                    fn visit_f64<E: Error>(self, n: f64) -> Result<f64, E> {
                        let check: fn(f64) -> bool = $check;
                        if check(n) {
                            return Ok(n);
                        }
                        Err(E::invalid_value(serde::de::Unexpected::Float(n), &self))
                    }
                }
                deserializer
                    .deserialize_any(Check)
                    .map(|n| Self(n as $type))
            }
        }

        #[cfg(feature = "schema")]
        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!($schema)
            }
        }
    };
}

number!(
    /// A probability.
    Probability(f64),
    "a probability from 0 to 1",
    |p| (0.0..=1.0).contains(&p),
    { "type": "number", "minimum": 0, "maximum": 1, "description": "A probability." }
);

number!(
    /// A probability below 1.
    BelowOne(f64),
    "a probability from 0 to below 1",
    |p| (0.0..1.0).contains(&p),
    { "type": "number", "minimum": 0, "exclusiveMaximum": 1, "description": "A probability below 1." }
);

number!(
    /// A number above zero.
    Positive(f64),
    "a number above zero",
    |x| x > 0.0 && x.is_finite(),
    { "type": "number", "exclusiveMinimum": 0, "description": "A number above zero." }
);

number!(
    /// A share above 0, at most 1.
    Share(f64),
    "a share above 0, at most 1",
    |x| x > 0.0 && x <= 1.0,
    { "type": "number", "exclusiveMinimum": 0, "maximum": 1, "description": "A share above 0, at most 1." }
);

number!(
    /// How fast a clock gains on another one.
    Drift(f64),
    "a drift from -0.01 to 0.01",
    |x| (-0.01..=0.01).contains(&x),
    { "type": "number", "minimum": -0.01, "maximum": 0.01, "description": "A number from -0.01 to 0.01." }
);

number!(
    /// A whole number from 1.
    Count(u64),
    "a whole number from 1",
    |n| (1.0..=9e15).contains(&n) && n.fract() == 0.0,
    { "type": "integer", "minimum": 1, "description": "A whole number from 1." }
);

number!(
    /// A whole number, zero too.
    Copies(u64),
    "a whole number from 0",
    |n| (0.0..=9e15).contains(&n) && n.fract() == 0.0,
    { "type": "integer", "minimum": 0, "description": "A whole number from 0." }
);

impl Count {
    /// Number in 32 bits: one that is larger is as large as can be.
    pub(crate) fn saturating(self) -> u32 {
        u32::try_from(self.0).unwrap_or(u32::MAX)
    }
}

impl From<Count> for u64 {
    fn from(count: Count) -> Self {
        count.0
    }
}

impl From<Copies> for u64 {
    fn from(copies: Copies) -> Self {
        copies.0
    }
}

number!(
    /// A whole number of one byte.
    Byte(u8),
    "a whole number from 0 to 255",
    |n| (0.0..=255.0).contains(&n) && n.fract() == 0.0,
    { "type": "integer", "minimum": 0, "maximum": 255, "description": "A whole number from 0 to 255." }
);
