//! Real sockets on the loopback interface. No test depends on speed.

use super::*;
use std::io::{Read as _, Write as _};

const PATIENCE: Duration = Duration::from_secs(60);

fn pair() -> (Node, Node, PublicKey) {
    let (a, b) = (
        SecretKey::generate().unwrap(),
        SecretKey::generate().unwrap(),
    );
    let key = b.public();
    let allowed = Allowed::Keys([a.public()].into());
    let nobody = Allowed::Keys([].into());
    let node = |secret, allowed| Node::bind("127.0.0.1:0", secret, allowed, Config::default());
    (node(a, nobody).unwrap(), node(b, allowed).unwrap(), key)
}

#[test]
fn a_stream_comes_back_as_it_went() {
    let (a, b, key) = pair();
    let address = b.address();
    let echo = thread::spawn(move || {
        let stream = b.accept(PATIENCE).unwrap().expect("somebody connects");
        let mut text = Vec::new();
        (&stream).read_to_end(&mut text).unwrap();
        (&stream).write_all(&text).unwrap();
        assert!(stream.finish(PATIENCE).unwrap());
        b
    });
    let stream = a.connect(address, key).unwrap();
    let text: Vec<u8> = (0..3_000_000_u64)
        .map(|n| (n % 251 * n % 253) as u8)
        .collect();
    (&stream).write_all(&text).unwrap();
    stream.close();
    let mut back = Vec::new();
    (&stream).read_to_end(&mut back).unwrap();
    assert!(back == text);
    drop(echo.join().unwrap());
}

#[test]
fn a_peer_that_gives_up_wakes_who_waits() {
    let (a, b, key) = pair();
    let stream = a.connect(b.address(), key).unwrap();
    let theirs = b.accept(PATIENCE).unwrap().unwrap();
    drop(theirs);
    let error = stream.receive(&mut [0; 10], PATIENCE).unwrap_err();
    assert!(matches!(error, Error::Failed(Failed::GivenUp)), "{error}");
}

#[test]
fn a_node_that_is_dropped_wakes_who_waits() {
    let (a, b, key) = pair();
    let stream = a.connect(b.address(), key).unwrap();
    let reader = thread::spawn(move || stream.receive(&mut [0; 10], PATIENCE).unwrap_err());
    drop(a);
    assert!(matches!(reader.join().unwrap(), Error::ShutDown));
}

#[test]
fn nobody_waits_for_ever_for_a_connection() {
    let (a, _, _) = pair();
    assert!(a.accept(Duration::from_millis(10)).unwrap().is_none());
}
