//! Links that break: sections 6.11 and 6.12.

use super::config;
use crate::radio::Address;
use crate::routing::aodv::{Config, Message, Rerr, Unreachable};
use crate::routing::testing::Network;
use crate::routing::{Packet, Seq};
use crate::time::Duration;

#[test]
fn a_break_is_told_to_those_who_send_through_it() {
    let mut network = Network::chain(4, config());
    network.send(1, 4);
    network.run(1000);
    network.skip();
    network.link(3, 4, false);
    network.send(1, 4);
    network.run(2000);
    network.expect(
        "1.000 1 -> 2 #2 ttl 64
         1.001 2 -> 3 #2 ttl 63
         1.002 3 -> 4 #2 ttl 62
         1.006 3 -> 2 RERR 4#1 ttl 1
         1.006 3 drops #2: LinkBroken
         1.007 2 -> 1 RERR 4#1 ttl 1",
    );
}

#[test]
fn after_a_break_the_ring_begins_where_the_destination_was() {
    let mut network = Network::chain(4, config());
    network.send(1, 4);
    network.run(1000);
    network.link(3, 4, false);
    network.send(1, 4);
    network.run(2000);
    network.skip();
    network.send(1, 4);
    network.run_out();
    // 3 hops and TTL_INCREMENT, then TTL_THRESHOLD, then the whole network, twice, the second time
    // with twice the wait.
    network.expect(
        "2.000 1 -> all RREQ id 3 1#3 seeks 4#1 hops 0 ttl 5
         2.001 2 -> all RREQ id 3 1#3 seeks 4#1 hops 1 ttl 4
         2.002 3 -> all RREQ id 3 1#3 seeks 4#1 hops 2 ttl 3
         2.560 1 -> all RREQ id 4 1#4 seeks 4#1 hops 0 ttl 7
         2.561 2 -> all RREQ id 4 1#4 seeks 4#1 hops 1 ttl 6
         2.562 3 -> all RREQ id 4 1#4 seeks 4#1 hops 2 ttl 5
         3.280 1 -> all RREQ id 5 1#5 seeks 4#1 hops 0 ttl 35
         3.281 2 -> all RREQ id 5 1#5 seeks 4#1 hops 1 ttl 34
         3.282 3 -> all RREQ id 5 1#5 seeks 4#1 hops 2 ttl 33
         6.080 1 -> all RREQ id 6 1#6 seeks 4#1 hops 0 ttl 35
         6.081 2 -> all RREQ id 6 1#6 seeks 4#1 hops 1 ttl 34
         6.082 3 -> all RREQ id 6 1#6 seeks 4#1 hops 2 ttl 33
         11.680 1 drops #3: NoRoute",
    );
}

#[test]
fn a_neighbour_still_on_the_route_answers_if_breaks_do_not_raise_the_number() {
    for (raise_on_break, answer) in [
        (true, "4 -> 3 RREP to 1: 4#1 hops 0 "),
        (false, "2 -> 1 RREP to 1: 4#0 hops 2 "),
    ] {
        let config = Config {
            raise_on_break,
            ..config()
        };
        let mut network = Network::chain(4, config);
        network.send(1, 4);
        network.run(1000);
        network.link(1, 2, false);
        network.send(1, 4);
        network.run(1500);
        network.link(1, 2, true);
        network.skip();
        network.send(1, 4);
        network.run(2000);
        let first = network.first_reply();
        assert!(first.starts_with(answer), "{first}");
        assert_eq!(network.next_hop(1, 4), Some(2));
    }
}

#[test]
fn an_error_counts_where_breaks_do_not_raise_the_number() {
    let config = Config {
        raise_on_break: false,
        ..config()
    };
    let mut network = Network::chain(4, config);
    network.send(1, 4);
    network.run(1000);
    network.link(3, 4, false);
    network.send(1, 4);
    network.run(1400);
    assert_eq!(network.next_hop(1, 4), None);
}

#[test]
fn an_error_for_several_is_broadcast() {
    // 1 - 2 - 3 - 4, and 5 - 2.
    let mut network = Network::of(5, &[(1, 2), (2, 3), (3, 4), (5, 2)], config());
    network.send(1, 4);
    network.send(5, 3);
    network.run(1000);
    network.link(2, 3, false);
    network.skip();
    network.send(1, 4);
    network.run(2000);
    network.expect(
        "1.000 1 -> 2 #3 ttl 64
         1.001 2 -> 3 #3 ttl 63
         1.005 2 -> all RERR 3#1 4#1 ttl 1
         1.005 2 drops #3: LinkBroken",
    );
    assert_eq!(network.next_hop(5, 3), None);
    assert_eq!(network.next_hop(1, 4), None);
}

#[test]
fn who_sends_where_no_route_is_hears_of_it() {
    // 1 - 2 - 3 - 4, and 5 - 2.
    let mut network = Network::of(5, &[(1, 2), (2, 3), (3, 4), (5, 2)], config());
    network.send(1, 4);
    network.send(5, 4);
    network.run(1000);
    network.link(2, 3, false);
    network.loses = Box::new(|| true);
    network.send(1, 4);
    network.run(1500);
    network.skip();
    // 5 has not received the error.
    network.send(5, 4);
    network.run(2000);
    network.expect(
        "1.500 5 -> 2 #4 ttl 64
         1.501 2 -> 5 RERR 4#1 ttl 1
         1.501 2 drops #4: NoRoute",
    );
    assert_eq!(network.next_hop(5, 4), None);
}

#[test]
fn an_error_counts_from_the_next_hop_only_and_only_if_it_is_new() {
    let mut network = Network::chain(3, config());
    network.send(1, 3);
    network.run(1000);
    let lost = |seq| Packet::Aodv {
        message: Message::Rerr(Rerr {
            no_delete: false,
            unreachable: vec![Unreachable {
                destination: Address(3),
                seq,
            }],
        }),
        ttl: 1,
    };
    for (from, seq, remains) in [
        (7, Some(Seq(9)), true),
        (2, Some(Seq(0)), true),
        (2, Some(Seq(4)), false),
    ] {
        network.hand(1, from, lost(seq));
        assert_eq!(network.next_hop(1, 3).is_some(), remains, "{from} {seq:?}");
    }
    network.skip();
    network.send(1, 3);
    network.expect("1.000 1 -> all RREQ id 3 1#3 seeks 3#4 hops 0 ttl 4");
}

#[test]
fn a_route_is_repaired_where_it_broke() {
    let config = Config {
        local_repair: true,
        ..config()
    };
    // 1 - 2 - 3 - 4, and later 3 - 5 - 4.
    let mut network = Network::of(5, &[(1, 2), (2, 3), (3, 4)], config);
    network.send(1, 4);
    network.run(1000);
    network.link(3, 5, true);
    network.link(5, 4, true);
    network.link(3, 4, false);
    network.skip();
    network.send(1, 4);
    network.run(2000);
    network.expect(
        "1.000 1 -> 2 #2 ttl 64
         1.001 2 -> 3 #2 ttl 63
         1.002 3 -> 4 #2 ttl 62
         1.006 3 -> all RREQ id 1 3#1 seeks 4#1 hops 0 ttl 3
         1.007 2 -> all RREQ id 1 3#1 seeks 4#1 hops 1 ttl 2
         1.007 5 -> all RREQ id 1 3#1 seeks 4#1 hops 1 ttl 2
         1.008 1 -> all RREQ id 1 3#1 seeks 4#1 hops 2 ttl 1
         1.008 4 -> 5 RREP to 3: 4#1 hops 0 for 6000 ms ttl 35
         1.009 5 -> 3 RREP to 3: 4#1 hops 1 for 6000 ms ttl 34
         1.010 3 -> 2 RERR 4#1 N ttl 1
         1.010 3 -> 5 #2 ttl 62
         1.011 2 -> 1 RERR 4#0 N ttl 1
         1.011 5 -> 4 #2 ttl 61
         1.012 4 has #2 from 1",
    );
}

#[test]
fn a_repair_that_fails_is_told_like_a_break() {
    let config = Config {
        local_repair: true,
        ..config()
    };
    let mut network = Network::chain(4, config);
    network.send(1, 4);
    network.run(1000);
    network.link(3, 4, false);
    network.skip();
    network.send(1, 4);
    network.run(2000);
    network.expect(
        "1.000 1 -> 2 #2 ttl 64
         1.001 2 -> 3 #2 ttl 63
         1.002 3 -> 4 #2 ttl 62
         1.006 3 -> all RREQ id 1 3#1 seeks 4#1 hops 0 ttl 3
         1.007 2 -> all RREQ id 1 3#1 seeks 4#1 hops 1 ttl 2
         1.008 1 -> all RREQ id 1 3#1 seeks 4#1 hops 2 ttl 1
         1.406 3 -> 2 RERR 4#1 ttl 1
         1.406 3 drops #2: LinkBroken
         1.407 2 -> 1 RERR 4#1 ttl 1",
    );
}

#[test]
fn requests_over_a_link_that_leads_one_way_are_ignored_for_a_while() {
    // 2 hears 1 but 1 does not hear 2; there is also a path through 3.
    let mut network = Network::new(3, config());
    network.one_way(1, 2, true);
    network.link(1, 3, true);
    network.link(3, 2, true);
    network.send(1, 2);
    network.run(1000);
    network.expect(
        "0.000 1 -> all RREQ id 1 1#1 seeks 2#? hops 0 ttl 1
         0.001 2 -> 1 RREP to 1: 2#0 hops 0 for 6000 ms ttl 35
         0.240 1 -> all RREQ id 2 1#2 seeks 2#? hops 0 ttl 3
         0.241 3 -> all RREQ id 2 1#2 seeks 2#? hops 1 ttl 2
         0.242 2 -> 3 RREP to 1: 2#0 hops 0 for 6000 ms ttl 35
         0.243 3 -> 1 RREP to 1: 2#0 hops 1 for 6000 ms ttl 34
         0.244 1 -> 3 #1 ttl 64
         0.245 3 -> 2 #1 ttl 63
         0.246 2 has #1 from 1",
    );
}

#[test]
fn replies_are_acknowledged_if_asked_to() {
    let config = Config {
        rrep_ack: true,
        ..config()
    };
    let mut network = Network::chain(3, config);
    network.send(1, 3);
    network.run(1000);
    network.expect(
        "0.000 1 -> all RREQ id 1 1#1 seeks 3#? hops 0 ttl 1
         0.240 1 -> all RREQ id 2 1#2 seeks 3#? hops 0 ttl 3
         0.241 2 -> all RREQ id 2 1#2 seeks 3#? hops 1 ttl 2
         0.242 3 -> 2 RREP to 1: 3#0 hops 0 for 6000 ms A ttl 35
         0.243 2 -> 3 RREP-ACK ttl 1
         0.243 2 -> 1 RREP to 1: 3#0 hops 1 for 6000 ms A ttl 34
         0.244 1 -> 2 RREP-ACK ttl 1
         0.244 1 -> 2 #1 ttl 64
         0.245 2 -> 3 #1 ttl 63
         0.246 3 has #1 from 1",
    );
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
    network.link(2, 3, false);
    network.skip();
    network.send(1, 3);
    network.run(1900);
    network.expect(
        "1.000 1 -> 2 #2 ttl 64
         1.001 2 -> 3 #2 ttl 63
         1.005 2 drops #2: LinkBroken",
    );
    assert_eq!(network.next_hop(2, 3), Some(3));
    assert_eq!(network.next_hop(1, 3), Some(2));
    // The second alarm within a second.
    network.send(1, 3);
    network.run(2500);
    network.expect(
        "1.900 1 -> 2 #3 ttl 64
         1.901 2 -> 3 #3 ttl 63
         1.905 2 -> 1 RERR 3#1 ttl 1
         1.905 2 drops #3: LinkBroken",
    );
    assert_eq!(network.next_hop(1, 3), None);
}
