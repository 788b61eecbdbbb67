use skywave_core::rng::Stream;

use super::changes;

/// Normal noise, nearly: the sum of twelve uniform numbers.
fn normal(stream: &mut Stream) -> f64 {
    (0..12).map(|_| stream.unit()).sum::<f64>() - 6.0
}

#[test]
fn steps_are_found_where_they_are() {
    let mut s = Stream::named(1, "test", "changes");
    let level = |i: usize| [40.0, 60.0, 48.0, 72.0][i / 75 % 4];
    let values: Vec<f64> = (0..750).map(|i| level(i) + 2.0 * normal(&mut s)).collect();
    let expected: Vec<usize> = (1..10).map(|i| 75 * i).collect();
    assert_eq!(changes(&values, 2.0, 15), expected);
}

#[test]
fn noise_alone_has_none() {
    let mut s = Stream::named(2, "test", "changes");
    let found: usize = (0..50)
        .map(|_| {
            let values: Vec<f64> = (0..1000).map(|_| normal(&mut s)).collect();
            changes(&values, 1.0, 15).len()
        })
        .sum();
    assert_eq!(found, 0);
}

#[test]
fn the_best_of_all_ways_to_cut_is_found() {
    // Against dynamic programming without pruning, on a series with too many changes for the shortest segment.
    let mut s = Stream::named(3, "test", "changes");
    let values: Vec<f64> = (0..120)
        .map(|i| 3.0 * f64::from(i / 4 % 3) + normal(&mut s))
        .collect();
    let (shortest, penalty) = (5, 3.0 * libm::log(120.0));
    let cost = |part: &[f64]| {
        let mean = part.iter().sum::<f64>() / part.len() as f64;
        part.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>()
    };
    let mut least = vec![f64::INFINITY; 121];
    least[0] = -penalty;
    for to in shortest..=120 {
        for from in 0..=to - shortest {
            least[to] = least[to].min(least[from] + cost(&values[from..to]) + penalty);
        }
    }
    let mut bounds = vec![0];
    bounds.extend(changes(&values, 1.0, shortest));
    bounds.push(120);
    let total: f64 = bounds
        .windows(2)
        .map(|w| cost(&values[w[0]..w[1]]) + penalty)
        .sum();
    assert!((total - penalty - least[120]).abs() < 1e-6, "{bounds:?}");
    assert!(bounds.windows(2).all(|w| w[1] - w[0] >= shortest));
}

#[test]
fn short_and_constant_series_have_none() {
    assert!(changes(&[], 1.0, 5).is_empty());
    assert!(changes(&[1.0, 9.0], 1.0, 2).is_empty());
    assert!(changes(&[5.0; 100], 0.0, 5).is_empty());
}
