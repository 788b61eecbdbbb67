//! WTCP: what it becomes and what it is called.

use std::sync::Arc;

use skywave_core::Duration;
use skywave_core::wtcp::{Config, LongTerm, Micros};
use skywave_sim::spec::Transport;

use crate::flow;

/// The flow has this configuration, header and name.
#[track_caller]
fn becomes(lines: &str, config: Config, header: u32, name: &str) {
    let config = Arc::new(config);
    flow::becomes(lines, &Transport::Wtcp { config, header }, name);
}

/// The configuration of a flow without `mss` and `rwnd`.
fn default() -> Config {
    Config {
        mss: 1423,
        receive_buffer: 1 << 20,
        ..Config::default()
    }
}

#[test]
fn by_name_it_has_its_defaults() {
    becomes("transport = \"wtcp\"", default(), 28, "wtcp");
    let lines = "transport = \"wtcp\"\nmss = 423\nheader = 20\nrwnd = \"20 segments\"";
    let config = Config {
        mss: 423,
        receive_buffer: 20 * 423,
        ..Config::default()
    };
    becomes(lines, config, 20, "wtcp");
}

#[test]
fn keys_of_tcp_leave_it_alone() {
    let lines = "transport = \"wtcp\"\nprofile = \"ns2\"\nacking = \"delayed\"\nfin = true\n\
                 tcp = { min_rto = \"1s\" }";
    becomes(lines, default(), 28, "wtcp");
}

#[test]
fn parameters_are_in_its_name() {
    let mut config = default();
    config.max_separation = Micros(20_000_000);
    config.setup.broken_pairs = 5;
    config.blackout.probe_interval = Duration::from_secs(2);
    config.rate.epoch_rtts = 1;
    config.rate.long_term = LongTerm::Epochs(6);
    config.prediction.k = 3.0;
    let lines = "[flow.transport.wtcp]\nmax_separation = \"20s\"\nsetup = { broken_pairs = 5 }\n\
                 blackout = { threshold = \"5s\", probe_interval = \"2s\" }\n\
                 rate = { epoch_rtts = 1, long_term = 6 }\nprediction = { k = 3 }";
    let name = "wtcp(max_separation=20s, broken_pairs=5, probe_interval=2s, long_term=6, \
                epoch_rtts=1, k=3.0)";
    becomes(lines, config, 28, name);
}

#[test]
fn what_cannot_be_is_an_error() {
    let error = |lines: &str| flow::scenario(lines).expect_err("a mistake");
    insta::assert_snapshot!(
        "range",
        error("transport = { wtcp = { rate = { weight = 2 } } }")
    );
    let both = "transport = { preset = \"cerl\", wtcp = { initial_rtt = \"2s\" } }";
    insta::assert_snapshot!("slots", error(both));
    insta::assert_snapshot!("mss", error("transport = \"wtcp\"\nmss = 65495"));
    insta::assert_snapshot!("rwnd", error("transport = \"wtcp\"\nrwnd = \"1kB\""));
    insta::assert_snapshot!("unknown", error("transport = { wtcp = { rtae = 1 } }"));
}
