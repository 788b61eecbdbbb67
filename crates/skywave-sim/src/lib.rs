//! Deterministic packet-level simulation: drives the machines of `skywave-core` with a virtual clock.
//!
//! [`simulate`] runs one [`Spec`] to its [`Outcome`]. The same specification gives the same outcome,
//! bit for bit, on any machine.
//!
//! [`Spec`] is plain data and the only entrance to the simulator; [`Outcome`] is plain data and the only exit.
//! The scenario layer checks everything beforehand, so that running cannot fail.
//!
//! These three are stable from 1.0 on; what else is public may change with any version.

mod engine;
pub mod losses;
mod measure;
pub mod network;
pub mod observe;
pub mod outcome;
pub mod spec;
mod traffic;

pub use engine::{simulate, simulate_watched};
pub use outcome::{Bins, FlowOutcome, LinkOutcome, Outcome, Series};
pub use spec::Spec;

/// Identifier of this simulation engine, stored with each result: its version, and a fingerprint of the sources of
/// `skywave-core` and of this crate and of the versions of the packages linked with them. Results that another engine
/// has stored are not used again.
pub const ENGINE: &str = concat!(
    "skywave ",
    env!("CARGO_PKG_VERSION"),
    "+",
    env!("SKYWAVE_ENGINE")
);
