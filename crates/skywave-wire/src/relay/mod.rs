//! A relay that impairs real packets with the simulator's links.
//!
//! [`Relay`] is the machine, without clock or sockets: a chain of links each way, packets in with the time, packets out
//! with the time when they are due. [`drive`] adds clock and sockets: it waits for packets ([`UdpEnds`], or [`TunEnds`]
//! for whole IP packets), lets each go when it is due and counts how much later than that it really went
//! ([`Lateness`]).

mod drive;
mod hop;
mod lateness;
mod machine;
mod report;
#[cfg(target_os = "linux")]
mod tun;
mod udp;
#[cfg(target_os = "linux")]
mod urgent;
mod watch;

pub use drive::{Ends, Parcel, Sent, View, drive, watched};
pub use hop::Tally;
pub use lateness::{LATE, LATE_SHARE, Lateness};
pub use machine::{
    Cause, Course, Direction, HopConfig, KEPT_BYTES, Outcome, Relay, RelayConfig, Step,
};
pub use report::{HopReport, Report, Troubles, WayReport};
#[cfg(target_os = "linux")]
pub(crate) use tun::tun;
#[cfg(target_os = "linux")]
pub use tun::{TunEnds, TunError};
pub use udp::{UdpEnds, UdpError};
#[cfg(target_os = "linux")]
pub use urgent::urgent;
pub use watch::{End, Watch};

/// Bytes of the IPv4 and UDP headers around a datagram's payload.
pub const UDP_OVERHEAD: u32 = 28;
