//! Simulations compared with closed formulas of queueing theory, of TCP's throughput and of channels.
//!
//! Tolerances are stated with each formula: statistical ones are several standard errors, those of
//! models say what the model leaves out.

mod arq;
mod bbr_shares;
#[expect(
    clippy::disallowed_methods,
    reason = "what a formula gives is compared within a tolerance"
)]
mod channels;
mod mobile_ip;
mod queueing;
mod throughput;
