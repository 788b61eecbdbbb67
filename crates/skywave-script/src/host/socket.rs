//! Sockets: what an application holds of connections.

use std::collections::VecDeque;

use skywave_core::time::Duration;

use super::ready::Watch;

/// Wishes of an application for a socket, before it connects or listens.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wishes {
    pub(crate) receive_buffer: Option<u32>,
    pub(crate) send_buffer: Option<u64>,
    pub(crate) mss: Option<u32>,
    pub(crate) no_delay: bool,
    /// Unsent bytes from which on nothing more is taken.
    pub(crate) unsent_limit: Option<u64>,
    /// Buffers are lent to the kernel until they are acknowledged.
    pub(crate) zerocopy: bool,
    /// `recvmsg` tells how much more can be read.
    pub(crate) tells_readable: bool,
    pub(crate) user_timeout: Option<Duration>,
    pub(crate) syn_retries: Option<u32>,
}

/// Kind of thing that a file descriptor stands for.
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
    /// An epoll instance: what it watches.
    Poller(Vec<Watch>),
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

    /// The value of an option that was set.
    pub(crate) fn told(&self, name: &str) -> Option<i64> {
        let found = self.told.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| *value)
    }
}
