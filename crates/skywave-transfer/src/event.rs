//! Events of transfers, as they are told to whoever shows them.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::key::PublicKey;
use noq::{Connection, PathId};

use crate::error::Why;
use crate::wire::message::Totals;

/// Number of one file's transfer in [`Event`]s, unique in this process. A new attempt has a new number.
pub type Id = u64;

/// State of a QUIC connection: its round-trip time, and packets sent and lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Link {
    /// Round-trip time.
    pub rtt: Duration,
    /// Packets that this side sent.
    pub sent: u64,
    /// Packets sent by this side that were declared lost, since the connection began.
    pub lost: u64,
}

impl Link {
    pub(crate) fn of(connection: &Connection) -> Self {
        let stats = connection.stats();
        Self {
            rtt: connection.rtt(PathId::ZERO).unwrap_or_default(),
            sent: stats.sent_packets,
            lost: stats.lost_packets,
        }
    }
}

/// An event of transfers at this side, for its [`Teller`]. Texts of the peer in it are shown escaped
/// ([`crate::name::shown`]).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// Packets are expected at this address.
    Listening(SocketAddr),
    /// A connection to the peer is tried at this address.
    Connecting(SocketAddr),
    /// The peer cannot be asked, or packets to it are refused, in the system's words. It is tried again.
    Trouble(String),
    /// The peer is there, and is who it should be.
    Connected(PublicKey, SocketAddr),
    /// The connection is lost, for this reason; the side that connects makes it again.
    Lost(String),
    /// Somebody tried a wrong code; so many tries are left.
    WrongCode(u32),
    /// Wrong codes were tried too often: the code is not good any more, and hosts with keys are waited for.
    CodeEnded,
    /// A host that came by the code has gone before all was done: it is waited for.
    Waiting(PublicKey),
    /// A host was not let in, since nothing allows its key. It may not have proved that the key is its own. Each key is
    /// told once, and of many only some.
    Refused(PublicKey),
    /// Total of what is going to be sent to this host, or received from it, with what has come before its
    /// connection broke.
    Expected(PublicKey, Totals),
    /// A file is going to be sent or received.
    Offered {
        /// The transfer.
        id: Id,
        /// The other side.
        peer: PublicKey,
        /// The file's path at the receiver.
        path: String,
        /// Size of the file in bytes, if the sender knows it.
        size: Option<u64>,
    },
    /// The receiver has some of the file.
    Progress {
        /// The transfer.
        id: Id,
        /// Bytes that are written.
        bytes: u64,
        /// How the connection fares.
        link: Link,
    },
    /// The receiver has all of the file.
    Done(Id, Arrived),
    /// The receiver does not have the file.
    Failed {
        /// The transfer.
        id: Id,
        /// The file's path at the receiver.
        path: String,
        /// Why not.
        why: Why,
    },
    /// Something in a folder is not sent.
    Skipped(PathBuf, Why),
}

/// A file that the receiver has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrived {
    /// Key of the other host.
    pub peer: PublicKey,
    /// Path of the file, as it was offered.
    pub path: String,
    /// Path of the file on the receiver's disk; `None` at the sender, and if the contents went to a program.
    pub place: Option<PathBuf>,
    /// Size of the file in bytes.
    pub size: u64,
    /// BLAKE3 hash of the file.
    pub hash: blake3::Hash,
    /// Bytes of the file that the receiver had before, and that were not sent again.
    pub resumed_from: u64,
}

/// Function that is called with each event, from any thread. It must not wait for long.
pub type Teller = Arc<dyn Fn(Event) + Send + Sync>;
