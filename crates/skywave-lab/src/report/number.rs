//! Numbers for people: scaled to a sensible unit, with no more digits than they are worth.

use crate::experiment::stats::Estimate;
use skywave_sim::outcome::Unit;

/// Unit with its prefix, such as Mb/s, and the factor that converts a number to it from the base unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scaled {
    /// Factor that a number in the base unit is multiplied by to be in this unit: 1e-6 for Mb/s.
    pub factor: f64,
    /// Unit as written, with its prefix: `Mb/s`; may be empty.
    pub label: &'static str,
}

/// From which size (in the unit without prefix) a prefix is used, its factor and its label.
type Prefixes = &'static [(f64, f64, &'static str)];

// A tenth of a megabit per second is written in megabits, as papers do.
const BIT_RATES: Prefixes = &[
    (1e9, 1e-9, "Gb/s"),
    (1e5, 1e-6, "Mb/s"),
    (1e2, 1e-3, "kb/s"),
    (0.0, 1.0, "b/s"),
];
const BYTES: Prefixes = &[
    (1e9, 1e-9, "GB"),
    (1e6, 1e-6, "MB"),
    (1e3, 1e-3, "kB"),
    (0.0, 1.0, "B"),
];
const SECONDS: Prefixes = &[
    (1.0, 1.0, "s"),
    (1e-3, 1e3, "ms"),
    (f64::MIN_POSITIVE, 1e6, "µs"),
    (0.0, 1.0, "s"),
];

/// Unit with the prefix that suits values up to `largest`, a number in the base unit (bit/s, bytes, seconds).
pub fn scale(unit: Unit, largest: f64) -> Scaled {
    let plain = |label| Scaled { factor: 1.0, label };
    let prefixes = match unit {
        Unit::BitRate => BIT_RATES,
        Unit::Bytes => BYTES,
        Unit::Seconds => SECONDS,
        Unit::Packets => return plain("packets"),
        Unit::Segments => return plain("segments"),
        Unit::Count | Unit::Ratio => return plain(""),
        Unit::Share => {
            return Scaled {
                factor: 100.0,
                label: "%",
            };
        }
    };
    let (_, factor, label) = prefixes
        .iter()
        .find(|(from, ..)| largest.abs() >= *from)
        .unwrap_or(&prefixes[prefixes.len() - 1]);
    Scaled {
        factor: *factor,
        label,
    }
}

/// Number of decimals for a column of values up to `largest`: three below 10, two below 100, one below 1000, else none.
pub fn decimals(largest: f64) -> usize {
    match largest.abs() {
        x if x < 10.0 => 3,
        x if x < 100.0 => 2,
        x if x < 1000.0 => 1,
        _ => 0,
    }
}

/// Text of a number with `decimals` decimals and a true minus sign (−); zero after rounding has no sign.
pub fn fixed(x: f64, decimals: usize) -> String {
    let text = format!("{x:.decimals$}");
    match text.strip_prefix('-') {
        Some(digits) if digits.chars().all(|c| matches!(c, '0' | '.')) => digits.to_owned(),
        Some(digits) => format!("−{digits}"),
        None => text,
    }
}

/// Text of an estimate times `factor`: `0.610 ±0.012`, or the mean alone when there is no interval.
pub fn plus_minus(estimate: &Estimate, factor: f64, decimals: usize) -> String {
    let mean = fixed(estimate.mean * factor, decimals);
    match estimate.half {
        Some(half) => format!("{mean} ±{}", fixed(half * factor, decimals)),
        None => mean,
    }
}

/// Text of a relative gain (0.1 is 10 %) in percent with its 95 % interval, without the percent sign:
/// `+12.3 [+9.8, +14.8]`.
pub fn percent(gain: &Estimate) -> String {
    let signed = |x: f64| {
        let text = fixed(100.0 * x, usize::from(x.abs() < 1.0));
        if text.starts_with('−') || text.chars().all(|c| matches!(c, '0' | '.')) {
            text
        } else {
            format!("+{text}")
        }
    };
    let mean = signed(gain.mean);
    match gain.half {
        Some(_) => {
            let (low, high) = gain.bounds();
            format!("{mean} [{}, {}]", signed(low), signed(high))
        }
        None => mean,
    }
}

/// Shortest text from which a number can be read back exactly; below 1e-6 and from 1e12 on it has an exponent.
pub fn plain(x: f64) -> String {
    let size = x.abs();
    let text = if size != 0.0 && !(1e-6..1e12).contains(&size) {
        format!("{x:e}")
    } else {
        format!("{x}")
    };
    match text.strip_prefix('-') {
        Some(digits) => format!("−{digits}"),
        None => text,
    }
}

/// Text of a count and the noun `thing`, with an `s` unless the count is 1: `1 run`, `2 runs`.
pub fn counted(number: usize, thing: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{number} {thing}{ending}")
}

/// Text of a power of ten: `10⁻⁵`.
pub fn power_of_ten(exponent: i32) -> String {
    let exponent = exponent.to_string();
    let digits = exponent.chars().map(|c| match c {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        _ => char::from_u32(0x2070 + c.to_digit(10).unwrap_or(0)).unwrap_or(c),
    });
    format!("10{}", digits.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_follow_the_largest_value() {
        for (unit, largest, label) in [
            (Unit::BitRate, 2e6, "Mb/s"),
            (Unit::BitRate, 610e3, "Mb/s"),
            (Unit::BitRate, 50e3, "kb/s"),
            (Unit::BitRate, 0.0, "b/s"),
            (Unit::BitRate, 5e9, "Gb/s"),
            (Unit::Seconds, 1.5, "s"),
            (Unit::Seconds, 0.08, "ms"),
            (Unit::Seconds, 2e-5, "µs"),
            (Unit::Seconds, 0.0, "s"),
            (Unit::Bytes, 1500.0, "kB"),
            (Unit::Share, 0.5, "%"),
        ] {
            assert_eq!(scale(unit, largest).label, label, "{unit:?} {largest}");
        }
    }

    #[test]
    fn numbers_read_well() {
        let e = |mean, half| Estimate {
            n: 5,
            mean,
            sd: 0.0,
            half,
        };
        assert_eq!(plus_minus(&e(0.61e6, Some(12e3)), 1e-6, 3), "0.610 ±0.012");
        assert_eq!(plus_minus(&e(3.0, None), 1.0, 1), "3.0");
        assert_eq!(percent(&e(0.123, Some(0.1))), "+12.3 [+2.3, +22.3]");
        assert_eq!(percent(&e(-0.5, None)), "−50.0");
        assert_eq!(percent(&e(12.0, Some(1.0))), "+1200 [+1100, +1300]");
        assert_eq!(fixed(-0.0001, 3), "0.000");
        assert_eq!(plain(0.001), "0.001");
        assert_eq!(plain(1e-7), "1e-7");
        assert_eq!(plain(-2.5), "−2.5");
        assert_eq!(counted(1, "run"), "1 run");
        assert_eq!(counted(0, "run"), "0 runs");
        assert_eq!(power_of_ten(-12), "10⁻¹²");
        assert_eq!(power_of_ten(406), "10⁴⁰⁶");
    }
}
