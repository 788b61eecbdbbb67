//! A run that is told to stop does so after few packets, however many an event covers.

use std::sync::atomic::{AtomicBool, Ordering};

use skywave_core::link::{CoDelConfig, FqCoDelConfig, Limit, LinkConfig, QueueConfig};
use skywave_core::mac;
use skywave_core::routing::dsdv;
use skywave_core::{Duration, Rate, Time};
use skywave_sim::observe::{Observer, Offer, Watch};
use skywave_sim::simulate_watched;
use skywave_sim::spec::{FlowSpec, RoutingSpec, Spec, Traffic, Transport};

use crate::common::{ftp, link, ns2, wire, wired};
use crate::radio::network::{fixed, run};

/// Packets that links may be offered after the flag was set: an event has hundreds of thousands here.
const MOST: usize = 50_000;
/// Packets after which it is set.
const UNTIL: usize = 150_000;

/// Sets the flag when this link has been offered so many packets; counts those that are offered to any after that.
struct Stopper<'a> {
    flag: &'a AtomicBool,
    link: usize,
    offers: usize,
    after: usize,
}

impl Observer for Stopper<'_> {
    fn on_offer(&mut self, offer: &Offer<'_>) {
        if self.flag.load(Ordering::Relaxed) {
            self.after += 1;
        }
        if offer.link == self.link {
            self.offers += 1;
            if self.offers == UNTIL {
                self.flag.store(true, Ordering::Relaxed);
            }
        }
    }
}

/// Stops the run by packets at a link; gives the number of packets at links after that.
fn after(spec: &Spec, link: usize) -> usize {
    let flag = AtomicBool::new(false);
    let mut stopper = Stopper {
        flag: &flag,
        link,
        offers: 0,
        after: 0,
    };
    let watch = Watch {
        observer: Some(&mut stopper),
        cancel: Some(&flag),
    };
    assert!(simulate_watched(spec, watch).is_none());
    assert!(stopper.offers >= UNTIL);
    stopper.after
}

/// Senders 0, 1, … over links of their own to a node, and one link from there to all receivers.
fn spec(flows: Vec<FlowSpec>, shared: LinkConfig) -> Spec {
    let (many, node) = (flows.len(), flows.len());
    let fast = || wire(100_000.0, 500.0, 1_000_000);
    let mut links = vec![
        link("shared", node, node + 1, shared),
        link("back", node + 1, node, fast()),
    ];
    for source in 0..many {
        links.push(link("in", source, node, fast()));
        links.push(link("out", node, source, fast()));
    }
    let end = Time::ZERO + Duration::from_secs(100);
    let nodes: Vec<String> = (0..many + 2).map(|n| n.to_string()).collect();
    let nodes: Vec<&str> = nodes.iter().map(String::as_str).collect();
    wired(&nodes, links, flows, end)
}

fn cbr(from: usize, to: usize) -> FlowSpec {
    FlowSpec {
        name: format!("udp {from}").into(),
        from,
        to,
        route: None,
        transport: Transport::Udp { header: 28 },
        traffic: Traffic::Cbr {
            rate: Rate::from_bps(5_000_000_000),
            packet: 1000,
            jitter: 0.0,
        },
        start: Time::ZERO,
        stop: None,
    }
}

#[test]
fn within_an_event_of_a_sender_of_datagrams() {
    let spec = spec(vec![cbr(0, 2)], wire(100_000.0, 500.0, 1000));
    let after = after(&spec, 2);
    assert!(after < MOST, "{after} packets");
}

#[test]
fn within_an_event_of_a_tcp_sender() {
    let mut config = ns2("reno", 1000);
    config.mss = 1000;
    config.rwnd = 2_000_000_000;
    config.initial_window.0 = 400_000.0;
    let spec = spec(
        vec![ftp("bulk", 0, 2, config)],
        wire(100_000.0, 500.0, 2_000_000),
    );
    // At the link of its ACKs, so that it is the second round trip: an event for hundreds of thousands of them.
    let after = after(&spec, 1);
    assert!(after < MOST, "{after} packets");
}

#[test]
fn within_an_event_of_a_link() {
    let shared = wire(100_000.0, 500.0, 1_000_000);
    let spec = spec(vec![cbr(0, 3), cbr(1, 3)], shared);
    let after = after(&spec, 0);
    assert!(after < MOST, "{after} packets");
}

#[test]
fn within_an_event_of_a_link_with_a_time_of_its_own() {
    let mut shared = wire(100_000.0, 500.0, 1);
    let room = CoDelConfig::new(Limit::Packets(1_000_000));
    shared.queue = QueueConfig::FqCoDel(FqCoDelConfig::new(room));
    let spec = spec(vec![cbr(0, 3), cbr(1, 3)], shared);
    let after = after(&spec, 0);
    assert!(after < MOST, "{after} packets");
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "no packet of such a run could set the flag: somebody else has to"
)]
fn within_a_time_in_which_stations_talk_of_routes_alone() {
    let mut radio = fixed(&[(0.0, 0.0), (200.0, 0.0)], mac::Config::ieee80211g());
    radio.routing = RoutingSpec::Dsdv(dsdv::Config {
        update_interval: Duration::from_millis(2),
        trigger_gap: Duration::from_millis(2),
        ..dsdv::Config::default()
    });
    // Nothing else is to happen in all these days.
    let spec = run(radio, Vec::new(), 1_000_000, 1);
    let flag = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(std::time::Duration::from_millis(20));
            flag.store(true, Ordering::Relaxed);
        });
        let watch = Watch {
            observer: None,
            cancel: Some(&flag),
        };
        assert!(simulate_watched(&spec, watch).is_none());
    });
}
