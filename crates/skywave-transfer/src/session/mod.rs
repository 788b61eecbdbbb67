//! A connection between two hosts that know each other, and files over it.

mod crew;
mod dealt;
pub(crate) mod dial;
pub(crate) mod door;
mod give;
mod give_batch;
mod give_file;
mod lanes;
pub(crate) mod pulse;
mod take;
mod take_batch;
mod target;

pub(crate) use crew::{Crew, Desk, Trouble};
pub(crate) use give::{Giving, STREAMS, give_all};
pub(crate) use lanes::Lanes;
pub(crate) use take::{Taken, take};
pub(crate) use target::Receiver;
pub use target::Target;

use std::convert::Infallible;
use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use noq::{Connection, PathId};
use skywave_quic::Silence;
use skywave_wire::key::PublicKey;
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::event::{Event, Id, Link, Teller};
use crate::network::{OneWay, Watched};
use pulse::Pulse;

/// Numbers transfers of files of this process.
static NEXT: AtomicU64 = AtomicU64::new(1);

/// A connection with a host that has shown who it is.
pub(crate) struct Session {
    wire: Watched,
    pub(crate) connection: Connection,
    one_way: OneWay,
    pub(crate) peer: PublicKey,
    pub(crate) teller: Teller,
    pub(crate) pulse: Arc<Pulse>,
    /// For work that waits for the disk.
    pub(crate) desk: Desk,
}

impl Session {
    pub(crate) fn new(
        wire: Watched,
        (connection, one_way): (Connection, OneWay),
        peer: PublicKey,
        teller: Teller,
        pulse: Arc<Pulse>,
        desk: Desk,
    ) -> Arc<Self> {
        Arc::new(Self {
            wire,
            connection,
            one_way,
            peer,
            teller,
            pulse,
            desk,
        })
    }

    /// Does work with a peer, which is asked again when it does not answer: it may have been out of reach, and
    /// QUIC's own probes become rare. All peers of an endpoint are, which costs each a packet. Meanwhile the side that
    /// takes files tells when packets come, and the one that gives them hears it.
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
                    self.wire.endpoint.handle_network_change(None);
                }
            }
        };
        let _beside = self.one_way();
        tokio::select! {
            done = work => done,
            never = asking => never,
        }
    }

    /// Tells or hears of one-way delays until it is dropped. A task of its own: as a part of the work it would be asked
    /// each time that the work goes on.
    fn one_way(&self) -> JoinSet<Infallible> {
        let (watch, connection) = (self.wire.watch.clone(), self.connection.clone());
        let mut tasks = JoinSet::new();
        match self.one_way.clone() {
            OneWay::Hear(ear) => {
                tasks.spawn(async move { watch.hear(&connection, &ear).await });
            }
            OneWay::Tell => {
                tasks.spawn(async move { watch.tell(&connection).await });
            }
            OneWay::Nothing => {}
        }
        tasks
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
