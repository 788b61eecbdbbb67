//! Quantities as people write them: `"2Mbps"`, `"80ms"`, `"64kB"`, `"90 packets"`.
//!
//! Each type reads a string with its unit and refuses what makes no sense (a rate of zero, a
//! negative time), so that the model holds only legal values.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, Visitor};
use skywave_core::link;
use skywave_core::units as core;

use crate::model::quantity::{Kind, split};

/// A type written as a string with a unit.
trait Unit: Sized {
    /// Values that are allowed, in words that follow "must be" in a message.
    const EXPECTED: &'static str;
    /// Description in the JSON schema.
    #[cfg_attr(
        not(feature = "schema"),
        expect(dead_code, reason = "for the schema alone")
    )]
    const PATTERN: &'static str;
    /// Quantities that the unit may measure.
    const KINDS: &'static [Kind];

    /// Makes it from the number in base units; the error is a label.
    fn from_base(number: f64, kind: Kind) -> Result<Self, &'static str>;

    /// Smallest and largest bare whole number, where one is allowed.
    const BARE: Option<(u32, u32)> = None;

    /// True if a value may be below zero where its quantity usually is not.
    const SIGNED: bool = false;
}

struct Read<T>(std::marker::PhantomData<T>);

impl<T: Unit> Visitor<'_> for Read<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(T::EXPECTED)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        let wrong = |reason: &str| E::custom(format!("must be {}\n{reason}", T::EXPECTED));
        let (sign, text) = match text.trim_start().strip_prefix('-').filter(|_| T::SIGNED) {
            Some(amount) => (-1.0, amount),
            None => (1.0, text),
        };
        let (number, kind) = split(text, T::KINDS).map_err(|reason| wrong(&reason))?;
        T::from_base(sign * number, kind).map_err(wrong)
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

        #[cfg(feature = "schema")]
        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schema_of::<$name>()
            }
        }
    };
}

#[cfg(feature = "schema")]
fn schema_of<T: Unit>() -> schemars::Schema {
    let units: Vec<&str> = crate::model::quantity::UNITS
        .iter()
        .filter(|u| T::KINDS.contains(&u.1))
        .map(|u| u.0)
        .collect();
    let sign = if T::SIGNED || T::KINDS.iter().any(|kind| kind.is_signed()) {
        "[+-]?"
    } else {
        r"\+?"
    };
    let units = units.join("|");
    let text = schemars::json_schema!({
        "type": "string",
        "pattern": format!(r"^\s*{sign}[0-9._]+([eE][+-]?[0-9]+)?\s*({units})\s*$"),
    });
    let mut schema = match T::BARE {
        Some((low, high)) => schemars::json_schema!({
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

/// A time that one clock is ahead of another, or behind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SignedTime(pub(crate) skywave_core::Offset);

impl Unit for SignedTime {
    const EXPECTED: &'static str = "a time with its unit, like \"80ms\" or \"-3s\"";
    const PATTERN: &'static str = "A length of time that may be below zero, like \"-3s\".";
    const KINDS: &'static [Kind] = &[Kind::Time];
    const SIGNED: bool = true;

    fn from_base(number: f64, _: Kind) -> Result<Self, &'static str> {
        Ok(Self(
            skywave_core::Offset::from_nanos(number.round() as i64),
        ))
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

/// A number of packets above zero.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Packets(pub(crate) u32);

impl Unit for Packets {
    const EXPECTED: &'static str = "a number of packets, like \"64 packets\"";
    const PATTERN: &'static str = "A number of packets above zero, like \"64 packets\".";
    const KINDS: &'static [Kind] = &[Kind::Packets];

    fn from_base(number: f64, _: Kind) -> Result<Self, &'static str> {
        match number as u32 {
            0 => Err("no whole packet"),
            n if f64::from(n) == number => Ok(Self(n)),
            u32::MAX => Err("more than 4294967295 packets"),
            _ => Err("a part of a packet"),
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
        match (kind, (number + 0.5) as u64) {
            (_, 0) => Err("a queue for nothing"),
            (Kind::Size, n) => Ok(Self(link::Limit::Bytes(n))),
            _ => Packets::from_base(number, kind).map(|Packets(n)| Self(link::Limit::Packets(n))),
        }
    }
}

/// The capacity of a link's queue.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Room {
    Limit(link::Limit),
    /// Length of time: as much as the link sends in it.
    Time(skywave_core::Duration),
}

impl Unit for Room {
    const EXPECTED: &'static str = "a queue limit, like \"90 packets\", \"64kB\" or \"50ms\"";
    const PATTERN: &'static str =
        "The capacity of a link's queue: \"90 packets\", \"64kB\" or \"50ms\".";
    const KINDS: &'static [Kind] = &[Kind::Packets, Kind::Size, Kind::Time];

    fn from_base(number: f64, kind: Kind) -> Result<Self, &'static str> {
        match kind {
            Kind::Time if number < 1.0 => Err("a queue for nothing"),
            Kind::Time => Duration::from_base(number, kind).map(|Duration(time)| Self::Time(time)),
            _ => Limit::from_base(number, kind).map(|Limit(limit)| Self::Limit(limit)),
        }
    }
}

/// A threshold of an average queue length; may be a fraction.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Level {
    Packets(f64),
    Bytes(f64),
    /// Length of time: as much as the link sends in it.
    Time(skywave_core::Duration),
}

impl Unit for Level {
    const EXPECTED: &'static str = "a queue length, like \"17.5 packets\", \"20kB\" or \"5ms\"";
    const PATTERN: &'static str = "An average queue length: \"17.5 packets\", \"20kB\" or \"5ms\".";
    const KINDS: &'static [Kind] = &[Kind::Packets, Kind::Size, Kind::Time];

    fn from_base(number: f64, kind: Kind) -> Result<Self, &'static str> {
        match kind {
            Kind::Size => Ok(Self::Bytes(number)),
            Kind::Time => Duration::from_base(number, kind).map(|Duration(time)| Self::Time(time)),
            _ => Ok(Self::Packets(number)),
        }
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

/// A coordinate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Metres(pub(crate) f64);

impl Unit for Metres {
    const EXPECTED: &'static str = "a length with its unit, like \"200m\"";
    const PATTERN: &'static str = "A coordinate, like \"200m\".";
    const KINDS: &'static [Kind] = &[Kind::Length];

    fn from_base(number: f64, _: Kind) -> Result<Self, &'static str> {
        // Far more than any radio reaches; squares of differences stay exact enough.
        if number.abs() > 1e9 {
            return Err("more than a million kilometres");
        }
        Ok(Self(number))
    }
}

/// A distance above zero.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Distance(pub(crate) f64);

impl Unit for Distance {
    const EXPECTED: &'static str = "a length above zero with its unit, like \"250m\"";
    const PATTERN: &'static str = "A distance above zero, like \"250m\".";
    const KINDS: &'static [Kind] = &[Kind::Length];

    fn from_base(number: f64, kind: Kind) -> Result<Self, &'static str> {
        if number <= 0.0 {
            return Err("not above zero");
        }
        Metres::from_base(number, kind).map(|Metres(number)| Self(number))
    }
}

/// A speed above zero.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Speed(pub(crate) f64);

impl Unit for Speed {
    const EXPECTED: &'static str = "a speed above zero with its unit, like \"10m/s\"";
    const PATTERN: &'static str = "A speed above zero, like \"10m/s\".";
    const KINDS: &'static [Kind] = &[Kind::Speed];

    fn from_base(number: f64, _: Kind) -> Result<Self, &'static str> {
        match number {
            n if n <= 0.0 => Err("no speed at all"),
            n if n > 299_792_458.0 => Err("faster than light"),
            n => Ok(Self(n)),
        }
    }
}

/// A ratio of powers in decibels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decibels(pub(crate) f64);

impl Unit for Decibels {
    const EXPECTED: &'static str = "a ratio in decibels, like \"10dB\"";
    const PATTERN: &'static str = "A ratio of powers, like \"10dB\".";
    const KINDS: &'static [Kind] = &[Kind::Ratio];

    fn from_base(number: f64, _: Kind) -> Result<Self, &'static str> {
        if number.abs() > 1000.0 {
            return Err("more than 1000 dB");
        }
        Ok(Self(number))
    }
}

/// By how much one power exceeds another, in decibels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Margin(pub(crate) f64);

impl Unit for Margin {
    const EXPECTED: &'static str = "a ratio of 0dB or more, like \"10dB\"";
    const PATTERN: &'static str = "A ratio of powers of 0dB or more, like \"10dB\".";
    const KINDS: &'static [Kind] = &[Kind::Ratio];

    fn from_base(number: f64, kind: Kind) -> Result<Self, &'static str> {
        if number < 0.0 {
            return Err("the weaker one of two");
        }
        Decibels::from_base(number, kind).map(|Decibels(number)| Self(number))
    }
}

/// A power in dBm.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Power(pub(crate) f64);

impl Unit for Power {
    const EXPECTED: &'static str = "a power in dBm, like \"-82dBm\"";
    const PATTERN: &'static str = "A power, like \"16dBm\" or \"-82dBm\".";
    const KINDS: &'static [Kind] = &[Kind::Power];

    fn from_base(number: f64, _: Kind) -> Result<Self, &'static str> {
        if number.abs() > 1000.0 {
            return Err("more than 1000 dBm from a milliwatt");
        }
        Ok(Self(number))
    }
}

/// From how many bytes on frames are preceded by RTS and CTS.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RtsThreshold(pub(crate) u32);

impl Unit for RtsThreshold {
    const EXPECTED: &'static str = "\"always\", \"never\" or a size, like \"256B\"";
    const PATTERN: &'static str = "A length of frames, like \"256B\".";
    const KINDS: &'static [Kind] = &[Kind::Size];

    fn from_base(number: f64, kind: Kind) -> Result<Self, &'static str> {
        Bytes::from_base(number, kind).map(|Bytes(number)| Self(number))
    }
}

unit!(Rate);
unit!(Duration);
unit!(SignedTime);
unit!(Period);
unit!(Size);
unit!(Bytes);
unit!(HeaderBytes);
unit!(Packets);
unit!(Limit);
unit!(Room);
unit!(Level);
unit!(Window);
unit!(Metres);
unit!(Distance);
unit!(Speed);
unit!(Decibels);
unit!(Margin);
unit!(Power);
unit!(RtsThreshold);

#[cfg(test)]
mod tests;
