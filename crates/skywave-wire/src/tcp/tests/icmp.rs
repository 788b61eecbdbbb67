//! Errors of routers.

use skywave_core::packet::Ecn;
use skywave_core::tcp::wire::{self, ip};
use skywave_core::{Duration, Time};

use super::network::{App, Faults, Network, config, ends};
use crate::tcp::{Ending, Endpoint};

/// An ICMP error of a router's about a packet.
pub(super) fn error(about: &[u8], kind: u8, code: u8, mtu: u16) -> Vec<u8> {
    let quoted = ip::parse(about).unwrap().header.addresses;
    let is_v4 = quoted.source().is_ipv4();
    let mut body = vec![kind, code, 0, 0, 0, 0];
    body.extend(mtu.to_be_bytes());
    body.extend(&about[..about.len().min(if is_v4 { 28 } else { 200 })]);
    let header = ip::Header {
        addresses: ip::Addresses::new(quoted.destination(), quoted.source()).unwrap(),
        ecn: Ecn::NotEct,
        protocol: if is_v4 { 1 } else { 58 },
    };
    let mut packet = Vec::new();
    ip::write(&header, body.len(), &mut packet).unwrap();
    packet.extend(body);
    packet
}

fn first_packet(end: &mut Endpoint, now: Time) -> Vec<u8> {
    let mut packet = Vec::new();
    assert!(end.transmit(now, &mut packet));
    packet
}

#[test]
fn a_router_that_reaches_nobody_ends_an_opening_only_if_it_knows_the_number() {
    for is_v4 in [true, false] {
        let mut end = Endpoint::new(config("linux"), 1);
        let now = Time::from_nanos(1);
        let mut addresses = ends(5000);
        if !is_v4 {
            addresses.source = "[fd00::1]:5000".parse().unwrap();
            addresses.destination = "[fd00::2]:80".parse().unwrap();
        }
        let id = end.connect(now, addresses).unwrap();
        let syn = first_packet(&mut end, now);
        let (kind, code) = if is_v4 { (3, 1) } else { (1, 0) };
        let mut forged = syn.clone();
        let number = if is_v4 { 24 } else { 44 };
        forged[number] ^= 1;
        end.receive(now, &error(&forged, kind, code, 0)).unwrap();
        assert_eq!(end.status(id).unwrap().ended, None);
        end.receive(now, &error(&syn, kind, code, 0)).unwrap();
        assert_eq!(end.status(id).unwrap().ended, Some(Ending::Unreachable));
    }
}

#[test]
fn a_path_that_becomes_smaller_stops_nothing() {
    let mut network = Network::new([config("cubic"), config("cubic")], Faults::NONE, 1);
    let id = network.connect(5000);
    network.wait(Duration::from_millis(100));
    let accepted = network.accepted()[0];
    let mut apps = [
        App::new(0, id, (1, 500_000), (2, 0)),
        App::new(1, accepted, (2, 0), (1, 500_000)),
    ];
    network.mtu = 1300;
    let end = network.now + Duration::from_secs(100);
    while !apps.iter().all(|app| app.finished) {
        for app in &mut apps {
            app.go_on(&mut network);
        }
        network.pump();
        assert!(network.step(end), "stands still");
    }
    // The first window, and what was on its way when the error came.
    assert!((1..=40).contains(&network.dropped), "{}", network.dropped);
    assert_eq!(network.longest, 1300);
    // A new connection begins with what the path carries.
    network.connect(5001);
    let syn = first_packet(&mut network.ends[0], network.now);
    let offer = *wire::parse(&syn).unwrap().options.syn().unwrap();
    assert_eq!(offer.mss, Some(1260));
}
