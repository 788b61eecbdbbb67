//! QUIC: what it becomes and what it is called.

use std::sync::Arc;

use skywave_core::quic::packet::Acking;
use skywave_core::quic::{Config, LossConfig};
use skywave_core::tcp::congestion::{CopaConfig, CubicConfig};
use skywave_core::tcp::{CongestionConfig, Handshake, SlowStartConfig};
use skywave_core::{Duration, Segments};
use skywave_sim::spec::Transport;

use crate::flow;

/// The flow has this configuration, header and name.
#[track_caller]
fn becomes(lines: &str, config: Config, header: u32, name: &str) {
    let config = Arc::new(config);
    flow::becomes(lines, &Transport::Quic { config, header }, name);
}

#[test]
fn by_name_it_has_its_defaults() {
    let reno = || Config::new(CongestionConfig::Reno);
    becomes("transport = \"quic\"", reno(), 28, "quic");
    becomes("transport = { quic = {} }", reno(), 28, "quic");
    let cubic = Config::new(CongestionConfig::Cubic(CubicConfig::DEFAULT));
    becomes("transport = \"quic-cubic\"", cubic, 28, "quic-cubic");
    let lines = "transport = \"quic\"\nmss = 1000\nheader = 48\nrwnd = \"20 segments\"\nhandshake = \"none\"";
    let config = Config {
        mss: 1000,
        receive_buffer: 20_000,
        handshake: Handshake::None,
        ..reno()
    };
    becomes(lines, config, 48, "quic");
}

#[test]
fn skywaves_asks_again_and_for_fewer_acks_as_far_as_it_can() {
    let of_preset = |law| Config {
        loss: LossConfig {
            max_pto: Duration::from_millis(500),
            ..LossConfig::default()
        },
        ..Config::new(law)
    };
    let asks = Config {
        ack_frequency: true,
        ..of_preset(CongestionConfig::Capacity)
    };
    becomes("transport = \"quic-skywave\"", asks, 28, "quic-skywave");
    let cubic = of_preset(CongestionConfig::Cubic(CubicConfig::DEFAULT));
    let lines = "transport = { preset = \"quic-skywave\", congestion = \"cubic\" }";
    becomes(lines, cubic, 28, "quic-skywave congestion=cubic");
    let silent = Config {
        receive_times: false,
        ..of_preset(CongestionConfig::Capacity)
    };
    let lines = "transport = { preset = \"quic-skywave\", quic = { receive_times = false } }";
    becomes(lines, silent, 28, "quic-skywave(receive_times=false)");
}

#[test]
fn any_law_of_the_slot_may_be_named() {
    let copa = Config::new(CongestionConfig::Copa(CopaConfig::DEFAULT));
    let lines = "transport = { preset = \"quic\", congestion = \"copa\" }";
    becomes(lines, copa, 28, "quic congestion=copa");
    let lines = "transport = { preset = \"quic\", congestion = \"prague\" }";
    let scenario = flow::scenario(lines).expect("a scenario");
    let spec = scenario.points()[0].spec(1);
    let Transport::Quic { config, .. } = &spec.flows[0].transport else {
        panic!("QUIC is expected");
    };
    assert!(config.ecn && config.l4s, "the law needs marks");
}

#[test]
fn settings_are_in_its_name() {
    let config = Config {
        slow_start: SlowStartConfig::HyStartPlusPlus,
        initial_window: Segments(4.0),
        ecn: true,
        acking: Acking {
            every: 10,
            delay: Duration::from_millis(100),
        },
        receive_times: true,
        ack_frequency: true,
        loss: LossConfig {
            packet_threshold: 20,
            time_threshold: 2.0,
            initial_rtt: Duration::from_millis(100),
            max_pto: Duration::from_secs(1),
            ..LossConfig::default()
        },
        ..Config::new(CongestionConfig::Bbr)
    };
    let lines = "[flow.transport]\npreset = \"quic\"\ncongestion = \"bbr\"\n[flow.transport.quic]\n\
                 initial_window = \"4 segments\"\nslow_start = \"hystart++\"\necn = true\n\
                 packet_threshold = 20\ntime_threshold = 2\ninitial_rtt = \"100ms\"\n\
                 ack_every = 10\nmax_ack_delay = \"100ms\"\nreceive_times = true\nmax_pto = \"1s\"\n\
                 ack_frequency = true";
    let scenario = flow::scenario(lines).expect("a scenario");
    let label = scenario.points()[0].transport_label(0).map(str::to_owned);
    becomes(lines, config, 28, label.as_deref().unwrap_or_default());
    insta::assert_snapshot!("label", label.unwrap_or_default());
}

#[test]
fn what_cannot_be_is_an_error() {
    let error = |lines: &str| flow::scenario(lines).expect_err("a mistake");
    for (slot, member) in [
        ("detection", "\"rack\""),
        ("recovery", "\"sack\""),
        ("timeout", "\"half-window\""),
    ] {
        let lines = format!("transport = {{ preset = \"quic\", {slot} = {member} }}");
        assert!(
            error(&lines).contains(&format!("QUIC has no `{slot}`")),
            "{slot}"
        );
    }
    for line in [
        "profile = \"linux\"",
        "acking = \"every\"",
        "fin = true",
        "tcp = { sack = true }",
    ] {
        let key = line.split(' ').next().unwrap_or_default();
        let message = error(&format!("transport = \"quic\"\n{line}"));
        assert!(
            message.contains(&format!("QUIC has no `{key}`")),
            "{message}"
        );
    }
    let message = error("transport = { preset = \"quic\", quic = { ack_frequency = true } }");
    assert!(message.contains("`receive_times` is off"), "{message}");
    insta::assert_snapshot!(
        "slot",
        error("transport = { preset = \"quic\", detection = \"rack\" }")
    );
    insta::assert_snapshot!("key", error("transport = \"quic\"\nacking = \"every\""));
    insta::assert_snapshot!("tcp", error("transport = { preset = \"sack\", quic = {} }"));
    insta::assert_snapshot!("mss", error("transport = \"quic\"\nmss = 65495"));
    insta::assert_snapshot!("rwnd", error("transport = \"quic\"\nrwnd = \"1kB\""));
    insta::assert_snapshot!(
        "threshold",
        error("transport = { quic = { time_threshold = 0.5 } }")
    );
    insta::assert_snapshot!(
        "marks",
        error("transport = { preset = \"quic\", congestion = \"dctcp\", quic = { ecn = false } }")
    );
    insta::assert_snapshot!("unknown", error("transport = { quic = { threshold = 1 } }"));
}
