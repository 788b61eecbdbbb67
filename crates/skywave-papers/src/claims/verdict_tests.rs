use super::*;

fn estimate(mean: f64, half: f64) -> Estimate {
    Estimate {
        n: 20,
        mean,
        sd: half,
        half: Some(half),
    }
}

fn single(mean: f64) -> Estimate {
    Estimate {
        n: 1,
        mean,
        sd: 0.0,
        half: None,
    }
}

fn percent(share: &Estimate) -> Estimate {
    estimate(100.0 * share.mean, 100.0 * share.half.unwrap_or_default())
}

#[test]
fn a_gain_within_a_quarter_of_the_papers_is_reproduced() {
    // 160 % in the paper: from 120 to 200 %.
    assert_eq!(gain(160.0, &estimate(120.0, 0.0)), Verdict::Reproduced);
    assert_eq!(gain(160.0, &estimate(119.9, 0.0)), Verdict::DirectionOnly);
    assert_eq!(gain(160.0, &estimate(200.0, 0.0)), Verdict::Reproduced);
    assert_eq!(gain(160.0, &estimate(200.1, 0.0)), Verdict::DirectionOnly);
}

#[test]
fn an_interval_over_the_edge_of_a_zone_shows_nothing() {
    assert_eq!(gain(160.0, &estimate(160.0, 40.0)), Verdict::Reproduced);
    assert_eq!(gain(160.0, &estimate(160.0, 40.1)), Verdict::TooFewSeeds);
    assert_eq!(gain(-160.0, &estimate(-160.0, 40.1)), Verdict::TooFewSeeds);
    assert_eq!(gain(160.0, &estimate(190.0, 9.0)), Verdict::Reproduced);
    assert_eq!(gain(160.0, &estimate(190.0, 11.0)), Verdict::TooFewSeeds);
    // From half of the paper's to twice: the right direction on both sides, and its number between them.
    assert_eq!(gain(160.0, &estimate(200.0, 120.0)), Verdict::TooFewSeeds);
}

#[test]
fn a_wide_interval_within_a_zone_still_tells() {
    assert_eq!(gain(160.0, &estimate(90.0, 29.0)), Verdict::DirectionOnly);
    assert_eq!(gain(160.0, &estimate(-70.0, 60.0)), Verdict::NotReproduced);
    assert_eq!(value(1.6, &estimate(2.4, 0.6)), Verdict::DirectionOnly);
    assert_eq!(value(1.6, &estimate(6.0, 2.0)), Verdict::NotReproduced);
}

#[test]
fn two_seeds_far_apart_reproduce_no_value() {
    // Student's t of one degree of freedom is 12.7: 0.9 and 1.1 are 1 with an interval from −0.27
    // to 2.27, which holds almost whatever a paper may say.
    let ours = Estimate::of(&[0.9, 1.1]).unwrap();
    assert_eq!(value(1.0, &ours), Verdict::TooFewSeeds);
    assert_eq!(value(2.2, &ours), Verdict::TooFewSeeds);
    let close = Estimate::of(&[0.995, 1.005]).unwrap();
    assert_eq!(value(1.0, &close), Verdict::Reproduced);
}

#[test]
fn a_single_run_shows_nothing() {
    assert_eq!(gain(32.0, &single(33.0)), Verdict::TooFewSeeds);
    assert_eq!(value(1.69, &single(1.69)), Verdict::TooFewSeeds);
    assert_eq!(Limits::POSITIVE.judge(&single(0.2)), Verdict::TooFewSeeds);
}

#[test]
fn a_gain_has_a_direction_if_it_is_more_than_the_same() {
    assert_eq!(gain(32.0, &estimate(10.0, 4.9)), Verdict::DirectionOnly);
    assert_eq!(gain(32.0, &estimate(10.0, 5.1)), Verdict::TooFewSeeds);
    assert_eq!(gain(32.0, &estimate(0.0, 4.9)), Verdict::NotReproduced);
    assert_eq!(gain(32.0, &estimate(-10.0, 2.0)), Verdict::NotReproduced);
    assert_eq!(gain(-32.0, &estimate(-10.0, 2.0)), Verdict::DirectionOnly);
    // A quarter of 8 % is less than 5 %.
    assert_eq!(gain(8.0, &estimate(3.0, 0.9)), Verdict::DirectionOnly);
    assert_eq!(gain(8.0, &estimate(1.0, 0.9)), Verdict::NotReproduced);
}

#[test]
fn a_value_is_judged_by_ten_percent_and_a_factor_of_two() {
    assert_eq!(value(1.69, &estimate(1.55, 0.01)), Verdict::Reproduced);
    assert_eq!(value(1.69, &estimate(1.55, 0.03)), Verdict::TooFewSeeds);
    assert_eq!(value(1.69, &estimate(1.50, 0.01)), Verdict::DirectionOnly);
    assert_eq!(value(1.69, &estimate(0.83, 0.01)), Verdict::NotReproduced);
    assert_eq!(value(1.69, &estimate(3.40, 0.01)), Verdict::NotReproduced);
    assert_eq!(value(0.0, &estimate(0.0, 0.0)), Verdict::Reproduced);
    assert_eq!(value(0.0, &estimate(0.1, 0.0)), Verdict::NotReproduced);
}

#[test]
fn an_order_needs_the_whole_interval() {
    let above = Limits::POSITIVE;
    assert_eq!(above.judge(&estimate(0.2, 0.1)), Verdict::Reproduced);
    assert_eq!(above.judge(&estimate(0.2, 0.2)), Verdict::TooFewSeeds);
    assert_eq!(above.judge(&estimate(-0.1, 0.3)), Verdict::TooFewSeeds);
    assert_eq!(above.judge(&estimate(-0.4, 0.3)), Verdict::NotReproduced);
    assert_eq!(
        above.judge(&estimate(0.0, 0.0)),
        Verdict::NotReproduced,
        "equal is not ahead"
    );
}

#[test]
fn an_invariant_includes_its_limits() {
    let same = Limits {
        low: Some(0.95),
        high: Some(1.05),
        strict: false,
    };
    assert_eq!(same.judge(&estimate(1.0, 0.05)), Verdict::Reproduced);
    assert_eq!(same.judge(&estimate(1.0, 0.051)), Verdict::TooFewSeeds);
    assert_eq!(same.judge(&estimate(1.06, 0.2)), Verdict::TooFewSeeds);
    assert_eq!(same.judge(&estimate(1.3, 0.2)), Verdict::NotReproduced);
    assert_eq!(same.to_string(), "0.95 to 1.05");
    assert!((same.margin(1.04) - 0.01).abs() < 1e-12);
}

/// Whatever the interval, one that lies inside it has the same verdict, unless the wider one shows nothing.
#[test]
fn a_narrower_interval_changes_no_verdict_but_that_of_too_few_seeds() {
    let rules: [&dyn Fn(&Estimate) -> Verdict; 4] = [
        &|e| gain(60.0, &percent(e)),
        &|e| value(0.6, e),
        &|e| Limits::at_most(0.6).judge(e),
        &|e| Limits::POSITIVE.judge(e),
    ];
    let grid = || (-40..=80).map(|step| f64::from(step) / 30.0);
    for rule in rules {
        for mean in grid() {
            for half in [0.05, 0.2, 0.6] {
                let wide = rule(&estimate(mean, half));
                for shift in [-0.5, 0.0, 0.5] {
                    let inside = rule(&estimate(mean + shift * half, 0.49 * half));
                    assert!(
                        wide == Verdict::TooFewSeeds || inside == wide,
                        "{mean} ± {half}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_claim_is_as_good_as_its_worst_part() {
    use Verdict::{Circular, DirectionOnly, NotReproduced, Reproduced, TooFewSeeds};
    assert_eq!(Verdict::of_parts([Reproduced, Reproduced]), Reproduced);
    assert_eq!(
        Verdict::of_parts([Reproduced, DirectionOnly]),
        DirectionOnly
    );
    assert_eq!(
        Verdict::of_parts([DirectionOnly, Reproduced, NotReproduced]),
        NotReproduced
    );
    // More seeds could decide the undecided part, but not mend the other one.
    assert_eq!(
        Verdict::of_parts([Reproduced, TooFewSeeds, DirectionOnly]),
        TooFewSeeds
    );
    assert_eq!(
        Verdict::of_parts([TooFewSeeds, NotReproduced]),
        NotReproduced
    );
    assert_eq!(
        Verdict::of_parts([Reproduced, Verdict::NotRun]),
        Verdict::NotRun
    );
    // What was put in counts for nothing, unless there is nothing else.
    assert_eq!(Verdict::of_parts([DirectionOnly, Circular]), DirectionOnly);
    assert_eq!(Verdict::of_parts([Circular]), Circular);
}

#[test]
fn a_share_of_the_points_is_enough_when_the_text_says_so() {
    use Verdict::{DirectionOnly, NotReproduced, Reproduced};
    let points = [
        Reproduced,
        Reproduced,
        Reproduced,
        Reproduced,
        NotReproduced,
    ];
    assert_eq!(Verdict::of_share(&points, 0.8), Reproduced);
    assert_eq!(Verdict::of_share(&points, 1.0), NotReproduced);
    let points = [
        Reproduced,
        Reproduced,
        Reproduced,
        DirectionOnly,
        NotReproduced,
    ];
    assert_eq!(Verdict::of_share(&points, 0.8), DirectionOnly);
    let points = [Reproduced, Verdict::TooFewSeeds, NotReproduced];
    assert_eq!(Verdict::of_share(&points, 0.6), Verdict::TooFewSeeds);
    assert_eq!(Verdict::of_share(&points, 0.3), Reproduced);
    assert_eq!(Verdict::of_share(&points, 1.0), NotReproduced);
    let points = [DirectionOnly, Verdict::TooFewSeeds];
    assert_eq!(Verdict::of_any(&points), Verdict::TooFewSeeds);
    assert_eq!(
        Verdict::of_any(&[Reproduced, Verdict::TooFewSeeds]),
        Reproduced
    );
    assert_eq!(Verdict::of_any(&[NotReproduced; 2]), NotReproduced);
    assert_eq!(Verdict::of_share(&[], 0.0), Verdict::NotRun);
    assert_eq!(
        Verdict::of_share(&[Reproduced, Verdict::NotRun], 0.5),
        Verdict::NotRun
    );
}
