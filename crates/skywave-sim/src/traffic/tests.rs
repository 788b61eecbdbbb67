use super::*;
use crate::spec::Transport;

fn source(traffic: Traffic) -> Source {
    let flow = FlowSpec {
        name: "f".into(),
        from: 0,
        to: 1,
        route: None,
        transport: Transport::Udp { header: 28 },
        traffic,
        start: Time::ZERO,
        stop: None,
    };
    Source::new(&flow, 1)
}

fn at(ms: u64) -> Time {
    Time::ZERO + Duration::from_millis(ms)
}

#[test]
fn a_fixed_transfer_is_written_at_once_and_closed() {
    let mut s = source(Traffic::Bytes(5000));
    assert_eq!(s.on_time(at(7)), (Action::Write(5000), Some(at(7))));
    assert_eq!(s.on_time(at(7)), (Action::Close, None));
}

#[test]
fn a_constant_rate_writes_a_packet_an_interval() {
    let mut s = source(Traffic::Cbr {
        rate: Rate::from_bps(64_000),
        packet: 160,
        jitter: 0.0,
    });
    assert_eq!(s.on_time(at(0)), (Action::Write(160), Some(at(20))));
    assert_eq!(s.on_time(at(20)), (Action::Write(160), Some(at(40))));
}

#[test]
fn bursts_of_constant_rate_are_followed_by_pauses() {
    let mut s = source(Traffic::OnOff {
        rate: Rate::from_bps(64_000),
        packet: 160,
        on: Dist::Constant(0.05),
        off: Dist::Constant(1.0),
    });
    // On from 0 to 50 ms: packets at 0, 20, 40; then off until 1050 ms.
    let mut now = at(0);
    let mut times = Vec::new();
    for _ in 0..7 {
        times.push(now.as_nanos() / 1_000_000);
        now = s.on_time(now).1.unwrap_or(Time::MAX);
    }
    assert_eq!(times, [0, 20, 40, 1050, 1070, 1090, 2100]);
}

#[test]
fn think_time_starts_at_the_end_of_a_transfer() {
    let mut s = source(Traffic::Requests {
        size: Dist::Constant(1000.0),
        think: Dist::Constant(2.0),
        pause_from: PauseFrom::End,
    });
    assert_eq!(s.on_drained(at(0)), None);
    assert_eq!(s.on_time(at(0)), (Action::Write(1000), None));
    assert!(s.waits_for_drain());
    assert_eq!(s.on_drained(at(500)), Some(at(2500)));
    assert_eq!(s.on_drained(at(600)), None);
}

#[test]
fn arrivals_do_not_wait_for_the_transfer_before() {
    let mut s = source(Traffic::Requests {
        size: Dist::Uniform(10.0, 20.0),
        think: Dist::Constant(2.0),
        pause_from: PauseFrom::Start,
    });
    let (action, next) = s.on_time(at(0));
    assert_eq!(next, Some(at(2000)));
    assert!(matches!(action, Action::Write(10..=20)));
    assert_eq!(s.on_drained(at(500)), None);
}
