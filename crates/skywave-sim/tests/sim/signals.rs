//! Signals of links, queues and stations to the ends of a flow: marks (ECN), explicit loss
//! notification, and the contention delay of 802.11.

use std::sync::{Arc, Mutex};

use skywave_core::link::{Arq, Limit, LossConfig, QueueConfig, RedConfig};
use skywave_core::mac;
use skywave_core::packet::Hints;
use skywave_core::radio::{Position, Propagation, Reception, Sensing};
use skywave_core::tcp::window::{AckEvent, LossEvent, Response, TimeoutEvent, Window};
use skywave_core::tcp::{
    CongestionConfig, CongestionControl, CustomCongestion, EcnRules, TcpConfig,
};
use skywave_core::{Duration, Time};
use skywave_sim::spec::{Movement, RadioSpec, RoutingSpec, Spec, StationSpec};
use skywave_sim::{Outcome, simulate};

use crate::common::{Path, ftp, ns2, single};

const BUFFER: u32 = 60;

fn red(mark_p: Option<f64>) -> QueueConfig {
    QueueConfig::Red(RedConfig {
        limit: Limit::Packets(BUFFER),
        min_threshold: 10.0,
        max_threshold: 30.0,
        max_p: 0.1,
        weight: 0.02,
        gentle: true,
        wait: true,
        mean_packet: 1500,
        mark_p,
    })
}

/// A flow over a bottleneck with RED, without channel losses.
fn over_red(ecn: bool, mark_p: Option<f64>) -> Outcome {
    let path = Path {
        loss: 0.0,
        buffer: BUFFER,
        delay_ms: 20.0,
        seconds: 60,
        ..Path::default()
    };
    let config = TcpConfig {
        ecn,
        // With ns-2's rules more is sent again after the overshoot of slow start.
        ecn_rules: EcnRules::Rfc3168,
        ..ns2("reno", BUFFER)
    };
    let mut spec = single(path, config, 1);
    Arc::make_mut(&mut spec.links[1].config).queue = red(mark_p);
    simulate(&spec)
}

#[test]
fn a_queue_marks_instead_of_dropping_early_and_the_sender_answers() {
    let outcome = over_red(true, Some(0.1));
    let (flow, bottleneck) = (&outcome.flows[0], &outcome.links[1]);
    assert!(bottleneck.ecn_marks > 20, "{}", bottleneck.ecn_marks);
    // Drops come only where slow start's overshoot exceeds the limit, and of retransmissions.
    assert!(flow.early_drops < 20, "{}", flow.early_drops);
    assert!(flow.ecn_responses > 20 && flow.ecn_responses <= bottleneck.ecn_marks);
    // Nothing is sent again but for the overshoot of slow start.
    assert!(flow.retransmits < 60, "{}", flow.retransmits);
    assert!(flow.goodput_bps > 0.9 * over_red(false, None).flows[0].goodput_bps);
}

#[test]
fn who_is_not_capable_of_ecn_is_dropped_by_the_same_queue() {
    let outcome = over_red(false, Some(0.1));
    assert_eq!(outcome.links[1].ecn_marks, 0);
    assert!(outcome.flows[0].early_drops > 5);
    assert_eq!(outcome.flows[0].ecn_responses, 0);
}

#[test]
fn a_queue_that_does_not_mark_drops_capable_packets_too() {
    let outcome = over_red(true, None);
    assert_eq!(outcome.links[1].ecn_marks, 0);
    assert!(outcome.flows[0].early_drops > 5);
}

#[test]
fn marking_ends_where_the_average_asks_for_more_than_the_limit() {
    // Below every probability: nothing is marked.
    let outcome = over_red(true, Some(0.0));
    assert_eq!(outcome.links[1].ecn_marks, 0);
    assert!(outcome.flows[0].early_drops > 5);
}

/// Mean goodput of a Reno flow over the CERL paper's path, at 9 Mb/s and with a round trip of 100 ms, with
/// this loss, in bits per second. (At the paper's 2 Mb/s a loss of 0.1% leaves nothing to gain.)
fn reno(loss: f64, eln: bool, change: impl Fn(&mut Spec)) -> f64 {
    let goodput = |seed| {
        let config = TcpConfig {
            eln,
            ..ns2("reno", 90)
        };
        let path = Path {
            loss,
            rate_mbps: 9.0,
            delay_ms: 30.0,
            seconds: 120,
            ..Path::default()
        };
        let mut spec = single(path, config, seed);
        change(&mut spec);
        simulate(&spec).flows[0].goodput_bps
    };
    let seeds = 3;
    (1..=seeds).map(goodput).sum::<f64>() / seeds as f64
}

#[test]
fn eln_lifts_reno_at_one_percent_above_reno_at_a_tenth_of_that() {
    let with = reno(0.01, true, |_| {});
    let at_a_tenth = reno(0.001, false, |_| {});
    let without = reno(0.01, false, |_| {});
    assert!(
        without < at_a_tenth && at_a_tenth < with,
        "{without} {at_a_tenth} {with}"
    );
}

#[test]
fn a_loss_in_a_queue_is_none_of_elns() {
    let congested = |eln| {
        reno(0.0, eln, |spec| {
            Arc::make_mut(&mut spec.links[1].config).queue = red(None);
        })
    };
    assert_eq!(congested(true).to_bits(), congested(false).to_bits());
}

#[test]
fn a_link_that_gives_packets_up_tells_of_it() {
    let over_arq = |eln| {
        reno(0.0, eln, |spec| {
            let radio = Arc::make_mut(&mut spec.links[2].config);
            radio.loss = vec![LossConfig::Iid(0.1)];
            radio.arq = Some(Arq {
                retries: Some(1),
                in_order: true,
                ..Arq::default()
            });
        })
    };
    let (with, without) = (over_arq(true), over_arq(false));
    assert!(with > 1.2 * without, "{with} {without}");
}

/// Reno that records its hints about contention.
struct Listener(Arc<Mutex<Vec<Duration>>>);

impl CongestionControl for Listener {
    fn grow(&mut self, ack: &AckEvent, window: &mut Window) {
        skywave_core::tcp::congestion::standard_growth(ack, window);
    }

    fn on_loss(&mut self, loss: &LossEvent, _window: &Window) -> Response {
        Response::cut_to(loss.window / 2.0)
    }

    fn on_timeout(&mut self, timeout: &TimeoutEvent, _window: &Window) -> Response {
        Response::restart(timeout.window / 2.0)
    }

    fn on_hints(&mut self, _now: Time, hints: &Hints, _window: &mut Window) {
        let mut heard = self.0.lock().expect("nobody panics with it");
        heard.push({ hints.contention }.to_duration());
    }
}

/// The hints about contention that a flow over a chain of 802.11 stations, 200 m apart, gets.
fn contention(hops: usize, hints: bool) -> Vec<Duration> {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let shared = Arc::clone(&heard);
    let law = CustomCongestion::new("listener", move |_| Listener(Arc::clone(&shared)));
    let mut config = TcpConfig {
        hints,
        ..ns2("newreno", 50)
    };
    config.composition.congestion = CongestionConfig::Custom(law);
    let station = |n: usize| StationSpec {
        node: n,
        movement: Movement::Fixed(Position {
            x: 200.0 * n as f64,
            y: 0.0,
        }),
        ip: None,
        loss: Vec::new(),
    };
    let end = Time::ZERO + Duration::from_secs(5);
    let spec = Spec {
        nodes: (0..=hops).map(|n| format!("N{n}").into()).collect(),
        links: Vec::new(),
        flows: vec![ftp("bulk", 0, hops, config)],
        radio: Some(RadioSpec {
            stations: (0..=hops).map(station).collect(),
            propagation: Propagation::ns2_wavelan(),
            reception: Reception::Capture { ratio: 10.0 },
            sensing: Sensing::Signals,
            mac: mac::Config::ieee80211g(),
            routing: RoutingSpec::Static,
            clamped: Vec::new(),
            timeline: None,
        }),
        duration: end,
        measure: (Time::ZERO, end),
        ..single(Path::default(), ns2("reno", 90), 1)
    };
    simulate(&spec);
    let heard = heard.lock().expect("nobody panics with it");
    heard.clone()
}

#[test]
fn the_contention_of_each_hop_adds_up() {
    let mean = |delays: &[Duration]| {
        assert!(delays.len() > 100, "{}", delays.len());
        delays.iter().map(|d| d.as_secs_f64()).sum::<f64>() / delays.len() as f64
    };
    let [one, two] = [1, 2].map(|hops| mean(&contention(hops, true)));
    // A frame takes at least its interframe space and its airtime: 50 µs and 1500 bytes at 54 Mb/s.
    assert!(one > 250e-6, "{one}");
    assert!(two > 1.5 * one, "{one} {two}");
}

#[test]
fn nobody_is_told_who_does_not_ask() {
    assert_eq!(contention(1, false), []);
}
