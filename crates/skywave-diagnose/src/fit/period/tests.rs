use skywave_core::rng::Stream;

use super::period;

fn stream(seed: u64) -> Stream {
    Stream::named(seed, "test", "period")
}

#[test]
fn periods_are_found_and_their_intervals_hold_the_truth() {
    let mut held = 0;
    for seed in 0..100 {
        let mut s = stream(seed);
        let (every, start) = (s.uniform(8.0, 60.0), s.uniform(0.0, 10.0));
        let times: Vec<f64> = (0..38)
            .map(|k| start + every * f64::from(k))
            .take_while(|t| *t < 300.0)
            .map(|t| t + s.uniform(-0.1, 0.1))
            .collect();
        let found = period(&times, 0.0, 5.0, 100.0).expect("there is a period");
        assert!(
            (found.every_s.value - every).abs() < 0.1,
            "{found:?} for {every}"
        );
        assert!((found.first_s - start).abs() < 0.2);
        held += usize::from((found.every_s.low..=found.every_s.high).contains(&every));
    }
    assert!(held >= 92, "{held}");
}

#[test]
fn multiples_without_an_event_do_no_harm() {
    let times: Vec<f64> = [0, 1, 2, 4, 5, 8, 9, 10, 12]
        .map(|k| 3.0 + 15.0 * f64::from(k))
        .into();
    let found = period(&times, 0.0, 5.0, 60.0).expect("there is a period");
    assert!((found.every_s.value - 15.0).abs() < 1e-9 && (found.first_s - 3.0).abs() < 1e-9);
}

#[test]
fn a_stray_among_many_does_no_harm() {
    let mut times: Vec<f64> = (1..20).map(|k| 15.0 * f64::from(k)).collect();
    times.insert(7, 112.5);
    let found = period(&times, 0.0, 5.0, 60.0).expect("there is a period");
    assert!((found.every_s.value - 15.0).abs() < 1e-9, "{found:?}");
}

#[test]
fn random_times_have_none() {
    let found = (0..300)
        .filter(|&seed| {
            let mut s = stream(1000 + seed);
            let count = s.uniform_int(4, 20);
            let mut times: Vec<f64> = (0..count).map(|_| s.uniform(0.0, 300.0)).collect();
            times.sort_by(f64::total_cmp);
            period(&times, 0.0, 5.0, 60.0).is_some()
        })
        .count();
    // Measured: 6.
    assert!(found <= 9, "{found} of 300");
}

#[test]
fn few_events_or_all_at_once_have_none() {
    assert_eq!(period(&[], 0.0, 5.0, 60.0), None);
    assert_eq!(period(&[0.0, 10.0, 20.0], 0.0, 5.0, 60.0), None);
    assert_eq!(period(&[5.0; 10], 0.0, 5.0, 60.0), None);
}
