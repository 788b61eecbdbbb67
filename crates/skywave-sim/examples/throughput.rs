//! How fast the engine is: time and events a delivered packet, from 1 to 1000 flows.
//!
//! ```sh
//! make bench
//! ```
//!
//! Flows share a bottleneck of 1 Mb/s each (CERL's dumbbell: 10 Mb/s access links, 50 ms, 1% random
//! loss behind the bottleneck), so that the work a flow is the same at every size.

use std::time::Instant;

use skywave_core::link::{Limit, LinkConfig, LossConfig, QueueConfig};
use skywave_core::tcp::{Profile, TcpConfig, preset};
use skywave_core::{Duration, Rate, Time};
use skywave_sim::spec::{FlowSpec, LinkSpec, Traffic, Transport};
use skywave_sim::{Spec, simulate};

/// Simulated flow-seconds of each measurement.
const FLOW_SECONDS: u64 = 20_000;

fn main() {
    println!("transport  flows  packets/run  events/packet  us/packet");
    for transport in ["newreno", "sack", "cerl"] {
        for flows in [1, 10, 100, 1000] {
            let spec = dumbbell(transport, flows);
            let start = Instant::now();
            let outcome = simulate(&spec);
            let micros = start.elapsed().as_secs_f64() * 1e6;
            let bytes: u64 = outcome.flows.iter().map(|f| f.delivered_bytes).sum();
            let packets = bytes as f64 / 1460.0;
            println!(
                "{transport:<9} {flows:>6} {packets:>12.0} {:>14.2} {:>10.3}",
                outcome.events as f64 / packets,
                micros / packets,
            );
        }
    }
}

fn dumbbell(transport: &str, flows: usize) -> Spec {
    let link = |name: String, from, to, mbps: u64, ms, loss| {
        let mut config = LinkConfig::new(
            Rate::from_bps(mbps * 1_000_000),
            Duration::from_millis(ms),
            QueueConfig::DropTail(Limit::Packets(90 * flows as u32)),
        );
        if loss > 0.0 {
            config.loss = vec![LossConfig::Bernoulli(loss)];
        }
        LinkSpec {
            name,
            from,
            to,
            config,
        }
    };
    let shared = flows as u64;
    let mut links = vec![
        link("bottleneck".into(), 0, 1, shared, 50, 0.0),
        link("bottleneck.reverse".into(), 1, 0, shared, 50, 0.0),
    ];
    let mut specs = Vec::new();
    let composition = preset(transport).expect("a preset").composition.clone();
    let mut config = TcpConfig::new(Profile::Ns2, composition);
    config.rwnd = 270 * config.mss;
    for i in 0..flows {
        let (source, sink) = (2 + 2 * i, 3 + 2 * i);
        links.push(link(format!("a{i}"), source, 0, 10, 10, 0.0));
        links.push(link(format!("a{i}.reverse"), 0, source, 10, 10, 0.0));
        links.push(link(format!("b{i}"), 1, sink, 10, 10, 0.01));
        links.push(link(format!("b{i}.reverse"), sink, 1, 10, 10, 0.0));
        specs.push(FlowSpec {
            name: format!("f{i}"),
            from: source,
            to: sink,
            transport: Transport::Tcp(Box::new(config.clone())),
            traffic: Traffic::Ftp,
            start: Time::ZERO + Duration::from_millis(10 * i as u64),
            stop: None,
        });
    }
    let end = Time::ZERO + Duration::from_secs((FLOW_SECONDS / shared).max(30));
    Spec {
        nodes: (0..2 + 2 * flows).map(|i| format!("n{i}")).collect(),
        links,
        flows: specs,
        duration: end,
        measure: (Time::ZERO, end),
        seed: 1,
        series: false,
    }
}
