//! The minimum of a function of a few numbers without its derivatives.

/// Coordinates at which a function is least, and its value there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Minimum<const N: usize> {
    /// Coordinates at which the function is least.
    pub at: [f64; N],
    /// Value of the function at these coordinates.
    pub value: f64,
}

/// A spread of values in a simplex below which it has come to rest.
const AT_REST: f64 = 1e-4;

/// Minimum of `function` by the simplex method of Nelder and Mead (1965) from `start`, with edges of `step` at first,
/// until the values at the simplex's corners differ by less than 1e-4, or after about `evaluations` calls of
/// `function`. NaN counts as infinite. Callers pass logarithms of scales and rates, so that one step suits all
/// coordinates.
pub fn minimise<const N: usize>(
    start: [f64; N],
    step: f64,
    evaluations: usize,
    mut function: impl FnMut([f64; N]) -> f64,
) -> Minimum<N> {
    let mut left = evaluations;
    let mut evaluate = |at: [f64; N]| {
        left = left.saturating_sub(1);
        let value = function(at);
        let value = if value.is_nan() { f64::INFINITY } else { value };
        (Minimum { at, value }, left)
    };
    let mut simplex = vec![evaluate(start).0];
    for i in 0..N {
        let mut at = start;
        at[i] += step;
        simplex.push(evaluate(at).0);
    }
    loop {
        simplex.sort_by(|a, b| a.value.total_cmp(&b.value));
        let (best, second, worst) = (simplex[0], simplex[N - 1], simplex[N]);
        let centre: [f64; N] =
            std::array::from_fn(|i| simplex[..N].iter().map(|m| m.at[i]).sum::<f64>() / N as f64);
        let along = |by: f64| std::array::from_fn(|i| centre[i] + by * (centre[i] - worst.at[i]));
        if worst.value - best.value < AT_REST {
            return best;
        }
        let (mirrored, left) = evaluate(along(1.0));
        let next = if mirrored.value < best.value {
            let far = evaluate(along(2.0)).0;
            if far.value < mirrored.value {
                far
            } else {
                mirrored
            }
        } else if mirrored.value < second.value {
            mirrored
        } else {
            evaluate(along(if mirrored.value < worst.value {
                0.5
            } else {
                -0.5
            }))
            .0
        };
        if next.value < worst.value {
            simplex[N] = next;
        } else {
            for corner in &mut simplex[1..] {
                let at = std::array::from_fn(|i| f64::midpoint(corner.at[i], best.at[i]));
                *corner = evaluate(at).0;
            }
        }
        if left == 0 {
            return simplex.into_iter().fold(best, |least, corner| {
                if corner.value < least.value {
                    corner
                } else {
                    least
                }
            });
        }
    }
}

#[cfg(test)]
mod tests;
