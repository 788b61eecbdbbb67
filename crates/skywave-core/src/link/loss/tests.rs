use super::*;
use crate::link::{GilbertElliottConfig, GilbertElliottTimeConfig, PeriodicConfig};
use crate::time::Duration;

fn channel(models: &[LossConfig]) -> Channel {
    Channel::new(models, 1, "wireless")
}

fn losses(models: &[LossConfig], packets: u64) -> Vec<u64> {
    let mut channel = channel(models);
    (1..=packets)
        .filter(|&i| channel.loses(Time::from_nanos(i * 1_000_000), 1000))
        .collect()
}

fn list(numbers: &[u64]) -> LossConfig {
    LossConfig::Packets(numbers.into())
}

#[test]
fn no_model_loses_nothing() {
    assert_eq!(losses(&[], 100), []);
}

#[test]
fn iid_loses_at_its_rate() {
    let n = losses(&[LossConfig::Iid(0.02)], 500_000).len();
    assert!((9_500..10_500).contains(&n), "{n}");
    assert_eq!(losses(&[LossConfig::Iid(0.0)], 10_000), []);
    assert_eq!(losses(&[LossConfig::Iid(1.0)], 100).len(), 100);
}

#[test]
fn periodic_loses_every_nth_from_the_first() {
    let periodic = |every, first| {
        losses(
            &[LossConfig::Periodic(PeriodicConfig {
                every,
                first: Some(first),
            })],
            12,
        )
    };
    assert_eq!(periodic(4, 3), [3, 7, 11]);
    assert_eq!(periodic(5, 5), [5, 10]);
    assert_eq!(periodic(1, 10), [10, 11, 12]);
    assert_eq!(periodic(5, 0), [5, 10]);
    assert_eq!(periodic(0, 2), [2]);
    assert_eq!(periodic(0, 0), []);
}

#[test]
fn a_list_loses_exactly_its_packets() {
    assert_eq!(losses(&[list(&[1, 4, 4, 9])], 20), [1, 4, 9]);
    assert_eq!(losses(&[list(&[0, 3])], 20), [3]);
    assert_eq!(losses(&[list(&[])], 20), []);
}

#[test]
fn every_model_sees_every_packet() {
    // The second list would lose other packets if it counted only what the first let through.
    let both = losses(&[list(&[2, 5]), list(&[3, 5, 6])], 10);
    assert_eq!(both, [2, 3, 5, 6]);
    let alone = losses(&[LossConfig::Iid(0.3)], 1000);
    let all = losses(&[LossConfig::Iid(0.3), LossConfig::Iid(1.0)], 1000);
    assert_eq!(all.len(), 1000);
    let mut two = channel(&[list(&[1, 2, 3]), LossConfig::Exponential(0.3)]);
    let mut one = channel(&[list(&[]), LossConfig::Exponential(0.3)]);
    for i in 0..1000 {
        let (a, b) = (two.loses(Time::ZERO, 1), one.loses(Time::ZERO, 1));
        assert!(i < 3 || a == b);
    }
    assert!(alone.len() < 400);
}

#[test]
fn models_of_one_link_are_independent() {
    let p = LossConfig::Iid(0.5);
    let n = losses(&[p.clone(), p], 100_000).len();
    // Lost by either: 75%. The same stream twice would give 50%.
    assert!((74_000..76_000).contains(&n), "{n}");
}

#[test]
fn links_and_seeds_lose_different_packets() {
    let run = |seed, name| {
        let mut channel = Channel::new(&[LossConfig::Exponential(0.1)], seed, name);
        let lost = |_: &u32| channel.loses(Time::ZERO, 1);
        (0..200).filter(lost).collect::<Vec<_>>()
    };
    assert_eq!(run(1, "a"), run(1, "a"));
    assert_ne!(run(1, "a"), run(1, "b"));
    assert_ne!(run(1, "a"), run(2, "a"));
}

#[test]
fn chains_are_wired_the_right_way_round() {
    let share = |model: LossConfig| losses(&[model], 100_000).len() as f64 / 100_000.0;
    let by_packets = share(LossConfig::GilbertElliott(GilbertElliottConfig {
        to_bad: 0.01,
        to_good: 0.09,
        loss_good: 0.0,
        loss_bad: 1.0,
    }));
    assert!((0.09..0.11).contains(&by_packets), "{by_packets}");
    let by_time = share(LossConfig::GilbertElliottTime(GilbertElliottTimeConfig {
        good: Duration::from_millis(90),
        bad: Duration::from_millis(10),
        loss_good: 0.0,
        loss_bad: 1.0,
    }));
    assert!((0.085..0.115).contains(&by_time), "{by_time}");
    let by_bytes = share(LossConfig::ExponentialBytes(10_000.0));
    assert!((0.092..0.099).contains(&by_bytes), "{by_bytes}");
}
