use super::*;
use skywave_core::rng::Stream;

#[track_caller]
fn close(a: f64, b: f64, tolerance: f64) {
    assert!((a - b).abs() <= tolerance, "{a} is not {b}");
}

fn some(values: &[f64]) -> Vec<Option<f64>> {
    values.iter().copied().map(Some).collect()
}

#[test]
fn t_quantiles_are_those_of_the_tables() {
    // Printed tables, 97.5% column.
    for (dof, t) in [
        (1, 12.706_204_736),
        (2, 4.302_652_730),
        (3, 3.182_446_305),
        (4, 2.776_445_105),
        (9, 2.262_157_163),
        (19, 2.093_024_054),
        (20, 2.085_963_447),
        (120, 1.979_930_405),
        (100_000, 1.959_987_708),
    ] {
        close(t_quantile(0.975, dof), t, 1e-6);
        close(t_quantile(0.025, dof), -t, 1e-6);
    }
    close(t_quantile(0.5, 7), 0.0, 1e-12);
    close(t_quantile(0.995, 10), 3.169_272_667, 1e-6);
}

#[test]
fn an_estimate_by_hand() {
    // 2, 4, 4, 4, 5, 5, 7, 9: mean 5, squares 32, sd √(32/7).
    let e = Estimate::of(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]).unwrap();
    close(e.mean, 5.0, 0.0);
    close(e.sd, (32.0_f64 / 7.0).sqrt(), 1e-12);
    close(
        e.half.unwrap(),
        2.364_624_251 * (32.0_f64 / 7.0 / 8.0).sqrt(),
        1e-8,
    );
}

#[test]
fn one_sample_has_no_interval_and_none_no_mean() {
    let one = Estimate::of(&[3.0]).unwrap();
    assert_eq!(one.half, None);
    assert!(!one.is_significant());
    assert_eq!(Estimate::of(&[]), None);
    assert_eq!(Estimate::of(&[3.0, 3.0]).unwrap().half, Some(0.0));
}

#[test]
fn pairing_removes_what_both_share() {
    // Seeds differ by 100, the variants by 1 ± 0.1.
    let a = some(&[101.0, 201.1, 300.9]);
    let b = some(&[100.0, 200.0, 300.0]);
    let d = paired_difference(&a, &b).unwrap();
    close(d.mean, 1.0, 1e-9);
    assert!(d.is_significant());
    // A seed that one side lacks does not count.
    let e = paired_difference(&[Some(1.0), None, Some(2.0)], &b).unwrap();
    assert_eq!(e.n, 2);
}

#[test]
fn a_gain_is_a_ratio_of_means() {
    let g = paired_gain(&some(&[2.2, 1.1]), &some(&[2.0, 1.0])).unwrap();
    close(g.mean, 0.1, 1e-12);
    // Both seeds have the same ratio, so the interval is empty.
    close(g.half.unwrap(), 0.0, 1e-12);
    // A seed may have zero on one side; the mean may not.
    assert!(paired_gain(&some(&[1.0, 2.0]), &some(&[0.0, 2.0])).is_some());
    assert_eq!(paired_gain(&some(&[1.0]), &some(&[0.0])), None);
    assert_eq!(paired_gain(&[], &[]), None);
}

#[test]
fn comparisons_with_different_gaps_are_averaged_seed_by_seed() {
    // Two ratios of 2, over seeds 0 to 3 and 2 to 5. At seeds 2 and 3, which both have, one is as far
    // above as the other is below; taken by place instead, all of them would cancel.
    let first = [some(&[3.0, 1.0, 3.0, 1.0]), vec![None, None]].concat();
    let second = [vec![None, None], some(&[1.0, 3.0, 1.0, 3.0])].concat();
    let ones = some(&[1.0; 6]);
    let e = mean_ratio(&[(&first, &ones), (&second, &ones)]).unwrap();
    close(e.mean, 2.0, 1e-12);
    assert_eq!(e.n, 6);
    // A residual counts by what it moves the mean of the two ratios by: 1/4 of one of the two, and
    // there are 6 seeds. So ±3/4 at the four seeds that one comparison has, 0 at the others.
    let sd = (4.0 * 0.75 * 0.75_f64 / 5.0).sqrt();
    close(e.half.unwrap(), 2.570_581_836 * sd / 6.0_f64.sqrt(), 1e-8);
}

#[test]
fn a_comparison_taken_twice_is_the_comparison_once() {
    let a = [Some(3.0), None, Some(2.5), Some(1.0), Some(4.0)];
    let b = [Some(1.0), Some(2.0), None, Some(1.5), Some(1.2)];
    let (once, twice) = (mean_ratio(&[(&a, &b)]), mean_ratio(&[(&a, &b), (&a, &b)]));
    assert_eq!(once.unwrap().n, 3);
    assert_eq!(once, twice);
    assert_eq!(mean_ratio(&[]), None);
    assert_eq!(mean_ratio(&[(&a, &b), (&a, &[None; 5])]), None);
}

#[test]
fn fairness_by_hand() {
    assert_eq!(jain(&[1.0, 1.0, 1.0, 1.0]), Some(1.0));
    assert_eq!(jain(&[1.0, 0.0, 0.0, 0.0]), Some(0.25));
    // (1+2+3)² / (3·14)
    close(jain(&[1.0, 2.0, 3.0]).unwrap(), 36.0 / 42.0, 1e-12);
    assert_eq!(jain(&[0.0, 0.0]), None);
    assert_eq!(jain(&[]), None);
}

fn normal(stream: &mut Stream) -> f64 {
    let radius = libm::sqrt(stream.exponential(2.0));
    radius * libm::cos(std::f64::consts::TAU * stream.unit())
}

#[test]
fn intervals_cover_the_truth_95_times_in_100() {
    let mut stream = Stream::named(1, "stats", "coverage");
    let trials = 2000;
    for n in [5, 20] {
        let (mut mean, mut difference, mut gain) = (0, 0, 0);
        for _ in 0..trials {
            let shared: Vec<f64> = (0..n).map(|_| 0.3 * normal(&mut stream)).collect();
            let mut around = |centre: f64| -> Vec<f64> {
                let own = |s: &f64| centre + s + 0.1 * centre * normal(&mut stream);
                shared.iter().map(own).collect()
            };
            let (a, b) = (around(6.0), around(5.0));
            let covers = |e: Estimate, truth: f64| (e.mean - truth).abs() <= e.half.unwrap();
            mean += usize::from(covers(Estimate::of(&a).unwrap(), 6.0));
            let (a, b) = (some(&a), some(&b));
            difference += usize::from(covers(paired_difference(&a, &b).unwrap(), 1.0));
            gain += usize::from(covers(paired_gain(&a, &b).unwrap(), 0.2));
        }
        for hits in [mean, difference, gain] {
            let share = hits as f64 / trials as f64;
            assert!((0.935..=0.965).contains(&share), "n = {n}: {share}");
        }
    }
}

#[test]
fn quantiles_are_those_of_numpy() {
    let sample = [1.0, 2.0, 4.0, 8.0];
    for (share, value) in [
        (0.0, 1.0),
        (0.25, 1.75),
        (0.5, 3.0),
        (0.75, 5.0),
        (1.0, 8.0),
    ] {
        assert_eq!(quantile(&sample, share), Some(value));
    }
    assert_eq!(quantile(&[7.0], 0.3), Some(7.0));
    assert_eq!(quantile(&[], 0.5), None);
}
