//! Files over the loopback interface. No test depends on speed.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use tempfile::TempDir;

use super::message::Answer;
use super::*;
use crate::endpoint::{Allowed, Config, Failed, Refusal};
use crate::key::SecretKey;
use crate::node::{self, Node};

const SENDER: SecretKey = SecretKey::from_bytes([1; 32]);
const OTHER_SENDER: SecretKey = SecretKey::from_bytes([6; 32]);
const RECEIVER: SecretKey = SecretKey::from_bytes([4; 32]);

fn node(secret: SecretKey, allowed: Allowed) -> Node {
    Node::bind("127.0.0.1:0", secret, allowed, Config::default()).unwrap()
}

fn options(to: SocketAddr) -> SendOptions {
    SendOptions {
        to,
        key: RECEIVER.public(),
        patience: Duration::from_secs(60),
    }
}

/// Runs `body` beside a receiver into `dir`; gives the number of files that have arrived.
fn beside_receiver(dir: &Path, overwrite: bool, body: impl FnOnce(SocketAddr)) -> usize {
    let node = node(RECEIVER, Allowed::Everyone);
    let stop = AtomicBool::new(false);
    let options = ServeOptions {
        dir: dir.to_owned(),
        overwrite,
        count: None,
    };
    std::thread::scope(|scope| {
        let arrived = scope.spawn(|| serve(&node, &options, &stop, &|_| {}).unwrap());
        let stopper = StopAtEnd(&stop);
        body(node.address());
        drop(stopper);
        arrived.join().unwrap()
    })
}

/// A test that fails stops its receiver too.
struct StopAtEnd<'a>(&'a AtomicBool);

impl Drop for StopAtEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

fn file(dir: &Path, name: &str, len: usize) -> PathBuf {
    let path = dir.join(name);
    let bytes: Vec<u8> = (0..len as u64)
        .map(|n| (n % 4093 * n % 251) as u8)
        .collect();
    fs::write(&path, bytes).unwrap();
    path
}

fn send_file(from: &Node, path: &Path, to: SocketAddr) -> Result<Sent, SendError> {
    let mut offer = FileOffer::open(path, None, &mut |_| true)?;
    send(from, &mut offer, &options(to), &mut |_| true)
}

fn folders() -> (TempDir, TempDir, Node) {
    let nobody = Allowed::Keys(BTreeSet::new());
    let folder = || tempfile::tempdir().unwrap();
    (folder(), folder(), node(SENDER, nobody))
}

/// At 16 Mb/s, so that transfers last.
fn slow_sender() -> Node {
    let config = Config::default().limited_to(16e6);
    let nobody = Allowed::Keys(BTreeSet::new());
    Node::bind("127.0.0.1:0", SENDER, nobody, config).unwrap()
}

fn names(dir: &Path) -> Vec<String> {
    let name = |e: std::io::Result<fs::DirEntry>| e.unwrap().file_name().into_string().unwrap();
    let mut names: Vec<_> = fs::read_dir(dir).unwrap().map(name).collect();
    names.sort();
    names
}

#[test]
fn files_arrive_whole_under_their_names() {
    let (from, into, sender) = folders();
    let arrived = beside_receiver(into.path(), false, |to| {
        for (name, len) in [("empty", 0), ("small", 1), ("large", 2_000_000)] {
            let path = file(from.path(), name, len);
            let sent = send_file(&sender, &path, to).unwrap();
            assert_eq!((sent.size, sent.resumed_from), (len as u64, 0));
            let there = fs::read(into.path().join(name)).unwrap();
            assert!(there == fs::read(&path).unwrap(), "{name}");
        }
    });
    assert_eq!(arrived, 3);
    assert_eq!(names(into.path()), ["empty", "large", "small"]);
}

#[test]
fn many_at_once() {
    let (from, into, sender) = folders();
    let sender = &sender;
    let arrived = beside_receiver(into.path(), false, |to| {
        std::thread::scope(|scope| {
            for n in 0..64 {
                let path = file(from.path(), &n.to_string(), 10_000 + 7 * n);
                scope.spawn(move || send_file(sender, &path, to).unwrap());
            }
        });
    });
    assert_eq!(arrived, 64);
    for n in 0..64 {
        let name = n.to_string();
        let read = |dir: &TempDir| fs::read(dir.path().join(&name)).unwrap();
        assert!(read(&from) == read(&into), "{name}");
    }
}

/// Sends until this many bytes are acknowledged, then gives up.
fn send_part(sender: &Node, path: &Path, to: SocketAddr, bytes: u64) {
    let mut offer = FileOffer::open(path, None, &mut |_| true).unwrap();
    let result = send(
        sender,
        &mut offer,
        &options(to),
        &mut |step| !matches!(step, SendStep::Sending(have, _) if have >= bytes),
    );
    assert!(matches!(result, Err(SendError::Stopped)), "{result:?}");
}

#[test]
fn what_files_cannot_be_put_into_is_told() {
    let (from, into, _) = folders();
    check_folder(into.path()).unwrap();
    let kind = |path: &Path| check_folder(path).unwrap_err().kind();
    let path = file(from.path(), "film", 1);
    assert_eq!(kind(&path), io::ErrorKind::NotADirectory);
    let missing = from.path().join("missing");
    assert_eq!(kind(&missing), io::ErrorKind::NotFound);
    // A privileged user may write to a folder that others may not write to.
    let locked = from.path().join("locked");
    fs::create_dir(&locked).unwrap();
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o555)).unwrap();
    let written = fs::write(locked.join("film"), "");
    assert_eq!(check_folder(&locked).is_ok(), written.is_ok());
}

#[test]
fn an_interrupted_transfer_goes_on_where_it_was() {
    let (from, into, _) = folders();
    let sender = slow_sender();
    let path = file(from.path(), "film", 3_000_000);
    beside_receiver(into.path(), false, |to| {
        send_part(&sender, &path, to, 1_000_000);
    });
    let left = names(into.path());
    assert!(
        left.len() == 1 && left[0].starts_with(".skywave-"),
        "{left:?}"
    );
    // Both sides were restarted.
    beside_receiver(into.path(), false, |to| {
        let sent = send_file(&sender, &path, to).unwrap();
        assert!(sent.resumed_from >= 1_000_000, "{sent:?}");
        let there = fs::read(into.path().join("film")).unwrap();
        assert!(there == fs::read(&path).unwrap());
    });
    assert_eq!(names(into.path()), ["film"]);
}

#[test]
fn a_partial_file_with_other_bytes_is_not_built_upon() {
    let (from, into, sender) = folders();
    let path = file(from.path(), "film", 300_000);
    let contents = FileOffer::open(&path, None, &mut |_| true).unwrap().hash();
    let part = into.path().join(format!(".skywave-{contents}.part"));
    fs::write(part, "something else").unwrap();
    beside_receiver(into.path(), false, |to| {
        assert_eq!(send_file(&sender, &path, to).unwrap().resumed_from, 0);
    });
    assert_eq!(names(into.path()), ["film"]);
}

#[test]
fn a_sender_that_comes_again_takes_its_transfer_over() {
    let (from, into, sender) = folders();
    let path = file(from.path(), "film", 1_000_000);
    beside_receiver(into.path(), false, |to| {
        let first = sender.connect(to, RECEIVER.public()).unwrap();
        let offer = FileOffer::open(&path, None, &mut |_| true).unwrap();
        let message = offer.offer.write();
        assert!(message.send(&first, &mut || true).is_ok());
        assert!(Answer::read(&first, &mut || true).is_ok());
        // The receiver holds the file for the first sender, which falls silent. Another host must wait.
        let other = node(OTHER_SENDER, Allowed::Keys(BTreeSet::new()));
        let error = send_file(&other, &path, to).unwrap_err();
        assert!(
            matches!(error, SendError::Refused(Refused::Busy)),
            "{error}"
        );
        send_file(&sender, &path, to).unwrap();
    });
    assert_eq!(names(into.path()), ["film"]);
}

#[test]
fn what_is_there_is_not_sent_again() {
    let (from, into, sender) = folders();
    let path = file(from.path(), "film", 100_000);
    beside_receiver(into.path(), false, |to| {
        assert_eq!(send_file(&sender, &path, to).unwrap().resumed_from, 0);
        assert_eq!(send_file(&sender, &path, to).unwrap().resumed_from, 100_000);
    });
}

#[test]
fn another_file_of_this_name_stays_unless_told() {
    let (from, into, sender) = folders();
    let path = file(from.path(), "film", 1000);
    fs::write(into.path().join("film"), "mine").unwrap();
    beside_receiver(into.path(), false, |to| {
        let error = send_file(&sender, &path, to).unwrap_err();
        assert!(
            matches!(error, SendError::Refused(Refused::Exists)),
            "{error}"
        );
    });
    assert_eq!(fs::read(into.path().join("film")).unwrap(), b"mine");
    beside_receiver(into.path(), true, |to| {
        send_file(&sender, &path, to).unwrap();
    });
    assert_eq!(fs::read(into.path().join("film")).unwrap().len(), 1000);
}

#[test]
fn a_name_that_leads_elsewhere_is_refused() {
    let (from, into, sender) = folders();
    let path = file(from.path(), "film", 1000);
    beside_receiver(into.path(), true, |to| {
        let mut offer = FileOffer::open(&path, Some("../film"), &mut |_| true).unwrap();
        let error = send(&sender, &mut offer, &options(to), &mut |_| true).unwrap_err();
        assert!(
            matches!(error, SendError::Refused(Refused::Name)),
            "{error}"
        );
    });
    assert!(names(into.path()).is_empty());
}

#[test]
fn a_file_that_changes_meanwhile_never_gets_its_name() {
    let (from, into, sender) = folders();
    let path = file(from.path(), "log", 50_000);
    let arrived = beside_receiver(into.path(), false, |to| {
        let mut offer = FileOffer::open(&path, None, &mut |_| true).unwrap();
        let mut bytes = fs::read(&path).unwrap();
        bytes[40_000] ^= 1;
        fs::write(&path, bytes).unwrap();
        let error = send(&sender, &mut offer, &options(to), &mut |_| true).unwrap_err();
        assert!(
            matches!(error, SendError::Refused(Refused::Contents)),
            "{error}"
        );
    });
    assert_eq!(arrived, 0);
    assert!(names(into.path()).is_empty());
}

#[test]
fn a_receiver_that_starts_anew_gets_the_rest() {
    let (from, into, _) = folders();
    let sender = slow_sender();
    let path = file(from.path(), "film", 4_000_000);
    let first = node(RECEIVER, Allowed::Everyone);
    let to = first.address();
    let second = Mutex::new(None);
    let (stop, restart) = (AtomicBool::new(false), AtomicBool::new(false));
    let serve_at = |node: &Node, stop: &AtomicBool| {
        let options = ServeOptions {
            dir: into.path().to_owned(),
            overwrite: false,
            count: None,
        };
        serve(node, &options, stop, &|_| {}).unwrap()
    };
    std::thread::scope(|scope| {
        let stopper = StopAtEnd(&stop);
        scope.spawn(|| {
            serve_at(&first, &restart);
            drop(first);
            let again = Node::bind(to, RECEIVER, Allowed::Everyone, Config::default());
            let mut second = second.lock().unwrap();
            serve_at(second.insert(again.unwrap()), &stop);
        });
        let mut offer = FileOffer::open(&path, None, &mut |_| true).unwrap();
        let sent = send(&sender, &mut offer, &options(to), &mut |step| {
            if matches!(step, SendStep::Sending(have, _) if have >= 500_000) {
                restart.store(true, Ordering::SeqCst);
            }
            true
        });
        drop(stopper);
        let sent = sent.unwrap();
        assert!(sent.starts >= 2 && sent.resumed_from == 0, "{sent:?}");
    });
    assert!(fs::read(into.path().join("film")).unwrap() == fs::read(&path).unwrap());
}

#[test]
fn a_receiver_that_stays_away_is_not_waited_for_longer_than_told() {
    let (from, into, _) = folders();
    let sender = slow_sender();
    let path = file(from.path(), "film", 4_000_000);
    let receiver = Mutex::new(Some(node(RECEIVER, Allowed::Everyone)));
    let to = receiver.lock().unwrap().as_ref().unwrap().address();
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let stopper = StopAtEnd(&stop);
        scope.spawn(|| {
            let node = receiver.lock().unwrap().take().unwrap();
            let serving = ServeOptions {
                dir: into.path().to_owned(),
                overwrite: false,
                count: None,
            };
            serve(&node, &serving, &stop, &|_| {}).unwrap();
        });
        let mut offer = FileOffer::open(&path, None, &mut |_| true).unwrap();
        let options = SendOptions {
            patience: Duration::from_secs(1),
            ..options(to)
        };
        let error = send(&sender, &mut offer, &options, &mut |step| {
            if matches!(step, SendStep::Sending(have, _) if have >= 100_000) {
                stop.store(true, Ordering::SeqCst);
            }
            true
        });
        assert!(matches!(error, Err(SendError::Away)), "{error:?}");
        drop(stopper);
    });
}

#[test]
fn a_key_that_is_not_allowed_sends_nothing() {
    let (from, into, sender) = folders();
    let path = file(from.path(), "film", 1000);
    let config = Config {
        handshake_timeout: skywave_core::Duration::from_secs(1),
        ..Config::default()
    };
    let impatient = |allowed| Node::bind("127.0.0.1:0", SENDER, allowed, config.clone());
    let stranger = impatient(Allowed::Keys(BTreeSet::new())).unwrap();
    let allowed = Allowed::Keys([OTHER_SENDER.public()].into());
    let node = node(RECEIVER, allowed);
    let stop = AtomicBool::new(false);
    let serving = ServeOptions {
        dir: into.path().to_owned(),
        overwrite: false,
        count: None,
    };
    std::thread::scope(|scope| {
        let stopper = StopAtEnd(&stop);
        scope.spawn(|| serve(&node, &serving, &stop, &|_| {}).unwrap());
        let error = send_file(&stranger, &path, node.address()).unwrap_err();
        let refused = Failed::Refused(Refusal::UnknownPeer);
        assert!(
            matches!(error, SendError::Node(node::Error::Failed(why)) if why == refused),
            "{error}"
        );
        drop(stopper);
    });
    drop(sender);
    assert!(names(into.path()).is_empty());
}

#[test]
fn a_receiver_of_one_file_stops_with_it() {
    let (from, into, sender) = folders();
    let path = file(from.path(), "film", 1000);
    let node = node(RECEIVER, Allowed::Everyone);
    let serving = ServeOptions {
        dir: into.path().to_owned(),
        overwrite: false,
        count: Some(1),
    };
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let stopper = StopAtEnd(&stop);
        // A sender that connects and stays silent does not hold the receiver up.
        let silent = sender.connect(node.address(), RECEIVER.public()).unwrap();
        let arrived = scope.spawn(|| serve(&node, &serving, &stop, &|_| {}).unwrap());
        send_file(&sender, &path, node.address()).unwrap();
        assert_eq!(arrived.join().unwrap(), 1);
        drop((silent, stopper));
    });
}
