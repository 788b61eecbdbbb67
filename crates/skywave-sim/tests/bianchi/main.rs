//! Saturated stations in one cell, against Bianchi's model of DCF.

#[path = "../common/mod.rs"]
mod common;

mod model;
#[path = "../radio/network.rs"]
mod network;
mod slots;
mod stations;
