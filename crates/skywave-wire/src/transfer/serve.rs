//! Receives files from many senders at once.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use rustix::fs::{Access, access};

use super::receive::{self, Place, ReceiveError, Received, Step};
use super::registry::Registry;
use super::room::Room;
use super::tidy::remove_old;
use crate::endpoint::{Id, Status};
use crate::key::PublicKey;
use crate::node::{self, Node, Stream};

/// How long a sender that has connected may take to offer its file: as long as handshakes may.
pub const OFFER_WITHIN: Duration = Duration::from_secs(30);

/// Options of a receiver.
#[derive(Clone, Debug)]
pub struct ServeOptions {
    /// Where files go; it must be there.
    pub dir: PathBuf,
    /// A file may take the place of another one of its name.
    pub overwrite: bool,
    /// Names may begin with a dot.
    pub hidden: bool,
    /// The room of the folder.
    pub room: Arc<Room>,
    /// How long a sender that has connected may take to offer its file. [`OFFER_WITHIN`].
    pub offer_within: Duration,
    /// Stop after this many files have arrived.
    pub count: Option<usize>,
}

impl ServeOptions {
    /// A receiver into `dir`, in which may be `quota` bytes, partial files included: until it is stopped, of
    /// files that replace no others and are not hidden.
    ///
    /// # Errors
    /// When there is a quota and the folder cannot be read.
    pub fn new(dir: PathBuf, quota: Option<u64>) -> io::Result<Self> {
        Ok(Self {
            room: Arc::new(Room::new(&dir, quota)?),
            dir,
            overwrite: false,
            hidden: false,
            offer_within: OFFER_WITHIN,
            count: None,
        })
    }
}

/// Looks whether files can be put into a folder, before anybody sends one.
///
/// # Errors
/// When it is not there, is no folder, or may not be written to.
pub fn check_folder(dir: &Path) -> io::Result<()> {
    if !fs::metadata(dir)?.is_dir() {
        return Err(io::ErrorKind::NotADirectory.into());
    }
    Ok(access(dir, Access::WRITE_OK | Access::EXEC_OK)?)
}

/// An event of a transfer; the number tells transfers apart.
#[derive(Debug)]
pub enum ServeEvent {
    /// A sender offers a file of this name and size in bytes.
    Offered(Id, PublicKey, String, u64),
    /// This many bytes are there.
    Progress(Id, u64, Status),
    /// It has ended.
    Ended(Id, Result<Received, ReceiveError>),
}

/// Receives files until `stop`, or until as many have arrived as asked for. `told` is called with
/// every event, from many threads. Transfers under way when it stops are given up; what has come of
/// them is kept. Returns how many have arrived.
///
/// # Errors
/// When the socket has failed.
pub fn serve(
    node: &Node,
    options: &ServeOptions,
    stop: &AtomicBool,
    told: &(dyn Fn(ServeEvent) + Sync),
) -> Result<usize, node::Error> {
    let registry = Registry::default();
    remove_old(&options.dir);
    let arrived = AtomicUsize::new(0);
    let enough = || {
        options
            .count
            .is_some_and(|n| arrived.load(Ordering::SeqCst) >= n)
    };
    let go_on = || !stop.load(Ordering::SeqCst) && !enough();
    thread::scope(|scope| {
        let result = loop {
            if !go_on() {
                break Ok(());
            }
            match node.accept(super::TICK) {
                Err(error) => break Err(error),
                Ok(None) => {}
                Ok(Some(stream)) => {
                    let (registry, arrived, go_on) = (&registry, &arrived, &go_on);
                    let place = Place {
                        dir: Path::new(&options.dir),
                        overwrite: options.overwrite,
                        hidden: options.hidden,
                        room: &options.room,
                        offer_within: options.offer_within,
                        registry,
                    };
                    scope.spawn(move || {
                        if one(stream, &place, go_on, told) {
                            arrived.fetch_add(1, Ordering::SeqCst);
                        }
                    });
                }
            }
        };
        if result.is_err() {
            stop.store(true, Ordering::SeqCst);
        }
        result
    })?;
    Ok(arrived.into_inner())
}

/// One transfer; true if the file has arrived.
fn one(
    stream: Stream,
    place: &Place<'_>,
    go_on: &dyn Fn() -> bool,
    told: &dyn Fn(ServeEvent),
) -> bool {
    let Some((peer, _)) = stream.peer() else {
        return false;
    };
    let id = stream.id();
    let stream = Arc::new(stream);
    let mut have = 0;
    let mut offered = false;
    let mut last = std::time::Instant::now();
    let result = receive::receive(&stream, peer, place, &mut |step| {
        match step {
            Some(Step::Offered { name, size }) => {
                offered = true;
                told(ServeEvent::Offered(id, peer, name, size));
            }
            Some(Step::Have(bytes)) => have = bytes,
            None => {}
        }
        if offered && last.elapsed() >= super::TICK {
            last = std::time::Instant::now();
            let status = stream.status().unwrap_or_default();
            told(ServeEvent::Progress(id, have, status));
        }
        go_on()
    });
    let arrived = result.is_ok();
    if offered || arrived {
        told(ServeEvent::Ended(id, result));
    }
    arrived
}
