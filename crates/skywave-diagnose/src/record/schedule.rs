//! Times of probes of which only some are known.

use crate::order::middle;

/// A step of the clock back by more than this is one, seconds; less is the rounding of what was measured.
const STEP_S: f64 = 0.5;

/// When each probe was sent, seconds from the first one. Unknown times lie evenly between known ones; before the first
/// and after the last of these, and between all if none is known, probes are `interval_s` apart.
pub(super) fn filled(known: &[Option<f64>], interval_s: f64) -> Vec<f64> {
    let mut times = Vec::with_capacity(known.len());
    let mut shift = 0.0;
    for (index, time) in known.iter().enumerate() {
        let Some(time) = *time else { continue };
        let gap = index - times.len();
        let time = match times.last() {
            None => {
                times.extend((0..gap).map(|n| time - (gap - n) as f64 * interval_s));
                time
            }
            Some(&before) => {
                let mut at: f64 = time + shift;
                if at < before - STEP_S {
                    shift += before + (gap + 1) as f64 * interval_s - at;
                    at = time + shift;
                }
                let at = at.max(before);
                let each = (at - before) / (gap + 1) as f64;
                times.extend((1..=gap).map(|n| before + n as f64 * each));
                at
            }
        };
        times.push(time);
    }
    let last = times.last().copied();
    let missing = known.len() - times.len();
    match last {
        Some(last) => times.extend((1..=missing).map(|n| last + n as f64 * interval_s)),
        None => times.extend((0..missing).map(|n| n as f64 * interval_s)),
    }
    let first = times.first().copied().unwrap_or_default();
    for time in &mut times {
        *time -= first;
    }
    times
}

/// The median time from a probe to the next among those known, seconds.
pub(super) fn interval(known: &[Option<f64>]) -> Option<f64> {
    let mut gaps = Vec::new();
    let mut before: Option<(usize, f64)> = None;
    for (index, time) in known.iter().enumerate() {
        let Some(time) = *time else { continue };
        if let Some((number, earlier)) = before
            && time > earlier
        {
            gaps.push((time - earlier) / (index - number) as f64);
        }
        before = Some((index, time));
    }
    middle(&mut gaps)
}
