//! One-way delays between the two ends of a connection, for congestion control laws that tell the queue of the data's
//! way from that of the way back.
//!
//! QUIC's ACKs do not tell when packets came (draft-smith-quic-receive-ts would), and the QUIC library noq gives a
//! program no packet numbers. But each datagram ends with the tag that authenticates its last packet (RFC 9001 section
//! 5.3): 16 bytes that only this datagram has, and that both ends see at their sockets. So the sender of data notes
//! when the datagram with this [`Tag`] left ([`Departures`]), and the receiver tells in small reports when datagrams
//! came ([`Arrivals`]), each by a clock of its own. An [`Ear`] makes delays of both and keeps their least and their
//! mean until the law of the connection takes them with the next ACK.
//!
//! Reports are datagrams of QUIC itself (RFC 9221), encrypted and authenticated as everything is. A sender that wants
//! them [says so by taking datagrams](accept_reports); a receiver that does not know of them sends none, and the law
//! hears of no one-way delay. Reports begin with a version, and others than [`VERSION`] are ignored.
//!
//! At most [`MOST_TOLD`] datagrams are in a report. The more come between two reports, the smaller is the sample of them
//! that is told, and both ends choose it by the tags alone: a tag is of a level if its number ends with so many zero
//! bits.
//!
//! | part | what it is |
//! |---|---|
//! | [`Watch`] | the parts below for all connections of an endpoint of noq, at its socket |
//! | [`Departures`], [`Arrivals`], [`Ear`] | the same without socket and clock |
//!
//! What a peer can do: all rooms are bounded, and a report is a claim about the peer's own transfer. It names datagrams
//! by tags that only who has received them knows. One-way delays more than [`MOST_APART`] from the first one are not
//! believed.

mod arrivals;
mod departures;
mod ear;
mod report;
mod socket;
mod watch;

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use noq_proto::TransportConfig;

pub use arrivals::Arrivals;
pub use departures::Departures;
pub use ear::{Ear, MOST_APART};
pub use report::{MOST_TOLD, Report, VERSION};
pub use watch::Watch;

/// Time from an arrival to the report about it: a third of a round trip within these bounds. More reports would tell more, and
/// take the room of ACKs where the way back is thin.
const SOONEST: Duration = Duration::from_millis(10);
const LATEST: Duration = Duration::from_millis(100);
/// Bytes of reports that may wait to be read, or to be sent.
const WAITING: usize = 4096;

/// Identifier of a QUIC datagram that both ends can compute, without any field for it: the datagram's last 5 bytes,
/// which are part of the authentication tag of its last packet (RFC 9001 section 5.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tag(u64);

impl Tag {
    /// Bytes that are taken.
    const BYTES: usize = 5;

    /// Tag of a datagram, its last 5 bytes; `None` if the datagram has fewer.
    pub fn of(datagram: &[u8]) -> Option<Self> {
        datagram.last_chunk().map(|bytes| Self::from_bytes(*bytes))
    }

    fn from_bytes(bytes: [u8; Self::BYTES]) -> Self {
        let mut all = [0; 8];
        all[8 - Self::BYTES..].copy_from_slice(&bytes);
        Self(u64::from_be_bytes(all))
    }

    fn to_bytes(self) -> [u8; Self::BYTES] {
        let [_, _, _, bytes @ ..] = self.0.to_be_bytes();
        bytes
    }

    /// In how many samples it is: each one has half of the datagrams of the one before.
    fn level(self) -> u32 {
        self.0.trailing_zeros()
    }
}

/// Access to what the mutex guards, also after a panic of another thread that held it.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Sets up the end that sends data to take QUIC datagrams (RFC 9221), in which its peer may report when packets
/// arrived.
pub fn accept_reports(transport: &mut TransportConfig) {
    transport.datagram_receive_buffer_size(Some(WAITING));
}

/// Sets up the end that receives data to report arrivals in QUIC datagrams (RFC 9221). The library noq sends datagrams
/// only if it may receive some, so that this end's receive buffer for them is 1 byte, in which no report fits.
pub fn send_reports(transport: &mut TransportConfig) {
    transport
        .datagram_send_buffer_size(WAITING)
        // noq sends datagrams only where it may receive some.
        .datagram_receive_buffer_size(Some(1));
}

/// Time from the first arrival that a report tells of to the report itself: a third of the round-trip time `rtt`, but
/// at least 10 ms and at most 100 ms.
pub fn report_after(rtt: Duration) -> Duration {
    (rtt / 3).clamp(SOONEST, LATEST)
}
