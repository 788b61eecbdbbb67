//! The radio network of a point, as it is at the start.

use skywave_sim::Spec;

use super::plot::{Map, Place};

/// Radio network of a scenario: the positions of its stations, and how far they reach.
#[derive(Clone, Debug, PartialEq)]
pub struct Topology {
    /// Radio stations with their positions at the start of the run, in the order of the specification.
    pub stations: Vec<Place>,
    /// Pairs of stations that can receive each other, as indices into `stations`.
    pub pairs: Vec<(usize, usize)>,
    /// Distance within which a frame can be received, metres.
    pub reception_m: f64,
    /// Distance within which a transmission keeps the channel busy (carrier sense), metres.
    pub sensing_m: f64,
}

impl Topology {
    /// The radio network of a simulation, if it has one.
    pub(super) fn of(spec: &Spec) -> Option<Self> {
        let radio = spec.radio.as_ref()?;
        let positions = spec.places();
        let stations = radio.stations.iter().zip(&positions);
        let stations = stations.map(|(station, position)| Place {
            name: spec.nodes[station.node].to_string(),
            x: position.x,
            y: position.y,
            moves: !station.movement.is_fixed(),
        });
        let receives = |from: usize, to: usize| {
            let heard = radio.propagation.reach(positions[from], positions[to]);
            heard.is_some_and(|heard| heard.decodable)
        };
        let pairs = (0..positions.len()).flat_map(|a| (0..a).map(move |b| (b, a)));
        Some(Self {
            stations: stations.collect(),
            pairs: pairs.filter(|&(a, b)| receives(a, b)).collect(),
            reception_m: radio.propagation.reception_range(),
            sensing_m: radio.propagation.sensing_range(),
        })
    }

    /// The picture of it.
    pub(super) fn map(&self, title: String) -> Map {
        let (reception, sensing) = (self.reception_m, self.sensing_m);
        let circles = if reception == sensing {
            vec![(reception, "Reception and carrier sense".to_owned())]
        } else {
            vec![
                (reception, "Reception".to_owned()),
                (sensing, "Carrier sense".to_owned()),
            ]
        };
        Map {
            title,
            places: self.stations.clone(),
            pairs: self.pairs.clone(),
            pairs_label: "receive each other".into(),
            circles,
        }
    }
}
