//! Queue disciplines in front of the MAC.

use skywave_core::link::{CoDelConfig, Limit, QueueConfig, StepConfig};
use skywave_core::mac;
use skywave_core::tcp::{EcnRules, Profile, TcpConfig, preset};
use skywave_sim::{Outcome, simulate};

use super::network::{fixed, run};
use crate::common::ftp;

/// One NewReno flow over two hops, from a station with this queue through another one.
fn download(queue: QueueConfig, ecn: bool) -> Outcome {
    let mac = mac::Config {
        queue,
        ..mac::Config::ieee80211g()
    };
    let newreno = preset("newreno").expect("a known preset");
    let config = TcpConfig {
        ecn,
        ecn_rules: EcnRules::Rfc3168,
        rwnd: 1_000_000,
        ..TcpConfig::new(Profile::Rfc, newreno.composition.clone())
    };
    let places = [(0.0, 0.0), (200.0, 0.0), (400.0, 0.0)];
    let flow = ftp("bulk", 0, 2, config);
    simulate(&run(fixed(&places, mac), vec![flow], 20, 1))
}

fn waited(outcome: &Outcome) -> f64 {
    let station = &outcome.stations[0];
    station.queue_time_mean_s.expect("packets were served")
}

#[test]
fn codel_keeps_the_time_in_the_queue_short_by_early_drops() {
    let room = Limit::Packets(1000);
    let [tail, codel] = [
        QueueConfig::DropTail(room),
        QueueConfig::CoDel(CoDelConfig::new(room)),
    ]
    .map(|queue| download(queue, false));
    assert!(waited(&tail) > 0.2, "{}", waited(&tail));
    assert!(waited(&codel) < 0.03, "{}", waited(&codel));
    let flow = &codel.flows[0];
    assert!(flow.early_drops > 20, "{flow:?}");
    assert_eq!(flow.early_drops, flow.queue_drops);
    let drops: u64 = codel.stations.iter().map(|s| s.queue_drops).sum();
    assert!(drops >= flow.queue_drops, "ACKs are dropped too");
}

#[test]
fn a_mark_of_the_first_station_reaches_the_sender() {
    let step = QueueConfig::Step(StepConfig {
        limit: Limit::Packets(1000),
        threshold: 20,
        weight: None,
    });
    let flow = &download(step, true).flows[0];
    assert!(flow.ecn_responses > 5, "{flow:?}");
    assert_eq!(flow.queue_drops, 0);
    let deaf = download(step, false);
    assert_eq!(deaf.flows[0].ecn_responses, 0);
    assert!(waited(&deaf) > 0.2);
}
