//! Finding routes: sections 3.1, 3.3 and 8.2.

use super::config;
use crate::routing::dsr::{Config, MOST_HOPS};
use crate::routing::testing::Network;
use crate::time::Duration;

#[test]
fn neighbours_are_asked_and_then_everybody_and_the_route_comes_back() {
    let mut network = Network::chain(4, config());
    network.send(1, 4);
    network.run_out();
    network.expect(
        "0.000 1 -> all RREQ 1 1 seeks 4 ttl 1
         0.030 1 -> all RREQ 2 1 seeks 4 ttl 255
         0.031 2 -> all RREQ 2 1-2 seeks 4 ttl 254
         0.032 3 -> all RREQ 2 1-2-3 seeks 4 ttl 253
         0.033 4 -> 3 RREP 1-2-3-4 by 4-3-2-1
         0.034 3 -> 2 RREP 1-2-3-4 by 4-3-2-1
         0.035 2 -> 1 RREP 1-2-3-4 by 4-3-2-1
         0.036 1 -> 2 #1 ttl 64 by 1-2-3-4
         0.037 2 -> 3 #1 ttl 63 by 1-2-3-4
         0.038 3 -> 4 #1 ttl 62 by 1-2-3-4
         0.039 4 has #1 from 1",
    );
    // The way back is known.
    network.send(4, 1);
    network.run_out();
    network.expect(
        "0.039 4 -> 3 #2 ttl 64 by 4-3-2-1
         0.040 3 -> 2 #2 ttl 63 by 4-3-2-1
         0.041 2 -> 1 #2 ttl 62 by 4-3-2-1
         0.042 1 has #2 from 4",
    );
}

#[test]
fn a_search_finds_the_longest_source_route_and_none_beyond() {
    for (stations, arrives) in [(MOST_HOPS + 1, true), (MOST_HOPS + 2, false)] {
        let mut network = Network::chain(stations as u16, config());
        let sent = network.send(1, stations);
        network.run(60_000);
        let ended = network.ended.contains(&(sent, None));
        assert_eq!(ended, arrives, "{stations} stations");
    }
}

#[test]
fn a_neighbour_answers_from_its_cache() {
    let mut network = Network::chain(4, config());
    network.send(2, 4);
    network.run(1000);
    network.skip();
    network.send(1, 4);
    network.run(2000);
    network.expect(
        "1.000 1 -> all RREQ 1 1 seeks 4 ttl 1
         1.001 2 -> 1 RREP 1-2-3-4 by 2-1
         1.002 1 -> 2 #2 ttl 64 by 1-2-3-4
         1.003 2 -> 3 #2 ttl 63 by 1-2-3-4
         1.004 3 -> 4 #2 ttl 62 by 1-2-3-4
         1.005 4 has #2 from 1",
    );
}

#[test]
fn only_the_destination_answers_if_caches_may_not() {
    let config = Config {
        cached_replies: false,
        ask_neighbours: false,
        ..config()
    };
    let mut network = Network::chain(4, config);
    network.send(2, 4);
    network.run(1000);
    network.skip();
    network.send(1, 4);
    network.run(2000);
    network.expect(
        "1.000 1 -> all RREQ 1 1 seeks 4 ttl 255
         1.001 2 -> all RREQ 1 1-2 seeks 4 ttl 254
         1.002 3 -> all RREQ 1 1-2-3 seeks 4 ttl 253
         1.003 4 -> 3 RREP 1-2-3-4 by 4-3-2-1
         1.004 3 -> 2 RREP 1-2-3-4 by 4-3-2-1
         1.005 2 -> 1 RREP 1-2-3-4 by 4-3-2-1
         1.006 1 -> 2 #2 ttl 64 by 1-2-3-4
         1.007 2 -> 3 #2 ttl 63 by 1-2-3-4
         1.008 3 -> 4 #2 ttl 62 by 1-2-3-4
         1.009 4 has #2 from 1",
    );
}

#[test]
fn each_copy_of_a_request_is_answered_and_the_shortest_way_is_used() {
    // 1 - 2 - 3 - 4 and 1 - 5 - 4.
    let links = [(1, 2), (2, 3), (3, 4), (1, 5), (5, 4)];
    let mut network = Network::of(5, &links, config());
    network.send(1, 4);
    network.run(500);
    network.expect(
        "0.000 1 -> all RREQ 1 1 seeks 4 ttl 1
         0.030 1 -> all RREQ 2 1 seeks 4 ttl 255
         0.031 2 -> all RREQ 2 1-2 seeks 4 ttl 254
         0.031 5 -> all RREQ 2 1-5 seeks 4 ttl 254
         0.032 3 -> all RREQ 2 1-2-3 seeks 4 ttl 253
         0.032 4 -> 5 RREP 1-5-4 by 4-5-1
         0.033 4 -> 3 RREP 1-2-3-4 by 4-3-2-1
         0.033 5 -> 1 RREP 1-5-4 by 4-5-1
         0.034 3 -> 2 RREP 1-2-3-4 by 4-3-2-1
         0.034 1 -> 5 #1 ttl 64 by 1-5-4
         0.035 2 -> 1 RREP 1-2-3-4 by 4-3-2-1
         0.035 5 -> 4 #1 ttl 63 by 1-5-4
         0.036 4 has #1 from 1",
    );
    // The other way is known too.
    network.link(5, 4, false);
    network.send(1, 4);
    network.run(1000);
    network.skip();
    network.send(1, 4);
    network.run(2000);
    network.expect(
        "1.000 1 -> 2 #3 ttl 64 by 1-2-3-4
         1.001 2 -> 3 #3 ttl 63 by 1-2-3-4
         1.002 3 -> 4 #3 ttl 62 by 1-2-3-4
         1.003 4 has #3 from 1",
    );
}

#[test]
fn a_cached_route_that_comes_by_the_request_is_no_answer() {
    // 2 knows the way to 4 by way of 1 alone; 1 has lost it.
    let mut network = Network::of(4, &[(1, 2), (1, 3), (3, 4)], config());
    network.send(2, 4);
    network.run(1000);
    network.link(3, 4, false);
    network.send(1, 4);
    network.run(1500);
    network.skip();
    network.send(1, 4);
    network.run(1600);
    network.expect(
        "1.500 1 -> all RREQ 1 1 seeks 4 ttl 1
         1.530 1 -> all RREQ 2 1 seeks 4 ttl 255
         1.531 2 -> all RREQ 2 1-2 seeks 4 ttl 254
         1.531 3 -> all RREQ 2 1-3 seeks 4 ttl 254",
    );
}

#[test]
fn requests_are_repeated_with_longer_waits_as_long_as_something_waits() {
    let config = Config {
        max_request_period: Duration::from_secs(4),
        buffer_time: Duration::from_secs(12),
        ..config()
    };
    let mut network = Network::new(2, config);
    network.send(1, 2);
    network.run_out();
    network.expect(
        "0.000 1 -> all RREQ 1 1 seeks 2 ttl 1
         0.030 1 -> all RREQ 2 1 seeks 2 ttl 255
         0.530 1 -> all RREQ 3 1 seeks 2 ttl 255
         1.530 1 -> all RREQ 4 1 seeks 2 ttl 255
         3.530 1 -> all RREQ 5 1 seeks 2 ttl 255
         7.530 1 -> all RREQ 6 1 seeks 2 ttl 255
         11.530 1 -> all RREQ 7 1 seeks 2 ttl 255
         12.000 1 drops #1: BufferTimeout",
    );
}

#[test]
fn a_search_ends_after_its_retries() {
    let config = Config {
        ask_neighbours: false,
        max_request_rexmt: 2,
        ..config()
    };
    let mut network = Network::new(2, config);
    network.send(1, 2);
    network.run_out();
    network.expect(
        "0.000 1 -> all RREQ 1 1 seeks 2 ttl 255
         0.500 1 -> all RREQ 2 1 seeks 2 ttl 255
         1.500 1 -> all RREQ 3 1 seeks 2 ttl 255
         3.500 1 drops #1: NoRoute",
    );
}
