//! Real sockets on the loopback interface. No test depends on speed.

use super::*;

const PATIENCE: Duration = Duration::from_secs(60);

fn pair() -> (Stream, Stream) {
    let config = Arc::new(Config::default());
    let here = "127.0.0.1:0".parse().unwrap();
    let listening = Stream::listen(here, &config).unwrap();
    let connecting = Stream::connect(listening.address(), &config).unwrap();
    (connecting, listening)
}

#[test]
fn a_stream_comes_back_as_it_went() {
    let (stream, echo) = pair();
    let text: Vec<u8> = (0..500_000_u64)
        .map(|n| (n % 251 * n % 253) as u8)
        .collect();
    let mut back = Vec::new();
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut text = Vec::new();
            (&echo).read_to_end(&mut text).unwrap();
            (&echo).write_all(&text).unwrap();
            assert!(echo.finish(PATIENCE).unwrap());
        });
        (&stream).write_all(&text).unwrap();
        stream.close();
        (&stream).read_to_end(&mut back).unwrap();
    });
    assert!(back == text);
    assert_eq!(stream.status().acknowledged, text.len() as u64);
}

#[test]
fn a_peer_that_gives_up_wakes_who_waits() {
    let (stream, theirs) = pair();
    stream.send(b"anybody there?", PATIENCE).unwrap();
    assert!(theirs.receive(&mut [0; 3], PATIENCE).unwrap().is_some());
    drop(theirs);
    let error = stream.receive(&mut [0; 10], PATIENCE).unwrap_err();
    assert!(matches!(error, Error::Failed(Failure::Reset(_))), "{error}");
}

#[test]
fn nobody_waits_for_ever_nor_writes_after_the_end() {
    let (stream, theirs) = pair();
    let soon = Duration::from_millis(10);
    assert!(theirs.receive(&mut [0; 10], soon).unwrap().is_none());
    stream.close();
    assert!(matches!(stream.send(b"more", PATIENCE), Err(Error::Closed)));
}

#[test]
fn addresses_that_others_may_reach_are_refused() {
    let config = Arc::new(Config::default());
    for address in ["0.0.0.0:0", "192.0.2.1:9", "[::]:0", "[2001:db8::1]:9"] {
        let address = address.parse().unwrap();
        for refused in [Stream::listen, Stream::connect] {
            let error = refused(address, &config).unwrap_err();
            assert!(matches!(error, Error::NotLoopback(at) if at == address));
            let told = error.to_string();
            assert!(told.contains("expected an address of the loopback interface"));
        }
    }
    let here = Stream::listen("[::1]:0".parse().unwrap(), &config);
    assert!(!matches!(here, Err(Error::NotLoopback(_))), "{here:?}");
}
