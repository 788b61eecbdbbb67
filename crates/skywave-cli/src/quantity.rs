//! Quantities as arguments of the command, written as in scenario files.

use std::time::Duration;

use skywave_lab::scenario::Quantity;

/// A time with its unit.
pub(crate) fn time(text: &str) -> Result<Duration, String> {
    let time = Quantity::parse(text).filter(|found| found.unit == "s");
    let time = time.and_then(|found| Duration::try_from_secs_f64(found.value).ok());
    time.ok_or_else(|| "expected a time, such as 30min".to_owned())
}

/// A time that is not zero.
pub(crate) fn time_above_zero(text: &str) -> Result<Duration, String> {
    let time = time(text).ok().filter(|time| !time.is_zero());
    time.ok_or_else(|| "expected a time above zero with its unit, as 30s or 500ms".to_owned())
}

/// A rate in bits a second.
pub(crate) fn rate(text: &str) -> Result<f64, String> {
    match Quantity::parse(text) {
        Some(found) if found.unit == "bit/s" && found.value > 0.0 => Ok(found.value),
        _ => Err("expected a rate, such as 2Mbps".to_owned()),
    }
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
}
