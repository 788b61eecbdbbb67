//! Files from host to host over QUIC: whole or not at all under their names, checked by their hashes,
//! resumed where they were interrupted.
//!
//! Hosts know each other by their keys ([`key`]), or by a [`Code`] for one connection.
//! Either side may be the one that listens.
//!
//! | | listens | connects |
//! |---|---|---|
//! | sends | [`offer`] | [`send`] |
//! | receives | [`receive`] | [`get`] |
//!
//! | module | what it is |
//! |---|---|
//! | [`key`] | the key of a host |
//! | [`name`] | names of files from another host |
//! | `auth` | who the peer is: TLS with raw public keys, SPAKE2 with codes |
//! | `wire` | messages on the streams of QUIC |
//! | `session` | connections: made again when they break, limited where strangers knock; files over them |
//! | `source` | what is sent: files, folders, pipes |
//! | `folder` | where it goes: partial files, room, paths that lead nowhere else |
//!
//! A transfer may be dropped at any time, as a future is: what has come is kept.

mod address;
mod auth;
mod error;
mod event;
mod folder;
mod hashing;
pub mod key;
pub mod name;
mod network;
mod output;
mod path;
mod reset;
#[doc(hidden)]
pub mod rules;
mod session;
mod source;
#[cfg(test)]
mod tests;
mod trouble;
mod wire;
mod work;

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::time::Duration;

use key::{PublicKey, SecretKey};

pub use address::address;
pub use auth::code::{Code, NoCode};
pub use error::{Error, Why};
pub use event::{Arrived, Event, Id, Link, Teller};
pub use folder::Taking;
pub use network::{Control, Logs, Sending};
pub use path::{BadPath, RelativePath};
pub use session::Target;
pub use source::{Exclude, Item, NoPattern, Pipe, list};
pub use wire::message::{Refusal, Totals};
pub use work::{get, offer, receive, receive_until, send};

/// A host that sends or receives: this process.
#[derive(Clone)]
pub struct Host {
    /// Key of this host.
    pub secret: SecretKey,
    /// How it sends packets.
    pub sending: Sending,
    /// Function that is called with each event of transfers.
    pub teller: Teller,
}

/// How the side that connects knows the other one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proof {
    /// Public key that the other side must have; it has to allow this host's key, too.
    Key(PublicKey),
    /// Code that both sides must know.
    Code(Code),
}

/// The other side of a connection to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dial {
    /// Name or address ([`address`]) of the other side, and its UDP port.
    pub to: String,
    /// Proof of who the host is.
    pub proof: Proof,
    /// Longest time to try until the other side answers for the first time.
    pub wait: Duration,
    /// Longest time without progress after the first answer, however often the other side connects again.
    pub patience: Duration,
}

/// Hosts that may connect without a code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Allowed {
    /// Hosts with these keys.
    Keys(BTreeSet<PublicKey>),
    /// Everybody.
    Everybody,
}

/// How a host that listens takes connections: where, from whom, and when it ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listen {
    /// Local address and UDP port on which to listen; port 0 for any free one.
    pub at: SocketAddr,
    /// Hosts that may connect without a code.
    pub allowed: Allowed,
    /// Code by which one more host may connect: the first one that proves to know it, until it is done. If
    /// nobody else may connect, all ends with it.
    pub code: Option<Code>,
    /// Number of files after which to end; `None` to go on.
    pub count: Option<usize>,
}

/// Counts of files by their fate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Files that the receiver has.
    pub done: usize,
    /// Number of offered files that the receiver does not have at the end.
    pub failed: usize,
}
