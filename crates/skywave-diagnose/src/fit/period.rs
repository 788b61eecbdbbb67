//! Events that come back after a fixed time.

use super::Estimate;

/// Period of events that come again and again at regular times.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Period {
    /// Time from one event to the next, seconds.
    pub every_s: Estimate,
    /// Time of the first event by a straight line through the events, strays left out, seconds on the clock of their
    /// times.
    pub first_s: f64,
}

/// Events without which nothing is said of a period.
const FEWEST: usize = 4;
/// Length of the events' mean direction on a circle of one period that a period must have.
const DIRECTED: f64 = 0.95;
/// Length that it must have with at least `MANY` events, of which one or two may then be strays.
const DIRECTED_MANY: f64 = 0.85;
const MANY: usize = 12;
/// Part of a period by which a stray is off.
const STRAY: f64 = 0.15;
/// Share of the period's multiples that must have an event.
const FILLED: f64 = 0.5;

/// Period of events at the times `times_s` (in rising order): the longest one between `shortest_s` and `longest_s` at
/// whose multiples the events lie. Their phases must agree (mean resultant length above 0.95, or 0.85 with twelve
/// events or more), and at least half of the multiples from the first event to the last must have an event. `None` if
/// there is no such period, or with fewer than four events. `resolution_s` is the error of each time: the
/// bounds of the period's interval are at least this, over the number of periods between the first event and the last,
/// away from its value.
pub fn period(
    times_s: &[f64],
    resolution_s: f64,
    shortest_s: f64,
    longest_s: f64,
) -> Option<Period> {
    let (first, last) = (*times_s.first()?, *times_s.last()?);
    let gaps = times_s.len() - 1;
    let span = last - first;
    if times_s.len() < FEWEST || span <= 0.0 {
        return None;
    }
    let shortest = shortest_s.max(FILLED * span / gaps as f64);
    let longest = longest_s.min(span / (FEWEST - 1) as f64 * 1.1);
    // Frequencies so close to each other that the events' phases move little between two.
    let step = 0.05 / span;
    let steps = libm::ceil((1.0 / shortest - 1.0 / longest) / step);
    if !(0.0..1e6).contains(&steps) {
        return None;
    }
    let least = if times_s.len() < MANY {
        DIRECTED
    } else {
        DIRECTED_MANY
    };
    let mut best = None::<(f64, f64)>;
    for i in 0..=steps as usize {
        let frequency = 1.0 / longest + i as f64 * step;
        let directed = direction(times_s, frequency);
        match best {
            Some((most, _)) if directed < most => break,
            _ if directed > least => best = Some((directed, frequency)),
            _ => {}
        }
    }
    let (_, frequency) = best?;
    let rough = regression(times_s, resolution_s, 1.0 / frequency)?;
    let every = rough.every_s.value;
    let is_stray = |time: &f64| {
        let turns = (time - rough.first_s) / every;
        (turns - libm::round(turns)).abs() > STRAY
    };
    let kept: Vec<f64> = times_s.iter().copied().filter(|t| !is_stray(t)).collect();
    let found = if kept.len() < FEWEST {
        rough
    } else {
        regression(&kept, resolution_s, every)?
    };
    Some(found)
}

/// Length of the mean of the events' directions on a circle that turns this often a second.
fn direction(times_s: &[f64], frequency: f64) -> f64 {
    let (mut x, mut y) = (0.0, 0.0);
    for time in times_s {
        let angle = std::f64::consts::TAU * frequency * (time - times_s[0]);
        x += libm::cos(angle);
        y += libm::sin(angle);
    }
    libm::hypot(x, y) / times_s.len() as f64
}

/// The straight line of times by the numbers of their multiples.
fn regression(times_s: &[f64], resolution_s: f64, rough: f64) -> Option<Period> {
    let n = times_s.len() as f64;
    let numbers: Vec<f64> = times_s
        .iter()
        .map(|t| libm::round((t - times_s[0]) / rough))
        .collect();
    let mean_number = numbers.iter().sum::<f64>() / n;
    let mean_time = times_s.iter().sum::<f64>() / n;
    let both = || numbers.iter().zip(times_s);
    let spread: f64 = numbers
        .iter()
        .map(|k| (k - mean_number) * (k - mean_number))
        .sum();
    if spread <= 0.0 {
        return None;
    }
    let every = both()
        .map(|(k, t)| (k - mean_number) * (t - mean_time))
        .sum::<f64>()
        / spread;
    let first = mean_time - every * mean_number;
    let squares: f64 = both()
        .map(|(k, t)| {
            let off = t - first - every * k;
            off * off
        })
        .sum();
    // Student's quantile with few degrees of freedom, roughly: 4.3 with two, 2 with many.
    let quantile = 2.0 + 4.6 / (n - 2.0);
    let coarse = resolution_s / numbers[numbers.len() - 1];
    let error = f64::max(quantile * libm::sqrt(squares / (n - 2.0) / spread), coarse);
    Some(Period {
        every_s: Estimate::new(every, every - error, every + error),
        first_s: first,
    })
}

#[cfg(test)]
mod tests;
