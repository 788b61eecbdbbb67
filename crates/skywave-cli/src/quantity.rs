//! Quantities as arguments of the command, written as in scenario files.

use std::time::Duration;

use skywave_lab::scenario::Quantity;

/// A time with its unit.
pub(crate) fn time(text: &str) -> Result<Duration, String> {
    let time = Quantity::parse(text).filter(|found| found.unit == "s");
    let time = time.and_then(|found| Duration::try_from_secs_f64(found.value).ok());
    time.ok_or_else(|| "expected a time of at most 100 days, such as 30min".to_owned())
}

/// A time that is not zero.
pub(crate) fn time_above_zero(text: &str) -> Result<Duration, String> {
    let time = time(text).ok().filter(|time| !time.is_zero());
    time.ok_or_else(|| {
        "expected a time above zero, of at most 100 days, with its unit, as 30s or 500ms".to_owned()
    })
}

/// A rate in bits a second.
pub(crate) fn rate(text: &str) -> Result<f64, String> {
    match Quantity::parse(text) {
        Some(found) if found.unit == "bit/s" && found.value > 0.0 => Ok(found.value),
        _ => Err("expected a rate, such as 2Mbps".to_owned()),
    }
}

/// A number of bytes, with a decimal unit.
pub(crate) fn bytes(text: &str) -> Result<u64, String> {
    let units = [
        ("TB", 1e12),
        ("GB", 1e9),
        ("MB", 1e6),
        ("kB", 1e3),
        ("B", 1.0),
    ];
    let bytes = scaled(text, &units);
    let sensible = bytes.filter(|bytes| (1.0..1e18).contains(bytes));
    sensible
        .map(|bytes| bytes as u64)
        .ok_or_else(|| "expected a size, such as 20GB or 500MB".to_owned())
}

/// A number times the worth of the first unit that it ends with.
fn scaled(text: &str, units: &[(&str, f64)]) -> Option<f64> {
    units.iter().find_map(|(unit, worth)| {
        let number: f64 = text.strip_suffix(unit)?.trim_end().parse().ok()?;
        Some(number * worth)
    })
}

/// A length on paper, in points (72 an inch).
pub(crate) fn length(text: &str) -> Result<f64, String> {
    let units = [
        ("mm", 72.0 / 25.4),
        ("cm", 72.0 / 2.54),
        ("in", 72.0),
        ("pt", 1.0),
    ];
    let points = scaled(text, &units);
    // From a letter to a poster.
    let sensible = points.filter(|points| (1.0..=10_000.0).contains(points));
    sensible
        .ok_or_else(|| "expected a length on paper, such as 84mm, 8.4cm, 3.3in or 8pt".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_that_are_none_or_too_long_are_told() {
        assert_eq!(time("1.5min"), Ok(Duration::from_secs(90)));
        assert_eq!(time("0s"), Ok(Duration::ZERO));
        for text in ["", "3", "3Mbps", "-1s", "1e300h"] {
            assert!(time(text).is_err(), "{text}");
            assert!(time_above_zero(text).is_err(), "{text}");
        }
        assert!(time_above_zero("0s").is_err());
    }

    #[test]
    fn sizes_have_units() {
        assert_eq!(bytes("1.5GB"), Ok(1_500_000_000));
        assert_eq!(bytes("7B"), Ok(7));
        for text in ["", "7", "B", "-1MB", "0B", "1e20TB", "NaNMB", "5GiB"] {
            assert!(bytes(text).is_err(), "{text}");
        }
    }

    #[test]
    fn lengths_on_paper_are_in_points() {
        assert_eq!(length("8pt"), Ok(8.0));
        assert_eq!(length("3.5 in"), Ok(252.0));
        assert!((length("84mm").unwrap() - 238.11).abs() < 0.01);
        assert_eq!(
            length("8.4cm").map(f64::round),
            length("84mm").map(f64::round)
        );
        for text in ["", "84", "mm", "-1mm", "NaNmm", "1e9in", "8px"] {
            assert!(length(text).is_err(), "{text}");
        }
    }
}
