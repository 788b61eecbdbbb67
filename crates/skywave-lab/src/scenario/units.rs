//! Quantities as people write them: `"2Mbps"`, `"80ms"`, `"64kB"`, `"90 packets"`.
//!
//! Each type reads a string with its unit and refuses what makes no sense (a rate of zero, a
//! negative time), so that the model holds only legal values.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error, Visitor};
use skywave_core::link;
use skywave_core::units as core;

use super::error::nearest;

/// What a unit measures, and the name of its SI unit in results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Rate,
    Time,
    Size,
    Packets,
    Segments,
}

impl Kind {
    const fn si(self) -> &'static str {
        match self {
            Self::Rate => "bit/s",
            Self::Time => "s",
            Self::Size => "B",
            Self::Packets => "packets",
            Self::Segments => "segments",
        }
    }
}

/// Every unit: name, what it measures, and its size (rates in bit/s, times in ns, sizes in bytes).
const UNITS: &[(&str, Kind, f64)] = &[
    ("bps", Kind::Rate, 1.0),
    ("kbps", Kind::Rate, 1e3),
    ("Mbps", Kind::Rate, 1e6),
    ("Gbps", Kind::Rate, 1e9),
    ("bit/s", Kind::Rate, 1.0),
    ("kbit/s", Kind::Rate, 1e3),
    ("Mbit/s", Kind::Rate, 1e6),
    ("Gbit/s", Kind::Rate, 1e9),
    ("B/s", Kind::Rate, 8.0),
    ("kB/s", Kind::Rate, 8e3),
    ("MB/s", Kind::Rate, 8e6),
    ("ns", Kind::Time, 1.0),
    ("us", Kind::Time, 1e3),
    ("µs", Kind::Time, 1e3),
    ("ms", Kind::Time, 1e6),
    ("s", Kind::Time, 1e9),
    ("min", Kind::Time, 60e9),
    ("h", Kind::Time, 3600e9),
    ("B", Kind::Size, 1.0),
    ("byte", Kind::Size, 1.0),
    ("bytes", Kind::Size, 1.0),
    ("kB", Kind::Size, 1e3),
    ("MB", Kind::Size, 1e6),
    ("GB", Kind::Size, 1e9),
    ("KiB", Kind::Size, 1024.0),
    ("MiB", Kind::Size, 1_048_576.0),
    ("GiB", Kind::Size, 1_073_741_824.0),
    ("packet", Kind::Packets, 1.0),
    ("packets", Kind::Packets, 1.0),
    ("segment", Kind::Segments, 1.0),
    ("segments", Kind::Segments, 1.0),
];

/// Longest time that a scenario can name: a hundred days.
const MAX_NANOS: f64 = 100.0 * 86_400.0 * 1e9;

/// A quantity in SI units, as it goes into the columns of results.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantity {
    /// The number in that unit.
    pub value: f64,
    /// `s`, `bit/s`, `B`, `packets` or `segments`.
    pub unit: &'static str,
}

impl Quantity {
    /// The quantity that `text` writes, if it is one.
    pub fn parse(text: &str) -> Option<Self> {
        let (number, kind) = split(text, &[]).ok()?;
        let value = if kind == Kind::Time {
            number / 1e9
        } else {
            number
        };
        Some(Self {
            value,
            unit: kind.si(),
        })
    }
}

/// The number in the kind's base unit (ns, bit/s, bytes, count) and the kind; any kind when `kinds`
/// is empty. The error is a label and a help line.
fn split(text: &str, kinds: &[Kind]) -> Result<(f64, Kind), String> {
    let text = text.trim();
    let names = || {
        let of_kind = |k: Kind| kinds.is_empty() || kinds.contains(&k);
        let names = UNITS.iter().filter(|u| of_kind(u.1)).map(|u| u.0);
        names.collect::<Vec<_>>()
    };
    let digits = text
        .find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '+' | '-' | '_')))
        .unwrap_or(text.len());
    // An exponent belongs to the number, when digits follow: "1e-3s".
    let digits = exponent(text, digits);
    let (number, unit) = text.split_at(digits);
    let unit = unit.trim_start();
    if number.is_empty() {
        return Err("no number".into());
    }
    let Ok(number) = number.replace('_', "").parse::<f64>() else {
        return Err(format!("`{number}` is not a number"));
    };
    if unit.is_empty() {
        return Err(format!("no unit\nunits: {}", names().join(", ")));
    }
    let known = names();
    let Some(&(_, kind, scale)) = UNITS.iter().find(|u| u.0 == unit && known.contains(&u.0)) else {
        let near = nearest(unit, &known)
            .map(|near| format!(", did you mean `{near}`?"))
            .unwrap_or_default();
        let what = if UNITS.iter().any(|u| u.0 == unit) {
            "wrong"
        } else {
            "unknown"
        };
        return Err(format!(
            "{what} unit `{unit}`{near}\nunits: {}",
            known.join(", ")
        ));
    };
    if number.is_sign_negative() && number != 0.0 {
        return Err("below zero".into());
    }
    let scaled = number.abs() * scale;
    if !scaled.is_finite() || (kind == Kind::Time && scaled > MAX_NANOS) || scaled > 1e18 {
        return Err("too large".into());
    }
    Ok((scaled, kind))
}

fn exponent(text: &str, digits: usize) -> usize {
    let rest = &text.as_bytes()[digits..];
    if digits == 0 || !matches!(rest.first(), Some(b'e' | b'E')) {
        return digits;
    }
    let sign = usize::from(matches!(rest.get(1), Some(b'+' | b'-')));
    let power = rest[1 + sign..]
        .iter()
        .take_while(|b| b.is_ascii_digit())
        .count();
    if power == 0 {
        digits
    } else {
        digits + 1 + sign + power
    }
}

/// A type written as a string with a unit.
trait Unit: Sized {
    /// What a message says that it must be.
    const EXPECTED: &'static str;
    /// Its description in the JSON schema.
    const PATTERN: &'static str;
    /// What it may measure.
    const KINDS: &'static [Kind];

    /// Makes it from the number in base units; the error is a label.
    fn from_base(number: f64, kind: Kind) -> Result<Self, &'static str>;

    /// Smallest and largest bare whole number, where one is allowed.
    const BARE: Option<(u32, u32)> = None;
}

struct Read<T>(std::marker::PhantomData<T>);

impl<T: Unit> Visitor<'_> for Read<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(T::EXPECTED)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        let wrong = |reason: &str| E::custom(format!("must be {}\n{reason}", T::EXPECTED));
        let (number, kind) = split(text, T::KINDS).map_err(|reason| wrong(&reason))?;
        T::from_base(number, kind).map_err(wrong)
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<T, E> {
        let wrong = || E::invalid_type(serde::de::Unexpected::Signed(number), &self);
        let (low, high) = T::BARE.ok_or_else(wrong)?;
        let bare = u32::try_from(number).map_err(|_| wrong())?;
        if !(low..=high).contains(&bare) {
            return Err(wrong());
        }
        T::from_base(f64::from(bare), Kind::Size).map_err(|_| wrong())
    }
}

/// Implements reading and the schema of a [`Unit`].
macro_rules! unit {
    ($name:ident) => {
        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_any(Read(std::marker::PhantomData))
            }
        }

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                schema_of::<$name>()
            }
        }
    };
}

fn schema_of<T: Unit>() -> Schema {
    let units: Vec<&str> = UNITS
        .iter()
        .filter(|u| T::KINDS.contains(&u.1))
        .map(|u| u.0)
        .collect();
    let text = json_schema!({
        "type": "string",
        "pattern": format!(r"^\s*\+?[0-9._]+([eE][+-]?[0-9]+)?\s*({})\s*$", units.join("|")),
    });
    let mut schema = match T::BARE {
        Some((low, high)) => json_schema!({
            "anyOf": [{ "type": "integer", "minimum": low, "maximum": high }, text]
        }),
        None => text,
    };
    schema.insert("description".into(), T::PATTERN.into());
    schema
}

/// A rate above zero.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rate(pub(crate) core::Rate);

impl Unit for Rate {
    const EXPECTED: &'static str = "a rate with its unit, like \"2Mbps\"";
    const PATTERN: &'static str = "A rate above zero, like \"2Mbps\".";
    const KINDS: &'static [Kind] = &[Kind::Rate];

    fn from_base(number: f64, _: Kind) -> Result<Self, &'static str> {
        match (number + 0.5) as u64 {
            0 => Err("less than one bit a second"),
            n if n > 100_000_000_000_000 => Err("more than 100 Tbit/s"),
            n => Ok(Self(core::Rate::from_bps(n))),
        }
    }
}

/// A length of time, zero or more.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Duration(pub(crate) skywave_core::Duration);

impl Unit for Duration {
    const EXPECTED: &'static str = "a time with its unit, like \"80ms\"";
    const PATTERN: &'static str = "A length of time, like \"80ms\".";
    const KINDS: &'static [Kind] = &[Kind::Time];

    fn from_base(number: f64, _: Kind) -> Result<Self, &'static str> {
        Ok(Self(skywave_core::Duration::from_nanos(
            (number + 0.5) as u64,
        )))
    }
}

/// A length of time above zero.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Period(pub(crate) skywave_core::Duration);

impl Unit for Period {
    const EXPECTED: &'static str = "a time above zero with its unit, like \"80ms\"";
    const PATTERN: &'static str = "A length of time above zero, like \"80ms\".";
    const KINDS: &'static [Kind] = &[Kind::Time];

    fn from_base(number: f64, kind: Kind) -> Result<Self, &'static str> {
        let Duration(length) = Duration::from_base(number, kind)?;
        if length.is_zero() {
            return Err("no time at all");
        }
        Ok(Self(length))
    }
}

/// A number of bytes above zero.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Size(pub(crate) u64);

impl Unit for Size {
    const EXPECTED: &'static str = "a size with its unit, like \"64kB\"";
    const PATTERN: &'static str = "A number of bytes above zero, like \"64kB\".";
    const KINDS: &'static [Kind] = &[Kind::Size];

    fn from_base(number: f64, _: Kind) -> Result<Self, &'static str> {
        match (number + 0.5) as u64 {
            0 => Err("no byte at all"),
            n => Ok(Self(n)),
        }
    }
}

/// The bytes of one packet's part: a bare number, or a size.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bytes(pub(crate) u32);

impl Bytes {
    /// Largest payload of one packet: an IPv4 packet less 40 bytes of headers.
    pub(crate) const MAX: u32 = 65_495;
}

impl Unit for Bytes {
    const BARE: Option<(u32, u32)> = Some((1, Self::MAX));
    const EXPECTED: &'static str = "a number of bytes from 1 to 65495";
    const PATTERN: &'static str = "Bytes of a packet, from 1 to 65495: 1460 or \"1460B\".";
    const KINDS: &'static [Kind] = &[Kind::Size];

    fn from_base(number: f64, _: Kind) -> Result<Self, &'static str> {
        if (0.5..=f64::from(Self::MAX)).contains(&number) {
            Ok(Self((number + 0.5) as u32))
        } else {
            Err("out of range")
        }
    }
}

/// Header bytes of a packet, zero allowed: a bare number, or a size.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HeaderBytes(pub(crate) u32);

impl Unit for HeaderBytes {
    const BARE: Option<(u32, u32)> = Some((0, 1000));
    const EXPECTED: &'static str = "a number of bytes from 0 to 1000";
    const PATTERN: &'static str = "Header bytes of a packet, from 0 to 1000: 40 or \"40B\".";
    const KINDS: &'static [Kind] = &[Kind::Size];

    fn from_base(number: f64, _: Kind) -> Result<Self, &'static str> {
        if number <= 1000.0 {
            Ok(Self((number + 0.5) as u32))
        } else {
            Err("out of range")
        }
    }
}

/// The capacity of a queue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limit(pub(crate) link::Limit);

impl Unit for Limit {
    const EXPECTED: &'static str = "a queue limit, like \"90 packets\" or \"64kB\"";
    const PATTERN: &'static str = "The capacity of a queue: \"90 packets\" or \"64kB\".";
    const KINDS: &'static [Kind] = &[Kind::Packets, Kind::Size];

    fn from_base(number: f64, kind: Kind) -> Result<Self, &'static str> {
        let whole = (number + 0.5) as u64;
        if kind == Kind::Size {
            return match whole {
                0 => Err("a queue for nothing"),
                n => Ok(Self(link::Limit::Bytes(n))),
            };
        }
        match u32::try_from(whole) {
            Ok(0) => Err("a queue for nothing"),
            Ok(n) if f64::from(n) == number => Ok(Self(link::Limit::Packets(n))),
            Ok(_) => Err("a part of a packet"),
            Err(_) => Err("too large"),
        }
    }
}

/// A threshold of an average queue length; may be a fraction.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Level {
    Packets(f64),
    Bytes(f64),
}

impl Unit for Level {
    const EXPECTED: &'static str = "a queue length, like \"17.5 packets\" or \"20kB\"";
    const PATTERN: &'static str = "An average queue length: \"17.5 packets\" or \"20kB\".";
    const KINDS: &'static [Kind] = &[Kind::Packets, Kind::Size];

    fn from_base(number: f64, kind: Kind) -> Result<Self, &'static str> {
        Ok(match kind {
            Kind::Size => Self::Bytes(number),
            _ => Self::Packets(number),
        })
    }
}

/// An amount of data above zero in segments of the flow's MSS, or in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Window {
    Segments(f64),
    Bytes(f64),
}

impl Window {
    pub(crate) fn in_bytes(self, mss: u32) -> f64 {
        match self {
            Self::Segments(n) => n * f64::from(mss),
            Self::Bytes(n) => n,
        }
    }

    pub(crate) fn in_segments(self, mss: u32) -> core::Segments {
        core::Segments(match self {
            Self::Segments(n) => n,
            Self::Bytes(n) => n / f64::from(mss),
        })
    }
}

impl Unit for Window {
    const EXPECTED: &'static str = "an amount of data, like \"270 segments\" or \"64kB\"";
    const PATTERN: &'static str = "Data in segments or bytes: \"270 segments\" or \"64kB\".";
    const KINDS: &'static [Kind] = &[Kind::Segments, Kind::Size];

    fn from_base(number: f64, kind: Kind) -> Result<Self, &'static str> {
        match kind {
            _ if number == 0.0 => Err("nothing at all"),
            Kind::Size => Ok(Self::Bytes(number)),
            _ => Ok(Self::Segments(number)),
        }
    }
}

unit!(Rate);
unit!(Duration);
unit!(Period);
unit!(Size);
unit!(Bytes);
unit!(HeaderBytes);
unit!(Limit);
unit!(Level);
unit!(Window);

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

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!($schema)
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
    /// A number above zero.
    Positive(f64),
    "a number above zero",
    |x| x > 0.0 && x.is_finite(),
    { "type": "number", "exclusiveMinimum": 0, "description": "A number above zero." }
);

number!(
    /// A whole number from 1.
    Count(u64),
    "a whole number from 1",
    |n| n >= 1.0 && n <= 9e15 && n.fract() == 0.0,
    { "type": "integer", "minimum": 1, "description": "A whole number from 1." }
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::de::from_node;
    use crate::scenario::tree::{Node, Value};

    fn read<T: for<'de> Deserialize<'de>>(text: &str) -> Option<T> {
        from_node(&Node {
            span: 0..0,
            value: Value::Text(text.into()),
        })
        .ok()
    }

    #[test]
    fn every_unit_has_its_size() {
        let si = |text: &str| Quantity::parse(text).map(|q| (q.value, q.unit));
        for (text, value, unit) in [
            ("1bps", 1.0, "bit/s"),
            ("128 kbps", 128e3, "bit/s"),
            ("2Mbps", 2e6, "bit/s"),
            ("0.1 Gbps", 1e8, "bit/s"),
            ("7bit/s", 7.0, "bit/s"),
            ("3kbit/s", 3e3, "bit/s"),
            ("3Mbit/s", 3e6, "bit/s"),
            ("3Gbit/s", 3e9, "bit/s"),
            ("1B/s", 8.0, "bit/s"),
            ("1kB/s", 8e3, "bit/s"),
            ("1MB/s", 8e6, "bit/s"),
            ("5ns", 5e-9, "s"),
            ("5us", 5e-6, "s"),
            ("5µs", 5e-6, "s"),
            ("5ms", 5e-3, "s"),
            ("1e-3s", 1e-3, "s"),
            ("2min", 120.0, "s"),
            ("1h", 3600.0, "s"),
            ("9B", 9.0, "B"),
            ("1 byte", 1.0, "B"),
            ("2 bytes", 2.0, "B"),
            ("64kB", 64e3, "B"),
            ("1MB", 1e6, "B"),
            ("1GB", 1e9, "B"),
            ("64KiB", 65536.0, "B"),
            ("1MiB", 1_048_576.0, "B"),
            ("1GiB", 1_073_741_824.0, "B"),
            ("1 packet", 1.0, "packets"),
            ("17.5 packets", 17.5, "packets"),
            ("1 segment", 1.0, "segments"),
            ("270 segments", 270.0, "segments"),
            ("1_000 packets", 1000.0, "packets"),
        ] {
            assert_eq!(si(text), Some((value, unit)), "{text}");
        }
        assert!(UNITS.iter().all(|u| si(&format!("1{}", u.0)).is_some()));
    }

    #[test]
    fn what_is_no_quantity_is_none() {
        for text in [
            "", "reno", "2", "2 mbps", "-1s", "1..2s", "1e999s", "ms", "5 ms ms", "--",
        ] {
            assert_eq!(Quantity::parse(text), None, "{text:?}");
        }
    }

    #[test]
    fn decimal_fractions_are_exact() {
        let nanos = |text| read::<Duration>(text).map(|d| d.0.as_nanos());
        assert_eq!(nanos("0.1ms"), Some(100_000));
        assert_eq!(nanos("0.3s"), Some(300_000_000));
        assert_eq!(nanos("1.0000000014s"), Some(1_000_000_001));
        let bps = |text| read::<Rate>(text).map(|r| r.0.as_bps());
        assert_eq!(bps("0.128Mbps"), Some(128_000));
        assert_eq!(bps("1.1Gbps"), Some(1_100_000_000));
    }

    #[test]
    fn nothing_is_refused_where_nothing_makes_no_sense() {
        assert!(read::<Rate>("0bps").is_none());
        assert!(read::<Period>("0s").is_none());
        assert!(read::<Duration>("0s").is_some());
        assert!(read::<Size>("0B").is_none());
        assert!(read::<Limit>("0 packets").is_none());
        assert!(read::<Limit>("1.5 packets").is_none());
        assert!(read::<Window>("0 segments").is_none());
        assert!(read::<Bytes>("65495B").is_some());
        assert!(read::<Bytes>("65496B").is_none());
    }
}
