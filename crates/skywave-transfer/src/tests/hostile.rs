//! Hosts that are allowed, and do what no sender does.

use noq::{Connection, Endpoint, RecvStream, SendStream};

use super::*;
use crate::Allowed;
use crate::error::Broken;
use crate::network;
use crate::session::door::Door;
use crate::wire::close::Close;
use crate::wire::frame::{read, send as say, send_chunk};
use crate::wire::message::{
    Answer, Answers, End, Hello, Kind, Offer, Open, Ready, Reply, Request, Start, Time, proof,
};

/// A connection of a host with another address, whatever it is going to say.
pub(super) async fn connect(secret: &SecretKey, at: SocketAddr) -> (Endpoint, Connection) {
    let peers = Allowed::Keys([RECEIVER.public()].into());
    connect_from([127, 0, 0, 2], secret, peers, at).await
}

async fn connect_from(
    from: [u8; 4],
    secret: &SecretKey,
    peers: Allowed,
    at: SocketAddr,
) -> (Endpoint, Connection) {
    let (config, _) = network::client(secret, peers, &Sending::default(), true).unwrap();
    let endpoint = network::endpoint((from, 0).into()).unwrap();
    let endpoint = endpoint.endpoint;
    let connection = endpoint
        .connect_with(config, at, "x")
        .unwrap()
        .await
        .unwrap();
    (endpoint, connection)
}

/// The same, which has come in and said that it sends files.
pub(super) async fn pusher(at: SocketAddr) -> (Endpoint, Connection) {
    pusher_of(&SENDER, at).await
}

pub(super) async fn pusher_of(secret: &SecretKey, at: SocketAddr) -> (Endpoint, Connection) {
    let (endpoint, connection) = connect(secret, at).await;
    let (mut sender, mut stream) = connection.open_bi().await.unwrap();
    say(&mut sender, &Hello::Key).await.unwrap();
    say(&mut sender, &Request::Push(Totals::default()))
        .await
        .unwrap();
    let Ready { items: 0, .. } = read(&mut stream).await.unwrap() else {
        panic!()
    };
    (endpoint, connection)
}

pub(super) fn offer_of(path: &str, size: Option<u64>) -> Offer {
    let modified = Time {
        seconds: i64::MIN,
        nanoseconds: 999_999_999,
    };
    Offer {
        path: path.as_bytes().to_owned(),
        kind: Kind::File,
        size,
        modified,
        mode: u32::MAX,
        folders: Vec::new(),
    }
}

pub(super) async fn offered(
    connection: &Connection,
    offer: &Offer,
) -> (Reply, SendStream, RecvStream) {
    let (mut sender, mut stream) = connection.open_bi().await.unwrap();
    say(&mut sender, &Open::File(offer.clone())).await.unwrap();
    loop {
        match read(&mut stream).await.unwrap() {
            Reply::Reading(_) => {}
            reply => return (reply, sender, stream),
        }
    }
}

/// Offers small files and folders; the answers.
pub(super) async fn offered_together(
    connection: &Connection,
    offers: &[Offer],
) -> (Vec<Answer>, SendStream, RecvStream) {
    let (mut sender, mut stream) = connection.open_bi().await.unwrap();
    say(&mut sender, &Open::Batch(offers.to_vec()))
        .await
        .unwrap();
    let mut all = Vec::new();
    while all.len() < offers.len() {
        let Answers(answers) = read(&mut stream).await.unwrap();
        all.extend(answers);
    }
    (all, sender, stream)
}

/// An honest sender is served after all that.
async fn check(bench: Bench) {
    soon(bench.send(items(&bench.file("honest", 10))))
        .await
        .unwrap();
    assert_eq!(names(bench.inbox.path()), ["honest"]);
    bench.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_name_leads_out_of_the_folder() {
    let bench = Bench::of(1).await;
    let (_endpoint, connection) = soon(pusher(bench.at)).await;
    for path in [
        "../a",
        "/tmp/a",
        "a/../../b",
        "",
        ".",
        "a\0b",
        "a\u{202e}b",
        ".skywave-a.part",
        "a\n",
    ] {
        let (reply, ..) = soon(offered(&connection, &offer_of(path, Some(1)))).await;
        assert_eq!(reply, Reply::No(Refusal::Path), "{path:?}");
        let batch = [Kind::File, Kind::Folder].map(|kind| Offer {
            kind,
            ..offer_of(path, Some(1))
        });
        let (answers, ..) = soon(offered_together(&connection, &batch)).await;
        assert_eq!(answers, vec![Answer::No(Refusal::Path); 2], "{path:?}");
    }
    assert!(
        bench
            .told
            .failures()
            .iter()
            .all(|why| *why == Why::Refused(Refusal::Path))
    );
    check(bench).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn impossible_sizes_are_refused_before_a_byte_is_sent() {
    let bench = Bench::of(1).await;
    let (_endpoint, connection) = soon(pusher(bench.at)).await;
    for size in [u64::MAX, u64::MAX - 1, 1 << 62] {
        let (reply, ..) = soon(offered(&connection, &offer_of("a", Some(size)))).await;
        assert!(matches!(reply, Reply::No(Refusal::Space(_))), "{reply:?}");
    }
    check(bench).await;
}

/// The reason for which the receiver closed the connection.
pub(super) async fn closed(connection: &Connection) -> Option<Close> {
    Close::of(&soon(connection.closed()).await)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nonsense_ends_the_connection() {
    type Say =
        fn(SendStream) -> std::pin::Pin<Box<dyn Future<Output = Result<SendStream, Broken>>>>;
    let nonsense: [Say; 4] = [
        // A start behind what is there.
        |mut sender| {
            Box::pin(async {
                say(&mut sender, &Start::From(1)).await?;
                Ok(sender)
            })
        },
        // A chunk that is too long.
        |mut sender| {
            Box::pin(async {
                say(&mut sender, &Start::From(0)).await?;
                sender.write_all(&u32::MAX.to_be_bytes()).await?;
                Ok(sender)
            })
        },
        // More than was offered.
        |mut sender| {
            Box::pin(async {
                say(&mut sender, &Start::From(0)).await?;
                send_chunk(&mut sender, bytes::Bytes::from_static(b"twelve bytes")).await?;
                Ok(sender)
            })
        },
        // Less.
        |mut sender| {
            Box::pin(async {
                say(&mut sender, &Start::From(0)).await?;
                send_chunk(&mut sender, bytes::Bytes::new()).await?;
                say(
                    &mut sender,
                    &End::Whole {
                        size: 0,
                        proof: proof(&blake3::hash(b"")),
                    },
                )
                .await?;
                Ok(sender)
            })
        },
    ];
    let bench = Bench::of(1).await;
    for say in nonsense {
        let (_endpoint, connection) = soon(pusher(bench.at)).await;
        let (reply, sender, _stream) = soon(offered(&connection, &offer_of("a", Some(11)))).await;
        assert!(matches!(reply, Reply::Have { bytes: 0, .. }), "{reply:?}");
        let _sender = say(sender).await.unwrap_or_else(|_| panic!());
        assert_eq!(closed(&connection).await, Some(Close::Nonsense));
    }
    let (_endpoint, connection) = soon(pusher(bench.at)).await;
    let (mut sender, _stream) = connection.open_bi().await.unwrap();
    sender.write_all(&vec![255; 70_000]).await.unwrap();
    assert_eq!(closed(&connection).await, Some(Close::Nonsense));
    check_part(bench).await;
}

/// What came of the twelve bytes may be there.
async fn check_part(bench: Bench) {
    soon(bench.send(items(&bench.file("honest", 10))))
        .await
        .unwrap();
    assert!(bench.there("honest").exists() && !bench.there("a").exists());
    bench.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wrong_hash_is_no_file() {
    let bench = Bench::of(1).await;
    let (_endpoint, connection) = soon(pusher(bench.at)).await;
    let (_, mut sender, mut stream) = soon(offered(&connection, &offer_of("a", Some(3)))).await;
    say(&mut sender, &Start::From(0)).await.unwrap();
    send_chunk(&mut sender, bytes::Bytes::from_static(b"abc"))
        .await
        .unwrap();
    send_chunk(&mut sender, bytes::Bytes::new()).await.unwrap();
    say(
        &mut sender,
        &End::Whole {
            size: 3,
            proof: [7; 32],
        },
    )
    .await
    .unwrap();
    let reply = soon(async {
        loop {
            match read(&mut stream).await.unwrap() {
                Reply::Written(_) | Reply::Reading(_) => {}
                reply => return reply,
            }
        }
    })
    .await;
    assert_eq!(reply, Reply::No(Refusal::Contents));
    check(bench).await;
}

/// A host that was started again offers the same file before its first connection has ended.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_attempt_that_a_newer_one_replaced_is_no_failure() {
    let bench = Bench::of(1).await;
    let offer = offer_of("a", Some(3));
    let (_endpoint, first) = soon(pusher(bench.at)).await;
    let (_, _sender, mut stream) = soon(offered(&first, &offer)).await;
    let (_endpoint, second) = soon(pusher(bench.at)).await;
    let (_, mut sender, _stream) = soon(offered(&second, &offer)).await;
    assert!(soon(read::<Reply>(&mut stream)).await.is_err());
    say(&mut sender, &Start::From(0)).await.unwrap();
    send_chunk(&mut sender, bytes::Bytes::from_static(b"abc"))
        .await
        .unwrap();
    send_chunk(&mut sender, bytes::Bytes::new()).await.unwrap();
    let end = End::Whole {
        size: 3,
        proof: proof(&blake3::hash(b"abc")),
    };
    say(&mut sender, &end).await.unwrap();
    assert_eq!(soon(bench.end()).await, Outcome { done: 1, failed: 0 });
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn silent_connections_keep_nobody_out() {
    let bench = Bench::of(1).await;
    let mut silent = Vec::new();
    // Those of one key make room for one another.
    for _ in 0..network::PER_KEY + 3 {
        silent.push(soon(pusher(bench.at)).await);
    }
    for (_, oldest) in &silent[..3] {
        assert_eq!(closed(oldest).await, Some(Close::Replaced));
    }
    // Those that have not said what they want: of one address, the oldest make room.
    let of_one = 16;
    let mut strangers = Vec::new();
    for _ in 0..2 * of_one {
        strangers.push(soon(connect(&SENDER, bench.at)).await);
    }
    let (old, new) = strangers.split_at(of_one);
    for (_, connection) in old {
        soon(connection.closed()).await;
    }
    assert!(
        new.iter()
            .all(|(_, connection)| connection.close_reason().is_none())
    );
    check(bench).await;
}

/// Half an offer; and a connection over which none comes.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_offer_has_to_come_in_time() {
    let bench = Bench::of(1).await;
    let (_endpoint, half) = soon(pusher(bench.at)).await;
    let (mut sender, mut stream) = half.open_bi().await.unwrap();
    sender.write_all(&[0, 40, 3, b'a']).await.unwrap();
    let (_endpoint, none) = soon(pusher(bench.at)).await;
    assert_eq!(closed(&none).await, Some(Close::Late));
    assert!(soon(read::<Reply>(&mut stream)).await.is_err());
    check(bench).await;
}

/// Two files that are there already, over two connections: while one is read, the other one waits.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_file_of_a_host_is_read_at_a_time() {
    // They take no room, but time.
    const SIZE: u64 = 6 << 30;
    let bench = Bench::of(1).await;
    for name in ["a", "b"] {
        let file = fs::File::create(bench.there(name)).unwrap();
        file.set_len(SIZE).unwrap();
    }
    let mut said = Vec::new();
    let (words, mut heard) = tokio::sync::mpsc::unbounded_channel();
    let mut open = Vec::new();
    for name in ["a", "b"] {
        let (endpoint, connection) = soon(pusher(bench.at)).await;
        let (mut sender, mut stream) = connection.open_bi().await.unwrap();
        say(&mut sender, &Open::File(offer_of(name, Some(SIZE))))
            .await
            .unwrap();
        let words = words.clone();
        open.push(tokio::spawn(async move {
            while let Ok(reply) = read::<Reply>(&mut stream).await {
                let is_read = !matches!(reply, Reply::Reading(_) | Reply::Compare);
                let _ = words.send((name, reply));
                if is_read {
                    break;
                }
            }
            (endpoint, connection, sender)
        }));
    }
    drop(words);
    // Enough to see whether both are read; the rest would take long.
    let until = tokio::time::Instant::now() + Duration::from_secs(5);
    while let Ok(Some((name, reply))) = tokio::time::timeout_at(until, heard.recv()).await {
        match reply {
            Reply::Reading(0) | Reply::Compare => {}
            Reply::Reading(_) if said.last() == Some(&name) => {}
            Reply::Reading(_) => said.push(name),
            _ => break,
        }
    }
    // The second one after the first one, if there was time for it.
    assert!(matches!(said.len(), 1..=2), "{said:?}");
    for reading in open {
        reading.abort();
    }
    for name in ["a", "b"] {
        fs::remove_file(bench.there(name)).unwrap();
    }
    bench.working.abort();
}

/// The first datagram of a host that connects.
async fn first_datagram() -> Vec<u8> {
    let catcher = tokio::net::UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let at = catcher.local_addr().unwrap();
    let trying = tokio::spawn(async move { connect(&STRANGER, at).await });
    let mut datagram = vec![0; 2048];
    let (len, _) = soon(catcher.recv_from(&mut datagram)).await.unwrap();
    trying.abort();
    datagram.truncate(len);
    datagram
}

/// Strangers that begin handshakes and never answer: their addresses are asked for first, and none gets more
/// than what it sent.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn strangers_that_answer_nothing_are_asked_to_retry() {
    let bench = Bench::of(1).await;
    let mut strangers = Vec::new();
    for n in 0..16 {
        let datagram = soon(first_datagram()).await;
        let at = SocketAddr::from(([127, 0, 1, n + 1], 0));
        let socket = tokio::net::UdpSocket::bind(at).await.unwrap();
        socket.send_to(&datagram, bench.at).await.unwrap();
        strangers.push((socket, datagram.len()));
    }
    tokio::time::sleep(Duration::from_secs(3)).await;
    for (socket, sent) in strangers {
        let (mut came, mut answers) = (0, Vec::new());
        let mut answer = [0; 2048];
        while let Ok((len, _)) = socket.try_recv_from(&mut answer) {
            came += len;
            // RFC 9000 section 17.2: the form and type of a long header.
            answers.push(answer[0] & 0xf0);
        }
        // 17.2.5: a Retry, and nothing else.
        assert_eq!(answers, [0xf0]);
        assert!(came <= sent, "{came} bytes for {sent}");
    }
    check(bench).await;
}

/// Small packets of a version that nobody knows bring nothing back.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn small_packets_of_unknown_versions_are_not_answered() {
    let bench = Bench::of(1).await;
    let socket = tokio::net::UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let unknown = |len: usize| {
        let mut bytes = vec![0; len];
        bytes[..5].copy_from_slice(&[0xc0, 0x0a, 0x1a, 0x2a, 0x3a]);
        bytes
    };
    for len in [7, 100, 1199] {
        socket.send_to(&unknown(len), bench.at).await.unwrap();
    }
    // This one may begin a connection: it is told which versions there are.
    socket.send_to(&unknown(1200), bench.at).await.unwrap();
    let mut answer = [0; 2048];
    let len = soon(socket.recv(&mut answer)).await.unwrap();
    assert!(len < 1200 && answer[1..5] == [0; 4], "{len}");
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert!(socket.try_recv(&mut answer).is_err(), "one answer");
    check(bench).await;
}

/// Half handshakes from some addresses, as many as there may be, do not keep a host with another one out.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn strangers_keep_no_newcomer_out() {
    let bench = Bench::of(1).await;
    let mut strangers = Vec::new();
    for n in 0..64 {
        let peers = Allowed::Keys([RECEIVER.public()].into());
        let from = [127, 0, 1 + n % 4, 1];
        strangers.push(soon(connect_from(from, &SENDER, peers, bench.at)).await);
    }
    let mut dial = to(bench.at);
    dial.wait = Duration::from_secs(10);
    let host = Told::default().host(SENDER);
    let sent = soon(give(host, dial, items(&bench.file("honest", 10)))).await;
    assert_eq!(sent.unwrap().done, 1);
    bench.end().await;
}

/// However many hosts with keys of their own come, what they may send before it is taken has a limit for all; and one that
/// moves something finds room among those that do not.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crowd_finds_no_more_memory_than_there_is() {
    let allowed = Allowed::Everybody;
    let bench = Bench::new(
        Listen {
            allowed,
            ..listen(Some(1))
        },
        Taking::default(),
    )
    .await;
    let mut crowd = Vec::new();
    for n in 1..=60_u8 {
        let secret = (0..).map(|m| SecretKey::from_bytes([n; 32].map(|byte| byte ^ m)));
        let fit = |secret: &SecretKey| PublicKey::from_bytes(*secret.public().as_bytes()).is_ok();
        let secret = secret.into_iter().find(fit).unwrap();
        let (endpoint, connection) = soon(connect(&secret, bench.at)).await;
        let (mut sender, mut stream) = connection.open_bi().await.unwrap();
        say(&mut sender, &Hello::Key).await.unwrap();
        say(&mut sender, &Request::Push(Totals::default()))
            .await
            .unwrap();
        let came = soon(read::<Ready>(&mut stream)).await.is_ok();
        crowd.push((endpoint, connection, came));
    }
    let inside = crowd.iter().filter(|(_, _, came)| *came).count();
    assert!((4..=40).contains(&inside), "{inside}");
    // They do nothing, and go when somebody comes who does.
    soon(bench.send(items(&bench.file("honest", 10))))
        .await
        .unwrap();
    bench.end().await;
}

/// Also if nobody comes after it: what came over a connection and was not read is kept with it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_that_is_closed_is_forgotten() {
    let (told, listen) = (Told::default(), listen(None));
    let door = Door::new(&told.host(RECEIVER), &listen, false);
    let serving = tokio::spawn({
        let door = door.clone();
        async move { door.serve(&listen, |guest| async { drop(guest) }).await }
    });
    let (_endpoint, connection) = soon(connect(&SENDER, told.address().await)).await;
    let (mut sender, _stream) = connection.open_bi().await.unwrap();
    say(&mut sender, &Hello::Key).await.unwrap();
    let push = Request::Push(Totals::default());
    say(&mut sender, &push).await.unwrap();
    let guests = async |count| {
        while door.guests() != count {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    soon(guests(1)).await;
    connection.close(0_u8.into(), b"");
    soon(guests(0)).await;
    serving.abort();
}
