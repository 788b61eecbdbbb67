//! A connection between two hosts that know each other, and files over it.

pub(crate) mod dial;
pub(crate) mod door;
mod give;
pub(crate) mod pulse;
mod take;
mod target;
mod watch;

pub(crate) use give::{Giving, give_all};
pub(crate) use take::{Taken, take};
pub(crate) use target::Receiver;
pub use target::Target;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use noq::Connection;
use skywave_wire::key::PublicKey;
use tokio::sync::Semaphore;

use crate::event::{Event, Id, Link, Teller};
use pulse::Pulse;

/// Numbers transfers of files of this process.
static NEXT: AtomicU64 = AtomicU64::new(1);

/// A connection with a host that has shown who it is.
pub(crate) struct Session {
    pub(crate) connection: Connection,
    pub(crate) peer: PublicKey,
    pub(crate) teller: Teller,
    pub(crate) pulse: Arc<Pulse>,
    /// One file is hashed at a time: otherwise a peer makes this host read many at the price of one
    /// message each.
    pub(crate) hashing: Semaphore,
}

impl Session {
    pub(crate) fn new(
        connection: Connection,
        peer: PublicKey,
        teller: Teller,
        pulse: Arc<Pulse>,
    ) -> Arc<Self> {
        Arc::new(Self {
            connection,
            peer,
            teller,
            pulse,
            hashing: Semaphore::new(1),
        })
    }

    pub(crate) fn tell(&self, event: Event) {
        (self.teller)(event);
    }

    /// The receiver has so many bytes.
    pub(crate) fn progress(&self, id: Id, bytes: u64) {
        self.tell(Event::Progress {
            id,
            bytes,
            link: Link::of(&self.connection),
        });
    }
}

pub(crate) fn next_id() -> Id {
    NEXT.fetch_add(1, Ordering::Relaxed)
}
