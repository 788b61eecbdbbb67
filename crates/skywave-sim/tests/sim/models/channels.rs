//! Channels and early drops: the distributions of their gaps.

use skywave_core::link::{
    DropCause, Fate, GilbertElliottConfig, Limit, Link, LossConfig, QueueConfig, RedConfig,
};
use skywave_core::{Duration, Time};

use crate::common::wire;

/// Pearson's statistic of counts against expected counts.
fn chi_square(counts: &[u64], expected: &[f64]) -> f64 {
    let pairs = counts.iter().zip(expected);
    pairs
        .map(|(&n, e)| (n as f64 - e) * (n as f64 - e) / e)
        .sum()
}

/// Lengths of the runs of equal values, by value; the first and the last are cut and left out.
fn runs(values: &[bool]) -> (Vec<u64>, Vec<u64>) {
    let (mut of_true, mut of_false) = (Vec::new(), Vec::new());
    let mut complete = false;
    let mut length = 0;
    for pair in values.windows(2) {
        length += 1;
        if pair[0] != pair[1] {
            let list = if pair[0] { &mut of_true } else { &mut of_false };
            if complete {
                list.push(length);
            }
            complete = true;
            length = 0;
        }
    }
    (of_true, of_false)
}

/// Asserts that lengths are geometric and that `end` is the probability that a run ends: by their mean, and
/// by Pearson's test over the lengths 1 to 9 and longer.
fn assert_geometric(lengths: &[u64], end: f64) {
    let n = lengths.len() as f64;
    let mean = lengths.iter().sum::<u64>() as f64 / n;
    // Four standard errors of a geometric mean.
    let margin = 4.0 * (1.0 - end).sqrt() / end / n.sqrt();
    assert!((mean - 1.0 / end).abs() < margin, "mean {mean}, end {end}");
    let mut counts = [0; 10];
    for &length in lengths {
        counts[length.min(10) as usize - 1] += 1;
    }
    let expected: Vec<f64> = (0..10)
        .map(|i| {
            let reached = n * (1.0 - end).powi(i);
            if i < 9 { reached * end } else { reached }
        })
        .collect();
    let statistic = chi_square(&counts, &expected);
    // The 99.9% quantile with 9 degrees of freedom.
    assert!(statistic < 27.88, "{statistic}: {counts:?} {expected:?}");
}

#[test]
fn a_two_state_channel_has_geometric_runs() {
    for (to_bad, to_good) in [(0.3, 0.3), (0.05, 0.25)] {
        let mut config = wire(1.0, 0.0, 50);
        config.loss = vec![LossConfig::GilbertElliott(GilbertElliottConfig {
            to_bad,
            to_good,
            loss_good: 0.0,
            loss_bad: 1.0,
        })];
        let mut link = Link::new(config, 1, "radio");
        let lost: Vec<bool> = (0..1_000_000)
            .map(|i| {
                let now = Time::ZERO + Duration::from_millis(10 * i);
                link.send(now, 1000) == Fate::Dropped(DropCause::Channel)
            })
            .collect();
        let (bad, good) = runs(&lost);
        assert_geometric(&bad, to_good);
        assert_geometric(&good, to_bad);
    }
}

/// Numbers of packets from one early drop to the next while the average stands still: a link that
/// is offered a packet after each transmission, and again when it drops it.
fn gaps_of_red(wait: bool) -> Vec<u64> {
    let mut config = wire(1.0, 0.0, 50);
    // The average is the queue, which always is 10 at an arrival: p_b = 0.1 · (10 − 5) / (15 − 5).
    config.queue = QueueConfig::Red(RedConfig {
        limit: Limit::Packets(100),
        min_threshold: 5.0,
        max_threshold: 15.0,
        max_p: 0.1,
        weight: 1.0,
        gentle: false,
        wait,
        mean_packet: 1000,
        mark_p: None,
    });
    let mut link = Link::new(config, 1, "red");
    let mut gaps = Vec::new();
    let mut since = 0;
    let mut offer = |link: &mut Link, now| {
        since += 1;
        let dropped = link.send(now, 1000) == Fate::Dropped(DropCause::Early);
        if dropped {
            gaps.push(since);
            since = 0;
        }
        dropped
    };
    while link.queue_len(Time::ZERO) < 11 {
        offer(&mut link, Time::ZERO);
    }
    for i in 1..400_000 {
        let now = Time::ZERO + Duration::from_millis(8 * i);
        assert_eq!(link.queue_len(now), 10);
        while offer(&mut link, now) {}
    }
    // The first ones were counted while the queue grew.
    gaps.split_off(3)
}

/// Asserts that gaps are uniform on the numbers of `range`.
fn assert_uniform(gaps: &[u64], range: std::ops::RangeInclusive<u64>, quantile: f64) {
    let values = range.end() - range.start() + 1;
    let mut counts = vec![0; values as usize];
    for gap in gaps {
        assert!(range.contains(gap), "{gap}");
        counts[(gap - range.start()) as usize] += 1;
    }
    let expected = vec![gaps.len() as f64 / values as f64; values as usize];
    let statistic = chi_square(&counts, &expected);
    assert!(statistic < quantile, "{statistic}: {counts:?}");
}

#[test]
fn red_spaces_its_drops_uniformly() {
    // Floyd and Jacobson 1993: uniform from 1 on. Their pseudocode counts the arriving packet, so
    // that the last is 1/p_b − 1. The 99.9% quantiles have 18 and 19 degrees of freedom.
    assert_uniform(&gaps_of_red(false), 1..=19, 42.31);
    // ns-2's `wait_`: after a pause of 1/p_b − 1 packets, uniform on as many as 1/p_b.
    assert_uniform(&gaps_of_red(true), 20..=39, 43.82);
}
