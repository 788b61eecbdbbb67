//! Saturated stations in one cell, compared with Bianchi's model of DCF.

#[path = "../common/mod.rs"]
mod common;

#[expect(
    clippy::disallowed_methods,
    reason = "what the model gives is compared within a tolerance"
)]
mod model;
#[path = "../radio/network.rs"]
mod network;
mod slots;
mod stations;
