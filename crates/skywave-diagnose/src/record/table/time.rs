//! Times of a table in seconds: numbers in a unit, times since 1970 whose size tells the unit, or dates.

/// Lowest time since 1970 in a unit, of 2001 (the highest is ten times that), and the seconds of the unit.
const SINCE_1970: [(f64, f64); 4] = [(1e9, 1.0), (1e12, 1e-3), (1e15, 1e-6), (1e18, 1e-9)];

/// The unit of numbers without one, if they can only be times since 1970.
pub(super) fn unit_of(first: f64) -> Option<f64> {
    let units = SINCE_1970.iter();
    let is_within = |low: f64| (low..low * 10.0).contains(&first);
    units
        .copied()
        .find(|&(low, _)| is_within(low))
        .map(|(_, unit)| unit)
}

/// Seconds since 1970 of a date with a time of day, its parts in that order with anything between them:
/// `2026-11-27T12:30:00.25Z`, `2019.12.16_13.40.04`. Zones are not used: only differences count.
pub(super) fn date(text: &str) -> Option<f64> {
    let is_digit = |c: char| c.is_ascii_digit();
    let mut rest = text.trim();
    let mut parts = [0_u32; 6];
    for part in &mut parts {
        rest = rest.trim_start_matches(|c: char| !c.is_ascii_digit());
        let end = rest.find(|c| !is_digit(c)).unwrap_or(rest.len());
        *part = rest
            .get(..end)
            .filter(|digits| digits.len() <= 4)?
            .parse()
            .ok()?;
        rest = &rest[end..];
    }
    let [year, month, day, hour, minute, second] = parts;
    let is_date = (1000..=9999).contains(&year)
        && (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && hour < 24
        && minute < 60
        && second <= 60;
    if !is_date {
        return None;
    }
    let fraction = rest.strip_prefix(['.', ',']).map_or("", |rest| {
        &rest[..rest.find(|c| !is_digit(c)).unwrap_or(rest.len())]
    });
    let fraction: f64 = format!("0.{fraction}0").parse().ok()?;
    let seconds = days(year, month, day) * 86_400 + i64::from(hour * 3600 + minute * 60 + second);
    Some(seconds as f64 + fraction)
}

/// Days of the Gregorian calendar from 1 March of the year 0.
fn days(year: u32, month: u32, day: u32) -> i64 {
    // Years begin in March, so that the day of a leap year is the last.
    let (year, month) = match month {
        1 | 2 => (i64::from(year) - 1, i64::from(month) + 9),
        _ => (i64::from(year), i64::from(month) - 3),
    };
    let leap_days = year / 4 - year / 100 + year / 400;
    365 * year + leap_days + (153 * month + 2) / 5 + i64::from(day) - 1
}
