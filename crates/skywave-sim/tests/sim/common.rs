//! Scenarios that several tests share.

use std::sync::Arc;

use proptest::prelude::ProptestConfig;
use skywave_core::link::{Limit, LinkConfig, LossConfig, QueueConfig};
use skywave_core::tcp::{Profile, TcpConfig, preset};
use skywave_core::{Duration, Rate, Time};
use skywave_sim::Spec;
use skywave_sim::spec::{FlowSpec, LinkSpec, Traffic, Transport};

/// So many inputs, or as many as `PROPTEST_CASES` says.
pub(crate) fn draws(usual: u32) -> ProptestConfig {
    let config = ProptestConfig::default();
    let asked = std::env::var_os("PROPTEST_CASES").is_some();
    let cases = if asked { config.cases } else { usual };
    ProptestConfig {
        cases,
        max_global_rejects: cases,
        failure_persistence: None,
        ..config
    }
}

/// The path of the CERL paper, figure 3, with one flow.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Path {
    pub(crate) delay_ms: f64,
    pub(crate) rate_mbps: f64,
    pub(crate) buffer: u32,
    pub(crate) loss: f64,
    pub(crate) seconds: u64,
}

impl Default for Path {
    fn default() -> Self {
        Self {
            delay_ms: 80.0,
            rate_mbps: 2.0,
            buffer: 90,
            loss: 0.01,
            seconds: 480,
        }
    }
}

pub(crate) fn link(name: &str, from: usize, to: usize, config: LinkConfig) -> LinkSpec {
    LinkSpec {
        name: name.into(),
        from,
        to,
        config: config.into(),
    }
}

pub(crate) fn wire(rate_mbps: f64, delay_ms: f64, buffer: u32) -> LinkConfig {
    LinkConfig::new(
        Rate::from_bps((rate_mbps * 1e6) as u64),
        Duration::from_secs_f64(delay_ms / 1e3),
        QueueConfig::DropTail(Limit::Packets(buffer)),
    )
}

/// A TCP preset in profile `ns2` with a window of three buffers.
pub(crate) fn ns2(name: &str, buffer: u32) -> TcpConfig {
    let preset = preset(name).expect("a known preset");
    let mut config = TcpConfig::new(Profile::Ns2, preset.composition.clone());
    config.rwnd = 3 * buffer * config.mss;
    config
}

pub(crate) fn ftp(name: &str, from: usize, to: usize, config: TcpConfig) -> FlowSpec {
    FlowSpec {
        name: name.into(),
        from,
        to,
        route: None,
        transport: Transport::Tcp(Arc::new(config)),
        traffic: Traffic::Ftp,
        start: Time::ZERO,
        stop: None,
    }
}

/// A preset's TCP as the RFCs have it.
pub(crate) fn tcp(name: &str) -> TcpConfig {
    let preset = preset(name).expect("a preset");
    TcpConfig::new(Profile::Rfc, preset.composition.clone())
}

/// Flows over links without proxies, measured from the beginning to the end.
pub(crate) fn wired(nodes: &[&str], links: Vec<LinkSpec>, flows: Vec<FlowSpec>, end: Time) -> Spec {
    Spec {
        nodes: nodes.iter().map(|&name| name.into()).collect(),
        links,
        flows,
        duration: end,
        measure: (Time::ZERO, end),
        seed: 1,
        ..Spec::default()
    }
}

/// One flow, whose series and losses are noted, over these links from the beginning to the end.
pub(crate) fn detailed(nodes: &[&str], links: Vec<LinkSpec>, flow: FlowSpec, seconds: u64) -> Spec {
    let end = Time::ZERO + Duration::from_secs(seconds);
    Spec {
        seed: 3,
        series: true,
        details: true,
        ..wired(nodes, links, vec![flow], end)
    }
}

/// One bulk flow over the path.
pub(crate) fn single(path: Path, config: TcpConfig, seed: u64) -> Spec {
    let access = wire(10.0, 10.0, path.buffer);
    let bottleneck = wire(path.rate_mbps, path.delay_ms, path.buffer);
    let mut wireless = access.clone();
    if path.loss > 0.0 {
        wireless.loss = vec![LossConfig::Iid(path.loss)];
    }
    let links = vec![
        link("access", 0, 1, access.clone()),
        link("bottleneck", 1, 2, bottleneck.clone()),
        link("wireless", 2, 3, wireless),
        link("access.reverse", 1, 0, access.clone()),
        link("bottleneck.reverse", 2, 1, bottleneck),
        link("wireless.reverse", 3, 2, access),
    ];
    let flows = vec![ftp("bulk", 0, 3, config)];
    let end = Time::ZERO + Duration::from_secs(path.seconds);
    Spec {
        seed,
        ..wired(&["S", "G0", "G1", "R"], links, flows, end)
    }
}
