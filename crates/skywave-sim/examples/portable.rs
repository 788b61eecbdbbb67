//! One run of nearly every machine, and its outcome as JSON: the bytes must be the same natively and as
//! WebAssembly. `make wasm` compares them.
//!
//! Natively the program prints the JSON. As WebAssembly it has no output, so the host reads the module's
//! memory: the text has `outcome_len()` bytes and begins at `outcome()`.

use std::sync::{Arc, LazyLock};

use skywave_core::agent::SnoopConfig;
use skywave_core::link::{
    Arq, Blackout, Contention, Fec, GilbertElliottConfig, GilbertElliottTimeConfig, Jitter, Limit,
    LinkConfig, LossConfig, QueueConfig, RedConfig, Reordering, Service, Trace,
};
use skywave_core::radio::{
    Decoder, Position, Propagation, RandomWaypointConfig, Reception, Sensing, channel_noise_mw,
    db_to_ratio, dbm_to_mw,
};
use skywave_core::routing::aodv;
use skywave_core::tcp::{PRESETS, Preset, Profile, TcpConfig, preset};
use skywave_core::{Duration, Rate, Time, mac, quic, wtcp};
use skywave_sim::spec::{
    AgentSpec, Dist, FlowSpec, LinkSpec, Movement, PauseFrom, RadioSpec, RoutingSpec, StationSpec,
    Traffic, Transport,
};
use skywave_sim::{Spec, simulate};

static OUTCOME: LazyLock<String> =
    LazyLock::new(|| serde_json::to_string(&simulate(&spec())).expect("plain data"));

/// What WebAssembly's host calls.
#[cfg(target_family = "wasm")]
#[expect(unsafe_code, reason = "there is no other way to export a function")]
mod exports {
    use super::OUTCOME;

    /// Address of the JSON's first byte.
    #[unsafe(no_mangle)]
    extern "C" fn outcome() -> *const u8 {
        OUTCOME.as_ptr()
    }

    /// Number of the JSON's bytes.
    #[unsafe(no_mangle)]
    extern "C" fn outcome_len() -> usize {
        OUTCOME.len()
    }
}

fn main() {
    println!("{}", *OUTCOME);
}

/// Node that all wired flows come from.
const SOURCE: usize = 0;
/// Node between the shared bottleneck and the last hops.
const GATEWAY: usize = 1;
/// Stations of the radio network; they come after the gateway.
const STATIONS: usize = 5;

/// A dumbbell in which every preset, WTCP and UDP each have a last hop of some kind of their own, and
/// beside it a radio network.
fn spec() -> Spec {
    let mut links = Vec::new();
    pair(&mut links, "shared", SOURCE, GATEWAY, bottleneck());
    let mut flows = radio_flows();
    let mut agents = Vec::new();
    for (i, (name, transport, traffic)) in wired().into_iter().enumerate() {
        let base = GATEWAY + 1 + STATIONS + 2 * i;
        let sink = base + 1;
        pair(
            &mut links,
            &format!("{name}.wire"),
            GATEWAY,
            base,
            wire(10_000),
        );
        pair(
            &mut links,
            &format!("{name}.radio"),
            base,
            sink,
            last_hop(i),
        );
        if i % 5 == 3 {
            let snoop = SnoopConfig::original();
            agents.push(AgentSpec::snoop(base, snoop));
        }
        flows.push(flow(name, SOURCE, sink, transport, traffic));
    }
    let nodes = flows.iter().map(|flow| flow.to).max().unwrap_or_default() + 1;
    let end = seconds(20.0);
    Spec {
        nodes: (0..nodes).map(|n| format!("n{n}").into()).collect(),
        links,
        radio: Some(radio()),
        flows,
        agents,
        duration: end,
        measure: (seconds(1.0), end),
        seed: 7,
        series: true,
        details: true,
        bins: Some(Duration::from_millis(500)),
        ..Spec::default()
    }
}

fn seconds(seconds: f64) -> Time {
    Time::ZERO + Duration::from_secs_f64(seconds)
}

fn tcp(preset: &Preset, profile: Profile) -> Transport {
    let config = TcpConfig::new(profile, preset.composition.clone());
    Transport::Tcp(Arc::new(config))
}

fn flow(name: &str, from: usize, to: usize, transport: Transport, traffic: Traffic) -> FlowSpec {
    FlowSpec {
        name: name.into(),
        from,
        to,
        route: None,
        transport,
        traffic,
        start: seconds(0.013 * to as f64),
        stop: None,
    }
}

/// A link, and another like it but without losses for the way back.
fn pair(links: &mut Vec<LinkSpec>, name: &str, from: usize, to: usize, config: LinkConfig) {
    let back = LinkConfig {
        loss: Vec::new(),
        arq: None,
        ..config.clone()
    };
    for (name, from, to, config) in [
        (name.to_owned(), from, to, config),
        (format!("{name}.back"), to, from, back),
    ] {
        links.push(LinkSpec {
            name: name.into(),
            from,
            to,
            config: config.into(),
        });
    }
}

fn wire(kbps: u64) -> LinkConfig {
    LinkConfig::new(
        Rate::from_bps(kbps * 1000),
        Duration::from_millis(7),
        QueueConfig::DropTail(Limit::Packets(30)),
    )
}

fn bottleneck() -> LinkConfig {
    LinkConfig {
        queue: QueueConfig::Red(RedConfig {
            limit: Limit::Packets(120),
            min_threshold: 30.0,
            max_threshold: 90.0,
            max_p: 0.1,
            weight: 0.002,
            gentle: true,
            wait: true,
            mean_packet: 1000,
            mark_p: Some(0.1),
        }),
        ..wire(15_000)
    }
}

/// Kind number `i` of a last hop.
fn last_hop(i: usize) -> LinkConfig {
    let hop = wire(900);
    let ms = Duration::from_millis;
    match i % 9 {
        0 => LinkConfig {
            loss: vec![LossConfig::Iid(0.01)],
            ..hop
        },
        1 => LinkConfig {
            loss: vec![LossConfig::Exponential(0.02)],
            arq: Some(Arq::default()),
            ..hop
        },
        2 => LinkConfig {
            service: Service::Trace(Arc::new(trace())),
            blackouts: vec![Blackout {
                start: seconds(5.0),
                end: seconds(6.5),
            }],
            ..hop
        },
        3 => LinkConfig {
            loss: vec![LossConfig::GilbertElliottTime(GilbertElliottTimeConfig {
                good: ms(900),
                bad: ms(40),
                loss_good: 0.001,
                loss_bad: 0.4,
            })],
            ..hop
        },
        4 => LinkConfig {
            contention: Some(Contention {
                slot: Duration::from_micros(20),
                window: 16,
                max_window: 1024,
                failure: 0.3,
                hold: ms(2),
                capture: false,
            }),
            ..hop
        },
        5 => LinkConfig {
            loss: vec![LossConfig::ExponentialBytes(60_000.0)],
            fec: Some(Fec {
                rate: 0.8,
                repair: 0.5,
            }),
            ..hop
        },
        6 => LinkConfig {
            jitter: Some(Jitter::Exponential(ms(3))),
            reordering: Some(Reordering {
                probability: 0.02,
                delay: ms(15),
            }),
            ..hop
        },
        7 => LinkConfig {
            loss: vec![LossConfig::GilbertElliott(GilbertElliottConfig {
                to_bad: 0.01,
                to_good: 0.3,
                loss_good: 0.0,
                loss_bad: 0.6,
            })],
            ..hop
        },
        _ => LinkConfig {
            corruption: 0.01,
            duplication: 0.01,
            ..hop
        },
    }
}

/// A cell whose rate goes up and down between 0.4 and 1.5 Mb/s or so.
fn trace() -> Trace {
    let gap = |n: u64| 8 + 24 * (n % 40).abs_diff(20) / 20;
    let times = (0..400).scan(0, |ms, n| {
        *ms += gap(n);
        Some(format!("{ms}\n"))
    });
    Trace::parse(&times.collect::<String>()).expect("a trace")
}

/// Name, protocol and application of every wired flow.
fn wired() -> Vec<(&'static str, Transport, Traffic)> {
    let profiles = [Profile::Ns2, Profile::Rfc, Profile::Bsd];
    let all = PRESETS.iter().zip(profiles.into_iter().cycle());
    let all = all.map(|(preset, profile)| (preset.name, tcp(preset, profile), Traffic::Ftp));
    let wtcp = Transport::Wtcp {
        config: Arc::new(wtcp::Config::default()),
        header: 28,
    };
    let web = Traffic::Requests {
        size: Dist::Pareto {
            mean: 20_000.0,
            shape: 1.3,
        },
        think: Dist::Exponential(0.4),
        pause_from: PauseFrom::End,
    };
    let bursts = Traffic::OnOff {
        rate: Rate::from_bps(400_000),
        packet: 500,
        on: Dist::Exponential(0.5),
        off: Dist::Uniform(0.2, 0.9),
    };
    let quic = Transport::Quic {
        config: Arc::new(quic::Config::new(quic::PRESETS[1].congestion.clone())),
        header: 28,
    };
    all.chain([
        ("wtcp", wtcp, Traffic::Ftp),
        ("quic", quic, Traffic::Ftp),
        ("web", tcp(&PRESETS[0], Profile::Rfc), web),
        ("bursts", Transport::Udp { header: 28 }, bursts),
    ])
    .collect()
}

/// A chain of stations, the third of which moves about.
fn radio() -> RadioSpec {
    let movement = |i| match i {
        2 => Movement::RandomWaypoint(RandomWaypointConfig {
            corner: Position { x: 80.0, y: 40.0 },
            min_speed: 1.0,
            max_speed: 15.0,
            pause: Duration::from_millis(300),
        }),
        _ => Movement::Fixed(Position {
            x: 25.0 * f64::from(i),
            y: 3.0,
        }),
    };
    let stations = (0..STATIONS as u32).map(|i| StationSpec {
        node: GATEWAY + 1 + i as usize,
        movement: movement(i),
        ip: None,
        loss: Vec::new(),
    });
    RadioSpec {
        stations: stations.collect(),
        propagation: Propagation::ns3_default(),
        reception: Reception::Interference {
            noise_mw: channel_noise_mw(),
            preamble: db_to_ratio(4.0),
            decoder: Decoder::Soft,
        },
        sensing: Sensing::Frames {
            energy_mw: dbm_to_mw(-62.0),
        },
        mac: mac::Config {
            rts_threshold: Some(500),
            ..mac::Config::ieee80211g()
        },
        routing: RoutingSpec::Aodv(aodv::Config::default()),
        clamped: Vec::new(),
        timeline: Some((seconds(2.0), seconds(2.5))),
    }
}

/// From end to end of the chain, and against that.
fn radio_flows() -> Vec<FlowSpec> {
    let (first, last) = (GATEWAY + 1, GATEWAY + STATIONS);
    let newreno = preset("newreno").expect("a preset");
    let calls = Traffic::Cbr {
        rate: Rate::from_bps(64_000),
        packet: 160,
        jitter: 0.1,
    };
    vec![
        flow(
            "chain",
            first,
            last,
            tcp(newreno, Profile::Rfc),
            Traffic::Ftp,
        ),
        flow(
            "calls",
            last,
            first + 1,
            Transport::Udp { header: 28 },
            calls,
        ),
    ]
}
