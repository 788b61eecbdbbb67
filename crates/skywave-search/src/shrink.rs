//! A path made small: fewest keys off their defaults, round numbers, while the verdict stands.

use skywave_scenario::Key;

use crate::{Candidate, keys_off};

/// First digits of round numbers.
const ROUND: [f64; 5] = [1.0, 2.0, 3.0, 5.0, 7.0];
/// Smallest bound: with less than a tenth a path is bad, and that it may be worse in detail does not matter.
const LEAST: f64 = 0.1;

/// Smallest round number (1, 2, 3, 5 or 7 times a power of ten) that is at least the objective's value on a path, and
/// at least 0.1: the bound for shrinking that path.
pub fn next_round(value: f64) -> f64 {
    // Each number has one name: that of its digits.
    let numbers = (-1..=6).flat_map(|power| ROUND.map(|digit| format!("{digit}e{power}").parse()));
    let numbers = numbers.filter_map(|number: Result<f64, _>| number.ok());
    let mut above = numbers.filter(|&number| number >= value.max(LEAST));
    above.next().unwrap_or(f64::MAX)
}

/// Makes a path simple while it stays bad: puts keys back to their defaults and rounds numbers to one digit, else to
/// two, as long as the value that `judge` gives is at most `below`, until nothing changes.
///
/// # Errors
/// Those of `judge`.
pub fn shrink<E>(
    keys: &[Key],
    candidate: Candidate,
    below: f64,
    mut judge: impl FnMut(&[Candidate]) -> Result<Vec<Option<f64>>, E>,
) -> Result<Candidate, E> {
    let mut now = candidate;
    loop {
        let before = now.clone();
        while let Some(fewer) = without_a_key(&now, below, &mut judge)? {
            now = fewer;
        }
        for (index, key) in keys.iter().enumerate() {
            round(key, index, &mut now, below, &mut judge)?;
        }
        if now == before {
            return Ok(now);
        }
    }
}

/// The candidate with one key less: of those of which the verdict stands the one of the smallest value.
fn without_a_key<E>(
    now: &Candidate,
    below: f64,
    judge: &mut impl FnMut(&[Candidate]) -> Result<Vec<Option<f64>>, E>,
) -> Result<Option<Candidate>, E> {
    if keys_off(now) == 0 {
        return Ok(None);
    }
    let set = (0..now.len()).filter(|&index| now[index].is_some());
    let mut fewer: Vec<Candidate> = set
        .map(|index| {
            let mut fewer = now.clone();
            fewer[index] = None;
            fewer
        })
        .collect();
    let values = judge(&fewer)?;
    let standing = values.iter().enumerate();
    let standing = standing.filter_map(|(at, value)| Some((at, value.filter(|&v| v <= below)?)));
    let best = standing.min_by(|a, b| a.1.total_cmp(&b.1));
    Ok(best.map(|(at, _)| fewer.swap_remove(at)))
}

/// Rounds the numbers of a key.
fn round<E>(
    key: &Key,
    index: usize,
    now: &mut Candidate,
    below: f64,
    judge: &mut impl FnMut(&[Candidate]) -> Result<Vec<Option<f64>>, E>,
) -> Result<(), E> {
    let numbers = now[index]
        .as_ref()
        .map_or(0, |setting| setting.numbers().len());
    for number in 0..numbers {
        for digits in [1, 2] {
            let Some(setting) = &now[index] else { break };
            let rounded = key.rounded(setting, number, digits).into_iter();
            let mut tried: Vec<Candidate> = rounded
                .map(|setting| {
                    let mut tried = now.clone();
                    tried[index] = Some(setting);
                    tried
                })
                .collect();
            if tried.is_empty() {
                break;
            }
            let values = judge(&tried)?;
            let stands = |value: &Option<f64>| value.is_some_and(|value| value <= below);
            if let Some(first) = values.iter().position(stands) {
                *now = tried.swap_remove(first);
                break;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_is_the_next_round_number() {
        for (value, bound) in [
            (0.0, 0.1),
            (0.12, 0.2),
            (0.2, 0.2),
            (0.31, 0.5),
            (0.71, 1.0),
            (1.0, 1.0),
            (1.2, 2.0),
        ] {
            assert_eq!(next_round(value), bound);
        }
    }
}
