//! Links that break, and networks that fall apart and are whole again.

use super::{config, entry, update};
use crate::routing::dsdv::Config;
use crate::routing::testing::Network;
use crate::time::Duration;

#[test]
fn a_break_is_told_with_an_odd_number_and_the_destination_answers_with_an_even_one() {
    // 1 - 2 - 3 - 4 and 2 - 5 - 4.
    let mut network = Network::of(5, &[(1, 2), (2, 3), (3, 4), (2, 5), (5, 4)], config());
    network.run(12_000);
    assert_eq!(network.next_hop(2, 4), Some(3));
    network.link(2, 3, false);
    network.skip();
    network.send(1, 4);
    network.run(14_900);
    network.expect(
        "12.000 1 -> 2 #1 ttl 64
         12.001 2 -> 3 #1 ttl 63
         12.005 2 drops #1: LinkBroken
         12.005 2 -> all UPDATE 3#3@- 4#3@-
         12.006 1 -> all UPDATE 3#3@- 4#3@-
         12.006 5 -> all UPDATE 4#3@- 3#3@-
         12.007 4 -> all UPDATE 4#4@0 3#3@-
         12.008 3 -> all UPDATE 3#4@0
         13.006 5 -> all UPDATE 4#4@1
         13.007 2 -> all UPDATE 4#4@2
         13.007 4 -> all UPDATE 3#4@1
         13.008 1 -> all UPDATE 4#4@3
         14.006 5 -> all UPDATE 3#4@2
         14.007 2 -> all UPDATE 3#4@3
         14.008 1 -> all UPDATE 3#4@4",
    );
    assert_eq!(network.next_hop(1, 4), Some(2));
    assert_eq!(network.next_hop(2, 4), Some(5));
}

#[test]
fn a_break_elsewhere_is_no_news_for_who_knows_a_newer_route() {
    let mut network = Network::new(1, config());
    network.run(100);
    network.hand(1, 2, update(&[entry(9, 6, Some(1))]));
    network.run(2000);
    network.skip();
    // It is told what is known here; the route stays.
    network.hand(1, 3, update(&[entry(9, 5, None)]));
    network.run(2100);
    network.expect("2.000 1 -> all UPDATE 9#6@2");
    assert_eq!(network.next_hop(1, 9), Some(2));
    // A newer break counts, and after it no route that is older.
    network.hand(1, 3, update(&[entry(9, 7, None)]));
    assert_eq!(network.next_hop(1, 9), None);
    network.hand(1, 2, update(&[entry(9, 6, Some(1))]));
    assert_eq!(network.next_hop(1, 9), None);
    network.hand(1, 2, update(&[entry(9, 8, Some(1))]));
    assert_eq!(network.next_hop(1, 9), Some(2));
}

#[test]
fn a_neighbour_that_is_silent_for_three_intervals_is_gone() {
    let silent = Config {
        link_feedback: false,
        ..config()
    };
    let mut network = Network::chain(2, silent);
    network.run(16_000);
    network.link(1, 2, false);
    // Without the link layer's word a lost datagram says nothing.
    network.send(1, 2);
    // Its last update came at 15.001 s, and who is silent is looked for with every full update.
    network.run(74_000);
    assert_eq!(network.next_hop(1, 2), Some(2));
    network.run(75_500);
    assert_eq!(network.next_hop(1, 2), None);
}

#[test]
fn a_network_that_was_apart_is_whole_again() {
    let config = Config {
        update_interval: Duration::from_secs(5),
        ..config()
    };
    let mut network = Network::chain(4, config);
    network.run(6000);
    network.send(1, 4);
    network.run(7000);
    network.link(2, 3, false);
    network.send(1, 4);
    network.run(40_000);
    assert_eq!(network.next_hop(1, 4), None);
    assert_eq!(network.next_hop(4, 1), None);
    assert_eq!(network.next_hop(1, 2), Some(2));
    network.link(2, 3, true);
    // The next full update of both sides, and a second a hop.
    network.run(48_000);
    assert_eq!(network.next_hop(1, 4), Some(2));
    assert_eq!(network.next_hop(4, 1), Some(3));
    network.send(1, 4);
    network.run(49_000);
    assert_eq!(network.ended.last(), Some(&(3, None)));
}
