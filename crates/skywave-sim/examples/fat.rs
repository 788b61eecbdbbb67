//! One measurement of what a packet costs on a long fat path with losses, as a line of JSON: `bench/run.py`
//! calls it (`make bench`).
//!
//! ```sh
//! cargo run --release -p skywave-sim --example fat -- 5000 100 sack
//! ```
//!
//! One sender that always has this number of segments in flight over a path with a round trip of 100 ms that
//! loses 1 % of them. The window does not answer losses: the example is about what their repair costs.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "it measures time, and is told how much to do"
)]

#[path = "common/memory.rs"]
mod memory;

use std::sync::Arc;
use std::time::Instant;

use skywave_core::link::{Limit, LinkConfig, LossConfig, QueueConfig};
use skywave_core::tcp::window::{AckEvent, LossEvent, Response, TimeoutEvent, Window};
use skywave_core::tcp::{
    CongestionConfig, CongestionControl, CustomCongestion, Profile, TcpConfig, preset,
};
use skywave_core::{Duration, Rate, Segments, Time};
use skywave_sim::spec::{FlowSpec, LinkSpec, Traffic, Transport};
use skywave_sim::{Spec, simulate};

/// Payload bytes of a segment.
const MSS: u32 = 1000;
/// Share of the segments that are lost.
const LOSS: f64 = 0.01;
/// Round trips in a second.
const ROUNDS_PER_S: u64 = 10;

/// A window of as many segments as the receiver offers.
struct Fixed(Segments);

impl CongestionControl for Fixed {
    fn grow(&mut self, _ack: &AckEvent, window: &mut Window) {
        window.cwnd = self.0;
    }

    fn on_loss(&mut self, _loss: &LossEvent, _window: &Window) -> Response {
        Response::cut_to(self.0)
    }

    fn on_timeout(&mut self, _timeout: &TimeoutEvent, _window: &Window) -> Response {
        Response::restart(self.0)
    }
}

fn main() {
    const USAGE: &str = "usage: fat IN_FLIGHT ROUND_TRIPS PRESET";
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [in_flight, round_trips, name] = &arguments[..] else {
        panic!("{USAGE}");
    };
    let number = |text: &str| {
        text.parse::<u32>()
            .unwrap_or_else(|e| panic!("{USAGE}: {e}"))
    };
    let (in_flight, round_trips) = (number(in_flight), number(round_trips));
    let spec = path(in_flight, round_trips, name);
    let start = Instant::now();
    let outcome = simulate(&spec);
    let wall = start.elapsed().as_secs_f64();
    let flow = &outcome.flows[0];
    println!(
        "{{\"in_flight\":{in_flight},\"packets\":{},\"retransmits\":{},\"timeouts\":{},\
         \"wall_s\":{wall:.6},\"peak_kib\":{}}}",
        flow.delivered_bytes / u64::from(MSS),
        flow.retransmits,
        flow.timeouts,
        memory::peak_kib(),
    );
}

fn path(in_flight: u32, round_trips: u32, name: &str) -> Spec {
    let fixed = CustomCongestion::new("fixed", |config| {
        Fixed(Segments::from_bytes(u64::from(config.rwnd), config.mss))
    });
    let preset = preset(name).unwrap_or_else(|| panic!("no preset is called {name}"));
    let composition = preset.composition.clone();
    let composition = composition.with_congestion(CongestionConfig::Custom(fixed));
    let mut config = TcpConfig::new(Profile::Rfc, composition);
    config.mss = MSS;
    config.rwnd = in_flight * MSS;
    config.initial_window = Segments(f64::from(in_flight));
    // Twice the rate that the window fills, so that no packet waits for long.
    let rate = 2 * u64::from(in_flight) * u64::from(MSS) * 8 * ROUNDS_PER_S;
    let delay = Duration::from_millis(1000 / (2 * ROUNDS_PER_S));
    let queue = QueueConfig::DropTail(Limit::Packets(2 * in_flight));
    let mut there = LinkConfig::new(Rate::from_bps(rate), delay, queue);
    let back = there.clone();
    there.loss = vec![LossConfig::Iid(LOSS)];
    let link = |name: &str, from, to, config: LinkConfig| LinkSpec {
        name: name.into(),
        from,
        to,
        config: config.into(),
    };
    let end = Time::ZERO + Duration::from_millis(1000 / ROUNDS_PER_S) * u64::from(round_trips);
    Spec {
        nodes: vec!["sender".into(), "receiver".into()],
        links: vec![link("there", 0, 1, there), link("back", 1, 0, back)],
        flows: vec![FlowSpec {
            name: "bulk".into(),
            from: 0,
            to: 1,
            route: None,
            transport: Transport::Tcp(Arc::new(config)),
            traffic: Traffic::Ftp,
            start: Time::ZERO,
            stop: None,
        }],
        duration: end,
        measure: (Time::ZERO, end),
        seed: 1,
        ..Spec::default()
    }
}
