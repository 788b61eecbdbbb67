use super::{BIN_S, Level, levels};

/// A minute of bins around a base by time, with a noise of 1 ms that is the same each time.
fn bins(base_s: impl Fn(f64) -> f64) -> Vec<(f64, f64)> {
    (0..300)
        .map(|i: u32| {
            let at_s = f64::from(i) * BIN_S;
            let noise = f64::from(i * 7919 % 101) / 101.0 - 0.5;
            (at_s, base_s(at_s) + 0.002 * noise)
        })
        .collect()
}

#[test]
fn one_level_is_none() {
    assert_eq!(levels(&bins(|_| 0.05)), None);
    assert_eq!(levels(&[(0.0, 0.05)]), None);
}

#[test]
fn levels_are_above_the_shortest() {
    let of = |at_s: f64| [0.06, 0.05, 0.08][(at_s / 13.3) as usize % 3];
    let found = levels(&bins(of)).unwrap();
    assert_eq!(found.len(), 5);
    for (number, &Level { from_s, longer_s }) in found.iter().enumerate() {
        let (start_s, middle_s) = (13.3 * number as f64, 13.3 * (number as f64 + 0.5));
        assert!((from_s - start_s).abs() <= BIN_S, "{found:?}");
        assert!(
            (longer_s - of(middle_s) + 0.05).abs() < 0.000_5,
            "{found:?}"
        );
    }
}
