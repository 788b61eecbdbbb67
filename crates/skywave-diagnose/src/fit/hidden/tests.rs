use skywave_core::rng::Stream;

use super::{LossModel, Observation, losses};
use crate::fit::{Choice, Estimate, Known};

/// Times of packets as a window-limited sender sends them: in bursts of up to 20, a round trip apart.
fn in_bursts(count: usize, stream: &mut Stream) -> Vec<f64> {
    let (mut times, mut now) = (Vec::new(), 0.0);
    while times.len() < count {
        for _ in 0..stream.uniform_int(4, 20) {
            times.push(now);
            now += stream.exponential(0.000_5);
        }
        now += 0.05;
    }
    times.truncate(count);
    times
}

fn evenly(count: usize, spacing_s: f64) -> Vec<f64> {
    (0..count).map(|i| i as f64 * spacing_s).collect()
}

/// Observations of packets at these times, each of which is lost as the closure says.
fn observed(times: &[f64], mut loses: impl FnMut(f64) -> bool) -> Vec<Observation> {
    let observe = |&time_s: &f64| Observation {
        time_s,
        lost: Some(loses(time_s)),
    };
    times.iter().map(observe).collect()
}

fn by_packets(times: &[f64], to_bad: f64, to_good: f64, stream: &mut Stream) -> Vec<Observation> {
    let mut bad = false;
    observed(times, |_| {
        bad ^= stream.chance(if bad { to_good } else { to_bad });
        bad
    })
}

fn by_time(times: &[f64], good_s: f64, bad_s: f64, stream: &mut Stream) -> Vec<Observation> {
    let (mut bad, mut until) = (false, stream.exponential(good_s));
    observed(times, |now| {
        while until <= now {
            bad = !bad;
            until += stream.exponential(if bad { bad_s } else { good_s });
        }
        bad
    })
}

fn told(observations: &[Observation]) -> Choice<LossModel> {
    match losses(observations) {
        Known::Told(choice) => choice,
        Known::Unknown(reason) => panic!("{reason}"),
    }
}

fn holds(estimate: &Estimate, truth: f64) -> bool {
    (estimate.low..=estimate.high).contains(&truth)
}

fn stream(seed: u64) -> Stream {
    Stream::named(seed, "test", "losses")
}

#[test]
fn nothing_lost_is_told_and_so_is_what_might_be() {
    let choice = told(&observed(&evenly(1500, 0.2), |_| false));
    assert_eq!(*choice.best(), LossModel::None);
    let LossModel::Independent { p } = choice.candidates[1].model else {
        panic!("{choice:?}");
    };
    assert!(p.value == 0.0 && p.low == 0.0 && (0.002..0.003).contains(&p.high));
}

#[test]
fn what_few_packets_losses_or_bursts_say_is_not_told() {
    let reason = |observations: &[Observation]| match losses(observations) {
        Known::Unknown(reason) => reason,
        Known::Told(choice) => panic!("{choice:?}"),
    };
    assert_eq!(reason(&[]), "only 0 packets tell of losses");
    let two = observed(&evenly(1500, 0.2), |t| t == 20.0 || t == 100.0);
    assert_eq!(
        reason(&two),
        "only 2 of 1500 packets were lost: between 0.02 and 0.48 %"
    );
    let spells = observed(&evenly(1500, 0.2), |t| {
        (20.0..24.0).contains(&t) || (99.9..103.0).contains(&t)
    });
    assert!(reason(&spells).contains("in bursts, but only about 2 of them"));
}

#[test]
fn losing_all_or_at_the_same_time_breaks_nothing() {
    let all = told(&observed(&evenly(200, 0.2), |_| true));
    assert!(matches!(all.best(), LossModel::Independent { p } if p.value == 1.0));
    let mut s = stream(1);
    told(&observed(&[0.0; 500], |_| s.chance(0.1)));
    told(&observed(&evenly(500, 1e9), |_| s.chance(0.1)));
    told(&observed(&evenly(500, -0.2), |_| s.chance(0.9)));
}

#[test]
fn packets_that_say_nothing_do_not_count_but_the_state_goes_on() {
    let mut s = stream(2);
    let mut all = by_packets(&in_bursts(60_000, &mut s), 0.002, 0.2, &mut s);
    for (i, o) in all.iter_mut().enumerate() {
        // Long gaps and single ones.
        if i % 1000 < 300 || i % 7 == 0 {
            o.lost = None;
        }
    }
    let choice = told(&all);
    let LossModel::Bursts { to_bad, to_good } = choice.best() else {
        panic!("{choice:?}");
    };
    assert!(holds(to_bad, 0.002) && holds(to_good, 0.2), "{choice:?}");
    assert_eq!(
        choice.observations,
        all.iter().filter(|o| o.lost.is_some()).count()
    );
}

#[test]
fn evenly_spaced_probes_give_a_chain_in_time_that_equals_the_one_in_packets() {
    let choice = told(&by_time(&evenly(1500, 0.2), 8.0, 1.0, &mut stream(3)));
    assert!(
        matches!(choice.best(), LossModel::BurstsInTime { .. }),
        "{choice:?}"
    );
    assert_eq!(choice.equals().count(), 2);
}

#[test]
fn bursts_are_told_if_either_chain_is_clearly_better_than_independent_losses() {
    let mut s = stream(7);
    let times = evenly(1000, 0.2).into_iter();
    let times: Vec<f64> = times.map(|t| t + s.uniform(0.0, 0.15)).collect();
    // Three losses of two in a row, and four of one. By packets the criterion is lower by 9.6, in time by 5.8.
    let mut lost = (0..1000).map(|i| match i % 30 {
        9 => i < 210,
        10 => i < 90,
        _ => false,
    });
    let choice = told(&observed(&times, |_| lost.next().unwrap()));
    assert!(
        matches!(choice.best(), LossModel::BurstsInTime { .. }),
        "{choice:?}"
    );
}

/// Runs of the coverage test for each law.
const RUNS: u64 = 12;

#[test]
fn laws_are_told_apart_and_intervals_hold_the_truth() {
    let (mut right, mut held, mut intervals) = (0, 0, 0);
    let mut count = |ok: bool, held_here: &[bool]| {
        right += usize::from(ok);
        held += held_here.iter().filter(|&&h| h).count();
        intervals += held_here.len();
    };
    for seed in 0..RUNS {
        let mut s = stream(100 + seed);
        let times = in_bursts(25_000, &mut s);
        let p = s.uniform(0.002, 0.02);
        match told(&observed(&times, |_| s.chance(p))).best() {
            LossModel::Independent { p: found } => count(true, &[holds(found, p)]),
            _ => count(false, &[]),
        }
        let (a, b) = (s.uniform(0.001, 0.004), s.uniform(0.1, 0.4));
        match told(&by_packets(&times, a, b, &mut s)).best() {
            LossModel::Bursts { to_bad, to_good } => {
                count(true, &[holds(to_bad, a), holds(to_good, b)]);
            }
            _ => count(false, &[]),
        }
        let (good, bad) = (s.uniform(2.0, 6.0), s.uniform(0.03, 0.3));
        match told(&by_time(&times, good, bad, &mut s)).best() {
            LossModel::BurstsInTime { good_s, bad_s } => {
                count(true, &[holds(good_s, good), holds(bad_s, bad)]);
            }
            _ => count(false, &[]),
        }
    }
    // Measured: all laws right, 58 of the 60 intervals hold the truth.
    assert_eq!(right, 3 * RUNS as usize);
    assert!(held >= 56 && intervals == 60, "{held} of {intervals} hold");
}
