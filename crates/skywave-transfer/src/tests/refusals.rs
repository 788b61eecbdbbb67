//! What is not taken, and from whom.

use super::*;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn strangers_are_refused_and_told_so() {
    let bench = Bench::of(1).await;
    let path = bench.file("film", 10);
    let sent = give(Told::default().host(STRANGER), to(bench.at), items(&path));
    assert!(matches!(soon(sent).await, Err(Error::NotAllowed)));
    // The other side hears of the key, once.
    let sent = give(Told::default().host(STRANGER), to(bench.at), items(&path));
    assert!(matches!(soon(sent).await, Err(Error::NotAllowed)));
    assert_eq!(bench.told.refused(), [STRANGER.public()]);
    let other = dial_of(bench.at, Proof::Key(STRANGER.public()));
    let sent = give(Told::default().host(SENDER), other.clone(), items(&path));
    assert!(matches!(soon(sent).await, Err(Error::OtherKey)));
    assert_eq!(names(bench.inbox.path()), [""; 0]);
    soon(bench.send(items(&path))).await.unwrap();
    bench.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_that_is_there_stays() {
    let bench = Bench::of(1).await;
    for (name, there) in [("film", "other"), ("notes", "short")] {
        fs::write(bench.there(name), there).unwrap();
    }
    let (film, notes) = (bench.file("film", 5), bench.file("notes", 50));
    let host = Told::default();
    for path in [&film, &notes] {
        let sent = give(host.host(SENDER), to(bench.at), items(path));
        assert_eq!(soon(sent).await.unwrap(), Outcome { done: 0, failed: 1 });
    }
    assert_eq!(
        host.failures(),
        [Why::Refused(Refusal::Exists), Why::Refused(Refusal::Exists)]
    );
    assert_eq!(fs::read(bench.there("film")).unwrap(), b"other");
    assert_eq!(names(bench.inbox.path()), ["film", "notes"]);
    // The same contents are as good as sent.
    fs::write(bench.there("film"), bytes(5)).unwrap();
    assert_eq!(soon(bench.send(items(&film))).await.unwrap().done, 1);
    assert_eq!(bench.told.arrived()[0].resumed_from, 5);
    bench.end().await;
}

/// With or without leave to replace files, of whatever size the file is.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_folder_of_the_name_is_told() {
    for overwrite in [false, true] {
        let taking = Taking {
            overwrite,
            ..Taking::default()
        };
        let bench = Bench::new(listen(None), taking).await;
        fs::create_dir(bench.there("film")).unwrap();
        for len in [5, 400_000] {
            let (host, path) = (Told::default(), bench.file("film", len));
            let sent = soon(give(host.host(SENDER), to(bench.at), items(&path))).await;
            assert_eq!(sent.unwrap().failed, 1);
            let why = Refusal::Io("a folder has this name".to_owned());
            assert_eq!(host.failures(), [Why::Refused(why)]);
        }
        bench.working.abort();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_is_replaced_if_it_may_be() {
    let taking = Taking {
        overwrite: true,
        ..Taking::default()
    };
    let bench = Bench::new(listen(Some(2)), taking).await;
    for (name, there) in [("film", "other"), ("notes", "short")] {
        fs::write(bench.there(name), there).unwrap();
        let len = if name == "film" { 5 } else { 50 };
        let sent = bench.send(items(&bench.file(name, len)));
        assert_eq!(soon(sent).await.unwrap().done, 1);
        assert_eq!(fs::read(bench.there(name)).unwrap(), bytes(len));
    }
    assert_eq!(names(bench.inbox.path()), ["film", "notes"]);
    bench.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hidden_files_and_more_than_the_quota_are_refused() {
    let taking = Taking {
        quota: Some(1000),
        ..Taking::default()
    };
    let bench = Bench::new(listen(Some(1)), taking).await;
    let host = Told::default();
    for (name, len) in [(".profile", 5), ("film", 1001)] {
        let sent = give(
            host.host(SENDER),
            to(bench.at),
            items(&bench.file(name, len)),
        );
        assert_eq!(soon(sent).await.unwrap().failed, 1);
    }
    let (reader, mut writer) = std::io::pipe().unwrap();
    std::io::Write::write_all(&mut writer, &bytes(2000)).unwrap();
    drop(writer);
    let log = Item::pipe(RelativePath::parse("log").unwrap(), Pipe::open(reader));
    let sent = give(host.host(SENDER), to(bench.at), vec![log]);
    assert_eq!(soon(sent).await.unwrap().failed, 1);
    let quota = Why::Refused(Refusal::Quota(1000));
    assert_eq!(
        host.failures(),
        [Why::Refused(Refusal::Hidden), quota.clone(), quota]
    );
    soon(bench.send(items(&bench.file("short", 999))))
        .await
        .unwrap();
    assert_eq!(names(bench.inbox.path()), ["short"]);
    bench.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn both_sides_cannot_send() {
    let told = Told::default();
    let host = told.host(RECEIVER);
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a"), "a").unwrap();
    let offered = items(&dir.path().join("a"));
    let offering = tokio::spawn(async move { offer(&host, &listen(None), offered).await });
    let sent = give(
        Told::default().host(SENDER),
        to(told.address().await),
        items(&dir.path().join("a")),
    )
    .await;
    assert!(matches!(sent, Err(Error::Direction)));
    offering.abort();
}

#[test]
fn what_is_no_file_is_not_sent() {
    let dir = tempfile::tempdir().unwrap();
    let fifo = dir.path().join("fifo");
    let made = std::process::Command::new("mkfifo")
        .arg(&fifo)
        .status()
        .unwrap();
    assert!(made.success());
    // Opening it would wait for somebody who writes.
    assert_eq!(
        list(&fifo, None, &Exclude::default(), &mut |_, _| {}).err(),
        Some(Why::Special)
    );
    assert_eq!(
        list(
            std::path::Path::new("/dev/zero"),
            None,
            &Exclude::default(),
            &mut |_, _| {}
        )
        .err(),
        Some(Why::Special)
    );
    assert!(matches!(
        list(
            &dir.path().join("nothing"),
            None,
            &Exclude::default(),
            &mut |_, _| {}
        ),
        Err(Why::Source(_))
    ));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_that_says_it_is_empty_and_is_not_does_not_arrive() {
    let bench = Bench::of(1).await;
    let host = Told::default();
    let status = items(std::path::Path::new("/proc/self/status"));
    assert_eq!(
        soon(give(host.host(SENDER), to(bench.at), status))
            .await
            .unwrap()
            .failed,
        1
    );
    assert_eq!(host.failures(), [Why::Changed]);
    soon(bench.send(items(&bench.file("film", 1))))
        .await
        .unwrap();
    assert_eq!(names(bench.inbox.path()), ["film"]);
    bench.end().await;
}

/// Small or not.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn both_sides_hear_of_a_file_that_cannot_be_read() {
    for len in [100, 400_000] {
        let bench = Bench::of(1).await;
        let (host, path) = (Told::default(), bench.file("film", len));
        let offered = items(&path);
        fs::remove_file(&path).unwrap();
        let sent = soon(give(host.host(SENDER), to(bench.at), offered)).await;
        assert_eq!(sent.unwrap().failed, 1);
        assert!(matches!(&host.failures()[..], [Why::Source(_)]));
        assert_eq!(bench.told.failures(), [Why::GivenUp]);
        bench.working.abort();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_is_waited_for_for_longer_than_told() {
    let silent = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    let mut dial = to(silent.local_addr().unwrap());
    dial.wait = Duration::from_millis(300);
    let sent = give(Told::default().host(SENDER), dial.clone(), Vec::new());
    assert!(matches!(soon(sent).await, Err(Error::NoAnswer(_, None))));
}

/// The system knows that nobody listens there, or that there is no way.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_the_system_says_is_told_at_once() {
    let nobody = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    let at = nobody.local_addr().unwrap();
    drop(nobody);
    for (to, says) in [
        (at.to_string(), "refused"),
        (
            "no-such-host.invalid:4747".to_owned(),
            "no-such-host.invalid:4747: ",
        ),
        ("[fe80::1%no-such]:4747".to_owned(), "no network `no-such`"),
    ] {
        let told = Told::default();
        let (host, mut dial) = (
            told.host(SENDER),
            dial_of(at, Proof::Key(RECEIVER.public())),
        );
        (dial.to, dial.wait) = (to, Duration::from_secs(4));
        let trouble = told.wait(|event| match event {
            Event::Trouble(why) => Some(why.clone()),
            _ => None,
        });
        // Told while it is still tried.
        let trouble = soon(async {
            tokio::select! {
                sent = send(&host, &dial, Vec::new()) => panic!("{sent:?}"),
                why = trouble => why,
            }
        });
        let why = trouble.await;
        assert!(why.contains(says), "{why}");
        dial.wait = Duration::from_millis(600);
        let sent = soon(send(&host, &dial, Vec::new())).await;
        assert!(
            matches!(&sent, Err(Error::NoAnswer(_, Some(why))) if why.contains(says)),
            "{sent:?}"
        );
    }
}
