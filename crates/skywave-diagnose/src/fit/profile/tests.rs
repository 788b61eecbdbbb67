use super::{REGULAR, bounds};
use crate::fit::optimise::{Minimum, minimise};

#[test]
fn a_parabola_has_the_bounds_of_a_normal_distribution() {
    // Standard deviations 0.3 and 2, correlation 0.8: the profile has the marginal deviations.
    let cost = |[x, y]: [f64; 2]| {
        let (u, v) = (x / 0.3, (y - 1.0) / 2.0);
        (u * u - 1.6 * u * v + v * v) / (2.0 * (1.0 - 0.64))
    };
    let best = minimise([0.1, 0.8], 0.3, 200, cost);
    for (i, deviation) in [0.3, 2.0].into_iter().enumerate() {
        for bound in bounds(best, i, REGULAR, cost) {
            assert!(
                (bound / (1.96 * deviation) - 1.0).abs() < 0.03,
                "{bound} of {i}"
            );
        }
    }
}

#[test]
fn a_flat_side_has_the_farthest_bound_and_a_steep_one_is_near() {
    let cost = |[x]: [f64; 1]| if x < -0.01 { f64::INFINITY } else { 0.0 };
    let best = Minimum {
        at: [0.0],
        value: 0.0,
    };
    let [down, up] = bounds(best, 0, REGULAR, cost);
    assert!(down < 0.02 && up == 5.0, "{down} {up}");
}
