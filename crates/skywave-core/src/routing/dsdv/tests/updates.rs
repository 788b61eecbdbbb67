//! What stations say and what they take.

use super::{config, entry, update};
use crate::routing::dsdv::Config;
use crate::routing::testing::Network;
use crate::time::Duration;

#[test]
fn news_spreads_from_neighbour_to_neighbour_and_everything_is_said_again() {
    let mut network = Network::chain(3, config());
    network.run(30_500);
    // What is new goes on a second after the last update; what has a new number alone does not.
    network.expect(
        "0.000 1 -> all UPDATE 1#2@0
         0.000 2 -> all UPDATE 2#2@0
         0.000 3 -> all UPDATE 3#2@0
         1.000 1 -> all UPDATE 2#2@1
         1.000 2 -> all UPDATE 1#2@1 3#2@1
         1.000 3 -> all UPDATE 2#2@1
         2.000 1 -> all UPDATE 3#2@2
         2.000 3 -> all UPDATE 1#2@2
         15.000 1 -> all UPDATE 1#4@0 2#2@1 3#2@2
         15.000 2 -> all UPDATE 2#4@0 1#2@1 3#2@1
         15.000 3 -> all UPDATE 3#4@0 2#2@1 1#2@2
         30.000 1 -> all UPDATE 1#6@0 2#4@1 3#2@2
         30.000 2 -> all UPDATE 2#6@0 1#4@1 3#4@1
         30.000 3 -> all UPDATE 3#6@0 2#4@1 1#2@2",
    );
}

#[test]
fn a_new_number_is_news_if_asked_for() {
    let config = Config {
        trigger_on_seq: true,
        ..config()
    };
    let mut network = Network::chain(3, config);
    network.run(14_000);
    network.skip();
    network.run(17_500);
    network.expect(
        "15.000 1 -> all UPDATE 1#4@0 2#2@1 3#2@2
         15.000 2 -> all UPDATE 2#4@0 1#2@1 3#2@1
         15.000 3 -> all UPDATE 3#4@0 2#2@1 1#2@2
         16.000 1 -> all UPDATE 2#4@1
         16.000 2 -> all UPDATE 1#4@1 3#4@1
         16.000 3 -> all UPDATE 2#4@1
         17.000 1 -> all UPDATE 3#4@2
         17.000 3 -> all UPDATE 1#4@2",
    );
}

#[test]
fn of_two_routes_the_newer_is_taken_and_of_one_number_the_shorter() {
    let mut network = Network::new(1, config());
    network.run(100);
    network.hand(1, 2, update(&[entry(9, 4, Some(3))]));
    assert_eq!(network.next_hop(1, 9), Some(2));
    // Not shorter, and older.
    network.hand(1, 3, update(&[entry(9, 4, Some(3))]));
    network.hand(1, 3, update(&[entry(9, 2, Some(0))]));
    assert_eq!(network.next_hop(1, 9), Some(2));
    network.hand(1, 3, update(&[entry(9, 4, Some(2))]));
    assert_eq!(network.next_hop(1, 9), Some(3));
    // A newer number counts, however long the route.
    network.hand(1, 4, update(&[entry(9, 6, Some(7))]));
    assert_eq!(network.next_hop(1, 9), Some(4));
}

#[test]
fn a_route_that_has_changed_its_length_is_used_at_once_and_told_when_it_has_settled() {
    let config = Config {
        settling_time: Duration::from_secs(4),
        ..config()
    };
    let mut network = Network::new(1, config);
    network.run(100);
    network.hand(1, 2, update(&[entry(9, 4, Some(1))]));
    network.run(5000);
    network.expect(
        "0.000 1 -> all UPDATE 1#2@0
         1.000 1 -> all UPDATE 9#4@2",
    );
    // The mean settling time is 7/8 of 4 s, as the first number settled at once. The better route comes in time.
    network.hand(1, 3, update(&[entry(9, 6, Some(5))]));
    assert_eq!(network.next_hop(1, 9), Some(3));
    network.run(7000);
    network.hand(1, 2, update(&[entry(9, 6, Some(2))]));
    assert_eq!(network.next_hop(1, 9), Some(2));
    network.run(12_000);
    network.expect("8.500 1 -> all UPDATE 9#6@3");
    // It took 2 s this time: 7/8 of 3.5 s and 1/8 of 2 s. What has not settled is in no full update.
    network.hand(1, 3, update(&[entry(9, 8, Some(5))]));
    network.run(15_200);
    network.expect("15.000 1 -> all UPDATE 1#4@0");
    network.run(16_200);
    network.expect("16.000 1 -> all UPDATE 9#8@6");
}

#[test]
fn datagrams_of_the_own_host_wait_for_a_route_and_others_do_not() {
    let mut network = Network::chain(2, config());
    network.send(1, 2);
    let strange = crate::routing::Datagram {
        source: crate::radio::Address(7),
        destination: crate::radio::Address(9),
        ttl: 5,
        bytes: 100,
        payload: 99,
    };
    network.hand(1, 7, crate::routing::Packet::Data(strange));
    network.run(500);
    network.expect(
        "0.000 1 drops #99: NoRoute
         0.000 1 -> all UPDATE 1#2@0
         0.000 2 -> all UPDATE 2#2@0
         0.001 1 -> 2 #1 ttl 64
         0.002 2 has #1 from 1",
    );
    for _ in 0..6 {
        network.send(1, 8);
    }
    network.expect("0.500 1 drops #2: BufferFull");
    network.run(40_000);
    assert_eq!(network.ended.len(), 8, "30 s are over");
}
