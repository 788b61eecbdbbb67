//! Simulations against closed formulas of queueing theory, of TCP's throughput and of channels.
//!
//! Tolerances are stated with each formula: statistical ones are several standard errors, those of
//! models say what the model leaves out.

#[path = "../common/mod.rs"]
mod common;

mod arq;
mod channels;
mod mobile_ip;
mod queueing;
mod throughput;
