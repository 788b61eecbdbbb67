//! A stream over real sockets, through a relay that loses, damages, duplicates and reorders in both directions. The
//! test does not depend on speed.

use std::io::{Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration as StdDuration;

use skywave_core::link::{Limit, LinkConfig, LossConfig, QueueConfig, Reordering};
use skywave_core::{Duration, Rate, wtcp};
use skywave_wire::relay::{
    HopConfig, KEPT_BYTES, Relay, RelayConfig, Step, UDP_OVERHEAD, UdpEnds, drive,
};
use skywave_wire::stream::Stream;
fn bad_link() -> LinkConfig {
    let queue = QueueConfig::DropTail(Limit::Packets(50));
    let mut link = LinkConfig::new(Rate::from_bps(50_000_000), Duration::from_millis(3), queue);
    link.loss = vec![LossConfig::Iid(0.05)];
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
fn a_stream_survives_a_path_that_does_everything() {
    let bytes: Vec<u8> = (0..1_500_000_u64)
        .map(|n| (n % 4093 * n % 251) as u8)
        .collect();
    let config = Arc::new(wtcp::Config {
        mss: 1151,
        receive_buffer: 4 << 20,
        ..wtcp::Config::default()
    });
    let here = "127.0.0.1:0".parse().unwrap();
    let receiver = Stream::listen(here, &config).unwrap();
    let mut ends = UdpEnds::bind(here, receiver.address()).unwrap();
    let sender = Stream::connect(ends.address(), &config).unwrap();
    let stop = AtomicBool::new(false);
    let mut read = Vec::new();
    let report = thread::scope(|scope| {
        let stopper = StopAtEnd(&stop);
        let relay = scope.spawn(|| {
            let mut relay = Relay::new(&path());
            drive(&mut relay, &mut ends, &mut |_| !stop.load(Ordering::SeqCst))
        });
        let writer = scope.spawn(|| {
            (&sender).write_all(&bytes).unwrap();
            assert!(sender.finish(StdDuration::from_secs(60)).unwrap());
        });
        (&receiver).read_to_end(&mut read).unwrap();
        // The last ACK may have to go again.
        writer.join().unwrap();
        drop(stopper);
        let (report, result) = relay.join().unwrap();
        result.unwrap();
        report
    });
    assert!(read == bytes);
    // Check that the path did all of this.
    let [forward, back] = report.ways;
    assert!(forward.dropped > 0 && forward.corrupt > 0 && back.dropped > 0);
    assert!(forward.packets_out > forward.packets_in - forward.dropped - forward.corrupt);
}
