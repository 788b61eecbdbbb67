//! Freeze-TCP: a receiver that sees disconnections coming.

use std::sync::Arc;

use skywave_core::link::Blackout;
use skywave_core::tcp::{Profile, TcpConfig, preset};
use skywave_core::{Duration, Time};
use skywave_sim::spec::{Outage, Route, Traffic};
use skywave_sim::{Outcome, Spec, simulate};

use crate::common::{ftp, link, wire};

fn at(ms: u64) -> Time {
    Time::ZERO + Duration::from_millis(ms)
}

/// 5 Mbit/s, 40 ms each way, dark from 20 s to 30 s; warned of so many milliseconds before, or not.
fn dark(warning: Option<u64>) -> Spec {
    let end = at(60_000);
    let reno = preset("newreno").expect("a preset");
    let config = TcpConfig {
        rwnd: 30_000,
        ..TcpConfig::new(Profile::Rfc, reno.composition.clone())
    };
    let mut flow = ftp("f", 0, 1, config);
    if let Some(warning) = warning {
        let outages = vec![Outage {
            warned: at(20_000 - warning),
            over: at(30_000),
        }];
        flow.route = Some(Box::new(Route {
            outages,
            ..Route::default()
        }));
    }
    let mut air = wire(5.0, 40.0, 50);
    air.blackouts = vec![Blackout {
        start: at(20_000),
        end: at(30_000),
    }];
    Spec {
        nodes: ["server", "mobile"].map(Into::into).to_vec(),
        links: vec![
            link("air", 0, 1, air.clone()),
            link("air.reverse", 1, 0, air),
        ],
        flows: vec![flow],
        duration: end,
        measure: (Time::ZERO, end),
        seed: 1,
        series: true,
        ..Spec::default()
    }
}

fn points<'a>(outcome: &'a Outcome, quantity: &str) -> &'a [(f64, f64)] {
    let mut series = outcome.series.iter();
    let series = series.find(|s| s.entity == "f" && s.quantity == quantity);
    series.map_or(&[], |s| &s.points)
}

/// The last value of a series at this time, seconds.
fn value(outcome: &Outcome, quantity: &str, at: f64) -> f64 {
    let before = points(outcome, quantity).iter().rev().find(|p| p.0 <= at);
    before.expect("a value").1
}

/// When the source first hears of new data after the outage.
fn resumes(outcome: &Outcome) -> f64 {
    let before = value(outcome, "acked", 29.999);
    let after = points(outcome, "acked").iter().find(|p| p.1 > before);
    after.expect("it goes on").0
}

/// Warned a round trip before, everything in flight has arrived when the way goes dark: no timeout, no cut, nothing sent
/// again; and it goes on a round trip after the way is back.
#[test]
fn a_warning_of_a_round_trip_saves_everything() {
    let outcome = simulate(&dark(Some(150)));
    let flow = &outcome.flows[0];
    assert_eq!(
        (flow.timeouts, flow.window_cuts, flow.retransmits),
        (0, 0, 0)
    );
    assert!(value(&outcome, "cwnd", 31.0) >= value(&outcome, "cwnd", 19.8));
    let resumed = resumes(&outcome);
    assert!(resumed < 30.0 + 0.2, "at {resumed} s");
    // Without, the source has backed off, and waits for its timer.
    let plain = simulate(&dark(None));
    assert!(plain.flows[0].timeouts >= 3, "{}", plain.flows[0].timeouts);
    assert!(resumes(&plain) > resumed + 0.3, "{}", resumes(&plain));
    assert!(flow.delivered_bytes > plain.flows[0].delivered_bytes);
}

/// Warned too late, the data in flight are lost, and a timeout finds them when the window is open again.
#[test]
fn a_late_warning_saves_the_timer_only() {
    let outcome = simulate(&dark(Some(10)));
    let flow = &outcome.flows[0];
    assert!(flow.retransmits > 0, "something was in flight");
    assert!(flow.timeouts <= 1, "{}", flow.timeouts);
    assert!(resumes(&outcome) < resumes(&simulate(&dark(None))));
}

/// While the window is shut nothing of the stream is sent, whatever the source has.
#[test]
fn nothing_new_is_sent_while_the_window_is_shut() {
    let outcome = simulate(&dark(Some(150)));
    assert_eq!(
        value(&outcome, "acked", 20.2),
        value(&outcome, "acked", 29.999)
    );
    // The reverse way has carried the warning before it went dark; no probe that is lost counts as data lost.
    assert!(
        outcome.flows[0].channel_drops <= 20,
        "{}",
        outcome.flows[0].channel_drops
    );
}

#[test]
fn every_byte_arrives_once_whatever_the_warning() {
    for warning in [None, Some(0), Some(1), Some(50), Some(150), Some(5000)] {
        let mut spec = dark(warning);
        spec.flows[0].traffic = Traffic::Bytes(12_000_000);
        for link in &mut spec.links {
            let config = Arc::make_mut(&mut link.config);
            config.loss = vec![skywave_core::link::LossConfig::Iid(0.01)];
        }
        spec.duration = at(1_500_000);
        spec.measure = (Time::ZERO, spec.duration);
        let outcome = simulate(&spec);
        assert_eq!(outcome.flows[0].delivered_bytes, 12_000_000, "{warning:?}");
        assert!(outcome.flows[0].completion_s.is_some(), "{warning:?}");
        assert_eq!(outcome, simulate(&spec));
    }
}
