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

fn into_folder(dir: &Path) -> ServeOptions {
    ServeOptions::new(dir.to_owned(), None).unwrap()
}

/// Runs `body` beside a receiver into `dir`; gives the number of files that have arrived.
fn beside_receiver(dir: &Path, overwrite: bool, body: impl FnOnce(SocketAddr)) -> usize {
    let node = node(RECEIVER, Allowed::Everyone);
    let stop = AtomicBool::new(false);
    let options = ServeOptions {
        overwrite,
        ..into_folder(dir)
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
    let offer = FileOffer::open(&path, None, &mut |_| true).unwrap().offer;
    let part = partial::path(into.path(), &SENDER.public(), &offer);
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
        // The receiver holds the file for the first sender, which falls silent.
        send_file(&sender, &path, to).unwrap();
    });
    assert_eq!(names(into.path()), ["film"]);
}

/// The same hash, of one byte: the other host's megabytes stay, and it goes on after them.
#[test]
fn what_is_another_host_s_is_not_touched() {
    let (from, into, _) = folders();
    let sender = slow_sender();
    let path = file(from.path(), "film", 3_000_000);
    beside_receiver(into.path(), false, |to| {
        send_part(&sender, &path, to, 1_000_000);
    });
    let left = || {
        let names = names(into.path());
        fs::metadata(into.path().join(&names[0])).unwrap().len()
    };
    let before = left();
    assert!(before >= 1_000_000);
    beside_receiver(into.path(), false, |to| {
        let other = node(OTHER_SENDER, Allowed::Keys(BTreeSet::new()));
        let mut offer = FileOffer::open(&path, None, &mut |_| true).unwrap();
        for size in [1, offer.size()] {
            offer.offer.size = size;
            let stream = other.connect(to, RECEIVER.public()).unwrap();
            let message = offer.offer.write();
            assert!(message.send(&stream, &mut || true).is_ok());
            let answer = Answer::read(&stream, &mut || true).unwrap();
            assert!(
                matches!(answer, Answer::Have { bytes: 0, .. }),
                "{answer:?}"
            );
            assert!(message::start(0).send(&stream, &mut || true).is_ok());
            stream.finish(Duration::from_secs(60)).unwrap();
        }
        assert_eq!(left(), before);
    });
    beside_receiver(into.path(), false, |to| {
        assert_eq!(send_file(&sender, &path, to).unwrap().resumed_from, before);
    });
    assert_eq!(names(into.path()), ["film"]);
}

/// Half an offer, and none at all.
#[test]
fn a_sender_has_to_offer_a_file_in_time() {
    let (_, into, sender) = folders();
    let node = node(RECEIVER, Allowed::Everyone);
    let stop = AtomicBool::new(false);
    let options = ServeOptions {
        offer_within: Duration::from_millis(300),
        ..into_folder(into.path())
    };
    std::thread::scope(|scope| {
        let stopper = StopAtEnd(&stop);
        scope.spawn(|| serve(&node, &options, &stop, &|_| {}).unwrap());
        let streams = ["SKF", ""].map(|said| {
            let stream = sender.connect(node.address(), RECEIVER.public()).unwrap();
            stream.send(said.as_bytes(), TICK).unwrap();
            stream
        });
        for stream in streams {
            let deadline = std::time::Instant::now() + Duration::from_secs(20);
            while stream.failure().is_none() && std::time::Instant::now() < deadline {
                std::thread::sleep(TICK);
            }
            let why = stream.failure();
            assert!(
                matches!(why, Some(node::Error::Failed(Failed::GivenUp))),
                "{why:?}"
            );
        }
        drop(stopper);
    });
}

#[test]
fn more_than_there_is_room_for_is_refused_before_a_byte_is_sent() {
    let (from, into, sender) = folders();
    let path = file(from.path(), "film", 1001);
    let node = node(RECEIVER, Allowed::Everyone);
    let stop = AtomicBool::new(false);
    let serving = ServeOptions::new(into.path().to_owned(), Some(1000)).unwrap();
    std::thread::scope(|scope| {
        let stopper = StopAtEnd(&stop);
        scope.spawn(|| serve(&node, &serving, &stop, &|_| {}).unwrap());
        let refusal = |size: Option<u64>| {
            let mut offer = FileOffer::open(&path, None, &mut |_| true).unwrap();
            offer.offer.size = size.unwrap_or(offer.offer.size);
            let sent = send(&sender, &mut offer, &options(node.address()), &mut |_| true);
            match sent.unwrap_err() {
                SendError::Refused(Refused::Io(why)) => why,
                other => panic!("{other}"),
            }
        };
        assert_eq!(
            refusal(None),
            "there is no room: the quota leaves 1000 bytes"
        );
        for size in [u64::MAX, u64::MAX - 1, 1 << 62] {
            assert!(
                refusal(Some(size)).starts_with("there is no room"),
                "{size}"
            );
        }
        fs::write(&path, [1; 999]).unwrap();
        send_file(&sender, &path, node.address()).unwrap();
        drop(stopper);
    });
    assert_eq!(names(into.path()), ["film"]);
}

#[test]
fn a_partial_file_that_changes_under_way_does_not_arrive() {
    let (from, into, _) = folders();
    let sender = slow_sender();
    let path = file(from.path(), "film", 3_000_000);
    let arrived = beside_receiver(into.path(), false, |to| {
        let mut offer = FileOffer::open(&path, None, &mut |_| true).unwrap();
        let mut changed = false;
        let sent = send(&sender, &mut offer, &options(to), &mut |step| {
            if matches!(step, SendStep::Sending(have, _) if have >= 1_000_000) && !changed {
                let part = into.path().join(&names(into.path())[0]);
                let file = fs::File::options().write(true).open(part).unwrap();
                std::os::unix::fs::FileExt::write_all_at(&file, b"something else", 7).unwrap();
                changed = true;
            }
            true
        });
        let contents = matches!(sent, Err(SendError::Refused(Refused::Contents)));
        assert!(changed && contents, "{sent:?}");
    });
    assert_eq!(arrived, 0);
    assert!(names(into.path()).is_empty());
}

#[test]
fn what_is_no_file_is_not_sent() {
    let dir = tempfile::tempdir().unwrap();
    let fifo = dir.path().join("fifo");
    let made = std::process::Command::new("mkfifo").arg(&fifo).status();
    assert!(made.unwrap().success());
    let open = |path: &Path| FileOffer::open(path, None, &mut |_| true).unwrap_err();
    // Opening it would wait for somebody who writes.
    assert!(matches!(open(&fifo), SendError::NoFile(_)));
    #[cfg(target_os = "linux")]
    {
        assert!(matches!(open(Path::new("/dev/zero")), SendError::NoFile(_)));
        // It says that it is empty.
        let status = open(Path::new("/proc/self/status"));
        assert!(matches!(status, SendError::Changed), "{status}");
    }
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
fn names_that_lead_elsewhere_deceive_or_hide_are_refused() {
    let (from, into, sender) = folders();
    let path = file(from.path(), "film", 1000);
    beside_receiver(into.path(), true, |to| {
        for name in [
            "../film",
            "a\u{202e}txt.exe",
            "a\u{2028}b",
            ".profile",
            ".skywave-a.part",
        ] {
            let mut offer = FileOffer::open(&path, Some(name), &mut |_| true).unwrap();
            let error = send(&sender, &mut offer, &options(to), &mut |_| true).unwrap_err();
            assert!(
                matches!(error, SendError::Refused(Refused::Name)),
                "{name:?}: {error}"
            );
        }
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
        let options = into_folder(into.path());
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
            let serving = into_folder(into.path());
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

/// It answers, and gives up as soon as it is offered a file: patience ends all the same.
#[test]
fn answers_without_progress_are_none() {
    let (from, _, sender) = folders();
    let path = file(from.path(), "film", 1000);
    let zombie = node(RECEIVER, Allowed::Everyone);
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let stopper = StopAtEnd(&stop);
        scope.spawn(|| {
            while !stop.load(Ordering::SeqCst) {
                drop(zombie.accept(TICK).unwrap());
            }
        });
        let mut offer = FileOffer::open(&path, None, &mut |_| true).unwrap();
        let options = SendOptions {
            patience: Duration::from_secs(5),
            ..options(zombie.address())
        };
        let begun = std::time::Instant::now();
        let sent = send(&sender, &mut offer, &options, &mut |_| {
            begun.elapsed() < Duration::from_secs(40)
        });
        assert!(matches!(sent, Err(SendError::Away)), "{sent:?}");
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
    let serving = into_folder(into.path());
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
        count: Some(1),
        ..into_folder(into.path())
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
