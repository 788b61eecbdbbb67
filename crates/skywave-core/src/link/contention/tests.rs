use super::*;
use crate::link::{Fate, Limit, Link, LinkConfig, QueueConfig};
use crate::units::Rate;

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

fn at(millis: u64) -> Time {
    Time::ZERO + ms(millis)
}

/// Slots of 10 ms, a window of 8 to 64 of them, half of the attempts fail.
fn config() -> Contention {
    Contention {
        slot: ms(10),
        window: 8,
        max_window: 64,
        failure: 0.5,
        hold: Duration::ZERO,
        capture: true,
    }
}

fn station(config: Contention) -> Station {
    Station::new(config, Stream::named(1, "uplink", "contention"))
}

/// Waits of a station that has no other one to wait for, in slots.
fn waits(config: Contention, n: u64) -> Vec<u64> {
    let mut station = station(config);
    (0..n)
        .map(|i| {
            let wait = station.wait(at(i), at(i)).as_nanos();
            assert_eq!(wait % config.slot.as_nanos(), 0, "whole slots");
            wait / config.slot.as_nanos()
        })
        .collect()
}

/// 8 kb/s, a byte a millisecond, and no delay.
fn link(contention: Contention, limit: u32) -> Link {
    let queue = QueueConfig::DropTail(Limit::Packets(limit));
    let config = LinkConfig {
        contention: Some(contention),
        ..LinkConfig::new(Rate::from_bps(8000), Duration::ZERO, queue)
    };
    Link::new(config, 3, "uplink")
}

fn arrival(fate: Fate) -> Time {
    match fate {
        Fate::Arrives { at, .. } => at,
        Fate::Dropped(cause) => panic!("dropped: {cause:?}"),
    }
}

#[test]
fn the_first_wait_is_uniform_in_the_window() {
    let sure = Contention {
        failure: 0.0,
        ..config()
    };
    let waits = waits(sure, 16_000);
    for slots in 0..8 {
        let share = waits.iter().filter(|&&wait| wait == slots).count();
        assert!((1_850..2_150).contains(&share), "{slots}: {share}");
    }
    assert_eq!(waits.iter().max(), Some(&7));
}

#[test]
fn each_failure_doubles_the_window_up_to_the_largest() {
    let mean = |failure: f64| {
        let waits = waits(
            Contention {
                failure,
                ..config()
            },
            40_000,
        );
        waits.iter().sum::<u64>() as f64 / 40_000.0
    };
    // Windows of 8, 16, 32, 64, 64, …: each attempt waits (window − 1)/2 slots on average, and takes place
    // only if all earlier ones failed.
    let expected = |failure: f64| -> f64 {
        let mut made = 1.0;
        let mut sum = 0.0;
        for attempt in 0..200 {
            let window = f64::from(8 << attempt.min(3));
            sum += made * (window - 1.0) / 2.0;
            made *= failure;
        }
        sum
    };
    for failure in [0.0, 0.3, 0.5, 0.8] {
        let (got, want) = (mean(failure), expected(failure));
        assert!((got / want - 1.0).abs() < 0.03, "{failure}: {got} {want}");
    }
}

#[test]
fn after_a_failure_it_waits_for_the_other_station_too() {
    let held = Contention {
        slot: Duration::from_nanos(1),
        hold: ms(500),
        ..config()
    };
    let mut station = station(held);
    let total: f64 = (0..20_000)
        .map(|i| station.wait(at(i), at(i)).as_secs_f64())
        .sum();
    // On average one attempt fails before the station gets the channel.
    let mean = total / 20_000.0;
    assert!((0.48..0.52).contains(&mean), "{mean}");
}

#[test]
fn with_capture_all_that_is_queued_leaves_in_one_go() {
    let mut link = link(
        Contention {
            failure: 0.99,
            hold: ms(50),
            ..config()
        },
        50,
    );
    let first = arrival(link.send(at(0), 40));
    assert!(first > at(200), "{first:?}");
    // These packets arrive while it waits for the channel.
    let second = arrival(link.send(at(100), 40));
    let third = arrival(link.send(at(150), 40));
    assert_eq!((second, third), (first + ms(40), first + ms(80)));
    // And this one arrives while it holds the channel.
    let fourth = arrival(link.send(third - ms(1), 40));
    assert_eq!(fourth, third + ms(40));
    // By then it has released the channel.
    let fifth = arrival(link.send(fourth, 40));
    assert!(fifth > fourth + ms(40) + ms(50), "{fifth:?}");
}

#[test]
fn without_capture_each_packet_contends() {
    let mut link = link(
        Contention {
            failure: 0.0,
            window: 100,
            max_window: 100,
            capture: false,
            ..config()
        },
        200,
    );
    let mut last = arrival(link.send(at(0), 40));
    let mut gaps = Vec::new();
    for _ in 0..100 {
        let next = arrival(link.send(at(0), 40));
        gaps.push(next.since(last + ms(40)).as_secs_f64());
        last = next;
    }
    let mean = gaps.iter().sum::<f64>() / 100.0;
    assert!((0.4..0.6).contains(&mean), "{mean}");
}

#[test]
fn who_contends_needs_no_place_in_the_queue() {
    let mut link = link(config(), 1);
    for i in 0..50 {
        arrival(link.send(at(100_000 * i), 40));
        assert_eq!(link.queue_len(at(100_000 * i)), 0);
        let refused = Fate::Dropped(crate::link::DropCause::Queue);
        assert_eq!(link.send(at(100_000 * i), 40), refused);
    }
}

#[test]
fn a_wait_is_no_use_of_the_link() {
    let mut link = link(
        Contention {
            failure: 0.9,
            ..config()
        },
        50,
    );
    let mut ends = Vec::new();
    for i in 0..1000 {
        // A packet of 100 ms every second, and a second one every third time.
        for _ in 0..=u64::from(i % 3 == 0) {
            ends.push(arrival(link.send(at(i * 1000), 100)));
        }
        // Transmission time after `now` does not count as used yet.
        let now = at(i * 1000 + 700);
        let used = |end: &Time| now.min(*end).since(*end - ms(100)).as_secs_f64();
        let used: f64 = ends.iter().map(used).sum();
        let got = link.finish(now).utilisation * now.as_secs_f64();
        assert!((got - used).abs() < 1e-6, "{i}: {got} {used}");
    }
}

#[test]
fn a_channel_that_is_never_free_holds_nobody_up_for_ever() {
    let mut station = station(Contention {
        failure: 1.0,
        ..config()
    });
    let wait = station.wait(at(0), at(0));
    assert!(wait < Duration::from_secs(1000), "{wait:?}");
}

#[test]
fn the_uplinks_of_two_cells_and_of_two_seeds_wait_apart() {
    let draw = |seed, name: &str| {
        let mut station = Station::new(config(), Stream::named(seed, name, "contention"));
        (0..20)
            .map(|i| station.wait(at(i), at(i)))
            .collect::<Vec<_>>()
    };
    assert_eq!(draw(1, "a"), draw(1, "a"));
    assert_ne!(draw(1, "a"), draw(2, "a"));
    assert_ne!(draw(1, "a"), draw(1, "b"));
}
