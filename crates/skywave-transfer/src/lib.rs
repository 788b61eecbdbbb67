//! Files from host to host over QUIC: whole or not at all under their names, checked by their hashes,
//! resumed where they were interrupted.
//!
//! Hosts know each other by their public keys ([`key`]), or by a [`Code`] (eight letters and digits that people tell
//! each other) for the transfers of one host. Either side may be the one that listens.
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
//! The future of a transfer may be dropped at any time: what has come is kept.

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

/// Host that this process is when it sends or receives files: its key, how it sends packets, and who is told of events.
#[derive(Clone)]
pub struct Host {
    /// Secret key of this host, by whose public half other hosts know it.
    pub secret: SecretKey,
    /// Rules by which this host sends packets: congestion control, rate limit, logs.
    pub sending: Sending,
    /// Function that is called with each event of this host's transfers.
    pub teller: Teller,
}

/// Proof by which the side that connects knows that the other side is the right one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proof {
    /// Public key that the other side must have; it has to allow this host's key, too.
    Key(PublicKey),
    /// Code that both sides must know, in place of keys known before.
    Code(Code),
}

/// Address and proof of the host to connect to, and how long to try.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dial {
    /// Host and UDP port to connect to, as `name:port`, or `address:port` as [`address`] reads it:
    /// `box.example.org:4747`, `192.0.2.7:4747`, `[2001:db8::7]:4747`.
    pub to: String,
    /// Proof that the host that answers is the right one: its key, or a code.
    pub proof: Proof,
    /// Longest time to try until the other side answers for the first time; then [`Error::NoAnswer`].
    pub wait: Duration,
    /// Longest time without progress after the first answer, however often the connection is made anew; then
    /// [`Error::Away`].
    pub patience: Duration,
}

/// Hosts that may connect to a listening one without a code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Allowed {
    /// Hosts with these keys.
    Keys(BTreeSet<PublicKey>),
    /// All hosts, whatever their keys.
    Everybody,
}

/// Rules by which a listening host takes connections: where, from whom, and when it ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listen {
    /// Local address and UDP port on which to listen; port 0 for any free one.
    pub at: SocketAddr,
    /// Hosts that may connect without a code.
    pub allowed: Allowed,
    /// Code by which one more host may connect: the first one that proves to know it, until that host is done. If
    /// nobody else may connect ([`Self::allowed`] is [`Allowed::Keys`] with no key), listening ends when that host is
    /// done.
    pub code: Option<Code>,
    /// Number of transferred files, at least one, after which listening ends; `None` for no such end. [`receive`] takes
    /// no more of them; [`offer`] ends when a host has all that it asked for, and all hosts together have as many.
    pub count: Option<usize>,
}

/// Counts of the files of [`send`], [`get`], [`receive`] or [`offer`], by their fate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Number of files that the receiver has, in whole and checked by their hashes.
    pub done: usize,
    /// Number of files and folders that were refused or given up. [`receive`] counts each failed attempt; [`offer`]
    /// counts those of each host, anew when it gets them again.
    pub failed: usize,
}

impl std::ops::AddAssign for Outcome {
    fn add_assign(&mut self, more: Self) {
        self.done += more.done;
        self.failed += more.failed;
    }
}
