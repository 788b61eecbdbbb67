//! Events of transfers, as they are told to the program that shows them.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::key::PublicKey;
use noq::{Connection, PathId};

use crate::error::Why;
use crate::wire::message::Totals;

/// Number of one attempt to transfer a file, in [`Event`]s; unique in this process, so that a new attempt has a new
/// number.
pub type Id = u64;

/// State of a QUIC connection: its round-trip time, and packets sent and lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Link {
    /// Smoothed round-trip time of the connection, a guess of the QUIC library before the first sample; zero if it is
    /// not known.
    pub rtt: Duration,
    /// Packets sent by this side since the connection began.
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

/// Event of transfers at this side, for its [`Teller`]. Texts in it that come from the peer are escaped
/// ([`crate::name::shown`]).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// Start of listening at this local address and port.
    Listening(SocketAddr),
    /// Attempt to connect to the peer at this address.
    Connecting(SocketAddr),
    /// Trouble on the way to the peer, in the system's words: packets cannot be sent or are refused, or the address of
    /// its name is not found. Further attempts follow.
    Trouble(String),
    /// Connection to the peer, which has proved to be the right one: its key and address.
    Connected(PublicKey, SocketAddr),
    /// Loss of the connection, for this reason; the side that connects makes it again.
    Lost(String),
    /// Wrong code tried by some host, and the number of tries that are left.
    WrongCode(u32),
    /// End of the code, as three wrong ones were tried; listening goes on for hosts with allowed keys.
    CodeEnded,
    /// Departure of the host that came by the one-time code, before all was done: listening goes on until it comes
    /// again.
    Waiting(PublicKey),
    /// Refusal of a host whose key nothing allows. It may not have proved that the key is its own. Each key is told
    /// once, and of many only some.
    Refused(PublicKey),
    /// Totals of what is to be sent to the peer with this key, or received from it, including what came before a break
    /// of the connection.
    Expected(PublicKey, Totals),
    /// Start of a file's transfer, in either direction.
    Offered {
        /// Number of this attempt, the same in all of the attempt's events.
        id: Id,
        /// Key of the other host.
        peer: PublicKey,
        /// The file's path at the receiver.
        path: String,
        /// Size of the file in bytes, if the sender knows it.
        size: Option<u64>,
    },
    /// Progress of a file: the receiver has some of it.
    Progress {
        /// Number of this attempt, the same in all of the attempt's events.
        id: Id,
        /// Bytes of the file that the receiver has written so far.
        bytes: u64,
        /// State of the connection now.
        link: Link,
    },
    /// Completion of the transfer with this number: the receiver has all of the file.
    Done(Id, Arrived),
    /// Failure of the transfer of a file or folder: the receiver does not have it, as far as this side knows.
    Failed {
        /// Number of this attempt, the same in all of the attempt's events.
        id: Id,
        /// The file's path at the receiver.
        path: String,
        /// Reason why the receiver does not have the file.
        why: Why,
    },
    /// Path of something in a folder that is not sent, and the reason. Functions here do not tell it: it is for callers
    /// of [`list`](crate::list), which calls them with both.
    Skipped(PathBuf, Why),
}

/// Facts of a file that the receiver has in whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrived {
    /// Key of the other host.
    pub peer: PublicKey,
    /// Path of the file below the receiver's folder, as the sender offered it.
    pub path: String,
    /// Path of the file on this host's disk, if this host is the receiver; `None` at the sender, and if the contents
    /// went to a program.
    pub place: Option<PathBuf>,
    /// Size of the file in bytes.
    pub size: u64,
    /// BLAKE3 hash of the file.
    pub hash: blake3::Hash,
    /// Bytes of the file that the receiver had before, from an earlier attempt or as a file with the same contents, and
    /// that were not sent.
    pub resumed_from: u64,
}

/// Function that is called with each event, from any thread. It must not wait for long.
pub type Teller = Arc<dyn Fn(Event) + Send + Sync>;
