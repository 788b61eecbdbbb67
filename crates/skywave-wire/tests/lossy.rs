//! A file over real sockets and a path that loses, doubles, damages and reorders in both directions. The
//! test does not depend on speed.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration as StdDuration;

use skywave_core::link::{Limit, LinkConfig, LossConfig, QueueConfig, Reordering};
use skywave_core::{Duration, Rate};
use skywave_wire::endpoint::{Allowed, Config};
use skywave_wire::key::SecretKey;
use skywave_wire::node::Node;
use skywave_wire::relay::{
    HopConfig, KEPT_BYTES, Relay, RelayConfig, Step, UDP_OVERHEAD, UdpEnds, drive,
};
use skywave_wire::transfer::{FileOffer, SendOptions, ServeOptions, send, serve};

fn bad_link() -> LinkConfig {
    let queue = QueueConfig::DropTail(Limit::Packets(50));
    let mut link = LinkConfig::new(Rate::from_bps(50_000_000), Duration::from_millis(3), queue);
    link.loss = vec![LossConfig::Bernoulli(0.05)];
    link.corruption = 0.02;
    link.duplication = 0.05;
    link.reordering = Some(Reordering {
        probability: 0.05,
        delay: Duration::from_millis(2),
    });
    link
}

fn path() -> RelayConfig {
    let hop = |name: &str| HopConfig {
        name: name.to_owned(),
        link: bad_link(),
    };
    let route = |hop| vec![Step { hop, extra: 0 }];
    RelayConfig {
        hops: vec![hop("radio"), hop("radio.reverse")],
        routes: [route(0), route(1)],
        overhead: UDP_OVERHEAD,
        seed: 1,
        kept_bytes: KEPT_BYTES,
    }
}

/// Stops the other threads when the test ends, passed or failed.
struct StopAtEnd<'a>(&'a AtomicBool);

impl Drop for StopAtEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

#[test]
fn a_file_survives_a_path_that_does_everything() {
    let (from, into) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let file = from.path().join("film");
    let bytes: Vec<u8> = (0..1_500_000_u64)
        .map(|n| (n % 4093 * n % 251) as u8)
        .collect();
    fs::write(&file, &bytes).unwrap();

    let (sender, receiver) = (
        SecretKey::from_bytes([1; 32]),
        SecretKey::from_bytes([4; 32]),
    );
    let key = receiver.public();
    let node = |secret, allowed| Node::bind("127.0.0.1:0", secret, allowed, Config::default());
    let allowed = Allowed::Keys([sender.public()].into());
    let receiver = node(receiver, allowed).unwrap();
    let sender = node(sender, Allowed::Keys([].into())).unwrap();
    let listen = "127.0.0.1:0".parse().unwrap();
    let mut ends = UdpEnds::bind(listen, receiver.address()).unwrap();
    let options = SendOptions {
        to: ends.address(),
        key,
        patience: StdDuration::from_secs(60),
    };
    let serving = ServeOptions {
        count: Some(1),
        ..ServeOptions::new(into.path().to_owned(), None).unwrap()
    };
    let stop = AtomicBool::new(false);
    let report = thread::scope(|scope| {
        let stopper = StopAtEnd(&stop);
        scope.spawn(|| serve(&receiver, &serving, &stop, &|_| {}).unwrap());
        let relay = scope.spawn(|| {
            let mut relay = Relay::new(&path());
            drive(&mut relay, &mut ends, &mut |_| !stop.load(Ordering::SeqCst))
        });
        let mut offer = FileOffer::open(&file, None, &mut |_| true).unwrap();
        send(&sender, &mut offer, &options, &mut |_| true).unwrap();
        drop(stopper);
        let (report, result) = relay.join().unwrap();
        result.unwrap();
        report
    });
    assert!(fs::read(into.path().join("film")).unwrap() == bytes);
    // Check that the path did all of this.
    let [forward, back] = report.ways;
    assert!(forward.dropped > 0 && forward.corrupt > 0 && back.dropped > 0);
    assert!(forward.packets_out > forward.packets_in - forward.dropped - forward.corrupt);
}
