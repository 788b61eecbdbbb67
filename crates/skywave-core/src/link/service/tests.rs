use super::*;
use proptest::prelude::*;

fn ms(ms: u64) -> Time {
    Time::ZERO + Duration::from_millis(ms)
}

fn ns(ns: u64) -> Time {
    Time::from_nanos(ns)
}

fn at_rate(bps: u64) -> Transmitter {
    Transmitter::new(Service::Rate(Rate::from_bps(bps)), None)
}

fn on_trace(text: &str) -> Transmitter {
    Transmitter::new(Service::Trace(Arc::new(Trace::parse(text).unwrap())), None)
}

#[test]
fn departures_at_a_constant_rate_are_exact() {
    // 1500 bytes at 1.2 Mb/s take 10 ms.
    let mut t = at_rate(1_200_000);
    assert_eq!(t.departure(ms(0), 1500), ms(10));
    assert_eq!(t.departure(ms(0), 1500), ms(20));
    assert_eq!(t.departure(ms(25), 750), ms(30));
    assert_eq!(t.departure(ms(30), 1500), ms(40));
}

#[test]
fn the_carry_lives_while_the_link_is_busy() {
    // 1000 bytes at 3 Mb/s take 2,666,666 2/3 ns.
    let mut t = at_rate(3_000_000);
    assert_eq!(t.departure(ns(0), 1000), ns(2_666_666));
    assert_eq!(t.departure(ns(0), 1000), ns(5_333_333));
    // The link is free at this instant but for a part of a nanosecond: still busy.
    assert_eq!(t.departure(ns(5_333_333), 1000), ns(8_000_000));
    assert_eq!(t.departure(ns(8_000_000), 1000), ns(10_666_666));
    // Idle for a nanosecond: the carry is gone.
    assert_eq!(t.departure(ns(10_666_667), 1000), ns(13_333_333));
}

#[test]
fn a_rate_of_zero_never_sends() {
    let mut t = at_rate(0);
    assert_eq!(t.departure(ms(1), 1), Time::MAX);
    assert_eq!(t.departure(ms(1), 1), Time::MAX);
}

#[test]
fn small_packets_share_an_opportunity_and_large_ones_take_several() {
    let mut t = on_trace("10\n20\n30\n40");
    assert_eq!(t.departure(ms(1), 700), ms(10));
    assert_eq!(t.departure(ms(2), 700), ms(10));
    // 100 bytes at 10 ms and 600 at 20 ms.
    assert_eq!(t.departure(ms(3), 700), ms(20));
    // 900 left at 20 ms, all of 30 ms, all of 40 ms.
    assert_eq!(t.departure(ms(3), 3900), ms(40));
    assert_eq!(t.departure(ms(3), 1), ms(50));
}

#[test]
fn an_opportunity_without_a_packet_is_lost() {
    let mut t = on_trace("10\n20\n30\n40");
    assert_eq!(t.departure(ms(15), 100), ms(20));
    // The rest of the opportunity at 20 ms was lost when the queue was empty.
    assert_eq!(t.departure(ms(20), 100), ms(30));
    assert_eq!(t.departure(ms(29), 100), ms(30));
}

#[test]
fn several_opportunities_in_one_millisecond_add_up() {
    let mut t = on_trace("5\n5\n5\n10");
    for _ in 0..3 {
        assert_eq!(t.departure(ms(0), 1500), ms(5));
    }
    assert_eq!(t.departure(ms(0), 1500), ms(10));
    assert_eq!(t.departure(ms(0), 1500), ms(15));
}

#[test]
fn a_busy_trace_loops_for_ever_at_its_mean_rate() {
    let mut t = on_trace("0\n3\n3\n7\n10");
    let mut end = Time::ZERO;
    for _ in 0..5_000_000 {
        end = t.departure(Time::ZERO, 1500);
    }
    // Five opportunities a 10 ms; that of time 0 came too early for a packet at time 0.
    assert_eq!(end, ms(10_000_000));
    assert_eq!(t.ahead(Time::ZERO), 1500 * 5_000_001);
}

#[test]
fn positions_count_the_opportunities_before_an_instant() {
    let t = on_trace("5\n5\n10");
    let at: Vec<_> = [0, 5, 6, 10, 11, 15]
        .map(|at| t.position(ms(at)) / 1500)
        .into();
    assert_eq!(at, [0, 0, 2, 2, 3, 3]);
}

/// The algorithm of mahimahi, step by step: at each opportunity serve bytes of the packets that are
/// there.
fn served_one_by_one(trace: &Trace, arrivals: &[(Time, u32)]) -> Vec<Time> {
    let (mut departures, mut next, mut left) = (Vec::new(), 0, 0);
    for number in 0.. {
        let (at, mut budget) = (trace.time_of(number), 1500);
        while budget > 0 {
            if left == 0 {
                match arrivals.get(next) {
                    None => return departures,
                    Some(&(arrival, size)) if arrival < at => left = size,
                    Some(_) => break,
                }
            }
            let sent = left.min(budget);
            (left, budget) = (left - sent, budget - sent);
            if left == 0 {
                departures.push(at);
                next += 1;
            }
        }
    }
    departures
}

proptest! {
    #[test]
    fn a_trace_serves_as_mahimahi_does(
        mut at in prop::collection::vec(0u32..30, 0..10),
        packets in prop::collection::vec((0u64..20, 1u32..5000), 1..40),
    ) {
        at.sort_unstable();
        at.push(30);
        let text: Vec<_> = at.iter().map(u32::to_string).collect();
        let trace = Trace::parse(&text.join("\n")).unwrap();
        let mut now = Time::ZERO;
        let arrivals: Vec<_> = packets
            .into_iter()
            .map(|(gap, size)| {
                now += Duration::from_millis(gap);
                (now, size)
            })
            .collect();
        let expected = served_one_by_one(&trace, &arrivals);
        let mut t = Transmitter::new(Service::Trace(Arc::new(trace)), None);
        let departures: Vec<_> = arrivals.iter().map(|&(at, size)| t.departure(at, size)).collect();
        prop_assert_eq!(departures, expected);
    }

    #[test]
    fn a_busy_link_never_drifts(
        bps in 1u64..10_000_000_000,
        sizes in prop::collection::vec(1u32..3000, 1..100),
    ) {
        let mut t = at_rate(bps);
        let mut total = 0;
        for size in sizes {
            total += u64::from(size);
            let end = t.departure(Time::ZERO, size);
            prop_assert_eq!(end, ns(total * 8_000_000_000 / bps));
        }
    }

    #[test]
    fn no_input_panics(
        bps: u64,
        packets in prop::collection::vec((any::<u64>(), any::<u32>()), 0..20),
    ) {
        for mut t in [at_rate(bps), on_trace("4294967295"), on_trace("0\n1")] {
            let mut now = Time::ZERO;
            for &(gap, size) in &packets {
                now += Duration::from_nanos(gap);
                prop_assert!(t.departure(now, size) >= now);
            }
        }
    }
}
