//! Radio networks that several tests share.

use skywave_core::mac;
use skywave_core::radio::{Position, Propagation, Reception, Sensing};
use skywave_core::{Duration, Time};
use skywave_sim::Spec;
use skywave_sim::spec::{FlowSpec, Movement, RadioSpec, RoutingSpec, StationSpec};

/// Stations that stay where they are, with the radios of ns-2's wireless card and static routes.
pub(crate) fn fixed(places: &[(f64, f64)], mac: mac::Config) -> RadioSpec {
    let station = |(node, &(x, y)): (usize, &(f64, f64))| StationSpec {
        node,
        movement: Movement::Fixed(Position { x, y }),
        ip: None,
        loss: Vec::new(),
    };
    RadioSpec {
        stations: places.iter().enumerate().map(station).collect(),
        propagation: Propagation::ns2_wavelan(),
        reception: Reception::Capture { ratio: 10.0 },
        sensing: Sensing::Signals,
        mac,
        routing: RoutingSpec::Static,
        clamped: Vec::new(),
        timeline: None,
    }
}

/// A run of a radio network alone.
pub(crate) fn run(radio: RadioSpec, flows: Vec<FlowSpec>, seconds: u64, seed: u64) -> Spec {
    let end = Time::ZERO + Duration::from_secs(seconds);
    Spec {
        nodes: (0..radio.stations.len())
            .map(|n| format!("N{n}").into())
            .collect(),
        flows,
        radio: Some(radio),
        duration: end,
        measure: (Time::ZERO, end),
        seed,
        ..Spec::default()
    }
}
