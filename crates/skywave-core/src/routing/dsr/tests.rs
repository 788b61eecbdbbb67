//! RFC 4728 as scripts: the packets of the stations of a small network, one by one.

mod breaks;
mod discovery;
mod properties;

use super::{Config, Content, Link, Message, Request, Routed};
use crate::parameter::Described;
use crate::radio::Address;
use crate::routing::{Datagram, Packet};
use crate::time::Duration;

/// No jitter, so that all times are round.
fn config() -> Config {
    Config {
        jitter: Duration::ZERO,
        ..Config::default()
    }
}

fn stations(numbers: &[u16]) -> Vec<Address> {
    numbers.iter().map(|&n| Address(n)).collect()
}

fn datagram() -> Datagram<u32> {
    Datagram {
        source: Address(1),
        destination: Address(4),
        ttl: 64,
        bytes: 1000,
        payload: 1,
    }
}

#[test]
fn packets_are_as_long_as_their_headers_make_them() {
    let bytes = |route: &[u16], content| {
        let message = Message::Routed(Routed {
            route: stations(route),
            at: 0,
            salvaged: 0,
            content,
        });
        Packet::Dsr(Box::new(message)).bytes()
    };
    let data = || Content::Datagram(datagram());
    assert_eq!(bytes(&[1, 4], data()), 1000, "a neighbour");
    assert_eq!(bytes(&[1, 2, 4], data()), 1000 + 4 + 8);
    assert_eq!(bytes(&[1, 2, 3, 4], data()), 1000 + 4 + 12);
    let reply = Content::Reply(stations(&[1, 2, 3, 4]));
    assert_eq!(bytes(&[4, 3, 2, 1], reply), 20 + 4 + 12 + 3 + 12);
    let link = Link {
        from: Address(3),
        to: Address(4),
    };
    assert_eq!(bytes(&[3, 2, 1], Content::Error(link)), 20 + 4 + 8 + 16);
    let request: Packet<u32> = Packet::Dsr(Box::new(Message::Request(Request {
        id: 1,
        target: Address(4),
        path: stations(&[1, 2, 3]),
        ttl: 9,
    })));
    assert_eq!(request.bytes(), 20 + 4 + 8 + 8);
}

#[test]
fn parameters_that_cannot_work_are_named() {
    assert_eq!(Config::check(&Config::default()), Ok(()));
    let longest = Config {
        max_request_period: Duration::from_millis(400),
        ..Config::default()
    };
    assert_eq!(
        Config::check(&longest).unwrap_err().message,
        "DSR's `max_request_period` must be at least request_period"
    );
}
