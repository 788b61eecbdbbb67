//! Intervals by profile likelihood: at each value of one coordinate the others are the likeliest.

use super::optimise::{Minimum, minimise};

/// Half of chi-square's 95 % quantile with one degree of freedom: the fall of a log likelihood at the bounds of a 95 %
/// interval.
pub const REGULAR: f64 = 3.841 / 2.0;
/// Fall of a log likelihood at the bounds of a 95 % interval for the place of a sharp edge, such as where an
/// exponential distribution starts; [`REGULAR`] is for parameters without one.
pub const EDGE: f64 = 3.0;
/// The farthest that a bound is from the coordinate.
const FARTHEST: f64 = 5.0;

/// Bounds of coordinate `i` by profile likelihood: its distances down and up, in this order, from the minimum `best` at
/// which the negative log likelihood `cost`, minimised over the other coordinates, has risen by `rise`; at most 5 each.
/// The coordinate must be scaled so that a distance of 0.1 is neither nearly nothing nor huge.
pub fn bounds<const N: usize>(
    best: Minimum<N>,
    i: usize,
    rise: f64,
    cost: impl Fn([f64; N]) -> f64,
) -> [f64; 2] {
    [-1.0, 1.0].map(|sign| {
        // The others' best place moves little by little, so each search begins at the last one's end.
        let mut others = best.at;
        farthest(rise, |distance| {
            let fixed = |mut at: [f64; N]| {
                at[i] = best.at[i] + sign * distance;
                cost(at)
            };
            if N == 1 {
                return fixed(others) - best.value;
            }
            let found = minimise(others, 0.1, 10 * (N - 1) * (N - 1), fixed);
            others = found.at;
            found.value - best.value
        })
    })
}

/// The distance at which a cost has risen so far, given its `risen` at a distance.
fn farthest(rise: f64, mut risen: impl FnMut(f64) -> f64) -> f64 {
    let mut distance = 0.1;
    for _ in 0..8 {
        let here = f64::max(risen(distance), 1e-6);
        if (here - rise).abs() < 0.03 * rise || here < rise && distance >= FARTHEST {
            break;
        }
        // Near its least place a cost is a parabola.
        let factor = libm::sqrt(rise / here).clamp(0.2, 4.0);
        distance = (distance * factor).min(FARTHEST);
    }
    distance
}

#[cfg(test)]
mod tests;
