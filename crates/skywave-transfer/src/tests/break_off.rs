//! What is interrupted goes on; what changed meanwhile does not arrive.

use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::PermissionsExt;

use std::sync::atomic::{AtomicBool, Ordering};

use tokio::net::UdpSocket;

use super::*;

impl Told {
    /// Waits until a transfer is interrupted so many times.
    async fn broken(&self, times: usize) {
        let mut count = self.1.subscribe();
        loop {
            let is_broken = |event: &&Event| {
                matches!(
                    event,
                    Event::Failed {
                        why: Why::Broken,
                        ..
                    }
                )
            };
            if self.0.lock().unwrap().iter().filter(is_broken).count() >= times {
                return;
            }
            count.changed().await.unwrap();
        }
    }
}

/// Sends, but gives up when so many bytes are there.
async fn give_up_at(bench: &Bench, path: &Path, least: u64) {
    let told = Told::default();
    let (host, to) = (slow(&told), to(bench.at));
    tokio::select! {
        sent = send(&host, &to, items(path)) => panic!("{sent:?} before {least}"),
        () = told.progress(least) => {}
    }
}

fn flip(path: &Path, at: u64) {
    let mut file = fs::File::options()
        .read(true)
        .write(true)
        .open(path)
        .unwrap();
    let mut byte = [0];
    file.seek(SeekFrom::Start(at)).unwrap();
    file.read_exact(&mut byte).unwrap();
    file.seek(SeekFrom::Start(at)).unwrap();
    file.write_all(&[byte[0] ^ 1]).unwrap();
}

fn part(bench: &Bench) -> PathBuf {
    let name = names(bench.inbox.path())
        .into_iter()
        .find(|name| name.starts_with(crate::name::PREFIX));
    bench.there(&name.expect("a partial file"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sender_that_comes_again_goes_on() {
    let bench = Bench::of(1).await;
    let path = bench.file("film", LEN);
    let mut had = 0;
    for (n, least) in [100_000, 1_700_003, 4_000_001].into_iter().enumerate() {
        soon(give_up_at(&bench, &path, least)).await;
        soon(bench.told.broken(n + 1)).await;
        let now = fs::metadata(part(&bench)).unwrap().len();
        assert!(now >= least && now > had, "{now} after {had}");
        had = now;
    }
    soon(bench.send(items(&path))).await.unwrap();
    assert_eq!(bench.told.arrived()[0].resumed_from, had);
    assert_eq!(fs::read(bench.there("film")).unwrap(), bytes(LEN));
    assert_eq!(names(bench.inbox.path()), ["film"]);
    bench.end().await;
}

/// Nobody waits twice for what a slow link has brought, in whatever steps a file goes.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_that_came_over_a_slow_link_is_kept() {
    const HALF: u64 = 100_000;
    for len in [2 * HALF as usize, 7 * HALF as usize] {
        let bench = Bench::of(1).await;
        let path = bench.file("film", len);
        let sending = Sending {
            limit: Some(60_000),
            ..Sending::default()
        };
        let host = Host {
            sending,
            ..Told::default().host(SENDER)
        };
        soon(async {
            tokio::select! {
                sent = give(host, to(bench.at), items(&path)) => panic!("{sent:?} too early"),
                () = bench.told.progress(HALF) => {}
            }
            let lost = |event: &Event| matches!(event, Event::Lost(_)).then_some(());
            bench.told.wait(lost).await;
        })
        .await;
        let kept = fs::metadata(part(&bench)).unwrap().len();
        assert!((HALF..len as u64).contains(&kept), "{kept} of {len}");
        soon(bench.send(items(&path))).await.unwrap();
        assert_eq!(bench.told.arrived()[0].resumed_from, kept);
        assert_eq!(fs::read(bench.there("film")).unwrap(), bytes(len));
        assert_eq!(names(bench.inbox.path()), ["film"]);
        bench.end().await;
    }
}

/// Its patience is shorter than any file takes.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bytes_that_flow_are_progress() {
    for (len, limit) in [(150_000, 15_000), (450_000, 45_000)] {
        let bench = Bench::of(1).await;
        let path = bench.file("film", len);
        let sending = Sending {
            limit: Some(limit),
            ..Sending::default()
        };
        let host = Host {
            sending,
            ..Told::default().host(SENDER)
        };
        let mut dial = to(bench.at);
        dial.patience = Duration::from_secs(4);
        let sent = soon(give(host, dial, items(&path))).await;
        assert_eq!(sent.unwrap().done, 1);
        bench.end().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_host_gets_again_counts_once() {
    let (from, inbox) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for (name, len) in [("a", 5), ("film", LEN)] {
        fs::write(from.path().join(name), bytes(len)).unwrap();
    }
    let told = Told::default();
    let (host, listen) = (
        slow(&told),
        Listen {
            allowed: keys(&[RECEIVER.public()]),
            ..listen(Some(2))
        },
    );
    let mut offered = items(&from.path().join("a"));
    offered.extend(items(&from.path().join("film")));
    let offering = tokio::spawn(async move { offer(&host, &listen, offered).await });
    let dial = dial_of(told.address().await, Proof::Key(SENDER.public()));
    let fetch = |told: &Told| {
        let target = Target::Folder(inbox.path().to_owned(), Taking::default());
        let (host, dial) = (told.host(RECEIVER), dial.clone());
        async move { get(&host, &dial, Vec::new(), target).await }
    };
    // Twice, it leaves when it has the first file and some of the second one.
    for times in 1..=2 {
        let got = Told::default();
        soon(async {
            tokio::select! {
                all = fetch(&got) => panic!("{all:?} too early"),
                () = got.progress(times * 500_000) => {}
            }
        })
        .await;
        soon(told.broken(times as usize)).await;
    }
    soon(fetch(&Told::default())).await.unwrap();
    assert_eq!(names(inbox.path()), ["a", "film"]);
    let offered = soon(offering).await.unwrap().unwrap();
    assert_eq!(offered, Outcome { done: 2, failed: 0 });
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_another_host_s_is_not_touched() {
    let allowed = keys(&[SENDER.public(), STRANGER.public()]);
    let bench = Bench::new(
        Listen {
            allowed,
            ..listen(Some(2))
        },
        Taking::default(),
    )
    .await;
    let path = bench.file("film", LEN);
    soon(give_up_at(&bench, &path, 1_000_000)).await;
    soon(bench.told.broken(1)).await;
    // A file of the same name, size and time.
    let sent = give(Told::default().host(STRANGER), to(bench.at), items(&path));
    assert_eq!(soon(sent).await.unwrap().done, 1);
    assert!(fs::metadata(part(&bench)).unwrap().len() >= 1_000_000);
    assert_eq!(bench.told.arrived()[0].resumed_from, 0);
    bench.working.abort();
}

/// Nobody can go on with it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_a_pipe_whose_sender_has_ended_nothing_is_kept() {
    let bench = Bench::of(1).await;
    let (reader, mut writer) = std::io::pipe().unwrap();
    writer.write_all(&bytes(60_000)).unwrap();
    let log = Item::pipe(RelativePath::parse("log").unwrap(), Pipe::open(reader));
    soon(async {
        tokio::select! {
            sent = bench.send(vec![log]) => panic!("{sent:?} too early"),
            () = bench.told.progress(60_000) => {}
        }
        let lost = |event: &Event| matches!(event, Event::Lost(_)).then_some(());
        bench.told.wait(lost).await;
    })
    .await;
    assert_eq!(names(bench.inbox.path()), [""; 0]);
    bench.working.abort();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_files_of_one_name_one_is_kept() {
    let allowed = keys(&[SENDER.public(), STRANGER.public()]);
    let listen = Listen {
        allowed,
        ..listen(Some(2))
    };
    let bench = Bench::new(listen, Taking::default()).await;
    let (path, told) = (bench.file("film", LEN), Told::default());
    let (host, to_slow) = (slow(&told), to(bench.at));
    let (late, first) = soon(async {
        tokio::join!(give(host, to_slow, items(&path)), async {
            told.progress(500_000).await;
            let stranger = Told::default().host(STRANGER);
            give(stranger, to(bench.at), items(&path)).await
        })
    })
    .await;
    assert_eq!((first.unwrap().done, late.unwrap().failed), (1, 1));
    assert_eq!(told.failures(), [Why::Refused(Refusal::Exists)]);
    assert_eq!(names(bench.inbox.path()), ["film"]);
    bench.working.abort();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_partial_file_that_changed_is_not_used() {
    let bench = Bench::of(1).await;
    let path = bench.file("film", LEN);
    soon(give_up_at(&bench, &path, 500_000)).await;
    soon(bench.told.broken(1)).await;
    flip(&part(&bench), 499_999);
    soon(bench.send(items(&path))).await.unwrap();
    assert_eq!(bench.told.arrived()[0].resumed_from, 0);
    assert_eq!(fs::read(bench.there("film")).unwrap(), bytes(LEN));
    bench.end().await;
}

/// Sends a file, and changes something when the receiver has half a megabyte of it. What the sender was told comes as well.
async fn sent_while(
    bench: &Bench,
    path: &Path,
    change: impl FnOnce(),
) -> (Result<Outcome, Error>, Told) {
    let told = Told::default();
    let (host, to) = (slow(&told), to(bench.at));
    let (sent, ()) = soon(async {
        tokio::join!(send(&host, &to, items(path)), async {
            told.progress(500_000).await;
            change();
        })
    })
    .await;
    (sent, told)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_partial_file_that_changes_under_way_does_not_arrive() {
    let bench = Bench::of(1).await;
    let path = bench.file("film", LEN);
    let change = || flip(&part(&bench), 499_999);
    let (sent, told) = sent_while(&bench, &path, change).await;
    assert_eq!(sent.unwrap().failed, 1);
    assert_eq!(told.failures(), [Why::Refused(Refusal::Contents)]);
    assert_eq!(names(bench.inbox.path()), [""; 0]);
    bench.working.abort();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_that_changes_while_it_is_sent_does_not_arrive() {
    // More than is read before the receiver has any.
    const LEN: usize = 30_000_000;
    let bench = Bench::of(1).await;
    let changes: [fn(&Path); 3] = [
        |path| flip(path, 5),
        |path| {
            let mut file = fs::File::options().append(true).open(path).unwrap();
            file.write_all(b"more").unwrap();
        },
        |path| {
            let file = fs::File::options().write(true).open(path).unwrap();
            file.set_len(LEN as u64 / 2).unwrap();
        },
    ];
    for change in changes {
        let path = bench.file("film", LEN);
        let (sent, told) = sent_while(&bench, &path, || change(&path)).await;
        assert_eq!(sent.unwrap().failed, 1);
        assert_eq!(told.failures(), [Why::Changed]);
        assert_eq!(names(bench.inbox.path()), [""; 0]);
    }
    bench.working.abort();
}

/// Its bytes are others, under the same time; or only its permissions are.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_whose_time_is_put_back_is_found_out() {
    const LEN: usize = 30_000_000;
    for rewritten in [true, false] {
        let bench = Bench::of(1).await;
        let path = bench.file("film", LEN);
        let change = || {
            let file = fs::File::options().write(true).open(&path).unwrap();
            let before = file.metadata().unwrap();
            if rewritten {
                flip(&path, 5);
                file.set_modified(before.modified().unwrap()).unwrap();
            } else {
                let mut permissions = before.permissions();
                permissions.set_mode(0o600);
                file.set_permissions(permissions).unwrap();
            }
        };
        let (sent, told) = sent_while(&bench, &path, change).await;
        if rewritten {
            assert_eq!(sent.unwrap().failed, 1);
            assert_eq!(told.failures(), [Why::Changed]);
            assert_eq!(names(bench.inbox.path()), [""; 0]);
            bench.working.abort();
        } else {
            assert_eq!(sent.unwrap().done, 1);
            bench.end().await;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_receiver_that_comes_again_gets_the_rest() {
    let bench = Bench::of(1).await;
    let path = bench.file("film", LEN);
    let (reader, mut writer) = std::io::pipe().unwrap();
    let feeding = std::thread::spawn(move || writer.write_all(&bytes(LEN)).unwrap());
    let mut all = items(&path);
    all.push(Item::pipe(
        RelativePath::parse("log").unwrap(),
        Pipe::open(reader),
    ));
    let told = Told::default();
    let (host, to) = (slow(&told), to(bench.at));
    let (inbox, at, working) = (bench.inbox.path(), bench.at, bench.working);
    let again = async {
        told.progress(700_000).await;
        working.abort();
        let _ = working.await;
        // The socket says goodbye first.
        while std::net::UdpSocket::bind(at).is_err() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        let (told, _, working) = receiver(
            Listen {
                at,
                ..listen(Some(2))
            },
            inbox,
            Taking::default(),
        )
        .await;
        (told, working.await.unwrap().unwrap())
    };
    let (sent, (second, received)) =
        soon(async { tokio::join!(send(&host, &to, all), again) }).await;
    assert_eq!((sent.unwrap().done, received.done), (2, 2));
    assert!(
        second
            .arrived()
            .iter()
            .any(|arrived| arrived.resumed_from >= 700_000)
    );
    feeding.join().unwrap();
    for name in ["film", "log"] {
        assert_eq!(fs::read(inbox.join(name)).unwrap(), bytes(LEN), "{name}");
    }
    assert_eq!(names(inbox), ["film", "log"]);
}

/// Passes packets on between whoever sends to it and the host at `to`, in which time it is not dark.
async fn relay(to: SocketAddr, dark: Arc<AtomicBool>) -> (SocketAddr, JoinHandle<()>) {
    let open = async || UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let (inside, outside) = (open().await, open().await);
    let at = inside.local_addr().unwrap();
    let work = tokio::spawn(async move {
        let (mut out, mut back, mut near) = ([0; 2048], [0; 2048], None);
        loop {
            let (via, packet, to) = tokio::select! {
                Ok((len, from)) = inside.recv_from(&mut out) => {
                    near = Some(from);
                    (&outside, &out[..len], Some(to))
                }
                Ok((len, _)) = outside.recv_from(&mut back) => (&inside, &back[..len], near),
            };
            if let (Some(to), false) = (to, dark.load(Ordering::Relaxed)) {
                let _ = via.send_to(packet, to).await;
            }
        }
    });
    (at, work)
}

/// A receiver that is killed says nothing, but as soon as it is there again it says that it knows nothing of the
/// connection.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_receiver_that_was_killed_says_so_when_it_is_back() {
    let bench = Bench::of(1).await;
    let path = bench.file("film", LEN);
    let dark = Arc::new(AtomicBool::new(false));
    let (at, relaying) = relay(bench.at, dark.clone()).await;
    let told = Told::default();
    let (host, to) = (slow(&told), to(at));
    let (inbox, at, working) = (bench.inbox.path(), bench.at, bench.working);
    let again = async {
        told.progress(700_000).await;
        dark.store(true, Ordering::Relaxed);
        kill(working, at).await;
        let listen = Listen {
            at,
            ..listen(Some(1))
        };
        let (_, _, working) = receiver(listen, inbox, Taking::default()).await;
        dark.store(false, Ordering::Relaxed);
        working.await.unwrap().unwrap()
    };
    let (sent, received) =
        soon(async { tokio::join!(send(&host, &to, items(&path)), again) }).await;
    assert_eq!((sent.unwrap().done, received.done), (1, 1));
    let told = told.0.lock().unwrap();
    let lost = told.iter().filter_map(|event| match event {
        Event::Lost(why) => Some(why.as_str()),
        _ => None,
    });
    let lost: Vec<_> = lost.collect();
    // By a reset, or since it answers to a new connection: not by the end of a connection that was long silent.
    assert!(!lost.is_empty() && !lost.contains(&"timed out"), "{lost:?}");
    relaying.abort();
}

/// The peer answers, again and again, but takes nothing: patience ends all the same.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn answers_without_progress_are_none() {
    use crate::Allowed;
    use crate::network;
    use crate::wire::frame;
    use crate::wire::message::Ready;

    let config = network::server(
        &RECEIVER,
        Allowed::Everybody,
        Box::new(drop),
        &Sending::default(),
    )
    .unwrap();
    let listening = network::listening(([127, 0, 0, 1], 0).into(), &RECEIVER, config).unwrap();
    let listening = listening.endpoint;
    let at = listening.local_addr().unwrap();
    let zombie = tokio::spawn(async move {
        while let Some(incoming) = listening.accept().await {
            let connection = incoming.accept().unwrap().await.unwrap();
            let (mut sender, _stream) = connection.accept_bi().await.unwrap();
            frame::send(&mut sender, &Ready::default()).await.unwrap();
            let _ = connection.accept_bi().await;
            connection.close(0_u32.into(), b"");
        }
    });
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a"), "a").unwrap();
    let mut dial = to(at);
    dial.patience = Duration::from_secs(4);
    let sent = give(
        Told::default().host(SENDER),
        dial.clone(),
        items(&dir.path().join("a")),
    );
    let sent = soon(sent).await;
    assert!(matches!(sent, Err(Error::Away)), "{sent:?}");
    zombie.abort();
}
