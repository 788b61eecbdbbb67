//! Flows that a proxy splits, in whole simulations.

use std::sync::Arc;

use skywave_core::link::{Blackout, LinkConfig, LossConfig};
use skywave_core::proxy::{
    EndToEnd, Paced, ProxyConfig, Spaced, TowardsDestination, TowardsSource,
};
use skywave_core::{Duration, Time};
use skywave_sim::spec::{ProxySpec, Traffic};
use skywave_sim::{Outcome, Spec, simulate};

use crate::common::{ftp, link, tcp, wire, wired};

const BUFFER: u32 = 65_536;

fn at(seconds: u64) -> Time {
    Time::ZERO + Duration::from_secs(seconds)
}

fn lossy(config: LinkConfig, loss: f64) -> LinkConfig {
    LinkConfig {
        loss: vec![LossConfig::Iid(loss)],
        ..config
    }
}

/// A wired hop of 10 Mbit/s and 50 ms, and a wireless one of 2 Mbit/s and 10 ms that loses packets in both
/// directions; the proxy is between them.
fn path(loss: f64, seconds: u64, traffic: Traffic) -> Spec {
    let end = at(seconds);
    let wireless = lossy(wire(2.0, 10.0, 50), loss);
    let mut near = ftp("f.near", 0, 1, tcp("reno"));
    near.traffic = traffic;
    let links = vec![
        link("wired", 0, 1, wire(10.0, 50.0, 100)),
        link("wireless", 1, 2, wireless.clone()),
        link("wired.reverse", 1, 0, wire(10.0, 50.0, 100)),
        link("wireless.reverse", 2, 1, wireless),
    ];
    let flows = vec![near, ftp("f.far", 1, 2, tcp("reno"))];
    Spec {
        proxies: vec![ProxySpec {
            name: "f".into(),
            near: 0,
            far: 1,
            buffer: BUFFER,
            config: ProxyConfig::default(),
            reconnections: Vec::new(),
            fails_at: None,
            hand_overs: Vec::new(),
        }],
        ..wired(&["server", "base", "mobile"], links, flows, end)
    }
}

/// The same path without a proxy.
fn whole(spec: &Spec) -> Spec {
    let mut flow = spec.flows[0].clone();
    flow.to = 2;
    Spec {
        flows: vec![flow],
        proxies: Vec::new(),
        ..spec.clone()
    }
}

/// I-TCP: whatever the wireless hop loses, the wired half does not hear of it.
#[test]
fn losses_of_one_half_do_not_reach_the_other() {
    let spec = path(0.03, 120, Traffic::Ftp);
    let outcome = simulate(&spec);
    let [near, far] = &outcome.flows[..] else {
        panic!("two halves");
    };
    assert!(far.retransmits > 100 && far.window_cuts > 20);
    assert_eq!(
        (near.retransmits, near.window_cuts, near.timeouts),
        (0, 0, 0)
    );
    assert_eq!(near.channel_drops + near.queue_drops, 0);
    // What limits the source is the proxy's buffer.
    assert!(near.share_rwnd > Some(0.5), "{:?}", near.share_rwnd);
    let plain = simulate(&whole(&spec));
    let gain = outcome.proxies[0].goodput_bps / plain.flows[0].goodput_bps;
    assert!(gain > 1.5, "gain {gain}");
}

#[test]
fn the_whole_is_what_its_halves_do() {
    let outcome = simulate(&path(0.01, 60, Traffic::Ftp));
    let proxy = &outcome.proxies[0];
    let [near, far] = &outcome.flows[..] else {
        panic!("two halves");
    };
    assert_eq!(proxy.name, "f");
    assert_eq!(proxy.delivered_bytes, far.delivered_bytes);
    assert!(near.delivered_bytes - far.delivered_bytes <= u64::from(BUFFER));
    assert!(proxy.buffered_max_bytes <= u64::from(BUFFER));
    assert!(proxy.buffered_max_bytes > u64::from(BUFFER) * 9 / 10);
    assert!(proxy.at_risk_mean_bytes > 0.0);
    assert!(proxy.at_risk_max_bytes <= u64::from(BUFFER));
    // A byte waits in the buffer besides what both halves take.
    assert!(proxy.delay_p50_s > far.delay_p50_s && proxy.delay_p50_s > near.delay_p50_s);
    assert_eq!(proxy.lost_bytes, None);
}

#[test]
fn a_transfer_ends_at_the_destination() {
    let outcome = simulate(&path(0.02, 120, Traffic::Bytes(1_000_000)));
    assert_eq!(outcome.proxies[0].delivered_bytes, 1_000_000);
    let [near, far] = [0, 1].map(|half: usize| outcome.flows[half].completion_s);
    assert!(near.is_some() && far > near, "{near:?} {far:?}");
}

/// The proxy forgets what it holds. The source believes that it has arrived.
#[test]
fn a_failure_loses_what_was_acknowledged_and_not_delivered() {
    let bytes = 1_000_000;
    let paced = |cooperates| {
        TowardsDestination::Paced(Paced {
            cooperates,
            ..Paced::default()
        })
    };
    for policy in [
        TowardsDestination::AtOnce,
        TowardsDestination::Spaced(Spaced::default()),
        paced(true),
        paced(false),
    ] {
        let mut spec = path(0.02, 120, Traffic::Bytes(bytes));
        spec.series = true;
        spec.proxies[0].fails_at = Some(at(3));
        spec.proxies[0].config.towards_destination = policy;
        let outcome = simulate(&spec);
        let acked = outcome
            .series
            .iter()
            .find(|s| s.entity == "f.near" && s.quantity == "acked");
        let last = acked.and_then(|s| s.points.last()).expect("ACKs came");
        // Without the SYN; nothing is acknowledged once the ACKs on their way have arrived.
        let acknowledged = last.1 as u64 - 1;
        assert!(last.0 < 3.1 && acknowledged < bytes, "{policy:?}");
        let proxy = &outcome.proxies[0];
        assert!(proxy.delivered_bytes < acknowledged, "{policy:?}");
        let lost = acknowledged - proxy.delivered_bytes;
        assert_eq!(proxy.lost_bytes, Some(lost as f64), "{policy:?}");
        assert!(lost <= u64::from(BUFFER));
        assert!(outcome.flows[0].timeouts > 3, "the source goes on trying");
    }
}

/// Whatever a proxy does with what it has got, all of it arrives.
#[test]
fn what_waits_for_its_turn_arrives() {
    for policy in [
        TowardsDestination::Spaced(Spaced::default()),
        TowardsDestination::Paced(Paced::default()),
    ] {
        let mut spec = path(0.02, 120, Traffic::Bytes(1_000_000));
        // The hop before the proxy loses packets too, so that what comes in order comes in lumps.
        for link in [0, 2] {
            Arc::make_mut(&mut spec.links[link].config).loss = vec![LossConfig::Iid(0.01)];
        }
        spec.proxies[0].config.towards_destination = policy;
        let outcome = simulate(&spec);
        assert_eq!(outcome.proxies[0].delivered_bytes, 1_000_000, "{policy:?}");
        assert!(outcome.flows[1].completion_s.is_some(), "{policy:?}");
        assert_eq!(outcome, simulate(&spec), "{policy:?}");
    }
}

/// A window that stays shut while something waits keeps the source from filling the buffer behind it.
#[test]
fn a_source_that_hears_of_the_pacing_fills_less_of_the_buffer() {
    let buffered = |cooperates| {
        let mut spec = path(0.0, 120, Traffic::Ftp);
        // The hop after the proxy is the faster one, so that only what is paced waits.
        for (link, mbps) in [(0, 2.0), (1, 10.0), (2, 2.0), (3, 10.0)] {
            spec.links[link].config = wire(mbps, 20.0, 100).into();
        }
        for link in [0, 2] {
            Arc::make_mut(&mut spec.links[link].config).loss = vec![LossConfig::Iid(0.01)];
        }
        spec.proxies[0].config.towards_destination = TowardsDestination::Paced(Paced {
            cooperates,
            ..Paced::default()
        });
        simulate(&spec).proxies[0].buffered_mean_bytes
    };
    let (with, without) = (buffered(true), buffered(false));
    assert!(with < 0.8 * without, "{with} {without}");
}

/// The proxy does not care what else shares its links, nor who decides first.
#[test]
fn the_same_run_gives_the_same_bytes() {
    let mut spec = path(0.02, 30, Traffic::Ftp);
    spec.flows.push(ftp("other", 0, 2, tcp("cubic")));
    assert_eq!(simulate(&spec), simulate(&spec));
}

fn m_tcp(mut spec: Spec) -> Spec {
    spec.proxies[0].config.towards_source = TowardsSource::EndToEnd(EndToEnd::default());
    spec
}

/// What M-TCP tells the source is true at any time, so a failure loses nothing.
#[test]
fn m_tcp_acknowledges_what_has_arrived() {
    let mut spec = m_tcp(path(0.02, 60, Traffic::Ftp));
    spec.proxies[0].fails_at = Some(at(40));
    let outcome = simulate(&spec);
    let proxy = &outcome.proxies[0];
    assert_eq!(proxy.at_risk_max_bytes, 0);
    assert_eq!(proxy.lost_bytes, Some(0.0));
    assert!(proxy.delivered_bytes > 1_000_000);
}

/// The wireless hop is dark from 20 s to 50 s.
fn dark(mut spec: Spec) -> Spec {
    let blackout = Blackout {
        start: at(20),
        end: at(50),
    };
    for link in [1, 3] {
        Arc::make_mut(&mut spec.links[link].config).blackouts = vec![blackout];
    }
    if let Some(proxy) = spec.proxies.first_mut() {
        proxy.reconnections = vec![at(50)];
    }
    spec.series = true;
    spec
}

/// The values of a series of the source from `from` to `to` seconds.
fn during(outcome: &Outcome, flow: &str, quantity: &str, from: f64, to: f64) -> Vec<(f64, f64)> {
    let mut series = outcome.series.iter();
    let series = series.find(|s| s.entity == flow && s.quantity == quantity);
    let points = series.map_or(&[][..], |s| &s.points);
    let points = points.iter().copied();
    points.filter(|(at, _)| (from..to).contains(at)).collect()
}

/// The source stands still for the 30 s of a disconnection without a timeout, and is acknowledged new data
/// within one of its round trips after that, at the window that it had. A source whose connection ends at
/// the destination has lost its window by then, and waits for its timer.
#[test]
fn m_tcp_freezes_the_source_for_a_disconnection() {
    let outcome = simulate(&dark(m_tcp(path(0.0, 70, Traffic::Ftp))));
    let near = &outcome.flows[0];
    assert_eq!((near.timeouts, near.window_cuts), (0, 0));
    let before = during(&outcome, "f.near", "cwnd", 0.0, 20.0);
    let before = before.last().expect("it was sending").1;
    let acked = during(&outcome, "f.near", "acked", 0.0, 50.0);
    let acked = acked.last().expect("it was sending").1;
    let after = during(&outcome, "f.near", "acked", 50.0, 70.0);
    let resumed = after.iter().find(|(_, bytes)| *bytes > acked);
    let resumed = resumed.expect("it goes on").0 - 50.0;
    let rtt = near.rtt_min_s.expect("it was measured");
    assert!(
        resumed <= rtt,
        "after {resumed} s, the round trip is {rtt} s"
    );
    let cwnd = during(&outcome, "f.near", "cwnd", 50.0, 50.0 + resumed + 1e-9);
    assert!(cwnd.iter().all(|(_, cwnd)| *cwnd >= before), "{cwnd:?}");

    let plain = simulate(&dark(whole(&path(0.0, 70, Traffic::Ftp))));
    assert!(plain.flows[0].timeouts >= 3);
}
