//! One measurement of the engine's speed, as a line of JSON: `bench/run.py` calls it (`make bench`).
//!
//! ```sh
//! cargo run --release -p skywave-sim --example throughput -- 24 100
//! cargo run --release -p skywave-sim --example throughput -- 1000 40 fq-codel
//! cargo run --release -p skywave-sim --example throughput -- 24 400 droptail bbr
//! ```
//!
//! The path is that of TCP-DCR section 4.2: SACK flows from hosts of their own over 100 Mb/s, a
//! shared bottleneck and 1 Mb/s to receivers of their own. The bottleneck has 10 Mb/s and 65 packets
//! for 24 flows and grows with their number, so that the work a flow is the same at every size. Its queue is
//! tail drop, or as the third argument says: `codel`, `fq-codel` or `pie`, each with its usual settings and
//! the same room. The flows are those of the fourth argument, a preset.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "it measures time, and is told how much to do"
)]

#[path = "common/memory.rs"]
mod memory;

use std::sync::Arc;
use std::time::Instant;

use skywave_core::link::{CoDelConfig, FqCoDelConfig, Limit, LinkConfig, PieConfig, QueueConfig};
use skywave_core::tcp::{Profile, TcpConfig, preset};
use skywave_core::{Duration, Rate, Time};
use skywave_sim::spec::{FlowSpec, LinkSpec, Name, Traffic, Transport};
use skywave_sim::{Spec, simulate};

/// Payload bytes of a segment.
const MSS: u32 = 1000;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let mut number = |what: &str| -> u64 {
        let given = arguments.next().and_then(|a| a.parse().ok());
        given.unwrap_or_else(|| panic!("usage: throughput FLOWS SECONDS: no {what}"))
    };
    let (flows, seconds) = (number("FLOWS"), number("SECONDS"));
    let queue = arguments.next().unwrap_or_else(|| "droptail".into());
    let variant = arguments.next().unwrap_or_else(|| "sack1".into());
    let spec = dumbbell(flows, seconds, &queue, &variant);
    let start = Instant::now();
    let outcome = simulate(&spec);
    let wall = start.elapsed().as_secs_f64();
    let packets = outcome.flows.iter().map(|f| f.delivered_bytes).sum::<u64>() / u64::from(MSS);
    let drops: u64 = outcome.flows.iter().map(|f| f.queue_drops).sum();
    println!(
        "{{\"flows\":{flows},\"seconds\":{seconds},\"packets\":{packets},\"drops\":{drops},\
         \"events\":{},\"wall_s\":{wall:.6},\"peak_kib\":{}}}",
        outcome.events,
        memory::peak_kib(),
    );
}

fn queue(name: &str, limit: Limit) -> QueueConfig {
    match name {
        "droptail" => QueueConfig::DropTail(limit),
        "codel" => QueueConfig::CoDel(CoDelConfig::new(limit)),
        "fq-codel" => QueueConfig::FqCoDel(FqCoDelConfig::new(CoDelConfig::new(limit))),
        "pie" => QueueConfig::Pie(PieConfig::new(limit)),
        other => panic!("usage: throughput FLOWS SECONDS [QUEUE]: no queue {other}"),
    }
}

fn dumbbell(flows: u64, seconds: u64, discipline: &str, variant: &str) -> Spec {
    let share = |total: u64| (total * flows).div_ceil(24).max(1);
    let wire = |bps: u64, ms, packets: u64, discipline: &str| {
        Arc::new(LinkConfig::new(
            Rate::from_bps(bps),
            Duration::from_millis(ms),
            queue(discipline, Limit::Packets(packets as u32)),
        ))
    };
    let link = |name: Name, from, to, config: &Arc<LinkConfig>| LinkSpec {
        name,
        from,
        to,
        config: Arc::clone(config),
    };
    let shared = wire(share(10_000_000), 5, share(65), discipline);
    let back = wire(share(10_000_000), 5, share(65), "droptail");
    let (at_sender, at_receiver) = (
        wire(100_000_000, 5, 62, "droptail"),
        wire(1_000_000, 20, 50, "droptail"),
    );
    let mut links = Vec::with_capacity(2 + 4 * flows as usize);
    links.push(link("bottleneck".into(), 0, 1, &shared));
    links.push(link("back".into(), 1, 0, &back));
    let mut specs = Vec::with_capacity(flows as usize);
    let composition = preset(variant).expect("a preset").composition.clone();
    let mut config = TcpConfig::new(Profile::Ns2, composition);
    config.mss = MSS;
    config.rwnd = 12 * MSS;
    let config = Arc::new(config);
    for i in 0..flows as usize {
        let (source, sink) = (2 + 2 * i, 3 + 2 * i);
        links.push(link(format!("s{i}").into(), source, 0, &at_sender));
        links.push(link(format!("s{i}.back").into(), 0, source, &at_sender));
        links.push(link(format!("r{i}").into(), 1, sink, &at_receiver));
        links.push(link(format!("r{i}.back").into(), sink, 1, &at_receiver));
        specs.push(FlowSpec {
            name: format!("f{i}").into(),
            from: source,
            to: sink,
            route: None,
            transport: Transport::Tcp(Arc::clone(&config)),
            traffic: Traffic::Ftp,
            // A second apart for 24 flows, as in the paper; never later than that.
            start: Time::ZERO + Duration::from_millis(24_000 * i as u64 / flows),
            stop: None,
        });
    }
    let end = Time::ZERO + Duration::from_secs(seconds);
    Spec {
        nodes: (0..2 + 2 * flows).map(|i| format!("n{i}").into()).collect(),
        links,
        flows: specs,
        duration: end,
        measure: (Time::ZERO, end),
        seed: 1,
        ..Spec::default()
    }
}
