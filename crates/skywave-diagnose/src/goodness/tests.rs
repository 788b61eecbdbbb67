use skywave_core::rng::Stream;

use super::*;
use crate::record::{Fate, Probe, ProbeTool, Reading, Way};

/// Probes of a link, five a second: the round trip and the probability of a loss by the number of the probe.
fn probes(count: usize, seed: u64, link: impl Fn(usize) -> (f64, f64)) -> Probes {
    let mut stream = Stream::named(seed, "probes", "test");
    let probe = |number: usize| {
        let (rtt_s, p) = link(number);
        // As a host has it.
        let rtt_s = rtt_s + stream.uniform(0.0, 0.000_2);
        let fate = if stream.uniform(0.0, 1.0) < p {
            Fate::Lost(Way::Unknown)
        } else {
            Fate::Answered {
                rtt: Reading {
                    low_s: rtt_s - 0.000_05,
                    high_s: rtt_s + 0.000_05,
                },
                up_s: None,
                down_s: None,
            }
        };
        Probe {
            sent_s: number as f64 * 0.2,
            fate,
        }
    };
    Probes {
        tool: ProbeTool::Ping,
        probes: (0..count).map(probe).collect(),
        bytes: None,
        is_timed: true,
    }
}

fn of(probes: Probes) -> Goodness {
    let fits = Fits {
        probes: vec![("ping.log".to_owned(), ProbeFit::new(&probes))],
        ..Fits::default()
    };
    let mut found = goodness(&[("ping.log".to_owned(), probes)], None, &fits);
    assert_eq!(found.len(), 1);
    found.remove(0)
}

fn wrong(goodness: &Goodness) -> Vec<&str> {
    assert!(goodness.compared.told().is_some(), "{goodness:?}");
    goodness
        .wrong()
        .map(|number| number.name.as_str())
        .collect()
}

#[test]
fn probes_that_go_on_as_they_were_fit() {
    let mut unlike = 0;
    for seed in 0..20 {
        let goodness = of(probes(1500, seed, |_| (0.06, 0.03)));
        unlike += usize::from(goodness.fits() != Some(true));
        assert!((goodness.fitted_s - 200.0).abs() < 1.0);
        assert!((goodness.held_s - 100.0).abs() < 1.0);
        assert!(!goodness.overlays.is_empty());
    }
    assert!(unlike <= 1, "{unlike} of 20");
}

#[test]
fn probes_whose_first_part_tells_too_little_are_not_compared() {
    // 40 s, of which two thirds are fewer than a fit of jitter and losses needs.
    let mut stream = Stream::named(1, "jitter", "test");
    let waits: Vec<f64> = (0..400).map(|_| stream.uniform(0.0, 0.01)).collect();
    let mut short = probes(400, 1, |number| (0.06 + waits[number], 0.03));
    for probe in &mut short.probes {
        probe.sent_s /= 2.0;
    }
    assert!(ProbeFit::new(&short).jitter.told().is_some());
    let reason =
        "its first two thirds tell less than all of it: the record has only 266 probes in 26 s";
    assert_eq!(of(short).compared, Known::unknown(reason));
}

#[test]
fn an_end_with_other_losses_does_not_fit() {
    let goodness = of(probes(1500, 1, |number| {
        (0.06, if number < 1000 { 0.02 } else { 0.1 })
    }));
    assert!(
        wrong(&goodness).contains(&"lost"),
        "{:#?}",
        goodness.compared
    );
}

#[test]
fn an_end_with_other_delays_does_not_fit() {
    let goodness = of(probes(1500, 1, |number| {
        (if number < 1000 { 0.06 } else { 0.08 }, 0.02)
    }));
    let wrong = wrong(&goodness);
    assert!(wrong.contains(&"round trips, half below"), "{wrong:?}");
    assert!(!wrong.contains(&"lost"), "{wrong:?}");
}

#[test]
fn losses_in_long_rows_that_were_single_ones_do_not_fit() {
    let goodness = of(probes(1500, 3, |number| {
        let is_bad = number > 1000 && number % 100 < 4;
        (
            0.06,
            if is_bad {
                1.0
            } else if number <= 1000 {
                0.04
            } else {
                0.0
            },
        )
    }));
    assert!(
        wrong(&goodness).contains(&"losses in a row"),
        "{:#?}",
        goodness.compared
    );
}

#[test]
fn a_short_record_is_not_cut() {
    let goodness = of(probes(200, 1, |_| (0.06, 0.0)));
    assert_eq!(goodness.fits(), None);
    let Known::Unknown(why) = goodness.compared else {
        panic!("{:?}", goodness.compared)
    };
    assert!(why.contains("too short"), "{why}");
}
