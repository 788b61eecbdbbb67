//! Many small files, and folders.

use std::os::unix::fs::PermissionsExt;

use noq::{RecvStream, SendStream};

use super::hostile::{offer_of, offered_together, pusher};
use super::shown::fake;
use super::*;
use crate::wire::frame::{put, read, send as say};
use crate::wire::message::{
    Answer, Answers, Body, MAX_ANSWERS, MAX_FILES, Offer, Open, Verdict, Verdicts, proof,
};

/// A folder of so many files of some bytes each, in two folders.
fn folder(bench: &Bench, count: usize) -> PathBuf {
    let dir = bench.from.path().join("many");
    for n in 0..count {
        let below = dir.join(if n % 2 == 0 { "even" } else { "odd" });
        fs::create_dir_all(&below).unwrap();
        fs::write(below.join(n.to_string()), format!("number {n}")).unwrap();
    }
    dir
}

/// They share streams, and each stream has one answer to all of them.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn small_files_need_no_stream_each() {
    const COUNT: usize = 3000;
    let bench = Bench::of(1).await;
    let dir = folder(&bench, COUNT);
    let streams = Arc::new(Mutex::new(0));
    let counted = streams.clone();
    let (at, faking) = fake(move |open, mut sender, _stream| {
        *counted.lock().unwrap() += 1;
        async move {
            let Open::Batch(offers) = open else {
                panic!("a stream for a small file");
            };
            let refused = vec![Answer::No(Refusal::One); offers.len()];
            for some in refused.chunks(MAX_ANSWERS) {
                say(&mut sender, &Answers(some.to_vec())).await.unwrap();
            }
            // The sender closes the connection.
            std::future::pending::<()>().await;
        }
    })
    .await;
    let sent = soon(give(Told::default().host(SENDER), to(at), items(&dir))).await;
    // The folders are refused as well.
    assert_eq!(sent.unwrap().failed, COUNT + 3);
    let streams = *streams.lock().unwrap();
    assert!(streams <= COUNT / MAX_FILES + 1, "{streams}");
    faking.abort();
    bench.working.abort();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_more_files_are_taken_than_were_counted() {
    for size in [10, 300_000] {
        let bench = Bench::of(3).await;
        let dir = bench.from.path().join("many");
        fs::create_dir(&dir).unwrap();
        for n in 0..20 {
            bench.file(&format!("many/{n}"), size);
        }
        // The sender does not wait for more.
        let sent = soon(bench.send(items(&dir))).await;
        assert!(matches!(sent, Err(Error::Counted)), "{sent:?}");
        let ended = soon(bench.working).await.unwrap().unwrap();
        assert_eq!(ended, Outcome { done: 3, failed: 0 });
        assert_eq!(names(&bench.inbox.path().join("many")).len(), 3);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_unchanged_folder_is_not_sent_again() {
    const COUNT: usize = 1500;
    let bench = Bench::of(COUNT).await;
    let dir = folder(&bench, COUNT);
    assert_eq!(soon(bench.send(items(&dir))).await.unwrap().done, COUNT);
    for n in [0, COUNT - 1] {
        let below = if n % 2 == 0 { "even" } else { "odd" };
        let there = bench.there("many").join(below).join(n.to_string());
        assert_eq!(fs::read_to_string(there).unwrap(), format!("number {n}"));
    }
    assert_eq!(names(bench.inbox.path()), ["many"], "nothing is left over");
    let inbox = bench.inbox;
    bench.working.await.unwrap().unwrap();
    // A receiver that was started again knows the files by their contents.
    let (told, at, working) = receiver(listen(Some(COUNT)), inbox.path(), Taking::default()).await;
    let sent = soon(give(Told::default().host(SENDER), to(at), items(&dir))).await;
    assert_eq!(
        sent.unwrap(),
        Outcome {
            done: COUNT,
            failed: 0
        }
    );
    let arrived = told.arrived();
    assert_eq!(arrived.len(), COUNT);
    assert!(arrived.iter().all(|file| file.resumed_from == file.size));
    soon(working).await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_small_file_that_differs_is_replaced_or_stays() {
    let taking = Taking {
        overwrite: true,
        ..Taking::default()
    };
    for taking in [taking, Taking::default()] {
        let bench = Bench::new(listen(Some(4)), taking.clone()).await;
        let dir = folder(&bench, 4);
        fs::create_dir_all(bench.there("many/even")).unwrap();
        fs::write(bench.there("many/even/0"), "Number 0").unwrap();
        fs::write(bench.there("many/even/2"), "longer than it").unwrap();
        let sent = soon(bench.send(items(&dir))).await.unwrap();
        let there = |name: &str| fs::read_to_string(bench.there("many/even").join(name)).unwrap();
        if taking.overwrite {
            assert_eq!(sent, Outcome { done: 4, failed: 0 });
            assert_eq!(
                (there("0"), there("2")),
                ("number 0".into(), "number 2".into())
            );
        } else {
            assert_eq!(sent, Outcome { done: 2, failed: 2 });
            assert_eq!(
                (there("0"), there("2")),
                ("Number 0".into(), "longer than it".into())
            );
        }
        bench.working.abort();
    }
}

/// In whatever order their files come, over one stream or several.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn folders_are_not_more_open_than_those_of_the_sender() {
    let bench = Bench::of(2).await;
    let dir = bench.from.path().join("top");
    fs::create_dir_all(dir.join("private/deep")).unwrap();
    fs::write(dir.join("private/deep/film"), bytes(1_000_000)).unwrap();
    fs::write(dir.join("private/note"), "x").unwrap();
    fs::set_permissions(dir.join("private"), fs::Permissions::from_mode(0o700)).unwrap();
    fs::set_permissions(dir.join("private/deep"), fs::Permissions::from_mode(0o750)).unwrap();
    assert_eq!(soon(bench.send(items(&dir))).await.unwrap().done, 2);
    let mode = |name: &str| {
        let found = fs::metadata(bench.there("top").join(name)).unwrap();
        found.permissions().mode() & 0o777
    };
    assert_eq!(mode("private"), 0o700);
    assert_eq!(mode("private/deep") & !0o750, 0);
    bench.end().await;
}

async fn verdicts(stream: &mut RecvStream, count: usize) -> Vec<Verdict> {
    let mut all = Vec::new();
    while all.len() < count {
        let Verdicts(some) = read(stream).await.unwrap();
        all.extend(some);
    }
    all
}

async fn body_of(sender: &mut SendStream, contents: &[u8], told: &blake3::Hash) {
    let mut out = Vec::new();
    put(&mut out, &Body::Whole(proof(told))).unwrap();
    out.extend_from_slice(contents);
    sender.write_all(&out).await.unwrap();
}

/// What is asked for by this answer.
pub(super) async fn body(sender: &mut SendStream, answer: &Answer, contents: &[u8]) {
    let sent = if *answer == Answer::Want {
        contents
    } else {
        b""
    };
    body_of(sender, sent, &blake3::hash(contents)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_file_of_a_batch_has_its_own_fate() {
    let bench = Bench::of(3).await;
    let (_endpoint, connection) = soon(pusher(bench.at)).await;
    let of = |path: &str| offer_of(path, Some(3));
    let offers: Vec<Offer> = ["good", "../bad", "wrong", "changed", "d/also"]
        .map(of)
        .into();
    let (answers, mut sender, mut stream) = soon(offered_together(&connection, &offers)).await;
    let expected = [
        Answer::Want,
        Answer::No(Refusal::Path),
        Answer::Want,
        Answer::Want,
        Answer::Want,
    ];
    assert_eq!(answers, expected);
    body_of(&mut sender, b"abc", &blake3::hash(b"abc")).await;
    body_of(&mut sender, b"abc", &blake3::hash(b"xyz")).await;
    say(&mut sender, &Body::Changed).await.unwrap();
    body_of(&mut sender, b"def", &blake3::hash(b"def")).await;
    let expected = [
        Verdict::Done(blake3::hash(b"abc").into()),
        Verdict::No(Refusal::Contents),
        Verdict::No(Refusal::Changed),
        Verdict::Done(blake3::hash(b"def").into()),
    ];
    assert_eq!(soon(verdicts(&mut stream, 4)).await, expected);
    assert_eq!(names(bench.inbox.path()), ["d", "good"]);
    let told = [
        Why::Refused(Refusal::Path),
        Why::Refused(Refusal::Contents),
        Why::GivenUp,
    ];
    assert_eq!(bench.told.failures(), told);
    bench.working.abort();
}
