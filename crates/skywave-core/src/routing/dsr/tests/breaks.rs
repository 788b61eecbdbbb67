//! Links that break, and networks that fall apart and are whole again: sections 3.2, 3.4 and 8.3.

use super::{config, stations};
use crate::radio::Address;
use crate::routing::Packet;
use crate::routing::dsr::{Config, Content, Link, Message, Routed};
use crate::routing::testing::Network;
use crate::time::Duration;

#[test]
fn the_source_hears_of_a_break_and_so_does_everybody_on_the_way() {
    let mut network = Network::chain(4, config());
    network.send(1, 4);
    network.run(1000);
    network.link(3, 4, false);
    network.skip();
    network.send(1, 4);
    network.run(2000);
    network.expect(
        "1.000 1 -> 2 #2 ttl 64 by 1-2-3-4
         1.001 2 -> 3 #2 ttl 63 by 1-2-3-4
         1.002 3 -> 4 #2 ttl 62 by 1-2-3-4
         1.006 3 -> 2 RERR 3-4 by 3-2-1
         1.006 3 drops #2: LinkBroken
         1.007 2 -> 1 RERR 3-4 by 3-2-1",
    );
    for at in 1..=3 {
        assert_eq!(network.next_hop(at, 4), None, "{at}");
    }
    assert_eq!(network.next_hop(1, 3), Some(2));
}

#[test]
fn another_known_route_is_used_without_a_search() {
    // 1 - 2 - 4 and 1 - 3 - 4.
    let mut network = Network::of(4, &[(1, 2), (1, 3), (2, 4), (3, 4)], config());
    network.send(1, 4);
    network.run(1000);
    assert_eq!(network.next_hop(1, 4), Some(2));
    network.link(2, 4, false);
    network.skip();
    network.send(1, 4);
    network.run(1500);
    network.send(1, 4);
    network.run(2000);
    network.expect(
        "1.000 1 -> 2 #2 ttl 64 by 1-2-4
         1.001 2 -> 4 #2 ttl 63 by 1-2-4
         1.005 2 -> 1 RERR 2-4 by 2-1
         1.005 2 drops #2: LinkBroken
         1.500 1 -> 3 #3 ttl 64 by 1-3-4
         1.501 3 -> 4 #3 ttl 63 by 1-3-4
         1.502 4 has #3 from 1",
    );
}

#[test]
fn a_packet_is_salvaged_only_if_asked_for() {
    // 1 - 2 - 3 - 4 and 2 - 5 - 4: 2 has heard of both.
    let links = [(1, 2), (2, 3), (3, 4), (2, 5), (5, 4)];
    let run = |salvage| {
        let config = Config {
            salvage,
            ..config()
        };
        let mut network = Network::of(5, &links, config);
        network.send(2, 4);
        network.send(1, 4);
        network.run(1000);
        network.link(2, 3, false);
        network.skip();
        network.send(1, 4);
        network.run(2000);
        network
    };
    run(true).expect(
        "1.000 1 -> 2 #3 ttl 64 by 1-2-3-4
         1.001 2 -> 3 #3 ttl 63 by 1-2-3-4
         1.005 2 -> 1 RERR 2-3 by 2-1
         1.005 2 -> 5 #3 ttl 63 by 2-5-4 salvaged 1
         1.006 5 -> 4 #3 ttl 62 by 2-5-4 salvaged 1
         1.007 4 has #3 from 1",
    );
    run(false).expect(
        "1.000 1 -> 2 #3 ttl 64 by 1-2-3-4
         1.001 2 -> 3 #3 ttl 63 by 1-2-3-4
         1.005 2 -> 1 RERR 2-3 by 2-1
         1.005 2 drops #3: LinkBroken",
    );
}

#[test]
fn a_packet_goes_no_further_than_its_ttl_and_never_beside_its_route() {
    let mut network = Network::new(3, config());
    let mut datagram = super::datagram();
    datagram.ttl = 1;
    let routed = |route: &[u16], at| {
        Packet::Dsr(Box::new(Message::Routed(Routed {
            route: stations(route),
            at,
            salvaged: 0,
            content: Content::Datagram(datagram),
        })))
    };
    network.hand(2, 1, routed(&[1, 2, 4], 0));
    network.expect("0.000 2 drops #1: Ttl");
    assert_eq!(network.next_hop(2, 4), Some(4), "it has heard of the route");
    // No packet that is somebody else's.
    network.hand(3, 1, routed(&[1, 2, 4], 0));
    network.expect("");
    assert_eq!(network.next_hop(3, 4), None);
}

#[test]
fn packets_that_are_given_up_together_cause_one_error() {
    let mut network = Network::chain(3, config());
    network.send(1, 3);
    network.run(1000);
    network.link(2, 3, false);
    network.skip();
    network.send(1, 3);
    network.send(1, 3);
    network.run(2000);
    network.expect(
        "1.000 1 -> 2 #2 ttl 64 by 1-2-3
         1.000 1 -> 2 #3 ttl 64 by 1-2-3
         1.001 2 -> 3 #2 ttl 63 by 1-2-3
         1.001 2 -> 3 #3 ttl 63 by 1-2-3
         1.005 2 -> 1 RERR 2-3 by 2-1
         1.005 2 drops #2: LinkBroken
         1.005 2 drops #3: LinkBroken",
    );
}

#[test]
fn an_error_breaks_one_link_alone() {
    let mut network = Network::chain(4, config());
    network.send(1, 4);
    network.run(1000);
    let error = |from, to| {
        Packet::Dsr(Box::new(Message::Routed(Routed {
            route: stations(&[2, 1]),
            at: 0,
            salvaged: 0,
            content: Content::Error(Link {
                from: Address(from),
                to: Address(to),
            }),
        })))
    };
    network.hand(1, 2, error(2, 4));
    assert_eq!(network.next_hop(1, 4), Some(2));
    network.hand(1, 2, error(2, 3));
    assert_eq!(network.next_hop(1, 4), None);
    assert_eq!(network.next_hop(1, 2), Some(2));
}

#[test]
fn a_network_that_was_apart_is_whole_again() {
    let mut network = Network::chain(4, config());
    network.send(1, 4);
    network.run(1000);
    network.link(2, 3, false);
    network.send(1, 4);
    network.run(2000);
    let waits = network.send(1, 4);
    network.run(20_000);
    assert_eq!(network.ended.len(), 2);
    network.link(2, 3, true);
    // A search goes on, ten seconds apart at most.
    network.run(30_000);
    assert_eq!(network.ended.last(), Some(&(waits, None)));
    assert_eq!(network.next_hop(4, 1), Some(3));
}

#[test]
fn a_damped_alarm_loses_its_packet_and_nothing_else() {
    let config = Config {
        error_damping: Some(Duration::from_secs(1)),
        ..config()
    };
    let mut network = Network::chain(3, config);
    network.send(1, 3);
    network.run(1000);
    network.skip();
    // Silent for a moment: no error, and the route is used again.
    network.link(2, 3, false);
    network.send(1, 3);
    network.run(1100);
    network.link(2, 3, true);
    network.send(1, 3);
    network.run(2500);
    network.expect(
        "1.000 1 -> 2 #2 ttl 64 by 1-2-3
         1.001 2 -> 3 #2 ttl 63 by 1-2-3
         1.005 2 drops #2: LinkBroken
         1.100 1 -> 2 #3 ttl 64 by 1-2-3
         1.101 2 -> 3 #3 ttl 63 by 1-2-3
         1.102 3 has #3 from 1",
    );
    // Silent for longer: the second alarm breaks the route.
    network.link(2, 3, false);
    network.send(1, 3);
    network.run(3400);
    network.send(1, 3);
    network.run(4000);
    network.expect(
        "2.500 1 -> 2 #4 ttl 64 by 1-2-3
         2.501 2 -> 3 #4 ttl 63 by 1-2-3
         2.505 2 drops #4: LinkBroken
         3.400 1 -> 2 #5 ttl 64 by 1-2-3
         3.401 2 -> 3 #5 ttl 63 by 1-2-3
         3.405 2 -> 1 RERR 2-3 by 2-1
         3.405 2 drops #5: LinkBroken",
    );
    assert_eq!(network.next_hop(1, 3), None);
}
