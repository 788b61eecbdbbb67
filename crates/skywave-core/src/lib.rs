//! Skywave's protocols, links and channels as **sans-IO state machines**.
//!
//! A machine takes `now` and an input, and yields outputs. It never reads a clock, opens a socket,
//! spawns a thread or draws from a global random source: the simulator drives it with a virtual
//! clock, a wire driver with the real one. See `docs/design.md`.

pub mod agent;
pub mod clock;
pub mod driver;
pub mod link;
pub mod mac;
mod pacing;
pub mod packet;
pub mod prefetch;
pub mod proxy;
pub mod quic;
pub mod radio;
mod ranges;
mod ring;
pub mod rng;
pub mod routing;
pub mod seq;
pub mod tcp;
pub mod time;
pub mod units;
pub mod wtcp;

pub use packet::{Body, Packet, Segment};
pub use time::{Duration, Offset, Time};
pub use units::{Rate, Segments};
