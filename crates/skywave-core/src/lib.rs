//! Skywave's protocols, links and channels as **sans-IO state machines**.
//!
//! A machine takes `now` and an input, and yields outputs. It never reads a clock, opens a socket,
//! spawns a thread or draws from a global random source: the simulator drives it with a virtual
//! clock, a wire driver with the real one. See `docs/design.md`.
//!
//! Clippy's `disallowed-methods` checks this, and that no mathematical function of the platform is called. The
//! simulator is one driver, real sockets are another, over the same machines.
//!
//! | module | what it is |
//! |---|---|
//! | [`tcp`] | a sender of policy slots (detection, recovery, congestion, timeout), a receiver, and a connection made of both |
//! | [`wtcp`] | rate control at the receiver, no timers: sender, receiver, wire format |
//! | [`quic`] | a window law that hears of packets sent, acknowledged and lost as RFC 9002 has them; sender, receiver |
//! | [`agent`] | machines at a node in the middle of a path: Snoop, D-Proxy's, L²CLAMP's |
//! | [`proxy`] | what joins two connections at a node that splits a path |
//! | [`link`] | loss, queue, transmission, delay; links that retransmit, and queues that decide when packets leave |
//! | [`radio`], [`mac`] | propagation, modulation, reception, movement; 802.11's DCF |
//! | [`routing`] | who gets a packet next between stations: static routes, AODV, DSDV, DSR |
//!
//! Stable from 1.0 on, of all of this: [`CongestionControl`](tcp::congestion::CongestionControl) and what its methods take, for laws
//! of one's own. The rest is public for the crates beside it, and may change with any version.

mod aged;
pub mod agent;
pub mod clock;
pub mod driver;
pub mod link;
pub mod mac;
mod pacing;
pub mod packet;
pub mod parameter;
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
