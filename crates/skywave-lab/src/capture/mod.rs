//! Packet captures of simulated links, and reading captures of any origin.
//!
//! [`capture`] simulates the first seed of every point of a scenario again and leaves a pcapng file for
//! each link that is asked for. A capture is taken where a packet is offered to a link, before the link
//! can hurt it; what becomes of it stands in a comment, see [`Remark`].
//!
//! Captures of real packets have the same comments; whoever takes them writes with [`pcapng`].
//!
//! [`read`] goes through a capture, ours or tcpdump's, and [`Summary`] adds up its connections.

mod connection;
mod dissect;
mod packet;
pub mod pcapng;
mod points;
mod ranges;
mod read;
mod recorder;
mod remark;
mod sequence;

pub use connection::{Connection, Direction, Protocol, Summary};
pub use dissect::{Dissected, Endpoint, dissect, is_tcp_cut};
pub use points::{Captured, DIRECTORY, Error, Options, capture, check_links};
pub use read::{Frame, ReadError, read};
pub use recorder::Keep;
pub use remark::{Dropper, Remark};
pub use sequence::{LOSSES, simulate_with_sequence};
