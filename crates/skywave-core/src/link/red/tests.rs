use super::*;
use crate::time::Duration;

const CONFIG: RedConfig = RedConfig {
    limit: Limit::Packets(100),
    min_threshold: 5.0,
    max_threshold: 15.0,
    max_p: 0.1,
    weight: 0.5,
    gentle: false,
    wait: false,
    mean_packet: 1000,
    mark_p: None,
};

/// 1000 bytes a millisecond.
const RATE: Rate = Rate::from_bps(8_000_000);

fn red(config: RedConfig) -> Red {
    Red::new(config, RATE, Stream::named(3, "test", "red"))
}

/// Share of drops when the average is `average`.
fn drop_rate(config: RedConfig, average: f64) -> f64 {
    let mut r = red(RedConfig {
        weight: 0.0,
        ..config
    });
    r.average.value = average;
    let n = 200_000;
    let drops = (0..n)
        .filter(|_| r.picks(Time::ZERO, average, 1000))
        .count();
    drops as f64 / f64::from(n)
}

#[track_caller]
fn close(got: f64, want: f64) {
    assert!(
        (got - want).abs() <= 0.03 * want,
        "{got} is not within 3% of {want}"
    );
}

#[test]
fn the_average_is_a_moving_one() {
    let mut r = red(CONFIG);
    r.picks(Time::ZERO, 8.0, 1000);
    assert_eq!(r.average.value, 4.0);
    r.picks(Time::ZERO, 8.0, 1000);
    assert_eq!(r.average.value, 6.0);
}

#[test]
fn the_average_ages_by_the_packets_an_idle_link_could_have_sent() {
    let at_us = |us| Time::ZERO + Duration::from_micros(us);
    let mut r = red(CONFIG);
    r.average.value = 32.0;
    r.idle_from(at_us(10_000));
    // Not idle yet, and idle for less than a packet: one step.
    r.picks(at_us(9_000), 0.0, 1000);
    assert_eq!(r.average.value, 16.0);
    r.picks(at_us(10_999), 0.0, 1000);
    assert_eq!(r.average.value, 8.0);
    // Idle for two packets and a half: two steps more.
    r.picks(at_us(12_500), 0.0, 1000);
    assert_eq!(r.average.value, 1.0);
}

#[test]
fn nothing_is_dropped_below_the_lower_threshold_all_above_the_upper() {
    assert_eq!(drop_rate(CONFIG, 4.9), 0.0);
    // All gaps but the first, which starts the count.
    assert_eq!(drop_rate(CONFIG, 15.0), 1.0 - 1.0 / 200_000.0);
}

#[test]
fn spacing_as_in_the_paper_drops_uniformly_over_one_gap() {
    // The paper's pseudocode counts the arriving packet, so gaps are uniform on 1..1/p_b and their
    // mean is 1/(2 p_b).
    for (average, base) in [(7.5, 0.025), (10.0, 0.05), (14.0, 0.09)] {
        close(drop_rate(CONFIG, average), 2.0 * base);
    }
}

#[test]
fn waiting_drops_uniformly_over_the_second_gap() {
    let config = RedConfig {
        wait: true,
        ..CONFIG
    };
    // No drop for the first 1/p_b packets, then uniform over as many: mean about 1.5/p_b.
    close(drop_rate(config, 10.0), 1.0 / 29.5);
    let mut r = red(config);
    r.average.value = 10.0;
    r.config.weight = 0.0;
    let drops: Vec<u32> = (0..10_000)
        .filter(|_| r.picks(Time::ZERO, 10.0, 1000))
        .collect();
    let gaps: Vec<u32> = drops.windows(2).map(|d| d[1] - d[0]).collect();
    assert_eq!(gaps.iter().min(), Some(&20));
    assert_eq!(gaps.iter().max(), Some(&39));
}

#[test]
fn gentle_rises_to_one_at_twice_the_upper_threshold() {
    let config = RedConfig {
        gentle: true,
        ..CONFIG
    };
    let base = |average| {
        let mut r = red(config);
        r.average.value = average;
        r.base_probability()
    };
    assert_eq!(base(15.0), 0.1);
    assert!((base(22.5) - 0.55).abs() < 1e-12);
    assert_eq!(base(30.0), 1.0);
    assert_eq!(base(60.0), 1.0);
    assert!(drop_rate(config, 20.0) < 0.8);
}

#[test]
fn in_byte_mode_small_packets_are_dropped_less() {
    let config = RedConfig {
        limit: Limit::Bytes(100_000),
        min_threshold: 5_000.0,
        max_threshold: 15_000.0,
        weight: 0.0,
        ..CONFIG
    };
    let rate = |size| {
        let mut r = red(config);
        r.average.value = 10_000.0;
        let n = 400_000;
        let drops = (0..n)
            .filter(|_| r.picks(Time::ZERO, 10_000.0, size))
            .count();
        drops as f64 / f64::from(n)
    };
    // A tenth of the size: a tenth of the probability at a tenth of the count.
    let (large, small) = (rate(1000), rate(100));
    close(large, 0.1);
    assert!((0.08..0.125).contains(&(small / large)), "{small} {large}");
}

#[test]
fn a_picked_packet_is_marked_while_the_average_asks_for_less_than_the_limit() {
    let may_mark = |mark_p, average| {
        let mut r = red(RedConfig {
            mark_p,
            gentle: true,
            ..CONFIG
        });
        r.average.value = average;
        r.may_mark()
    };
    // The average gives drop probabilities of 0.09, 0.1 and 0.16. Only they decide whether a packet may be
    // marked, not the number of packets since the last drop.
    assert!(may_mark(Some(0.1), 14.0));
    assert!(!may_mark(Some(0.1), 15.0));
    assert!(!may_mark(Some(0.1), 16.0));
    assert!(may_mark(Some(0.2), 16.0));
    assert!(!may_mark(None, 5.0));
}

#[test]
fn an_almost_empty_queue_drops_nothing() {
    let mut r = red(RedConfig {
        weight: 0.0,
        ..CONFIG
    });
    r.average.value = 100.0;
    assert!((0..1000).all(|_| !r.picks(Time::ZERO, 1.0, 1000)));
}

#[test]
fn odd_parameters_do_not_panic() {
    for value in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e300] {
        for gentle in [false, true] {
            let mut r = red(RedConfig {
                min_threshold: value,
                max_threshold: value,
                max_p: value,
                weight: value,
                gentle,
                mean_packet: 0,
                ..CONFIG
            });
            for i in 0..10 {
                r.picks(Time::from_nanos(i << 40), 3.0, u32::MAX);
            }
        }
    }
}
