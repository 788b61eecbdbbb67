//! Files of all kinds arrive.

use std::ffi::OsStr;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::time::SystemTime;

use super::*;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_arrives_with_its_time_and_permissions() {
    let bench = Bench::of(1).await;
    let path = bench.file("film", 3_000_000);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o750)).unwrap();
    let old = SystemTime::UNIX_EPOCH + Duration::from_millis(1_234_567_890_123);
    fs::File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .set_modified(old)
        .unwrap();
    let sent = soon(bench.send(items(&path))).await.unwrap();
    assert_eq!(sent, Outcome { done: 1, failed: 0 });
    assert_eq!(fs::read(bench.there("film")).unwrap(), bytes(3_000_000));
    let metadata = fs::metadata(bench.there("film")).unwrap();
    assert_eq!(metadata.modified().unwrap(), old);
    // The umask may take away what others may do.
    assert_eq!(metadata.permissions().mode() & 0o700, 0o700);
    assert_eq!(metadata.permissions().mode() & 0o007, 0);
    let arrived = bench.told.arrived();
    assert_eq!(arrived[0].hash, blake3::hash(&bytes(3_000_000)));
    assert_eq!(arrived[0].peer, SENDER.public());
    assert_eq!(names(bench.inbox.path()), ["film"], "nothing is left over");
    assert_eq!(bench.end().await, Outcome { done: 1, failed: 0 });
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_empty_file_and_a_folder_arrive() {
    let bench = Bench::of(4).await;
    let dir = bench.from.path().join("photos");
    fs::create_dir_all(dir.join("2026/empty")).unwrap();
    for (name, len) in [("a", 0), ("b c", 10), ("2026/d", 400_000), ("2026/ä", 1)] {
        fs::write(dir.join(name), bytes(len)).unwrap();
    }
    std::os::unix::fs::symlink("/etc/passwd", dir.join("link")).unwrap();
    let mut skipped = Vec::new();
    let items = list(&dir, None, &Exclude::default(), &mut |path, why| {
        skipped.push((path, why));
    })
    .unwrap();
    assert_eq!(skipped, [(dir.join("link"), Why::Special)]);
    assert_eq!(soon(bench.send(items)).await.unwrap().done, 4);
    assert_eq!(names(&bench.there("photos")), ["2026", "a", "b c"]);
    assert_eq!(names(&bench.there("photos/2026")), ["d", "empty", "ä"]);
    assert_eq!(
        fs::read(bench.there("photos/2026/d")).unwrap(),
        bytes(400_000)
    );
    assert_eq!(fs::read(bench.there("photos/a")).unwrap(), b"");
    bench.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_files_of_several_hosts_arrive_at_once() {
    let allowed = keys(&[SENDER.public(), STRANGER.public()]);
    let bench = Bench::new(
        Listen {
            allowed,
            ..listen(Some(120))
        },
        Taking::default(),
    )
    .await;
    for host in ["one", "two"] {
        fs::create_dir(bench.from.path().join(host)).unwrap();
        for n in 0..60 {
            bench.file(&format!("{host}/{n}"), 1000 * n);
        }
    }
    let (one, two) = (Told::default().host(SENDER), Told::default().host(STRANGER));
    let (to_one, to_two) = (to(bench.at), to(bench.at));
    let of = |host| items(&bench.from.path().join(host));
    let (one, two) = soon(async {
        tokio::join!(
            send(&one, &to_one, of("one")),
            send(&two, &to_two, of("two"))
        )
    })
    .await;
    assert_eq!(one.unwrap().done + two.unwrap().done, 120);
    for n in 0..60 {
        assert_eq!(
            fs::read(bench.there(&format!("two/{n}"))).unwrap(),
            bytes(1000 * n)
        );
    }
    bench.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_comes_out_of_a_pipe_arrives() {
    let bench = Bench::of(1).await;
    let (reader, mut writer) = std::io::pipe().unwrap();
    // More than is kept at a time.
    let writing = std::thread::spawn(move || writer.write_all(&bytes(50_000_000)).unwrap());
    let name = RelativePath::parse("log").unwrap();
    let sent = bench.send(vec![Item::pipe(name, Pipe::open(reader))]);
    assert_eq!(soon(sent).await.unwrap().done, 1);
    writing.join().unwrap();
    assert!(fs::read(bench.there("log")).unwrap() == bytes(50_000_000));
    bench.end().await;
}

/// What a program reads, for tests.
#[derive(Clone, Default)]
struct Output(Arc<Mutex<Vec<u8>>>);

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_file_is_written_to_a_program() {
    let (told, output) = (Told::default(), Output::default());
    let (host, target) = (
        told.host(RECEIVER),
        Target::Output(Box::new(output.clone())),
    );
    let working = tokio::spawn(async move { receive(&host, &listen(Some(1)), target).await });
    let dir = tempfile::tempdir().unwrap();
    for (name, len) in [("a", 2_000_000), ("b", 5)] {
        fs::write(dir.path().join(name), bytes(len)).unwrap();
    }
    let sender = Told::default();
    let host = sender.host(SENDER);
    let to = to(told.address().await);
    let sent = send(&host, &to, items(&dir.path().join("a")));
    assert_eq!(soon(sent).await.unwrap().done, 1);
    assert_eq!(*output.0.lock().unwrap(), bytes(2_000_000));
    soon(working).await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_are_fetched_by_name_or_all() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("music")).unwrap();
    for name in ["music/a", "music/b", "film"] {
        fs::write(dir.path().join(name), bytes(100_000)).unwrap();
    }
    let mut all = items(&dir.path().join("music"));
    all.extend(items(&dir.path().join("film")));
    let told = Told::default();
    let host = told.host(SENDER);
    let listen = Listen {
        allowed: keys(&[RECEIVER.public()]),
        ..listen(Some(5))
    };
    let offering = tokio::spawn(async move { offer(&host, &listen, all).await });
    let from = dial_of(told.address().await, Proof::Key(SENDER.public()));
    let inbox = tempfile::tempdir().unwrap();
    let got = Told::default();
    let fetch = async |names: &[&str]| {
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        let target = Target::Folder(inbox.path().to_owned(), Taking::default());
        let host = got.host(RECEIVER);
        soon(get(&host, &from, names, target)).await
    };
    assert!(matches!(fetch(&["books"]).await, Err(Error::NoSuchFile)));
    assert_eq!(
        fetch(&["film"]).await.unwrap(),
        Outcome { done: 1, failed: 0 }
    );
    assert_eq!(names(inbox.path()), ["film"]);
    let missing = ["film", "books", "music/c"];
    assert_eq!(
        fetch(&missing).await.unwrap(),
        Outcome { done: 1, failed: 2 }
    );
    assert_eq!(got.failures(), [Why::NotOffered, Why::NotOffered]);
    // The film is there already.
    assert_eq!(fetch(&[]).await.unwrap().failed, 0);
    assert_eq!(names(&inbox.path().join("music")), ["a", "b"]);
    assert_eq!(
        fs::read(inbox.path().join("music/b")).unwrap(),
        bytes(100_000)
    );
    soon(offering).await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn holes_stay_holes() {
    const LEN: u64 = 64 << 20;
    let bench = Bench::of(1).await;
    let path = bench.from.path().join("disk");
    let mut file = fs::File::create(&path).unwrap();
    file.write_all(b"begin").unwrap();
    file.set_len(LEN - 3).unwrap();
    fs::File::options()
        .append(true)
        .open(&path)
        .unwrap()
        .write_all(b"end")
        .unwrap();
    let told = Told::default();
    let sent = soon(give(told.host(SENDER), to(bench.at), items(&path))).await;
    assert_eq!(sent.unwrap().done, 1);
    let there = fs::metadata(bench.there("disk")).unwrap();
    assert_eq!(there.len(), LEN);
    assert!(there.blocks() * 512 < LEN / 8, "{} blocks", there.blocks());
    assert!(fs::read(bench.there("disk")).unwrap() == fs::read(&path).unwrap());
    // One that ends in a hole, and is nothing else.
    bench.end().await;
    let bench = Bench::of(1).await;
    let path = bench.from.path().join("disk");
    fs::File::create(&path).unwrap().set_len(LEN).unwrap();
    assert_eq!(soon(bench.send(items(&path))).await.unwrap().done, 1);
    assert_eq!(fs::metadata(bench.there("disk")).unwrap().len(), LEN);
    bench.end().await;
}

/// Text or not; what deceives is skipped, and said.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn any_bytes_may_be_in_names() {
    let bench = Bench::of(3).await;
    let dir = bench.from.path().join("names");
    let sound: [&[u8]; 3] = [b"a\\x2db.slice", b"caf\xe9.txt", b"\xff\xfe"];
    fs::create_dir(&dir).unwrap();
    for name in sound {
        fs::write(dir.join(OsStr::from_bytes(name)), name).unwrap();
    }
    for name in ["two\nlines", "film\u{200b}", "a.tmp"] {
        fs::write(dir.join(name), "").unwrap();
    }
    let mut skipped = Vec::new();
    let exclude = Exclude::new(&["*.tmp".to_owned()]).unwrap();
    let items = list(&dir, None, &exclude, &mut |path, why| {
        skipped.push((path, why));
    });
    let named = |name: &str| (dir.join(name), Why::Source(BadPath.to_string()));
    assert_eq!(skipped, [named("film\u{200b}"), named("two\nlines")]);
    assert_eq!(soon(bench.send(items.unwrap())).await.unwrap().done, 3);
    for name in sound {
        let there = bench.there("names").join(OsStr::from_bytes(name));
        assert_eq!(fs::read(there).unwrap(), name);
    }
    let mut told: Vec<String> = bench
        .told
        .arrived()
        .into_iter()
        .map(|file| file.path)
        .collect();
    told.sort();
    let shown = [
        "names/\\xff\\xfe",
        "names/a\\x2db.slice",
        "names/caf\\xe9.txt",
    ];
    assert_eq!(told, shown);
    bench.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_quota_counts_what_is_empty() {
    let taking = Taking {
        quota: Some(0),
        ..Taking::default()
    };
    let bench = Bench::new(listen(None), taking).await;
    let dir = bench.from.path().join("empty");
    fs::create_dir(&dir).unwrap();
    for n in 0..1005 {
        fs::create_dir(dir.join(n.to_string())).unwrap();
    }
    let told = Told::default();
    let sent = soon(give(told.host(SENDER), to(bench.at), items(&dir))).await;
    assert_eq!(sent.unwrap().failed, 6);
    assert_eq!(
        told.failures(),
        vec![Why::Refused(Refusal::Entries(1000)); 6]
    );
    assert_eq!(names(&bench.there("empty")).len(), 999);
    bench.working.abort();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ipv6_works() {
    let at = "[::1]:0".parse().unwrap();
    let bench = Bench::new(
        Listen {
            at,
            ..listen(Some(1))
        },
        Taking::default(),
    )
    .await;
    let path = bench.file("film", 10);
    assert_eq!(soon(bench.send(items(&path))).await.unwrap().done, 1);
    bench.end().await;
}

/// A name that has an address of IPv6 as well, on most systems, where nobody listens.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_addresses_of_a_name_are_tried() {
    let bench = Bench::of(1).await;
    let mut dial = to(bench.at);
    dial.to = format!("localhost:{}", bench.at.port());
    let path = bench.file("film", 10);
    let sent = give(Told::default().host(SENDER), dial, items(&path));
    assert_eq!(soon(sent).await.unwrap().done, 1);
    bench.end().await;
}

/// Nobody can be sent to there: this is said at once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_address_that_cannot_be_is_an_error() {
    let dial = to(([127, 0, 0, 1], 0).into());
    let sent = give(Told::default().host(SENDER), dial, Vec::new());
    assert!(matches!(soon(sent).await, Err(Error::System(_))));
}

/// Each side's log of a connection names the packets that went over it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn events_of_connections_are_logged() {
    let (bench, logs) = (Bench::of(1).await, tempfile::tempdir().unwrap());
    let sending = Sending {
        logs: Some(Logs::into(logs.path().join("new")).unwrap()),
        ..Sending::default()
    };
    let host = Host {
        sending,
        ..Told::default().host(SENDER)
    };
    let sent = give(host, to(bench.at), items(&bench.file("film", 100_000)));
    assert_eq!(soon(sent).await.unwrap().done, 1);
    bench.end().await;
    let dir = logs.path().join("new");
    let [log] = &names(&dir)[..] else {
        panic!("one connection")
    };
    // Its end is written when the connection's task has ended, too.
    let packets = || {
        let text = fs::read_to_string(dir.join(log)).unwrap();
        text.matches("packet_sent").count()
    };
    soon(async {
        while packets() < 50 {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    })
    .await;
}
