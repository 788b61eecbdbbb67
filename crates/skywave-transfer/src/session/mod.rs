//! A connection between two hosts that know each other, and files over it.

mod dealt;
pub(crate) mod dial;
pub(crate) mod door;
mod give;
mod lanes;
pub(crate) mod pulse;
mod take;
mod target;
mod watch;

pub(crate) use give::{Giving, give_all};
pub(crate) use lanes::Lanes;
pub(crate) use take::{Taken, take};
pub(crate) use target::Receiver;
pub use target::Target;

use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use noq::{Connection, Endpoint, PathId};
use skywave_quic::Silence;
use skywave_wire::key::PublicKey;
use tokio::sync::Semaphore;
use tokio::time::sleep;

use crate::event::{Event, Id, Link, Teller};
use pulse::Pulse;

/// Numbers transfers of files of this process.
static NEXT: AtomicU64 = AtomicU64::new(1);

/// A connection with a host that has shown who it is.
pub(crate) struct Session {
    endpoint: Endpoint,
    pub(crate) connection: Connection,
    pub(crate) peer: PublicKey,
    pub(crate) teller: Teller,
    pub(crate) pulse: Arc<Pulse>,
    /// One file is hashed at a time: otherwise a peer makes this host read many at the price of one
    /// message each.
    pub(crate) hashing: Arc<Semaphore>,
}

impl Session {
    pub(crate) fn new(
        (endpoint, connection): (Endpoint, Connection),
        peer: PublicKey,
        teller: Teller,
        pulse: Arc<Pulse>,
        hashing: Arc<Semaphore>,
    ) -> Arc<Self> {
        Arc::new(Self {
            endpoint,
            connection,
            peer,
            teller,
            pulse,
            hashing,
        })
    }

    /// Does work with a peer, which is asked again when it does not answer: it may have been out of reach, and
    /// QUIC's own probes become rare. All peers of an endpoint are, which costs each a packet.
    pub(crate) async fn with_peer<T>(&self, work: impl Future<Output = T>) -> T {
        let asking = async {
            let mut silence = Silence::new(Instant::now());
            loop {
                sleep(Silence::LOOK).await;
                let Some(path) = self.connection.path(PathId::ZERO) else {
                    return pending().await;
                };
                let stats = path.stats();
                let (received, sent) = (stats.udp_rx.datagrams, stats.udp_tx.datagrams);
                if silence.is_too_long(Instant::now(), received, sent, stats.rtt) {
                    self.endpoint.handle_network_change(None);
                }
            }
        };
        tokio::select! {
            done = work => done,
            never = asking => never,
        }
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
