//! Transfers over loopback sockets. No test depends on speed.

mod batches;
mod break_off;
mod codes;
mod files;
mod hostile;
mod lanes;
mod networks;
mod one_way;
mod refusals;
mod shown;

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::key::{PublicKey, SecretKey};
use tempfile::TempDir;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::*;

/// Seeds of keys that are fit.
pub(super) const SENDER: SecretKey = SecretKey::from_bytes([1; 32]);
pub(super) const RECEIVER: SecretKey = SecretKey::from_bytes([4; 32]);
pub(super) const STRANGER: SecretKey = SecretKey::from_bytes([6; 32]);

/// Bytes of a file that takes long enough to interfere, if its sender is [`slow`]: its progress is told four times a
/// second, and in steps of a round of chunks (2 MiB).
pub(super) const LEN: usize = 20_000_000;

pub(super) fn slow(told: &Told) -> Host {
    let sending = Sending {
        limit: Some(6_000_000),
        ..Sending::default()
    };
    Host {
        sending,
        ..told.host(SENDER)
    }
}

/// What was told to one side.
#[derive(Clone, Default)]
pub(super) struct Told(Arc<Mutex<Vec<Event>>>, Arc<watch::Sender<usize>>);

impl Told {
    pub(super) fn host(&self, secret: SecretKey) -> Host {
        let told = self.clone();
        let teller: Teller = Arc::new(move |event| {
            told.0.lock().unwrap().push(event);
            told.1.send_modify(|count| *count += 1);
        });
        Host {
            secret,
            sending: Sending::default(),
            teller,
        }
    }

    /// Waits for an event.
    pub(super) async fn wait<T>(&self, find: impl Fn(&Event) -> Option<T>) -> T {
        let mut count = self.1.subscribe();
        loop {
            if let Some(found) = self.0.lock().unwrap().iter().find_map(&find) {
                return found;
            }
            count.changed().await.unwrap();
        }
    }

    pub(super) async fn address(&self) -> SocketAddr {
        self.wait(|event| match event {
            Event::Listening(at) => Some(*at),
            _ => None,
        })
        .await
    }

    /// Waits until so many bytes of a file are there.
    pub(super) async fn progress(&self, least: u64) {
        self.wait(|event| match event {
            Event::Progress { bytes, .. } if *bytes >= least => Some(()),
            _ => None,
        })
        .await;
    }

    /// Why files are not there; interruptions apart.
    pub(super) fn failures(&self) -> Vec<Why> {
        let told = self.0.lock().unwrap();
        let why = told.iter().filter_map(|event| match event {
            Event::Failed { why, .. } if *why != Why::Broken => Some(why.clone()),
            _ => None,
        });
        why.collect()
    }

    /// Keys of hosts that were not let in.
    pub(super) fn refused(&self) -> Vec<PublicKey> {
        let told = self.0.lock().unwrap();
        let keys = told.iter().filter_map(|event| match event {
            Event::Refused(key) => Some(*key),
            _ => None,
        });
        keys.collect()
    }

    /// Files that are there.
    pub(super) fn arrived(&self) -> Vec<Arrived> {
        let told = self.0.lock().unwrap();
        let arrived = told.iter().filter_map(|event| match event {
            Event::Done(_, arrived) => Some(arrived.clone()),
            _ => None,
        });
        arrived.collect()
    }
}

/// A receiver at work, and a folder to send from.
pub(super) struct Bench {
    pub(super) from: TempDir,
    pub(super) inbox: TempDir,
    pub(super) told: Told,
    pub(super) at: SocketAddr,
    pub(super) working: JoinHandle<Result<Outcome, Error>>,
}

pub(super) fn listen(count: Option<usize>) -> Listen {
    Listen {
        at: ([127, 0, 0, 1], 0).into(),
        allowed: Allowed::Keys([SENDER.public()].into()),
        code: None,
        count,
    }
}

impl Bench {
    pub(super) async fn new(listen: Listen, taking: Taking) -> Self {
        let inbox = tempfile::tempdir().unwrap();
        let (told, at, working) = receiver(listen, inbox.path(), taking).await;
        Self {
            from: tempfile::tempdir().unwrap(),
            inbox,
            told,
            at,
            working,
        }
    }

    /// For so many files.
    pub(super) async fn of(count: usize) -> Self {
        Self::new(listen(Some(count)), Taking::default()).await
    }

    pub(super) fn file(&self, name: &str, len: usize) -> PathBuf {
        let path = self.from.path().join(name);
        fs::write(&path, bytes(len)).unwrap();
        path
    }

    pub(super) fn there(&self, name: &str) -> PathBuf {
        self.inbox.path().join(name)
    }

    pub(super) async fn send(&self, items: Vec<Item>) -> Result<Outcome, Error> {
        give(Told::default().host(SENDER), to(self.at), items).await
    }

    /// What the receiver reports at its end.
    pub(super) async fn end(self) -> Outcome {
        self.working.await.unwrap().unwrap()
    }
}

/// Sends as this host.
pub(super) async fn give(host: Host, to: Dial, items: Vec<Item>) -> Result<Outcome, Error> {
    send(&host, &to, items).await
}

pub(super) async fn receiver(
    listen: Listen,
    into: &Path,
    taking: Taking,
) -> (Told, SocketAddr, JoinHandle<Result<Outcome, Error>>) {
    let told = Told::default();
    let (host, target) = (told.host(RECEIVER), Target::Folder(into.to_owned(), taking));
    let working = tokio::spawn(async move { receive(&host, &listen, target).await });
    (told.clone(), told.address().await, working)
}

/// Ends a receiver without a word, and waits until its port is free.
pub(super) async fn kill(working: JoinHandle<Result<Outcome, Error>>, at: SocketAddr) {
    working.abort();
    let _ = working.await;
    while std::net::UdpSocket::bind(at).is_err() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

pub(super) fn dial_of(at: SocketAddr, proof: Proof) -> Dial {
    let (wait, patience) = (LONG, LONG);
    Dial {
        to: at.to_string(),
        proof,
        wait,
        patience,
    }
}

pub(super) fn to(at: SocketAddr) -> Dial {
    dial_of(at, Proof::Key(RECEIVER.public()))
}

/// Bytes that are not the same anywhere.
pub(super) fn bytes(len: usize) -> Vec<u8> {
    let mut bytes = vec![0; len];
    blake3::Hasher::new().finalize_xof().fill(&mut bytes);
    bytes
}

pub(super) fn items(path: &Path) -> Vec<Item> {
    list(path, None, &Exclude::default(), &mut |path, why| {
        panic!("{}: {why}", path.display())
    })
    .unwrap()
}

/// Names in a folder, partial files too.
pub(super) fn names(dir: &Path) -> Vec<String> {
    let names = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

pub(super) fn keys(keys: &[PublicKey]) -> Allowed {
    Allowed::Keys(keys.iter().copied().collect())
}

/// Longer than the last packets of a connection may be awaited (a minute): on a busy host the goodbye of a
/// sender can be lost.
const LONG: Duration = Duration::from_secs(120);

/// Tests of sockets take as long as they take, but not for ever.
pub(super) fn soon<T>(work: impl Future<Output = T>) -> impl Future<Output = T> {
    let work = Box::pin(work);
    async {
        tokio::time::timeout(3 * LONG, work)
            .await
            .expect("within some minutes")
    }
}
