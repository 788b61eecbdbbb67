//! Why a flow is slow, where arithmetic gives the answer; and that every loss is accounted for.

use std::sync::Arc;

use skywave_core::link::{Blackout, Limit, QueueConfig, RedConfig};
use skywave_core::tcp::{
    Composition, DetectionConfig, PRESETS, Profile, RecoveryConfig, TcpConfig,
};
use skywave_core::{Duration, Time};
use skywave_sim::losses::{Found, LossCause};
use skywave_sim::outcome::FlowOutcome;
use skywave_sim::spec::{Dist, PauseFrom, Traffic};
use skywave_sim::{Spec, simulate};

use crate::common::{Path, ns2, single};

fn seconds(s: u64) -> Time {
    Time::ZERO + Duration::from_secs(s)
}

fn run(spec: &Spec) -> FlowOutcome {
    let flow = simulate(spec).flows.remove(0);
    check(&flow);
    flow
}

fn shares(flow: &FlowOutcome) -> [f64; 6] {
    [
        flow.share_handshake,
        flow.share_cwnd,
        flow.share_rwnd,
        flow.share_application,
        flow.share_recovery,
        flow.share_timeout,
    ]
    .map(|share| share.expect("an open connection"))
}

/// Properties that hold for every flow.
#[track_caller]
fn check(flow: &FlowOutcome) {
    let paced = flow.share_pacing.expect("an open connection");
    let sum: f64 = shares(flow).iter().sum::<f64>() + paced;
    assert!((sum - 1.0).abs() < 1e-12, "shares add up to {sum}");
    let of = |cause| flow.losses.of_cause(cause);
    assert_eq!(flow.early_drops, of(LossCause::Early));
    assert_eq!(flow.blackout_drops, of(LossCause::Blackout));
    assert_eq!(flow.corrupt_drops, of(LossCause::Corruption));
    assert_eq!(flow.queue_drops, of(LossCause::Queue) + flow.early_drops);
    let channel = of(LossCause::Channel) + flow.blackout_drops + flow.corrupt_drops;
    assert_eq!(flow.channel_drops, channel);
    let found: u64 = Found::ALL.iter().map(|&f| flow.losses.found(f)).sum();
    assert_eq!(found, flow.queue_drops + flow.channel_drops);
}

fn clean(seconds: u64) -> Path {
    Path {
        loss: 0.0,
        seconds,
        ..Path::default()
    }
}

#[test]
fn a_small_receivers_window_is_the_limit() {
    let mut config = ns2("reno", 90);
    config.rwnd = 4 * config.mss;
    let mut spec = single(clean(60), config, 1);
    spec.measure = (seconds(10), seconds(60));
    let flow = run(&spec);
    assert_eq!(shares(&flow), [0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
}

#[test]
fn a_bulk_flow_without_loss_is_limited_by_its_window() {
    let mut config = ns2("reno", 90);
    config.initial_ssthresh = Some(skywave_core::Segments(5.0));
    let mut spec = single(clean(20), config, 1);
    spec.measure = (seconds(1), seconds(20));
    let flow = run(&spec);
    assert_eq!(flow.share_cwnd, Some(1.0));
}

#[test]
fn a_handshake_takes_a_round_trip() {
    let spec = single(clean(10), ns2("reno", 90), 1);
    // 2 · 100 ms, and 40 bytes over three links and back.
    let expected = (0.2 + 2.0 * (32e-6 + 160e-6 + 32e-6)) / 10.0;
    let share = run(&spec).share_handshake.expect("TCP");
    assert!((share - expected).abs() < 1e-9, "{share}");
}

#[test]
fn an_application_that_thinks_is_the_limit() {
    // One segment a second, sent at once: nothing else ever waits.
    let mut spec = single(clean(60), ns2("reno", 90), 1);
    spec.flows[0].traffic = Traffic::Requests {
        size: Dist::Constant(1000.0),
        think: Dist::Constant(1.0),
        pause_from: PauseFrom::Start,
    };
    spec.measure = (seconds(5), seconds(60));
    let flow = run(&spec);
    assert_eq!(flow.share_application, Some(1.0));
}

#[test]
fn a_flow_that_is_done_has_shares_of_its_open_time() {
    let mut spec = single(clean(60), ns2("reno", 90), 1);
    spec.flows[0].traffic = Traffic::Bytes(1460);
    let flow = run(&spec);
    // SYN and its answer; then one segment and its ACK.
    let handshake = 0.2 + 448e-6;
    let data = 0.2 + 8.4e-3 + 224e-6;
    let share = flow.share_handshake.expect("TCP");
    assert!(
        (share - handshake / (handshake + data)).abs() < 1e-6,
        "{share}"
    );
    let application = flow.share_application.expect("TCP");
    assert!((application - data / (handshake + data)).abs() < 1e-6);
}

#[test]
fn a_blackout_is_waiting_for_timeouts() {
    // From 20 s to 30 s nothing passes. Everything sent from then on is lost, and the timer finds
    // that.
    let mut config = ns2("newreno", 90);
    config.rwnd = 20 * config.mss;
    let mut spec = single(clean(60), config, 1);
    spec.measure = (seconds(10), seconds(60));
    Arc::make_mut(&mut spec.links[2].config).blackouts = vec![Blackout {
        start: seconds(20),
        end: seconds(30),
    }];
    let flow = run(&spec);
    let share = flow.share_timeout.expect("TCP");
    // Silent from the last ACK, within a round trip of 20 s, until the first expiry after 30 s.
    // The timer doubles, so that this is at most as long again as the silence before.
    assert!((9.8 / 50.0..=20.2 / 50.0).contains(&share), "{share}");
    assert!(flow.timeouts >= 3);
    // The window in flight is lost; each timeout but the last loses its segment again.
    assert_eq!(
        flow.losses.of_cause(LossCause::Blackout),
        flow.blackout_drops
    );
    assert_eq!(
        flow.losses.count(LossCause::Blackout, Found::Timeout),
        flow.timeouts
    );
    let more = flow.losses.count(LossCause::Blackout, Found::Unnoticed);
    assert_eq!(flow.blackout_drops, flow.timeouts + more);
}

#[test]
fn single_losses_are_found_by_duplicate_acks() {
    for name in ["reno", "newreno", "sack", "cubic"] {
        let path = Path {
            loss: 0.0005,
            seconds: 400,
            ..Path::default()
        };
        let mut config = ns2(name, 90);
        config.rwnd = 40 * config.mss; // no queue is ever full
        let flow = run(&single(path, config, 3));
        let found = flow.losses.count(LossCause::Channel, Found::Dupacks);
        assert!(flow.channel_drops > 20, "{flow:?}");
        assert!(found + 3 >= flow.channel_drops, "{name}: {:?}", flow.losses);
        // RFC 6675 sends the last segment of the window again when the receiver's window is full.
        let rescues = match name {
            "reno" | "newreno" => 0,
            _ => flow.fast_retransmits,
        };
        assert!(flow.spurious_retransmits <= rescues, "{name}");
    }
}

#[test]
fn a_lost_segment_that_nothing_follows_is_found_by_a_probe() {
    let path = Path {
        loss: 0.1,
        seconds: 200,
        ..Path::default()
    };
    let found = |name| {
        let mut spec = single(path, ns2(name, 90), 4);
        spec.flows[0].traffic = Traffic::Requests {
            size: Dist::Constant(1000.0),
            think: Dist::Constant(1.0),
            pause_from: PauseFrom::Start,
        };
        let losses = run(&spec).losses;
        [Found::Probe, Found::Detector, Found::Timeout].map(|found| losses.found(found))
    };
    let [probe, detector, timeout] = found("rack-tlp");
    // If the probe is lost as well, the ACK of the next request or the timer finds the loss.
    assert!(probe > 10 && detector + timeout < probe / 2);
    let [probe, detector, timeout] = found("sack");
    assert!(probe == 0 && detector == 0 && timeout > 10);
}

#[test]
fn every_loss_of_every_preset_is_found_once_or_open() {
    let mut seen = [0; LossCause::ALL.len()];
    for preset in PRESETS.iter() {
        for profile in [Profile::Ns2, Profile::Bsd, Profile::Rfc] {
            let path = Path {
                loss: 0.005,
                seconds: 60,
                buffer: 10,
                ..Path::default()
            };
            let config = TcpConfig::new(profile, preset.composition.clone());
            let mut spec = single(path, config, 5);
            spec.measure = (seconds(7), seconds(53));
            Arc::make_mut(&mut spec.links[2].config).corruption = 0.005;
            Arc::make_mut(&mut spec.links[2].config).duplication = 0.01;
            Arc::make_mut(&mut spec.links[1].config).queue = QueueConfig::Red(red());
            let flow = run(&spec);
            for (seen, cause) in seen.iter_mut().zip(LossCause::ALL) {
                *seen += flow.losses.of_cause(cause);
            }
            let partial = flow.losses.found(Found::PartialAck);
            let Composition {
                recovery,
                ref detection,
                ..
            } = preset.composition;
            let newreno = matches!(recovery, RecoveryConfig::NewReno(_));
            assert!(partial == 0 || newreno, "{}", preset.name);
            let sack = flow.losses.found(Found::Sack);
            assert!(sack == 0 || recovery.uses_sack(), "{}", preset.name);
            let detector = flow.losses.found(Found::Detector);
            let counts = matches!(detection, DetectionConfig::Dupacks(_));
            assert!(detector == 0 || !counts, "{}", preset.name);
            let probe = flow.losses.found(Found::Probe);
            let probes = matches!(detection, DetectionConfig::Rack);
            assert!(probe == 0 || probes, "{}", preset.name);
            assert!(flow.spurious_retransmits <= flow.retransmits);
        }
    }
    let [queue, early, channel, blackout, corrupt, no_route] = seen;
    assert!(queue + early > 100 && early > 0 && channel > 100 && corrupt > 100);
    assert_eq!((blackout, no_route), (0, 0));
}

/// Drops early, whenever there is a queue.
fn red() -> RedConfig {
    RedConfig {
        limit: Limit::Packets(30),
        min_threshold: 0.5,
        max_threshold: 8.0,
        max_p: 0.1,
        weight: 0.1,
        gentle: false,
        wait: true,
        mean_packet: 1500,
        mark_p: None,
    }
}

#[test]
fn a_timer_that_is_too_short_sends_again_for_nothing() {
    // A round trip of 0.2 s and a timer of 0.05 s.
    let mut config = ns2("reno", 90);
    let rto = Arc::make_mut(&mut config.rto);
    rto.initial = Duration::from_millis(50);
    rto.min = Duration::from_millis(50);
    config.rwnd = 4 * config.mss;
    let spec = single(clean(60), config, 1);
    let flow = run(&spec);
    assert!(flow.timeouts > 0);
    assert_eq!(flow.spurious_retransmits, flow.retransmits);
}
