//! RFC 3561 as scripts: the messages of the stations of a small network, one by one.

mod breaks;
mod discovery;
mod lifetimes;
mod limits;
mod properties;

use super::{Config, Message, Rerr, Unreachable};
use crate::parameter::Described;
use crate::radio::Address;
use crate::routing::{Packet, Seq};
use crate::time::Duration;

/// No jitter, so that all times are round.
fn config() -> Config {
    Config {
        jitter: Duration::ZERO,
        ..Config::default()
    }
}

#[test]
fn sequence_numbers_go_round() {
    let last = Seq(u32::MAX);
    assert_eq!(last.next(), Seq(0));
    assert!(Seq(0).is_newer_than(last) && !last.is_newer_than(Seq(0)));
    assert!(Seq(1 << 31).is_newer_than(Seq((1 << 31) - 1)));
    assert!(!Seq(5).is_newer_than(Seq(5)));
    assert_eq!(Seq(3).max(last), Seq(3));
}

#[test]
fn messages_are_as_long_as_in_the_rfc() {
    let lost = Unreachable {
        destination: Address(1),
        seq: None,
    };
    let message = Message::Rerr(Rerr {
        no_delete: false,
        unreachable: vec![lost; 3],
    });
    let packet: Packet<()> = Packet::Aodv { message, ttl: 1 };
    assert_eq!(packet.bytes(), 28 + 4 + 3 * 8);
}

#[test]
fn derived_parameters_are_those_of_section_10() {
    let config = Config::default();
    let ms = Duration::from_millis;
    assert_eq!(Config::check(&config), Ok(()));
    assert_eq!(config.net_traversal_time(), ms(2800));
    assert_eq!(config.path_discovery_time(), ms(5600));
    assert_eq!(config.ring_traversal_time(3), ms(400));
    assert_eq!(config.my_route_timeout(), ms(6000));
    assert_eq!(config.delete_period(), ms(15_000));
    assert_eq!(config.next_hop_wait(), ms(50));
    assert_eq!(config.max_repair_ttl(), 10);
    // Rings of 1, 3, 5 and 7, and two retries.
    assert_eq!(config.blacklist_timeout(), ms(6 * 2800));
    let no_rings = Config {
        ttl_start: 35,
        ..config
    };
    assert_eq!(no_rings.blacklist_timeout(), ms(2 * 2800));
}

#[test]
fn parameters_that_cannot_work_are_named() {
    let hello = Config {
        hello: true,
        hello_interval: Duration::from_secs(2),
        ..Config::default()
    };
    let refused = |config| Config::check(&config).unwrap_err().message;
    assert_eq!(
        refused(hello),
        "AODV's `active_route_timeout` must be longer than allowed_hello_loss * hello_interval"
    );
    let incessant = Config {
        hello: true,
        hello_interval: Duration::from_micros(999),
        ..Config::default()
    };
    assert_eq!(
        refused(incessant),
        "AODV's `hello_interval` must be at least 1ms"
    );
    let no_growth = Config {
        ttl_increment: 0,
        ..Config::default()
    };
    assert_eq!(
        refused(no_growth),
        "AODV's `ttl_increment` must be at least 1"
    );
    // The previous neighbour would answer, because it is still on the route.
    let loops = Config {
        local_repair: true,
        raise_on_break: false,
        ..Config::default()
    };
    assert_eq!(
        refused(loops),
        "AODV's `local_repair` must be false where raise_on_break is"
    );
}
