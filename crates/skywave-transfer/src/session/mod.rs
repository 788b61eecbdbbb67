//! A connection between two hosts that know each other, and files over it.

mod crew;
mod dealt;
pub(crate) mod dial;
pub(crate) mod door;
mod give;
mod give_batch;
mod give_file;
mod lanes;
mod memory;
mod pass;
mod probe;
pub(crate) mod pulse;
mod strangers;
mod take;
mod take_batch;
mod target;

pub(crate) use crew::{Crew, Desk};
pub(crate) use give::{Giving, STREAMS, give_all};
pub(crate) use lanes::Lanes;
pub(crate) use take::{Taken, take};
pub(crate) use target::Receiver;
pub use target::Target;

use std::convert::Infallible;
use std::future::pending;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Instant;

use crate::key::PublicKey;
use noq::{Connection, PathId};
use skywave_quic::Silence;
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::error::{Broken, Why};
use crate::event::{Event, Id, Link, Teller};
use crate::network::{OneWay, Watched};
use memory::Share;
use pulse::Pulse;

/// How often a peer is asked in vain until it is looked for anew: some second.
const ASKS: u32 = 2;

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
    /// Share of the memory for what has come.
    pub(crate) share: Arc<Share>,
}

impl Session {
    pub(crate) fn new(
        wire: Watched,
        (connection, one_way): (Connection, OneWay),
        peer: PublicKey,
        teller: Teller,
        pulse: Arc<Pulse>,
        (desk, share): (Desk, Arc<Share>),
    ) -> Arc<Self> {
        Arc::new(Self {
            wire,
            connection,
            one_way,
            peer,
            teller,
            pulse,
            desk,
            share,
        })
    }

    /// Does work with a peer, which is asked again when it does not answer: it may have been out of reach, and
    /// QUIC's own probes become rare. All peers of an endpoint are, which costs each a packet. Meanwhile the side that
    /// takes files tells when packets come, and the one that gives them hears it.
    ///
    /// When the peer was asked [`ASKS`] times in vain, it is looked for `anew` as well, until it answers here or there: it
    /// may be started again, or somewhere else.
    pub(crate) async fn with_peer<T, A>(
        &self,
        work: impl Future<Output = T>,
        anew: impl AsyncFn() -> A,
    ) -> Result<T, A> {
        let asks = AtomicU32::new(0);
        let asking = async {
            let mut silence = Silence::new(Instant::now());
            let mut heard = 0;
            loop {
                sleep(Silence::LOOK).await;
                let Some(path) = self.connection.path(PathId::ZERO) else {
                    return pending().await;
                };
                let stats = path.stats();
                // Frames, since anybody may send datagrams: a host that was started again does.
                let frames = stats.frame_rx;
                let received = frames.acks + frames.stream + frames.datagram + frames.ping;
                let sent = stats.udp_tx.datagrams;
                if received > heard {
                    asks.store(0, Ordering::Relaxed);
                    heard = received;
                }
                if silence.is_too_long(Instant::now(), received, sent, stats.rtt) {
                    asks.fetch_add(1, Ordering::Relaxed);
                    self.wire.endpoint.handle_network_change(None);
                }
            }
        };
        let until = async |is: fn(u32) -> bool| {
            while !is(asks.load(Ordering::Relaxed)) {
                sleep(Silence::LOOK).await;
            }
        };
        let looking = async {
            loop {
                until(|asks| asks >= ASKS).await;
                tokio::select! {
                    found = anew() => return found,
                    () = until(|asks| asks == 0) => {}
                }
            }
        };
        let _beside = self.one_way();
        tokio::select! {
            done = work => Ok(done),
            found = looking => Err(found),
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

    /// A file's transfer starts, with this path at the receiver.
    pub(crate) fn offered(&self, id: Id, path: String, size: Option<u64>) {
        self.tell(Event::Offered {
            id,
            peer: self.peer,
            path,
            size,
        });
    }

    /// The receiver has so many bytes.
    pub(crate) fn progress(&self, id: Id, bytes: u64) {
        self.tell(Event::Progress {
            id,
            bytes,
            link: Link::of(&self.connection),
        });
    }

    /// The receiver does not have the file or folder of this path.
    pub(crate) fn failed(&self, id: Id, path: String, why: Why) {
        self.tell(Event::Failed { id, path, why });
    }
}

/// Why a file is not there: the connection or the stream is broken, or another reason that its side has.
pub(crate) enum Stop<W> {
    Broken(Broken),
    Because(W),
}

impl<W, E: Into<Broken>> From<E> for Stop<W> {
    fn from(error: E) -> Self {
        Self::Broken(error.into())
    }
}

pub(crate) fn next_id() -> Id {
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// Where the peer is now.
fn remote(connection: &Connection) -> SocketAddr {
    let path = connection.path(noq::PathId::ZERO);
    let address = path.and_then(|path| path.remote_address().ok());
    address.unwrap_or_else(|| ([0; 4], 0).into())
}
