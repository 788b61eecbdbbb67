//! Routes that expire, and Hellos: sections 6.2, 6.9 and 6.11.

use super::config;
use crate::radio::Address;
use crate::routing::aodv::Config;
use crate::routing::testing::Network;
use crate::routing::{Datagram, Packet};

#[test]
fn a_route_lasts_while_it_is_used() {
    let mut network = Network::chain(3, config());
    network.send(1, 3);
    // The forward route is valid for 6 s after the reply of 0.242 s, the reverse route for 5.52 s after the
    // request of 0.241 s. At 5.5 s all are used, which makes them valid for 3 s more.
    network.run(5500);
    network.send(1, 3);
    network.run(8499);
    for (at, destination) in [(1, 3), (2, 3), (2, 1), (3, 1)] {
        assert!(network.next_hop(at, destination).is_some(), "{at}");
    }
    network.run(8504);
    for (at, destination) in [(1, 3), (2, 3), (2, 1), (3, 1)] {
        assert_eq!(network.next_hop(at, destination), None, "{at}");
    }
}

#[test]
fn the_way_back_is_kept_alive_only_by_the_neighbour_it_leads_to() {
    // Data from 1 to 4 go through 2; the test makes the reverse route of 4 lead through 3.
    let mut network = Network::of(4, &[(1, 3), (3, 4)], config());
    network.send(4, 1);
    network.run(1000);
    assert_eq!(network.next_hop(4, 1), Some(3));
    for at in [3000, 6000] {
        network.run(at);
        network.hand(4, 2, datagram(1, 4));
    }
    network.run(6500);
    assert_eq!(network.next_hop(4, 1), None);
}

#[test]
fn an_expired_route_is_remembered_with_a_new_number_for_a_while() {
    let mut network = Network::chain(3, config());
    network.send(1, 3);
    network.run(15_000);
    network.skip();
    network.link(1, 2, false);
    network.send(1, 3);
    network.run(15_001);
    network.expect("15.000 1 -> all RREQ id 3 1#3 seeks 3#1 hops 0 ttl 4");
    network.run(80_000);
    network.skip();
    network.send(1, 3);
    network.run(80_001);
    network.expect("80.000 1 -> all RREQ id 7 1#7 seeks 3#? hops 0 ttl 1");
}

#[test]
fn a_route_that_others_count_on_is_not_forgotten() {
    let mut network = Network::chain(3, config());
    network.send(1, 3);
    network.run(1000);
    network.skip();
    // 2 has no route left; 1 has not noticed.
    for at in [10_000, 20_000, 30_000] {
        network.run(at);
        network.hand(2, 1, datagram(1, 3));
    }
    network.expect(
        "10.000 2 -> 1 RERR 3#1 ttl 1
         10.000 2 drops #0: NoRoute
         20.000 2 -> 1 RERR 3#1 ttl 1
         20.000 2 drops #0: NoRoute
         30.000 2 -> 1 RERR 3#1 ttl 1
         30.000 2 drops #0: NoRoute",
    );
}

/// A datagram on its way.
fn datagram(source: u16, destination: u16) -> Packet<u32> {
    Packet::Data(Datagram {
        source: Address(source),
        destination: Address(destination),
        ttl: 9,
        bytes: 1000,
        payload: 0,
    })
}

fn with_hello() -> Config {
    Config {
        hello: true,
        link_feedback: false,
        ttl_start: 2,
        ..config()
    }
}

#[test]
fn stations_of_an_active_route_say_that_they_are_there() {
    let mut network = Network::chain(3, with_hello());
    network.send(1, 2);
    network.run(1500);
    network.send(1, 2);
    network.run_out();
    // 3 sends no Hellos, because no data goes through it; the others stop 3 s after the last use.
    network.expect(
        "0.000 1 -> all RREQ id 1 1#1 seeks 2#? hops 0 ttl 2
         0.001 2 -> 1 RREP to 1: 2#0 hops 0 for 6000 ms ttl 35
         0.002 1 -> 2 #1 ttl 64
         0.003 2 has #1 from 1
         1.002 1 -> all Hello 1#1 for 2000 ms ttl 1
         1.003 2 -> all Hello 2#0 for 2000 ms ttl 1
         1.500 1 -> 2 #2 ttl 64
         1.501 2 has #2 from 1
         2.002 1 -> all Hello 1#1 for 2000 ms ttl 1
         2.003 2 -> all Hello 2#0 for 2000 ms ttl 1
         3.002 1 -> all Hello 1#1 for 2000 ms ttl 1
         3.003 2 -> all Hello 2#0 for 2000 ms ttl 1
         4.002 1 -> all Hello 1#1 for 2000 ms ttl 1
         4.003 2 -> all Hello 2#0 for 2000 ms ttl 1",
    );
}

#[test]
fn another_broadcast_is_as_good_as_a_hello() {
    let mut network = Network::chain(2, with_hello());
    network.send(1, 2);
    network.run(1500);
    network.skip();
    network.send(1, 9);
    network.run(2600);
    network.expect(
        "1.500 1 -> all RREQ id 2 1#2 seeks 9#? hops 0 ttl 2
         1.501 2 -> all RREQ id 2 1#2 seeks 9#? hops 1 ttl 1
         1.820 1 -> all RREQ id 3 1#3 seeks 9#? hops 0 ttl 4
         1.821 2 -> all RREQ id 3 1#3 seeks 9#? hops 1 ttl 3
         2.300 1 -> all RREQ id 4 1#4 seeks 9#? hops 0 ttl 6
         2.301 2 -> all RREQ id 4 1#4 seeks 9#? hops 1 ttl 5",
    );
}

#[test]
fn a_neighbour_that_falls_silent_is_gone() {
    let mut network = Network::chain(3, with_hello());
    for at in 0..30 {
        network.run(at * 100);
        network.send(1, 3);
    }
    network.run(3050);
    assert_eq!(network.next_hop(1, 3), Some(2));
    network.link(2, 3, false);
    network.skip();
    network.run(6000);
    network.expect(
        "4.004 1 -> all Hello 1#1 for 2000 ms ttl 1
         4.005 2 -> all Hello 2#0 for 2000 ms ttl 1
         4.006 3 -> all Hello 3#0 for 2000 ms ttl 1
         5.004 1 -> all Hello 1#1 for 2000 ms ttl 1
         5.005 2 -> all Hello 2#0 for 2000 ms ttl 1
         5.006 3 -> all Hello 3#0 for 2000 ms ttl 1
         5.007 2 -> 1 RERR 3#1 ttl 1",
    );
}

#[test]
fn a_next_hop_that_was_never_heard_is_gone_too() {
    let mut network = Network::chain(3, with_hello());
    network.send(1, 3);
    network.run(500);
    // Before the first Hello.
    network.link(1, 2, false);
    network.skip();
    for at in [500, 1000, 1500, 2000, 2500] {
        network.run(at);
        network.send(1, 3);
    }
    network.expect(
        "0.500 1 -> 2 #2 ttl 64
         0.504 1 drops #2: LinkBroken
         1.000 1 -> 2 #3 ttl 64
         1.004 1 drops #3: LinkBroken
         1.004 1 -> all Hello 1#1 for 2000 ms ttl 1
         1.005 2 -> all Hello 2#0 for 2000 ms ttl 1
         1.006 3 -> all Hello 3#0 for 2000 ms ttl 1
         1.500 1 -> 2 #4 ttl 64
         1.504 1 drops #4: LinkBroken
         2.000 1 -> 2 #5 ttl 64
         2.004 1 drops #5: LinkBroken
         2.004 1 -> all Hello 1#1 for 2000 ms ttl 1
         2.005 2 -> all Hello 2#0 for 2000 ms ttl 1
         2.006 3 -> all Hello 3#0 for 2000 ms ttl 1
         2.500 1 -> all RREQ id 2 1#2 seeks 3#1 hops 0 ttl 4",
    );
}
