//! Neither side believes what the other one only says.

use std::sync::atomic::{AtomicU64, Ordering};

use noq::{RecvStream, SendStream};

use super::hostile::{offer_of, offered, offered_together, pusher, pusher_of};
use super::*;
use crate::Allowed;
use crate::network;
use crate::wire::frame::{read, send as say};
use crate::wire::message::{
    Answer, Answers, Body, Hello, Open, Ready, Reply, Request, Start, Verdict, Verdicts, proof,
};

/// A receiver that does something else with each stream, until it closes the connection.
pub(super) async fn fake<F: Future<Output = ()> + Send + 'static>(
    take: impl Fn(Open, SendStream, RecvStream) -> F + Send + Sync + 'static,
) -> (SocketAddr, JoinHandle<()>) {
    let peers = Allowed::Keys([SENDER.public()].into());
    let server = network::server(&RECEIVER, peers, Box::new(drop), &Sending::default()).unwrap();
    let listening = network::listening(([127, 0, 0, 1], 0).into(), &RECEIVER, server).unwrap();
    let at = listening.endpoint.local_addr().unwrap();
    let take = Arc::new(take);
    let working = tokio::spawn(async move {
        while let Some(incoming) = listening.endpoint.accept().await {
            let take = take.clone();
            tokio::spawn(async move {
                let connection = incoming.accept().unwrap().await.unwrap();
                connection.set_max_concurrent_uni_streams(network::LANES.into());
                let (mut sender, mut stream) = connection.accept_bi().await.unwrap();
                let _: (Hello, Request) = (
                    read(&mut stream).await.unwrap(),
                    read(&mut stream).await.unwrap(),
                );
                say(&mut sender, &Ready::default()).await.unwrap();
                while let Ok((sender, mut stream)) = connection.accept_bi().await {
                    let (take, connection) = (take.clone(), connection.clone());
                    tokio::spawn(async move {
                        let Ok(open) = read(&mut stream).await else {
                            return;
                        };
                        take(open, sender, stream).await;
                        connection.close(0_u32.into(), b"");
                    });
                }
            });
        }
    });
    (at, working)
}

/// Reads until the sender goes.
async fn rest(mut stream: RecvStream) {
    while let Ok(Some(_)) = stream.read_chunk(1 << 20).await {}
}

/// Files that are sent to a receiver that lies.
async fn send_to_liar(at: SocketAddr, len: usize) -> (Outcome, Vec<Why>) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("film");
    fs::write(&path, bytes(len)).unwrap();
    let told = Told::default();
    let sent = soon(give(told.host(SENDER), to(at), items(&path))).await;
    (sent.unwrap(), told.failures())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_is_there_only_if_the_receiver_knows_it() {
    const LARGE: usize = 5_000_000;
    let nothing = Reply::Done([0; 32]);
    let empty = Reply::Done(blake3::hash(b"").into());
    for (case, reply) in [nothing.clone(), empty.clone(), nothing, empty]
        .into_iter()
        .enumerate()
    {
        let (at, faking) = fake(move |_, mut sender, mut stream| {
            let reply = reply.clone();
            async move {
                if case >= 2 {
                    // Before all of it has come.
                    let hash = blake3::hash(b"").into();
                    say(&mut sender, &Reply::Have { bytes: 0, hash })
                        .await
                        .unwrap();
                    let _: Start = read(&mut stream).await.unwrap();
                }
                say(&mut sender, &reply).await.unwrap();
                rest(stream).await;
                std::future::pending::<()>().await;
            }
        })
        .await;
        let lied = send_to_liar(at, LARGE).await;
        assert_eq!(
            lied,
            (Outcome { done: 0, failed: 1 }, vec![Why::NotShown]),
            "{case}"
        );
        faking.abort();
    }
    // It says that it has the file, and tells what it was told.
    let (at, faking) = fake(|_, mut sender, mut stream| async move {
        say(&mut sender, &Reply::Compare).await.unwrap();
        let Start::Same(proof) = read(&mut stream).await.unwrap() else {
            panic!()
        };
        say(&mut sender, &Reply::Done(proof)).await.unwrap();
        std::future::pending::<()>().await;
    })
    .await;
    assert_eq!(send_to_liar(at, LARGE).await.1, [Why::NotShown]);
    faking.abort();
    // The same of small ones.
    for answer in [Answer::Want, Answer::Compare] {
        let (at, faking) = fake(move |_, mut sender, mut stream| {
            let answer = answer.clone();
            async move {
                say(&mut sender, &Answers(vec![answer])).await.unwrap();
                let Body::Whole(proof) = read(&mut stream).await.unwrap() else {
                    panic!()
                };
                say(&mut sender, &Verdicts(vec![Verdict::Done(proof)]))
                    .await
                    .unwrap();
                rest(stream).await;
                std::future::pending::<()>().await;
            }
        })
        .await;
        assert_eq!(send_to_liar(at, 100).await.1, [Why::NotShown]);
        faking.abort();
    }
}

/// Nor may it be guessed without end.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_hash_of_somebody_s_file_is_not_told() {
    for size in [4, 400_000] {
        let bench = Bench::of(1).await;
        let secret = bytes(size);
        fs::write(bench.there("pin"), &secret).unwrap();
        let (_endpoint, connection) = soon(pusher(bench.at)).await;
        let mut said = Vec::new();
        for n in 0..5_u64 {
            let mut offer = offer_of("pin", Some(size as u64));
            // Another time does not make it another guess.
            offer.modified.seconds = n as i64;
            let guess = proof(&blake3::hash(&n.to_be_bytes()));
            if size == 4 {
                let offers = [offer];
                let (answers, mut sender, mut stream) =
                    soon(offered_together(&connection, &offers)).await;
                if answers == [Answer::Compare] {
                    say(&mut sender, &Body::Whole(guess)).await.unwrap();
                    let Verdicts(verdicts) = soon(read(&mut stream)).await.unwrap();
                    assert_eq!(verdicts, [Verdict::No(Refusal::Exists)]);
                }
                said.push(answers == [Answer::Compare]);
            } else {
                let (reply, mut sender, mut stream) = soon(offered(&connection, &offer)).await;
                if reply == Reply::Compare {
                    say(&mut sender, &Start::Same(guess)).await.unwrap();
                    let reply: Reply = soon(read(&mut stream)).await.unwrap();
                    assert_eq!(reply, Reply::No(Refusal::Exists));
                } else {
                    assert_eq!(reply, Reply::No(Refusal::Exists));
                }
                said.push(reply == Reply::Compare);
            }
        }
        assert_eq!(said, [true, true, true, false, false]);
        assert_eq!(fs::read(bench.there("pin")).unwrap(), secret);
        bench.working.abort();
    }
}

/// Patience ends although the other side says something all the time.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn words_are_no_progress() {
    const LEN: u64 = 3_000_000;
    static READ: AtomicU64 = AtomicU64::new(0);
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("film");
    fs::write(&path, bytes(LEN as usize)).unwrap();
    for case in 0..5 {
        // The last one is about a small file.
        if case == 4 {
            fs::write(&path, bytes(100)).unwrap();
        }
        let (at, faking) = fake(move |open, mut sender, mut stream| async move {
            match case {
                // It has all of another file, and goes.
                0 => {
                    let have = Reply::Have {
                        bytes: LEN,
                        hash: [7; 32],
                    };
                    say(&mut sender, &have).await.unwrap();
                    let _: Result<Start, _> = read(&mut stream).await;
                    return;
                }
                // It reads a byte now and then.
                1 => {}
                // It has read one more each time, and goes.
                2 => {
                    let more = READ.fetch_add(1, Ordering::Relaxed);
                    say(&mut sender, &Reply::Reading(more)).await.unwrap();
                    return tokio::time::sleep(Duration::from_millis(50)).await;
                }
                // It wants a small file by itself each time, and goes.
                4 => {
                    if let Open::Batch(_) = open {
                        say(&mut sender, &Answers(vec![Answer::Alone]))
                            .await
                            .unwrap();
                        tokio::time::sleep(Duration::from_millis(500)).await;
                    }
                    return;
                }
                // It has written what it had written before.
                _ => {
                    let hash = blake3::hash(b"").into();
                    say(&mut sender, &Reply::Have { bytes: 0, hash })
                        .await
                        .unwrap();
                    let _: Start = read(&mut stream).await.unwrap();
                    tokio::spawn(rest(stream));
                }
            }
            for n in 1.. {
                // What was not sent yet cannot be written.
                tokio::time::sleep(Duration::from_millis(200)).await;
                let word = if case == 1 {
                    Reply::Reading(n)
                } else {
                    Reply::Written(1)
                };
                if say(&mut sender, &word).await.is_err() {
                    return;
                }
            }
        })
        .await;
        let mut dial = to(at);
        dial.patience = Duration::from_secs(3);
        let sent = soon(give(Told::default().host(SENDER), dial, items(&path))).await;
        assert!(matches!(sent, Err(Error::Away)), "{case}: {sent:?}");
        faking.abort();
    }
}

/// A side that offers, breaks off and does so again: it is asked less and less often, and not for ever.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_list_that_breaks_off_is_not_fetched_for_ever() {
    let peers = Allowed::Keys([RECEIVER.public()].into());
    let server = network::server(&SENDER, peers, Box::new(drop), &Sending::default()).unwrap();
    let listening = network::listening(([127, 0, 0, 1], 0).into(), &SENDER, server).unwrap();
    let at = listening.endpoint.local_addr().unwrap();
    let times = Arc::new(Mutex::new(0));
    let counted = times.clone();
    let faking = tokio::spawn(async move {
        while let Some(incoming) = listening.endpoint.accept().await {
            let connection = incoming.accept().unwrap().await.unwrap();
            *counted.lock().unwrap() += 1;
            let (mut sender, mut stream) = connection.accept_bi().await.unwrap();
            let _: (Hello, Request) = (
                read(&mut stream).await.unwrap(),
                read(&mut stream).await.unwrap(),
            );
            let ready = Ready {
                items: 5,
                ..Ready::default()
            };
            say(&mut sender, &ready).await.unwrap();
            // An empty file, and another one that is not: the same each time.
            let offers = [("a", 0), ("b", 3)].map(|(path, size)| offer_of(path, Some(size)));
            let (answers, mut sender, mut stream) = offered_together(&connection, &offers).await;
            for (answer, bytes) in answers.iter().zip([&b""[..], b"abc"]) {
                super::batches::body(&mut sender, answer, bytes).await;
            }
            let _: Verdicts = read(&mut stream).await.unwrap();
            connection.close(0_u32.into(), b"");
        }
    });
    let inbox = tempfile::tempdir().unwrap();
    let mut from = dial_of(at, Proof::Key(SENDER.public()));
    from.patience = Duration::from_secs(6);
    let target = Target::Folder(inbox.path().to_owned(), Taking::default());
    let got = soon(get(
        &Told::default().host(RECEIVER),
        &from,
        Vec::new(),
        target,
    ))
    .await;
    assert!(matches!(got, Err(Error::Away)), "{got:?}");
    // Twice a second would be twelve times.
    let times = *times.lock().unwrap();
    assert!(times <= 6, "{times}");
    assert_eq!(names(inbox.path()), ["a", "b"]);
    faking.abort();
}

/// Files that are begun and not gone on with; the threads of the runtime are fewer.
#[test]
fn waiting_for_a_peer_takes_no_thread() {
    let runtime = || {
        let mut builder = tokio::runtime::Builder::new_multi_thread();
        builder.worker_threads(2).enable_all();
        builder
    };
    let inbox = tempfile::tempdir().unwrap();
    let receiving = runtime().max_blocking_threads(4).build().unwrap();
    let (told, into) = (Told::default(), inbox.path().to_owned());
    let host = told.host(RECEIVER);
    let target = Target::Folder(into, Taking::default());
    let listen = Listen {
        allowed: Allowed::Everybody,
        ..listen(None)
    };
    let _working = receiving.spawn(async move { receive(&host, &listen, target).await });
    let sending = runtime().build().unwrap();
    sending.block_on(async {
        let at = soon(told.address()).await;
        let mut stalled = Vec::new();
        // All of one address, as the honest one is; as many connections as there is memory for beside it.
        for _ in 0..6 {
            let key = SecretKey::generate().unwrap();
            let (endpoint, connection) = soon(pusher_of(&key, at)).await;
            for n in 0..16 {
                let offer = offer_of(&format!("{}-{n}", key.public()), Some(500_000));
                let (reply, mut sender, stream) = soon(offered(&connection, &offer)).await;
                assert!(matches!(reply, Reply::Have { bytes: 0, .. }), "{reply:?}");
                say(&mut sender, &Start::From(0)).await.unwrap();
                let begun = ::bytes::Bytes::from_static(b"x");
                let sent = crate::wire::frame::send_chunk(&mut sender, begun).await;
                sent.unwrap();
                stalled.push((endpoint.clone(), sender, stream));
            }
        }
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("honest");
        fs::write(&path, bytes(1_000_000)).unwrap();
        let sent = soon(give(Told::default().host(SENDER), to(at), items(&path))).await;
        assert_eq!(sent.unwrap().done, 1);
    });
    receiving.shutdown_background();
}
