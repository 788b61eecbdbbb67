//! TCP over chains of stations.

use skywave_core::mac;
use skywave_core::routing::aodv;
use skywave_core::tcp::{Acking, Profile, TcpConfig, preset};
use skywave_sim::spec::RoutingSpec;
use skywave_sim::{Outcome, simulate};

use super::network::{fixed, run};
use crate::common::ftp;

/// NewReno from one end of a chain of stations, 200 m apart, to the other.
fn chain(hops: usize, rts: Option<u32>, routing: RoutingSpec) -> Outcome {
    seeded(hops, rts, routing, 1)
}

fn seeded(hops: usize, rts: Option<u32>, routing: RoutingSpec, seed: u64) -> Outcome {
    let mac = mac::Config {
        rts_threshold: rts,
        ..mac::Config::ieee80211g()
    };
    let places: Vec<_> = (0..=hops).map(|n| (200.0 * n as f64, 0.0)).collect();
    let newreno = preset("newreno").expect("a known preset");
    let mut config = TcpConfig::new(Profile::Rfc, newreno.composition.clone());
    config.acking = Acking::EverySegment;
    let mut radio = fixed(&places, mac);
    radio.routing = routing;
    simulate(&run(radio, vec![ftp("bulk", 0, hops, config)], 20, seed))
}

fn goodputs(rts: Option<u32>) -> Vec<f64> {
    let hops = [1, 2, 3, 5, 7].into_iter();
    let goodput = |hops| chain(hops, rts, RoutingSpec::Static).flows[0].goodput_bps;
    hops.map(goodput).collect()
}

#[test]
fn every_hop_costs_goodput_and_rts_costs_some_more() {
    let [without, with] = [None, Some(0)].map(goodputs);
    for goodputs in [&without, &with] {
        assert!(goodputs.is_sorted_by(|a, b| a > b), "{goodputs:?}");
    }
    assert!(with.iter().zip(&without).all(|(w, wo)| w < wo));
    // Stations within three hops of each other take turns, so two hops share the time of one.
    let share = without[1] / without[0];
    assert!((0.45..0.55).contains(&share), "{share}");
}

#[test]
fn with_aodv_a_chain_carries_nearly_as_much_as_with_given_routes() {
    for hops in [1, 4] {
        let aodv = RoutingSpec::Aodv(aodv::Config::default());
        // Of ten seeds, as routes break at the moments of single collisions.
        let [given, found] = [RoutingSpec::Static, aodv].map(|routing| {
            let goodput = |seed| seeded(hops, None, routing.clone(), seed).flows[0].goodput_bps;
            (1..=10).map(goodput).sum::<f64>()
        });
        assert!(found > 0.5 * given, "{hops}: {found} {given}");
    }
}

#[test]
fn the_same_seed_gives_the_same_run() {
    let run = || chain(3, Some(256), RoutingSpec::Aodv(aodv::Config::default()));
    assert_eq!(run(), run());
}
