//! Large files over lanes.

use ::bytes::Bytes;
use noq::{Connection, SendStream};

use super::hostile::{closed, offer_of, offered, pusher};
use super::*;
use crate::network;
use crate::wire::close::Close;
use crate::wire::frame::{read, send as say, send_chunk_before, send_dealt};
use crate::wire::message::{End, Lane, MAX_LANES, Reply, Start, proof};

/// More lanes in all than the peer may have open at a time: those of files that have come are given back. If they
/// were not, the sender's patience would end.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lanes_are_used_again() {
    const LEN: usize = 8 << 20;
    let count = network::LANES as usize / (LEN >> 20) + 2;
    let bench = Bench::of(count).await;
    let path = |n| bench.from.path().join(format!("film-{n}"));
    let contents = bytes(LEN);
    for n in 0..count {
        fs::write(path(n), &contents).unwrap();
    }
    let all = (0..count).flat_map(|n| items(&path(n))).collect();
    let sent = bench.send(all).await.unwrap();
    assert_eq!((sent.done, sent.failed), (count, 0));
    for n in 0..count {
        let there = fs::read(bench.there(&format!("film-{n}"))).unwrap();
        assert!(there == contents, "the bytes are others");
    }
    bench.end().await;
}

async fn lane(connection: &Connection, file: u64, number: u8) -> SendStream {
    let mut lane = connection.open_uni().await.unwrap();
    say(&mut lane, &Lane { file, number }).await.unwrap();
    lane
}

/// Sends a chunk, and says over which lane the next one comes.
async fn deal(lane: &mut SendStream, chunk: &'static str, next: u8) {
    let chunk = Bytes::from_static(chunk.as_bytes());
    send_chunk_before(lane, chunk, next).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn chunks_are_put_in_order_in_whatever_order_they_come() {
    let bench = Bench::of(1).await;
    let (_endpoint, connection) = soon(pusher(bench.at)).await;
    // The second stream of the connection: its lanes may come before it.
    let mut late = lane(&connection, 1, 2).await;
    deal(&mut late, "c", 0).await;
    let (_, mut sender, mut stream) = soon(offered(&connection, &offer_of("a", Some(5)))).await;
    assert_eq!(sender.id().index(), 1);
    say(&mut sender, &Start::From(0)).await.unwrap();
    send_dealt(&mut sender, 3).await.unwrap();
    let whole = End::Whole {
        size: 5,
        proof: proof(&blake3::hash(b"abcde")),
    };
    say(&mut sender, &whole).await.unwrap();
    let mut second = lane(&connection, 1, 1).await;
    deal(&mut second, "b", 2).await;
    let mut first = lane(&connection, 1, 0).await;
    deal(&mut first, "a", 1).await;
    // From the third chunk on, the first lane is enough.
    deal(&mut first, "d", 0).await;
    deal(&mut first, "e", 0).await;
    deal(&mut first, "", 0).await;
    let done = async {
        loop {
            match read(&mut stream).await.unwrap() {
                Reply::Written(_) | Reply::Reading(_) => {}
                reply => return reply,
            }
        }
    };
    assert_eq!(soon(done).await, Reply::Done(blake3::hash(b"abcde").into()));
    assert_eq!(fs::read(bench.there("a")).unwrap(), b"abcde");
    // A lane of a file that has ended is stopped, and does not keep others out.
    let stopped = lane(&connection, 1, 3).await;
    soon(stopped.stopped()).await.unwrap();
    bench.working.abort();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lanes_that_cannot_be_end_the_connection() {
    let bench = Bench::of(1).await;
    for case in 0..4 {
        let (_endpoint, connection) = soon(pusher(bench.at)).await;
        let (_, mut sender, _stream) = soon(offered(&connection, &offer_of("a", Some(5)))).await;
        let file = sender.id().index();
        say(&mut sender, &Start::From(0)).await.unwrap();
        let _lane = match case {
            0 => {
                send_dealt(&mut sender, 0).await.unwrap();
                None
            }
            1 => {
                send_dealt(&mut sender, MAX_LANES + 1).await.unwrap();
                None
            }
            2 => {
                let _twice = lane(&connection, file, 5).await;
                Some(lane(&connection, file, 5).await)
            }
            _ => {
                send_dealt(&mut sender, 1).await.unwrap();
                let mut first = lane(&connection, file, 0).await;
                deal(&mut first, "a", 1).await;
                Some(first)
            }
        };
        assert_eq!(closed(&connection).await, Some(Close::Nonsense), "{case}");
    }
    soon(bench.send(items(&bench.file("honest", 10))))
        .await
        .unwrap();
    bench.end().await;
}
