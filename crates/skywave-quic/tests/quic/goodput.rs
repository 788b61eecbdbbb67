//! What the law for bad links promises, in QUIC connections over the simulator's links.

use std::sync::Arc;

use skywave_core::link::{Blackout, LossConfig, Service};
use skywave_core::tcp::CongestionConfig;
use skywave_core::{Duration, Rate, Time};
use skywave_foreign::Sender;
use skywave_foreign::path::{Carried, Path};
use skywave_quic::{FixedRate, Law, LawError};

const MBPS: f64 = 20.0;
/// A BDP of 20 Mb/s and 80 ms, in packets of 1500 bytes.
const BDP: u32 = 133;

/// It hears of no one-way delays (`one_way.rs` has laws that hear).
fn law() -> Sender {
    let law = Law::new(CongestionConfig::Capacity).expect("it is built in");
    Sender::noq("capacity", Arc::new(law))
}

fn fixed(bps: u64) -> Sender {
    Sender::noq("fixed", Arc::new(FixedRate::from_bps(bps)))
}

fn cubic() -> Sender {
    skywave_foreign::parse("noq:cubic").expect("a sender")
}

fn path(packets: u32, seconds: u64) -> Path {
    let rate = Service::Rate(Rate::from_bps(20_000_000));
    let path = Path::new(rate, Duration::from_millis(80), packets);
    Path {
        duration: Duration::from_secs(seconds),
        ..path
    }
}

fn share(outcome: &Carried, connection: usize) -> f64 {
    outcome.mbps(connection) / MBPS
}

#[test]
fn random_loss_costs_what_it_loses() {
    for loss in [0.001, 0.01, 0.05, 0.1] {
        let outcome = path(100, 15).losing(LossConfig::Iid(loss)).run(&[law()]);
        let carried = share(&outcome, 0) / (1.0 - loss);
        assert!(carried > 0.88, "{carried} at {loss}");
    }
}

#[test]
fn its_own_queue_is_short() {
    let path = path(4 * BDP, 15);
    let outcome = path.run(&[law()]);
    let queueing = outcome.queueing(&path);
    let buffer = Duration::from_millis(4 * 80);
    assert!(queueing < buffer / 4, "{queueing:?}");
    assert!(share(&outcome, 0) > 0.9);
}

#[test]
fn cubic_keeps_its_share() {
    let outcome = path(BDP, 40).run(&[cubic(), law()]);
    let cubic = share(&outcome, 0);
    assert!((0.3..0.7).contains(&cubic), "{cubic}");
}

#[test]
fn several_share_a_short_buffer() {
    // They overrun it: docs/mechanisms/capacity.md says by how much ("Where it fails").
    let outcome = path(BDP / 4, 20).run(&vec![law(); 4]);
    let dropped = outcome.dropped();
    assert!(dropped < 0.16, "{dropped} is lost");
    assert!((0..4).all(|connection| share(&outcome, connection) > 0.1));
}

#[test]
fn a_fixed_rate_is_kept_whatever_is_lost() {
    let rate = fixed(10_000_000);
    for loss in [0.0, 0.1] {
        let mut path = path(100, 15);
        path.forward.loss = vec![LossConfig::Iid(loss)];
        let carried = path.run(std::slice::from_ref(&rate)).mbps(0);
        let share = carried / (10.0 * (1.0 - loss));
        assert!((0.93..0.99).contains(&share), "{carried} Mb/s at {loss}");
    }
}

#[test]
fn the_same_seed_gives_the_same_run() {
    let law = || Sender::ours("skywave", Law::named("skywave").expect("a preset"));
    let run = || path(100, 5).run(&[law()]).0;
    assert_eq!(run(), run());
}

#[test]
fn laws_are_found_by_name_or_refused() {
    assert!(Law::named("cubic").is_ok());
    let error = Law::named("cubik").expect_err("there is none");
    assert!(error.to_string().contains("cubik"), "{error}");
    let error = Law::named("dctcp").expect_err("marks are not told one by one");
    assert_eq!(error, LawError::NeedsMarks);
}

/// A blackout both ways, after which the rate is what it was, though QUIC's own probes have become rare.
#[test]
fn light_after_dark_is_used_at_once() {
    let (start, dark) = (Duration::from_secs(5), Duration::from_secs(10));
    let end = start + dark;
    let time = |at: Duration| Time::ZERO + at;
    let carried = |asks| {
        let mut path = path(100, 20);
        for link in [&mut path.forward, &mut path.back] {
            link.blackouts = vec![Blackout {
                start: time(start),
                end: time(end),
            }];
        }
        path.asks = asks;
        let outcome = path.run(&[law()]);
        let second = Duration::from_secs(1);
        outcome.mbps_in(0, end + second, end + second * 3) / MBPS
    };
    let (waiting, asking) = (carried(false), carried(true));
    assert!(asking > 0.85, "{asking} of the rate");
    assert!(waiting < 0.5, "nobody needs to ask: {waiting} of the rate");
}

/// More packets than noq keeps of a stream come after one that is lost.
#[test]
fn much_may_be_under_way_and_some_of_it_lost() {
    let rate = Service::Rate(Rate::from_bps(60_000_000));
    let path = Path::new(rate, Duration::from_millis(600), 6667);
    let path = Path {
        duration: Duration::from_secs(8),
        ..path.losing(LossConfig::Iid(0.02))
    };
    let outcome = path.run(&[fixed(50_000_000)]);
    let last = outcome.mbps_in(0, Duration::from_secs(5), Duration::from_secs(7));
    assert!(last > 0.85 * 50.0 * 0.98, "{last} Mb/s");
}
