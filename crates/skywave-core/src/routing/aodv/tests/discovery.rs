//! Finding routes: sections 6.3 to 6.7.

use super::config;
use crate::radio::Address;
use crate::routing::aodv::{Config, Message, Rrep, Rreq};
use crate::routing::testing::Network;
use crate::routing::{Packet, Seq};
use crate::time::Duration;

#[test]
fn rings_grow_until_the_destination_answers() {
    let mut network = Network::chain(4, config());
    network.send(1, 4);
    network.run_out();
    // The wait is 2 * 40 ms * (TTL + 2).
    network.expect(
        "0.000 1 -> all RREQ id 1 1#1 seeks 4#? hops 0 ttl 1
         0.240 1 -> all RREQ id 2 1#2 seeks 4#? hops 0 ttl 3
         0.241 2 -> all RREQ id 2 1#2 seeks 4#? hops 1 ttl 2
         0.242 3 -> all RREQ id 2 1#2 seeks 4#? hops 2 ttl 1
         0.243 4 -> 3 RREP to 1: 4#0 hops 0 for 6000 ms ttl 35
         0.244 3 -> 2 RREP to 1: 4#0 hops 1 for 6000 ms ttl 34
         0.245 2 -> 1 RREP to 1: 4#0 hops 2 for 6000 ms ttl 33
         0.246 1 -> 2 #1 ttl 64
         0.247 2 -> 3 #1 ttl 63
         0.248 3 -> 4 #1 ttl 62
         0.249 4 has #1 from 1",
    );
}

#[test]
fn requests_seen_before_are_not_forwarded_again() {
    // 1 - 2 - 4 and 1 - 3 - 4.
    let mut network = Network::of(4, &[(1, 2), (1, 3), (2, 4), (3, 4)], config());
    network.send(1, 4);
    network.run_out();
    network.expect(
        "0.000 1 -> all RREQ id 1 1#1 seeks 4#? hops 0 ttl 1
         0.240 1 -> all RREQ id 2 1#2 seeks 4#? hops 0 ttl 3
         0.241 2 -> all RREQ id 2 1#2 seeks 4#? hops 1 ttl 2
         0.241 3 -> all RREQ id 2 1#2 seeks 4#? hops 1 ttl 2
         0.242 4 -> 2 RREP to 1: 4#0 hops 0 for 6000 ms ttl 35
         0.243 2 -> 1 RREP to 1: 4#0 hops 1 for 6000 ms ttl 34
         0.244 1 -> 2 #1 ttl 64
         0.245 2 -> 4 #1 ttl 63
         0.246 4 has #1 from 1",
    );
}

#[test]
fn a_station_with_a_route_replies() {
    let mut network = Network::chain(4, config());
    network.send(2, 4);
    network.run(1000);
    network.skip();
    network.send(1, 4);
    network.run(2000);
    network.expect(
        "1.000 1 -> all RREQ id 1 1#1 seeks 4#? hops 0 ttl 1
         1.001 2 -> 1 RREP to 1: 4#0 hops 2 for 5243 ms ttl 35
         1.002 1 -> 2 #2 ttl 64
         1.003 2 -> 3 #2 ttl 63
         1.004 3 -> 4 #2 ttl 62
         1.005 4 has #2 from 1",
    );
}

#[test]
fn the_destination_hears_of_a_reply_in_its_place_if_asked_for() {
    let config = Config {
        gratuitous_rrep: true,
        ..config()
    };
    let mut network = Network::chain(4, config);
    network.send(2, 4);
    network.run(1000);
    network.skip();
    network.send(1, 4);
    network.run(2000);
    network.expect(
        "1.000 1 -> all RREQ id 1 1#1 seeks 4#? hops 0 G ttl 1
         1.001 2 -> 1 RREP to 1: 4#0 hops 2 for 5243 ms ttl 35
         1.001 2 -> 3 RREP to 4: 1#1 hops 1 for 5520 ms ttl 35
         1.002 1 -> 2 #2 ttl 64
         1.002 3 -> 4 RREP to 4: 1#1 hops 2 for 5520 ms ttl 34
         1.003 2 -> 3 #2 ttl 63
         1.004 3 -> 4 #2 ttl 62
         1.005 4 has #2 from 1",
    );
    assert_eq!(network.next_hop(4, 1), Some(3));
}

#[test]
fn only_the_destination_replies_if_asked_to() {
    let config = Config {
        destination_only: true,
        ttl_start: 35,
        ..config()
    };
    let mut network = Network::chain(3, config);
    network.send(2, 3);
    network.run(1000);
    network.skip();
    network.send(1, 3);
    network.run(2000);
    network.expect(
        "1.000 1 -> all RREQ id 1 1#1 seeks 3#? hops 0 D ttl 35
         1.001 2 -> all RREQ id 1 1#1 seeks 3#0 hops 1 D ttl 34
         1.002 3 -> 2 RREP to 1: 3#0 hops 0 for 6000 ms ttl 35
         1.003 2 -> 1 RREP to 1: 3#0 hops 1 for 4999 ms ttl 34
         1.004 1 -> 2 #2 ttl 64
         1.005 2 -> 3 #2 ttl 63
         1.006 3 has #2 from 1",
    );
}

#[test]
fn of_two_routes_as_fresh_the_shorter_one_is_used() {
    // 1 - 2 - 3 - 4 - 5 and 1 - 6 - 7 - 5: 2 and 6 know a route. 2 answers first, then 6.
    let mut network = Network::of(7, &[(2, 3), (3, 4), (4, 5), (6, 7), (7, 5)], config());
    network.send(2, 5);
    network.send(6, 5);
    network.run(1000);
    network.link(1, 2, true);
    network.link(1, 6, true);
    network.skip();
    network.send(1, 5);
    network.run(2000);
    network.expect(
        "1.000 1 -> all RREQ id 1 1#1 seeks 5#? hops 0 ttl 1
         1.001 2 -> 1 RREP to 1: 5#0 hops 3 for 5245 ms ttl 35
         1.001 6 -> 1 RREP to 1: 5#0 hops 2 for 5243 ms ttl 35
         1.002 1 -> 2 #3 ttl 64
         1.003 2 -> 3 #3 ttl 63
         1.004 3 -> 4 #3 ttl 62
         1.005 4 -> 5 #3 ttl 61
         1.006 5 has #3 from 1",
    );
    assert_eq!(network.next_hop(1, 5), Some(6));
}

#[test]
fn an_older_route_is_not_taken_however_short_it_is() {
    let mut network = Network::new(1, config());
    let hand = |network: &mut Network, from, seq, hops| {
        network.hand(1, from, reply_of(5, seq, hops));
        network.next_hop(1, 5)
    };
    assert_eq!(hand(&mut network, 2, 7, 3), Some(2));
    assert_eq!(hand(&mut network, 3, 6, 1), Some(2), "older");
    assert_eq!(hand(&mut network, 3, 7, 3), Some(2), "as long");
    assert_eq!(hand(&mut network, 3, 7, 2), Some(3), "shorter");
    assert_eq!(hand(&mut network, 4, 8, 9), Some(4), "fresher");
}

#[test]
fn a_stale_route_is_not_offered() {
    // 1 - 2 - 3, and 4 beside 1 and 2. 1 and 4 send to 3 through 2.
    let mut network = Network::of(4, &[(1, 2), (2, 3), (2, 4), (1, 4)], config());
    network.send(4, 3);
    network.send(1, 3);
    network.run(1000);
    // The break is reported to both 1 and 4, but neither receives the message.
    network.link(2, 3, false);
    network.loses = Box::new(|| true);
    network.send(1, 3);
    network.run(1050);
    network.loses = Box::new(|| false);
    assert_eq!(network.next_hop(4, 3), Some(2));
    // 2 now seeks 3. 4 itself would send to 3 through 2.
    network.skip();
    network.send(2, 3);
    network.run(2000);
    network.expect(
        "1.050 2 -> all RREQ id 1 2#1 seeks 3#1 hops 0 ttl 3
         1.051 1 -> all RREQ id 1 2#1 seeks 3#1 hops 1 ttl 2
         1.051 4 -> all RREQ id 1 2#1 seeks 3#1 hops 1 ttl 2
         1.450 2 -> all RREQ id 2 2#2 seeks 3#1 hops 0 ttl 5
         1.451 1 -> all RREQ id 2 2#2 seeks 3#1 hops 1 ttl 4
         1.451 4 -> all RREQ id 2 2#2 seeks 3#1 hops 1 ttl 4",
    );
}

#[test]
fn a_destination_raises_its_number_to_the_one_asked_for() {
    let mut network = Network::chain(3, config());
    network.send(1, 3);
    network.run(1000);
    network.link(2, 3, false);
    network.send(1, 3);
    network.run(1100);
    network.link(2, 3, true);
    network.skip();
    network.send(1, 3);
    network.run(2000);
    network.expect(
        "1.100 1 -> all RREQ id 3 1#3 seeks 3#1 hops 0 ttl 4
         1.101 2 -> all RREQ id 3 1#3 seeks 3#1 hops 1 ttl 3
         1.102 3 -> 2 RREP to 1: 3#1 hops 0 for 6000 ms ttl 35
         1.103 2 -> 1 RREP to 1: 3#1 hops 1 for 6000 ms ttl 34
         1.104 1 -> 2 #3 ttl 64
         1.105 2 -> 3 #3 ttl 63
         1.106 3 has #3 from 1",
    );
}

#[test]
fn a_partition_ends() {
    let mut network = Network::chain(3, config());
    network.link(2, 3, false);
    network.send(1, 3);
    network.send(1, 3);
    network.run(4000);
    network.link(2, 3, true);
    network.send(1, 3);
    network.run_out();
    network.expect(
        "0.000 1 -> all RREQ id 1 1#1 seeks 3#? hops 0 ttl 1
         0.240 1 -> all RREQ id 2 1#2 seeks 3#? hops 0 ttl 3
         0.241 2 -> all RREQ id 2 1#2 seeks 3#? hops 1 ttl 2
         0.640 1 -> all RREQ id 3 1#3 seeks 3#? hops 0 ttl 5
         0.641 2 -> all RREQ id 3 1#3 seeks 3#? hops 1 ttl 4
         1.200 1 -> all RREQ id 4 1#4 seeks 3#? hops 0 ttl 7
         1.201 2 -> all RREQ id 4 1#4 seeks 3#? hops 1 ttl 6
         1.920 1 -> all RREQ id 5 1#5 seeks 3#? hops 0 ttl 35
         1.921 2 -> all RREQ id 5 1#5 seeks 3#? hops 1 ttl 34
         4.720 1 -> all RREQ id 6 1#6 seeks 3#? hops 0 ttl 35
         4.721 2 -> all RREQ id 6 1#6 seeks 3#? hops 1 ttl 34
         4.722 3 -> 2 RREP to 1: 3#0 hops 0 for 6000 ms ttl 35
         4.723 2 -> 1 RREP to 1: 3#0 hops 1 for 6000 ms ttl 34
         4.724 1 -> 2 #1 ttl 64
         4.724 1 -> 2 #2 ttl 64
         4.724 1 -> 2 #3 ttl 64
         4.725 2 -> 3 #1 ttl 63
         4.725 2 -> 3 #2 ttl 63
         4.725 2 -> 3 #3 ttl 63
         4.726 3 has #1 from 1
         4.726 3 has #2 from 1
         4.726 3 has #3 from 1",
    );
}

#[test]
fn what_nobody_answers_is_dropped_after_the_retries() {
    let mut network = Network::chain(2, config());
    network.send(1, 9);
    network.send(1, 9);
    network.run(12_000);
    network.expect(
        "0.000 1 -> all RREQ id 1 1#1 seeks 9#? hops 0 ttl 1
         0.240 1 -> all RREQ id 2 1#2 seeks 9#? hops 0 ttl 3
         0.241 2 -> all RREQ id 2 1#2 seeks 9#? hops 1 ttl 2
         0.640 1 -> all RREQ id 3 1#3 seeks 9#? hops 0 ttl 5
         0.641 2 -> all RREQ id 3 1#3 seeks 9#? hops 1 ttl 4
         1.200 1 -> all RREQ id 4 1#4 seeks 9#? hops 0 ttl 7
         1.201 2 -> all RREQ id 4 1#4 seeks 9#? hops 1 ttl 6
         1.920 1 -> all RREQ id 5 1#5 seeks 9#? hops 0 ttl 35
         1.921 2 -> all RREQ id 5 1#5 seeks 9#? hops 1 ttl 34
         4.720 1 -> all RREQ id 6 1#6 seeks 9#? hops 0 ttl 35
         4.721 2 -> all RREQ id 6 1#6 seeks 9#? hops 1 ttl 34
         10.320 1 drops #1: NoRoute
         10.320 1 drops #2: NoRoute",
    );
    // The next datagram starts a new search.
    network.send(1, 9);
    network.run(12_100);
    network.expect("12.000 1 -> all RREQ id 7 1#7 seeks 9#? hops 0 ttl 1");
}

#[test]
fn without_rings_there_is_one_request_and_the_retries() {
    let config = Config {
        ttl_start: 35,
        ..config()
    };
    let mut network = Network::new(1, config);
    network.send(1, 9);
    network.run_out();
    network.expect(
        "0.000 1 -> all RREQ id 1 1#1 seeks 9#? hops 0 ttl 35
         2.800 1 -> all RREQ id 2 1#2 seeks 9#? hops 0 ttl 35
         8.400 1 -> all RREQ id 3 1#3 seeks 9#? hops 0 ttl 35
         19.600 1 drops #1: NoRoute",
    );
}

#[test]
fn a_neighbour_that_is_heard_again_is_believed_no_older_number() {
    let mut network = Network::chain(2, config());
    network.send(1, 2);
    network.run(1000);
    network.link(1, 2, false);
    network.send(1, 2);
    network.run(1500);
    assert_eq!(network.next_hop(1, 2), None);
    // The route had number 0, and has 1 since the break. Now 2 forwards a request.
    network.skip();
    network.hand(1, 2, request(7, 8));
    assert_eq!(network.next_hop(1, 2), Some(2));
    // Other stations may still have the old route, which leads through 1 itself. And 1 cannot answer for 2.
    network.hand(1, 5, reply(2, 0));
    assert_eq!(network.next_hop(1, 2), Some(2));
    network.hand(1, 5, request(5, 2));
    network.run(6000);
    network.hand(1, 5, reply(2, 0));
    assert_eq!(network.next_hop(1, 2), None);
    network.expect(
        "1.500 1 -> all RREQ id 1 7#1 seeks 8#? hops 2 ttl 8
         1.500 1 -> all RREQ id 1 5#1 seeks 2#1 hops 2 ttl 8",
    );
    network.hand(1, 5, reply(2, 1));
    assert_eq!(network.next_hop(1, 2), Some(5));
}

/// A request as a neighbour forwards it.
fn request(originator: u16, destination: u16) -> Packet<u32> {
    let message = Message::Rreq(Rreq {
        gratuitous: false,
        destination_only: false,
        hop_count: 1,
        id: 1,
        destination: Address(destination),
        destination_seq: None,
        originator: Address(originator),
        originator_seq: Seq(1),
    });
    Packet::Aodv { message, ttl: 9 }
}

/// A reply to station 1, as a neighbour forwards it.
fn reply(destination: u16, seq: u32) -> Packet<u32> {
    reply_of(destination, seq, 1)
}

/// The same from this many hops away.
fn reply_of(destination: u16, seq: u32, hop_count: u8) -> Packet<u32> {
    let message = Message::Rrep(Rrep {
        ack_required: false,
        hop_count,
        destination: Address(destination),
        destination_seq: Seq(seq),
        originator: Address(1),
        lifetime: Duration::from_secs(6),
    });
    Packet::Aodv { message, ttl: 9 }
}

#[test]
fn broadcasts_wait_for_their_jitter() {
    let config = Config {
        jitter: Duration::from_millis(10),
        ttl_start: 2,
        ..config()
    };
    // 2, 3 and 4 receive from 1 at the same time.
    let mut network = Network::of(4, &[(1, 2), (1, 3), (1, 4)], config);
    network.send(1, 9);
    network.run(300);
    network.expect(
        "0.005 1 -> all RREQ id 1 1#1 seeks 9#? hops 0 ttl 2
         0.008 3 -> all RREQ id 1 1#1 seeks 9#? hops 1 ttl 1
         0.008 4 -> all RREQ id 1 1#1 seeks 9#? hops 1 ttl 1
         0.009 2 -> all RREQ id 1 1#1 seeks 9#? hops 1 ttl 1",
    );
}
