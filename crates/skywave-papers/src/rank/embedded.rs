//! The built-in study, compiled into the program.

use super::error::RankError;
use super::place::Place;
use super::read::read;
use super::study::Study;
use skywave_scenario::Bundle;

const STUDY: &str = include_str!("../../../../experiments/compositions/study.toml");

macro_rules! bundle {
    ($($file:literal)*) => {
        Bundle(&[$(($file, include_str!(concat!("../../../../experiments/compositions/", $file)))),*])
    };
}

/// Scenarios of the built-in study, and the trace that takes the place of a recorded one.
const FILES: Bundle = bundle!(
    "beside.toml"
    "cerl.toml"
    "cerl-multi.toml"
    "dcr-repair.toml"
    "dcr-satellite.toml"
    "lte.toml"
    "sifest.toml"
    "thesis.toml"
    "wtcp.toml"
    "../lte/short.down"
);

/// Reads the built-in study, which ranks sender compositions ([`Entry`](super::Entry)) over the paths of the built-in
/// papers.
pub fn builtin() -> Result<Study, RankError> {
    let file = "experiments/compositions/study.toml";
    read("compositions", file, STUDY, &Place::Bundle(FILES))
}
