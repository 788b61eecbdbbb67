//! The MAC of 802.11: the distributed coordination function (DCF).
//!
//! Stations of a channel without a master. Each listens before it talks, waits a random number of
//! slots after the channel has become free, and has every unicast frame acknowledged; RTS and CTS
//! may reserve the channel first. Sources: IEEE 802.11-2016 clauses 10.3 (DCF) and 9 (frames).
//!
//! - [`access`]: when a station may talk: interframe spaces, backoff, NAV;
//! - [`dcf`]: the exchanges RTS, CTS, data, ACK, and their retries;
//! - [`queue`]: packets that wait;
//! - [`config`]: timings and limits; [`frame`]: what is sent.

pub mod access;
pub mod config;
pub mod dcf;
pub mod frame;
pub mod queue;

pub use config::{Config, Timing};
pub use dcf::{Dcf, Output, Stats};
pub use frame::{Frame, Kind};

#[cfg(test)]
mod tests;
