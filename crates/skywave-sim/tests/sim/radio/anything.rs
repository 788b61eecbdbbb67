//! In any network packets are conserved, and the same seed gives the same run.

use proptest::prelude::*;
use skywave_core::link::{
    CoDelConfig, FqCoDelConfig, Limit, LinkConfig, LossConfig, PieConfig, QueueConfig,
};
use skywave_core::mac;
use skywave_core::radio::{
    Command, Decoder, Mode, Position, Propagation, RandomWaypointConfig, Reception, Sensing, Track,
};
use skywave_core::routing::{aodv, dsdv, dsr};
use skywave_core::tcp::{Profile, TcpConfig, preset};
use skywave_core::{Duration, Rate, Time};
use skywave_sim::spec::{
    FlowSpec, Movement, RadioSpec, RoutingSpec, StationSpec, Traffic, Transport,
};
use skywave_sim::{Spec, simulate};

use super::network::{fixed, run};
use crate::common::ftp;

/// An IP layer that loses packets and holds them.
fn ip(loss: f64, held_ms: u64) -> LinkConfig {
    let queue = QueueConfig::DropTail(Limit::Packets(20));
    let mut config = LinkConfig::new(
        Rate::from_bps(50_000_000),
        Duration::from_millis(held_ms),
        queue,
    );
    config.loss = vec![LossConfig::Iid(loss)];
    config
}

prop_compose! {
    fn stations()(
        places in prop::collection::vec((0.0..800.0, 0.0..800.0), 2..9),
        moving in any::<bool>(),
        handled in prop::option::of((0.0..0.3, 0u64..30)),
        lost in prop::option::of(0.0..0.5),
    ) -> Vec<StationSpec> {
        let station = |(node, &(x, y)): (usize, &(f64, f64))| StationSpec {
            node,
            movement: if moving && node % 2 == 1 {
                Movement::RandomWaypoint(RandomWaypointConfig {
                    corner: Position { x: 800.0, y: 800.0 },
                    min_speed: 20.0,
                    max_speed: 100.0,
                    pause: Duration::from_millis(100),
                })
            } else {
                Movement::Fixed(Position { x, y })
            },
            ip: handled.map(|(loss, held_ms)| ip(loss, held_ms)),
            loss: lost.map(LossConfig::Iid).into_iter().collect(),
        };
        places.iter().enumerate().map(station).collect()
    }
}

/// Any discipline before the MAC, with little room.
fn queues() -> impl Strategy<Value = QueueConfig> {
    let room = (1u32..60).prop_map(Limit::Packets);
    (room, 0usize..4).prop_map(|(room, which)| {
        let codel = CoDelConfig::new(room);
        match which {
            0 => QueueConfig::CoDel(codel),
            1 => QueueConfig::FqCoDel(FqCoDelConfig::new(codel)),
            2 => QueueConfig::Pie(PieConfig::new(room)),
            _ => QueueConfig::DropTail(room),
        }
    })
}

prop_compose! {
    fn radios()(
        stations in stations(),
        rts in prop::option::of(0u32..500),
        sinr in any::<bool>(),
        feedback in any::<bool>(),
        (raise_on_break, drop_queued) in any::<(bool, bool)>(),
        keep_access in any::<bool>(),
        routing in 0..4,
        queue in queues(),
    ) -> RadioSpec {
        let mac = mac::Config {
            rts_threshold: rts,
            long_above: rts.unwrap_or(2347),
            queue,
            keep_access,
            ack_mode: if keep_access { Mode::Cck11 } else { Mode::Dsss1 },
            eifs_mode: if raise_on_break { Mode::Dsss1 } else { Mode::Dsss2 },
            ..mac::Config::ieee80211b()
        };
        let noise_mw = 1e-9;
        RadioSpec {
            stations,
            reception: if sinr {
                Reception::Interference { noise_mw, preamble: 2.5, decoder: Decoder::Soft }
            } else {
                Reception::Capture { ratio: 10.0 }
            },
            sensing: Sensing::Signals,
            propagation: Propagation::ns2_wavelan(),
            routing: match routing {
                0 => RoutingSpec::Aodv(aodv::Config {
                    hello: !feedback,
                    link_feedback: feedback,
                    raise_on_break,
                    drop_queued,
                    error_damping: keep_access.then(|| Duration::from_secs(1)),
                    ..aodv::Config::default()
                }),
                1 => RoutingSpec::Dsdv(dsdv::Config {
                    link_feedback: feedback,
                    drop_queued,
                    update_interval: Duration::from_secs(1),
                    ..dsdv::Config::default()
                }),
                2 => RoutingSpec::Dsr(dsr::Config {
                    salvage: feedback,
                    error_damping: raise_on_break.then(|| Duration::from_secs(1)),
                    drop_queued,
                    cached_replies: raise_on_break,
                    ..dsr::Config::default()
                }),
                _ => RoutingSpec::Static,
            },
            ..fixed(&[], mac)
        }
    }
}

fn datagrams(index: usize, from: usize, to: usize, bps: u64) -> FlowSpec {
    FlowSpec {
        name: format!("udp{index}").into(),
        from,
        to,
        route: None,
        transport: Transport::Udp { header: 28 },
        traffic: Traffic::Cbr {
            rate: Rate::from_bps(bps),
            packet: 500,
            jitter: 0.1,
        },
        start: Time::ZERO,
        // Packets under way have time to arrive, or to be given up.
        stop: Some(Time::ZERO + Duration::from_secs(2)),
    }
}

/// What TCP has of the layers below it.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Below {
    Nothing,
    Clamp,
    Contention,
}

fn anything(radio: RadioSpec, ends: &[(usize, usize)], bps: u64, below: Below) -> Spec {
    let nodes = radio.stations.len();
    let mut flows = Vec::new();
    for (index, &(from, to)) in ends.iter().enumerate() {
        let (from, to) = (from % nodes, to % nodes);
        if from == to {
            continue;
        }
        if index % 3 == 2 {
            let newreno = preset("newreno").expect("a known preset");
            let limited = below == Below::Contention;
            let config = TcpConfig {
                contention_control: limited,
                hints: limited,
                ..TcpConfig::new(Profile::Rfc, newreno.composition.clone())
            };
            flows.push(ftp(&format!("tcp{index}"), from, to, config));
        } else {
            flows.push(datagrams(index, from, to, bps));
        }
    }
    let mut radio = radio;
    if below == Below::Clamp {
        let tcp = |flow: &FlowSpec| matches!(flow.transport, Transport::Tcp(_));
        radio.clamped = (0..flows.len()).filter(|&flow| tcp(&flows[flow])).collect();
    }
    run(radio, flows, 60, 3)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn packets_are_conserved(
        radio in radios(),
        ends in prop::collection::vec((0usize..9, 0usize..9), 1..5),
        // From very little to more than the channel carries: queues fill, and neighbours are given up.
        bps in prop::sample::select(vec![400_000, 2_000_000, 8_000_000]),
        below in prop::sample::select(vec![Below::Nothing, Below::Clamp, Below::Contention]),
    ) {
        let spec = anything(radio, &ends, bps, below);
        let outcome = simulate(&spec);
        for (flow, spec) in outcome.flows.iter().zip(&spec.flows) {
            let lost = flow.queue_drops + flow.channel_drops + flow.no_route_drops;
            let udp = matches!(spec.transport, Transport::Udp { .. });
            if udp {
                // Every datagram has reached its end; those that existed twice are counted once.
                let arrived = flow.delivered_bytes / 500;
                prop_assert!(arrived <= flow.received_packets);
                prop_assert_eq!(arrived + lost, flow.sent_packets, "{:?}", flow);
            } else {
                prop_assert!(lost <= flow.sent_packets);
            }
        }
        for station in &outcome.stations {
            prop_assert!(station.acknowledged + station.unanswered <= station.attempts + station.requests);
        }
        prop_assert_eq!(outcome, simulate(&spec));
    }
}

#[test]
fn what_waits_for_a_neighbour_that_is_given_up_is_accounted_for() {
    // The neighbour moves away while many packets wait for it; routing hears of each.
    let mut radio = fixed(&[(0.0, 0.0), (200.0, 0.0)], mac::Config::ieee80211b());
    radio.routing = RoutingSpec::Aodv(aodv::Config {
        hello: false,
        link_feedback: true,
        ..aodv::Config::default()
    });
    radio.stations[1].movement = Movement::Track(Track {
        start: Position { x: 200.0, y: 0.0 },
        commands: vec![Command {
            at: Time::ZERO + Duration::from_secs(1),
            to: Position { x: 9000.0, y: 0.0 },
            speed: 1000.0,
        }],
    });
    let outcome = simulate(&run(radio, vec![datagrams(0, 0, 1, 8_000_000)], 60, 1));
    let flow = &outcome.flows[0];
    let lost = flow.queue_drops + flow.channel_drops + flow.no_route_drops;
    assert!(flow.channel_drops > 20, "{flow:?}");
    assert_eq!(flow.delivered_bytes / 500 + lost, flow.sent_packets);
}
