//! By a code instead of keys.

use super::hostile::connect;
use super::*;
use crate::auth::prove::{self, Sides};
use crate::wire::close::Close;
use crate::wire::frame::{read, send as say};
use crate::wire::message::Confirm;

fn code(text: &str) -> Code {
    text.parse().unwrap()
}

fn by_code(text: &str) -> Listen {
    Listen {
        allowed: keys(&[]),
        code: Some(code(text)),
        ..listen(None)
    }
}

fn with(bench: &Bench, text: &str) -> Dial {
    dial_of(bench.at, Proof::Code(code(text)))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_arrive_by_a_code_and_all_ends_with_it() {
    let bench = Bench::new(by_code("3k7d-x9qm"), Taking::default()).await;
    let path = bench.file("film", 500_000);
    let sent = give(
        Told::default().host(STRANGER),
        with(&bench, "3K7D X9QM"),
        items(&path),
    );
    assert_eq!(soon(sent).await.unwrap().done, 1);
    assert_eq!(fs::read(bench.there("film")).unwrap(), bytes(500_000));
    assert_eq!(bench.end().await.done, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_code_is_good_for_one_host() {
    let listen = Listen {
        allowed: keys(&[RECEIVER.public()]),
        ..by_code("3k7d-x9qm")
    };
    let bench = Bench::new(
        Listen {
            count: Some(2),
            ..listen
        },
        Taking::default(),
    )
    .await;
    let first = Told::default();
    let sent = give(
        first.host(STRANGER),
        with(&bench, "3k7d-x9qm"),
        items(&bench.file("a", 9)),
    );
    soon(sent).await.unwrap();
    let again = give(
        Told::default().host(SENDER),
        with(&bench, "3k7d-x9qm"),
        Vec::new(),
    );
    assert!(matches!(soon(again).await, Err(Error::NoCode)));
    // The host that knew it is known by its key now; others are not.
    let sent = give(Told::default().host(SENDER), to(bench.at), Vec::new());
    assert!(matches!(soon(sent).await, Err(Error::WantsCode)));
    assert_eq!(bench.told.refused(), [SENDER.public()]);
    let sent = give(
        Told::default().host(STRANGER),
        to(bench.at),
        items(&bench.file("b", 9)),
    );
    soon(sent).await.unwrap();
    bench.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn three_wrong_codes_end_it() {
    let bench = Bench::new(by_code("3k7d-x9qm"), Taking::default()).await;
    let path = bench.file("film", 5);
    for _ in 0..3 {
        let sent = give(
            Told::default().host(STRANGER),
            with(&bench, "0000-0000"),
            items(&path),
        );
        assert!(matches!(soon(sent).await, Err(Error::WrongCode)));
    }
    assert_eq!(names(bench.inbox.path()), [""; 0]);
    assert!(matches!(
        soon(bench.working).await.unwrap(),
        Err(Error::Guessed)
    ));
}

/// A host that asks to be let in by a code, and has not confirmed that it knows it.
struct Asking {
    _endpoint: noq::Endpoint,
    connection: noq::Connection,
    sender: noq::SendStream,
    stream: noq::RecvStream,
    confirm: Confirm,
}

impl Asking {
    async fn new(bench: &Bench, secret: &SecretKey, text: &str) -> Self {
        let sides = Sides {
            client: secret.public(),
            server: RECEIVER.public(),
        };
        let (endpoint, connection) = connect(secret, bench.at).await;
        let (mut sender, mut stream) = connection.open_bi().await.unwrap();
        let (code, streams) = (code(text), (&mut sender, &mut stream));
        let asked = prove::ask(&connection, streams, &code, sides).await;
        let confirm = asked.unwrap_or_else(|_| panic!()).ours;
        Self {
            _endpoint: endpoint,
            connection,
            sender,
            stream,
            confirm,
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_makes_no_guess_keeps_nobody_out() {
    let bench = Bench::new(by_code("3k7d-x9qm"), Taking::default()).await;
    let mut held = Vec::new();
    for _ in 0..4 {
        held.push(soon(Asking::new(&bench, &SENDER, "0000-0000")).await);
    }
    let sent = give(
        Told::default().host(STRANGER),
        with(&bench, "3k7d-x9qm"),
        items(&bench.file("film", 9)),
    );
    assert_eq!(soon(sent).await.unwrap().done, 1);
    assert_eq!(bench.end().await.done, 1);
}

/// However many are asked before the first one confirms.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn three_guesses_are_all_that_there_are() {
    let bench = Bench::new(by_code("3k7d-x9qm"), Taking::default()).await;
    let mut asking = Vec::new();
    for text in ["0000-0001", "0000-0002", "0000-0003", "3k7d-x9qm"] {
        asking.push(soon(Asking::new(&bench, &SENDER, text)).await);
    }
    let mut seen = Vec::new();
    for mut host in asking {
        // After the third one the socket goes.
        let _ = say(&mut host.sender, &host.confirm).await;
        seen.push(Close::of(&soon(host.connection.closed()).await));
    }
    assert_eq!(seen[..3], [Some(Close::WrongCode); 3]);
    assert!(matches!(seen[3], Some(Close::NoCode | Close::Gone)));
    assert!(matches!(
        soon(bench.working).await.unwrap(),
        Err(Error::Guessed)
    ));
}

/// The receiver hears that a host knows the code, but that one does not hear that it is let in.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_code_stays_good_for_the_host_that_confirmed() {
    let bench = Bench::new(by_code("3k7d-x9qm"), Taking::default()).await;
    let mut host = soon(Asking::new(&bench, &STRANGER, "3k7d-x9qm")).await;
    say(&mut host.sender, &host.confirm)
        .await
        .unwrap_or_else(|_| panic!());
    let Confirm(_) = soon(read(&mut host.stream))
        .await
        .unwrap_or_else(|_| panic!());
    drop(host);
    let waiting = bench.told.wait(|event| match event {
        Event::Waiting(peer) => Some(*peer),
        _ => None,
    });
    assert_eq!(soon(waiting).await, STRANGER.public());
    let path = bench.file("film", 9);
    let sent = give(
        Told::default().host(SENDER),
        with(&bench, "3k7d-x9qm"),
        items(&path),
    );
    assert!(matches!(soon(sent).await, Err(Error::NoCode)));
    let sent = give(
        Told::default().host(STRANGER),
        with(&bench, "3k7d-x9qm"),
        items(&path),
    );
    assert_eq!(soon(sent).await.unwrap().done, 1);
    assert_eq!(bench.end().await.done, 1);
}

/// Both sides stop under way, one after the other, and the same commands go on.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_same_commands_go_on_by_the_same_code() {
    let bench = Bench::new(by_code("3k7d-x9qm"), Taking::default()).await;
    let path = bench.file("film", LEN);
    let told = Told::default();
    let (host, dial) = (slow(&told), with(&bench, "3k7d-x9qm"));
    soon(async {
        tokio::select! {
            sent = send(&host, &dial, items(&path)) => panic!("{sent:?}"),
            () = told.progress(100_000) => {}
        }
    })
    .await;
    let told = Told::default();
    let host = slow(&told);
    let (inbox, at, working) = (bench.inbox.path(), bench.at, bench.working);
    let again = async {
        told.progress(4_000_000).await;
        kill(working, at).await;
        let listen = Listen {
            at,
            ..by_code("3k7d-x9qm")
        };
        let (told, _, working) = receiver(listen, inbox, Taking::default()).await;
        working.await.unwrap().unwrap();
        told.arrived()[0].resumed_from
    };
    let (sent, resumed_from) =
        soon(async { tokio::join!(send(&host, &dial, items(&path)), again) }).await;
    assert_eq!(sent.unwrap().done, 1);
    assert!(resumed_from >= 4_000_000, "{resumed_from}");
}

/// The next connection to this endpoint.
async fn accepted(listening: &noq::Endpoint) -> noq::Connection {
    let incoming = listening.accept().await.unwrap();
    incoming.accept().unwrap().await.unwrap()
}

/// Somebody between two hosts who passes on all messages of SPAKE2, over two connections of their own.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_relayed_handshake_is_found_out() {
    use crate::Allowed;
    use crate::network;

    let bench = Bench::new(by_code("3k7d-x9qm"), Taking::default()).await;
    let sending = Sending::default();
    let middle = SecretKey::from_bytes([7; 32]);
    let server = network::server(&middle, Allowed::Everybody, Box::new(drop), &sending).unwrap();
    let listening = network::listening(([127, 0, 0, 1], 0).into(), &middle, server).unwrap();
    let listening = listening.endpoint;
    let at = listening.local_addr().unwrap();
    let target = bench.at;
    let relay = tokio::spawn(async move {
        let (config, _) =
            network::client(&middle, Allowed::Everybody, &Sending::default(), true).unwrap();
        let connecting = network::endpoint(([127, 0, 0, 1], 0).into()).unwrap();
        let connecting = connecting.endpoint;
        let near = accepted(&listening).await;
        let far = connecting.connect_with(config, target, "x").unwrap();
        let far = far.await.unwrap();
        let (mut near_sender, mut near_stream) = near.accept_bi().await.unwrap();
        let (mut far_sender, mut far_stream) = far.open_bi().await.unwrap();
        let forth = async {
            while let Ok(Some(data)) = near_stream.read_chunk(4096).await {
                far_sender.write_chunk(data).await.unwrap();
            }
        };
        let back = async {
            while let Ok(Some(data)) = far_stream.read_chunk(4096).await {
                near_sender.write_chunk(data).await.unwrap();
            }
        };
        tokio::select! { () = forth => {}, () = back => {} }
        near.close(3_u32.into(), b"");
        listening.wait_idle().await;
    });
    let dial = dial_of(at, Proof::Code(code("3k7d-x9qm")));
    let sent = give(
        Told::default().host(STRANGER),
        dial.clone(),
        items(&bench.file("film", 5)),
    );
    assert!(matches!(soon(sent).await, Err(Error::WrongCode)));
    let left = soon(bench.told.wait(|event| match event {
        Event::WrongCode(left) => Some(*left),
        _ => None,
    }));
    assert_eq!(left.await, 2);
    assert_eq!(names(bench.inbox.path()), [""; 0]);
    relay.abort();
    bench.working.abort();
}

/// What both sides confirm belongs to one connection: of another one between the same hosts, with the same key
/// out of the code, it is something else.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_confirmation_is_good_for_one_connection() {
    use crate::Allowed;
    use crate::auth::prove::confirmed;
    use crate::network;

    let sending = Sending::default();
    let server = network::server(&RECEIVER, Allowed::Everybody, Box::new(drop), &sending).unwrap();
    let listening = network::listening(([127, 0, 0, 1], 0).into(), &RECEIVER, server).unwrap();
    let listening = listening.endpoint;
    let at = listening.local_addr().unwrap();
    let connecting = network::endpoint(([127, 0, 0, 1], 0).into()).unwrap();
    let connecting = connecting.endpoint;
    let mut seen = Vec::new();
    for _ in 0..2 {
        let (config, _) = network::client(&SENDER, Allowed::Everybody, &sending, true).unwrap();
        let near = connecting.connect_with(config, at, "x").unwrap();
        let (near, far) = soon(async { tokio::join!(near, accepted(&listening)) }).await;
        let both = [near.unwrap(), far].map(|side| {
            let Ok(confirmed) = confirmed(&[7; 32], &side) else {
                panic!()
            };
            (confirmed.client, confirmed.server)
        });
        assert_eq!(both[0], both[1]);
        seen.push(both[0]);
    }
    assert!(seen[0].0 != seen[1].0 && seen[0].1 != seen[1].1);
}
