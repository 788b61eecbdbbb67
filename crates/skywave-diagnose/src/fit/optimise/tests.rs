use super::minimise;

#[test]
fn a_curved_valley_is_followed_to_its_end() {
    let valley = |[x, y]: [f64; 2]| {
        let (along, across) = (1.0 - x, y - x * x);
        1e3 * (along * along + 100.0 * across * across)
    };
    let found = minimise([-1.2, 1.0], 0.5, 1000, valley);
    assert!((found.at[0] - 1.0).abs() < 1e-3 && (found.at[1] - 1.0).abs() < 1e-3);
    assert_eq!(valley(found.at), found.value);
}

#[test]
fn a_minimum_in_one_dimension_and_in_three_is_found() {
    let one = minimise([5.0], 1.0, 200, |[x]| 1e3 * (x - 2.0) * (x - 2.0));
    assert!((one.at[0] - 2.0).abs() < 1e-3);
    let three = minimise([0.0; 3], 1.0, 500, |[x, y, z]| {
        1e3 * ((x - 1.0).abs() + (y - 2.0) * (y - 2.0) + (z + 3.0) * (z + 3.0))
    });
    for (found, truth) in three.at.into_iter().zip([1.0, 2.0, -3.0]) {
        assert!((found - truth).abs() < 1e-2, "{found} for {truth}");
    }
}

#[test]
fn forbidden_places_are_left_and_the_evaluations_are_limited() {
    let mut calls = 0;
    let found = minimise([0.5, 0.5], 1.0, 60, |[x, y]| {
        calls += 1;
        // Logarithms of negative numbers are not numbers.
        x - libm::log(x) + y - libm::log(y)
    });
    assert!(found.value < 2.01, "{found:?}");
    assert!(calls <= 64, "{calls}");
    assert_eq!(minimise([1.0], 1.0, 50, |_| f64::NAN).value, f64::INFINITY);
}
