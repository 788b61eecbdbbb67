//! One measurement of the engine's speed on a chain of stations, as a line of JSON: `bench/run.py`
//! calls it (`make bench`).
//!
//! ```sh
//! cargo run --release -p skywave-sim --example wireless -- 7 100
//! ```
//!
//! The chain is that of `bench/peers/ns2/chain.tcl`: 802.11b at 11 Mb/s with control frames at
//! 1 Mb/s, stations 200 m apart with ns-2's radios and AODV, and one NewReno flow from end to end.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "it measures time, and is told how much to do"
)]

#[path = "common/memory.rs"]
mod memory;

use std::sync::Arc;
use std::time::Instant;

use skywave_core::link::{Limit, QueueConfig};
use skywave_core::mac;
use skywave_core::radio::{Position, Propagation, Reception, Sensing};
use skywave_core::routing::aodv;
use skywave_core::tcp::{Profile, TcpConfig, preset};
use skywave_core::{Duration, Time};
use skywave_sim::spec::{
    FlowSpec, Movement, RadioSpec, RoutingSpec, StationSpec, Traffic, Transport,
};
use skywave_sim::{Spec, simulate};

/// Payload bytes of a segment.
const MSS: u32 = 1460;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let mut number = |what: &str| -> u64 {
        let given = arguments.next().and_then(|a| a.parse().ok());
        given.unwrap_or_else(|| panic!("usage: wireless HOPS SECONDS [RTS [SEED]]: no {what}"))
    };
    let (hops, seconds) = (number("HOPS"), number("SECONDS"));
    let mut others = std::env::args().skip(3).map_while(|a| a.parse().ok());
    let rts = others.next().is_some_and(|rts: u64| rts > 0);
    let spec = chain(hops, seconds, rts, others.next().unwrap_or(1));
    let start = Instant::now();
    let outcome = simulate(&spec);
    let wall = start.elapsed().as_secs_f64();
    let packets = outcome.flows[0].delivered_bytes / u64::from(MSS);
    println!(
        "{{\"hops\":{hops},\"seconds\":{seconds},\"packets\":{packets},\"goodput_bps\":{},\
         \"timeouts\":{},\"retransmits\":{},\"wall_s\":{wall:.6},\"peak_kib\":{}}}",
        outcome.flows[0].goodput_bps,
        outcome.flows[0].timeouts,
        outcome.flows[0].retransmits,
        memory::peak_kib(),
    );
}

/// The constants of ns-2's AODV. (It waits for `2 * TTL` times the time a hop has taken in earlier
/// discoveries, which is `node_traversal_time` at first.)
fn ns2_aodv() -> aodv::Config {
    aodv::Config {
        active_route_timeout: Duration::from_secs(10),
        my_route_timeout: Some(Duration::from_secs(10)),
        net_diameter: 30,
        node_traversal_time: Duration::from_millis(30),
        rreq_retries: 3,
        ttl_start: 5,
        timeout_buffer: 0,
        ..aodv::Config::default()
    }
}

fn chain(hops: u64, seconds: u64, rts: bool, seed: u64) -> Spec {
    let station = |node| StationSpec {
        node: node as usize,
        movement: Movement::Fixed(Position {
            x: 200.0 * node as f64,
            y: 0.0,
        }),
        ip: None,
        loss: Vec::new(),
    };
    let newreno = preset("newreno").expect("a known preset");
    let mut tcp = TcpConfig::new(Profile::Ns2, newreno.composition.clone());
    tcp.mss = MSS;
    tcp.rwnd = 44 * MSS;
    let end = Time::ZERO + Duration::from_secs(seconds);
    Spec {
        nodes: (0..=hops).map(|n| format!("N{n}").into()).collect(),
        radio: Some(RadioSpec {
            stations: (0..=hops).map(station).collect(),
            propagation: Propagation::ns2_wavelan(),
            reception: Reception::Capture { ratio: 10.0 },
            sensing: Sensing::Signals,
            mac: mac::Config {
                rts_threshold: rts.then_some(0),
                queue: QueueConfig::DropTail(Limit::Packets(170)),
                // ns-2 has no LLC/SNAP header, and all four addresses.
                overhead: 34,
                nav_reset: false,
                // Carrier sense takes no time there, but who begins at the same instant does not notice. (Ours
                // are rounded to nanoseconds.)
                timing: mac::Timing {
                    cca: Duration::from_nanos(100),
                    ..mac::Timing::dsss()
                },
                ..mac::Config::ieee80211b()
            },
            routing: RoutingSpec::Aodv(ns2_aodv()),
            clamped: Vec::new(),
            timeline: None,
        }),
        flows: vec![FlowSpec {
            name: "bulk".into(),
            from: 0,
            to: hops as usize,
            route: None,
            transport: Transport::Tcp(Arc::new(tcp)),
            traffic: Traffic::Ftp,
            start: Time::ZERO + Duration::from_millis(500),
            stop: None,
        }],
        duration: end,
        measure: (Time::ZERO + Duration::from_millis(500), end),
        seed,
        ..Spec::default()
    }
}
