//! Sockets: what an application holds of connections.

use std::collections::VecDeque;

/// What an application has asked of a socket before it connects or listens.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wishes {
    pub(crate) receive_buffer: Option<u32>,
    pub(crate) send_buffer: Option<u64>,
    pub(crate) mss: Option<u32>,
    pub(crate) no_delay: bool,
    pub(crate) syn_retries: Option<u32>,
}

/// What a file descriptor stands for.
#[derive(Debug)]
pub(crate) enum Kind {
    /// A socket that is neither connected nor listening.
    Fresh,
    /// A socket that listens: connections that wait to be accepted, by their numbers.
    Listener(VecDeque<usize>),
    /// A connection, by its number.
    Stream(usize),
    /// A plain file.
    File,
}

/// A file descriptor of the application's.
#[derive(Debug)]
pub(crate) struct Socket {
    pub(crate) kind: Kind,
    pub(crate) nonblocking: bool,
    pub(crate) wishes: Wishes,
    /// Values that were set, by their names, to be told again.
    pub(crate) told: Vec<(String, i64)>,
}

impl Socket {
    pub(crate) fn new(kind: Kind) -> Self {
        Self {
            kind,
            nonblocking: false,
            wishes: Wishes::default(),
            told: Vec::new(),
        }
    }
}
