//! A number with its unit, as text.

use crate::read::names::nearest;

/// Quantity that a unit measures; results have it in its SI unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Rate,
    Time,
    Size,
    Packets,
    Segments,
    Length,
    Speed,
    Ratio,
    Power,
}

impl Kind {
    const fn si(self) -> &'static str {
        match self {
            Self::Rate => "bit/s",
            Self::Time => "s",
            Self::Size => "B",
            Self::Packets => "packets",
            Self::Segments => "segments",
            Self::Length => "m",
            Self::Speed => "m/s",
            Self::Ratio => "dB",
            Self::Power => "dBm",
        }
    }

    /// Numbers below zero make sense.
    pub(crate) const fn is_signed(self) -> bool {
        matches!(self, Self::Length | Self::Ratio | Self::Power)
    }
}

/// Every unit: name, what it measures, and its size (rates in bit/s, times in ns, sizes in bytes, lengths
/// in metres, speeds in metres a second).
pub(crate) const UNITS: &[(&str, Kind, f64)] = &[
    ("bps", Kind::Rate, 1.0),
    ("kbps", Kind::Rate, 1e3),
    ("Mbps", Kind::Rate, 1e6),
    ("Gbps", Kind::Rate, 1e9),
    ("bit/s", Kind::Rate, 1.0),
    ("kbit/s", Kind::Rate, 1e3),
    ("Mbit/s", Kind::Rate, 1e6),
    ("Gbit/s", Kind::Rate, 1e9),
    ("b/s", Kind::Rate, 1.0),
    ("kb/s", Kind::Rate, 1e3),
    ("Mb/s", Kind::Rate, 1e6),
    ("Gb/s", Kind::Rate, 1e9),
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
    ("m", Kind::Length, 1.0),
    ("km", Kind::Length, 1e3),
    ("m/s", Kind::Speed, 1.0),
    ("km/h", Kind::Speed, 1.0 / 3.6),
    ("dB", Kind::Ratio, 1.0),
    ("dBm", Kind::Power, 1.0),
];

/// Longest time that a scenario can name: a hundred days.
const MAX_NANOS: f64 = 100.0 * 86_400.0 * 1e9;
/// The largest number of anything else, in the unit of [`Kind::si`].
const LARGEST: f64 = 1e18;

/// A quantity in SI units, as it goes into the columns of results.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantity {
    /// Number in the unit that [`Self::unit`] names.
    pub value: f64,
    /// Unit of the value: `s`, `bit/s`, `B`, `packets`, `segments`, `m`, `m/s`, `dB` or `dBm`.
    pub unit: &'static str,
}

impl Quantity {
    /// Quantity that a text with a number and a unit means, in SI units: `10 ms` is 0.01 s. `None` if `text` has no
    /// number or no known unit, or is out of range.
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

/// The number in the kind's base unit ([`UNITS`]) and the kind; any kind when `kinds` is empty. The error is a label
/// and a help line.
pub(crate) fn split(text: &str, kinds: &[Kind]) -> Result<(f64, Kind), String> {
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
        let near = bits_or_bytes(unit, &known).or_else(|| {
            let near = spelt_otherwise(unit, &known).or_else(|| nearest(unit, &known))?;
            Some(format!(", did you mean `{near}`?"))
        });
        let near = near.unwrap_or_default();
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
    if number.is_sign_negative() && number != 0.0 && !kind.is_signed() {
        return Err("below zero".into());
    }
    // No negative zero.
    let scaled = number * scale + 0.0;
    if kind == Kind::Time && scaled > MAX_NANOS {
        return Err("more than 100 days, the longest time of a scenario".into());
    }
    if scaled.abs() > LARGEST {
        return Err(format!("more than {LARGEST:e} {}", kind.si()));
    }
    Ok((scaled, kind))
}

/// Advice for a rate in `MBps`, whose letter says bytes and whose form is that of bits, which are eight
/// times less.
fn bits_or_bytes(unit: &str, known: &[&str]) -> Option<String> {
    let prefix = unit.strip_suffix("Bps")?;
    let find = |ending: &str| {
        let wanted = format!("{prefix}{ending}");
        let mut alike = known.iter().filter(|k| k.ends_with(ending));
        alike.find(|k| k.eq_ignore_ascii_case(&wanted))
    };
    match (find("B/s"), find("bps")) {
        (Some(bytes), Some(bits)) => Some(format!(
            ", did you mean `{bytes}` (bytes) or `{bits}` (bits)?"
        )),
        (None, Some(bits)) => Some(format!(
            ", did you mean `{bits}`? These are bits, not bytes"
        )),
        _ => None,
    }
}

/// Ends of the longer names of times: `msec`, `minutes`.
const LONGER: [&str; 9] = [
    "ec", "ecs", "econd", "econds", "ute", "utes", "our", "ours", "r",
];

/// The unit that a rate without "per second" (`Mbit`) or the longer name of a time stands for.
fn spelt_otherwise<'a>(unit: &str, known: &[&'a str]) -> Option<&'a str> {
    let is_meant = |k: &str| {
        k.strip_suffix("/s") == Some(unit)
            || unit
                .strip_prefix(k)
                .is_some_and(|end| LONGER.contains(&end))
    };
    known.iter().copied().find(|k| is_meant(k))
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
