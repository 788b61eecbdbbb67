//! Rates and buffers.

use super::config;
use crate::routing::aodv::Config;
use crate::routing::testing::Network;
use crate::time::Duration;

#[test]
fn requests_beyond_the_rate_wait() {
    let config = Config {
        rreq_ratelimit: 2,
        ttl_start: 35,
        ..config()
    };
    let mut network = Network::new(1, config);
    for (at, destination) in [(0, 11), (300, 12), (400, 13), (500, 14)] {
        network.run(at);
        network.send(1, destination);
    }
    network.run(2500);
    network.expect(
        "0.000 1 -> all RREQ id 1 1#1 seeks 11#? hops 0 ttl 35
         0.300 1 -> all RREQ id 2 1#2 seeks 12#? hops 0 ttl 35
         1.000 1 -> all RREQ id 3 1#3 seeks 13#? hops 0 ttl 35
         1.300 1 -> all RREQ id 4 1#4 seeks 14#? hops 0 ttl 35",
    );
}

#[test]
fn errors_beyond_the_rate_are_not_sent() {
    let config = Config {
        rerr_ratelimit: 1,
        ..config()
    };
    // 2 sends to 3 and 4; 1 sends through 2.
    let mut network = Network::of(4, &[(1, 2), (2, 3), (2, 4)], config);
    network.send(1, 3);
    network.send(1, 4);
    network.run(1000);
    network.link(2, 3, false);
    network.link(2, 4, false);
    network.skip();
    network.send(1, 3);
    network.send(1, 4);
    network.run(1900);
    // The second error is sent only when another datagram comes.
    network.run(2100);
    network.send(1, 4);
    network.run(2150);
    network.expect(
        "1.000 1 -> 2 #3 ttl 64
         1.000 1 -> 2 #4 ttl 64
         1.001 2 -> 3 #3 ttl 63
         1.001 2 -> 4 #4 ttl 63
         1.005 2 -> 1 RERR 3#1 ttl 1
         1.005 2 drops #3: LinkBroken
         1.005 2 drops #4: LinkBroken
         2.100 1 -> 2 #5 ttl 64
         2.101 2 -> 1 RERR 4#1 ttl 1
         2.101 2 drops #5: NoRoute",
    );
}

#[test]
fn the_oldest_datagram_makes_room() {
    let config = Config {
        buffer_packets: 2,
        ..config()
    };
    let mut network = Network::new(1, config);
    for _ in 0..3 {
        network.send(1, 9);
    }
    network.run(100);
    network.expect(
        "0.000 1 -> all RREQ id 1 1#1 seeks 9#? hops 0 ttl 1
         0.000 1 drops #1: BufferFull",
    );
}

#[test]
fn datagrams_wait_for_so_long_only() {
    let config = Config {
        buffer_time: Duration::from_millis(50),
        ..config()
    };
    let mut network = Network::new(1, config);
    network.send(1, 9);
    network.run(20);
    network.send(1, 9);
    network.run(100);
    network.expect(
        "0.000 1 -> all RREQ id 1 1#1 seeks 9#? hops 0 ttl 1
         0.050 1 drops #1: BufferTimeout
         0.070 1 drops #2: BufferTimeout",
    );
}
