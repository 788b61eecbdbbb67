//! Floods by strangers: memory stays bounded, and who is connected stays so.

use std::net::SocketAddr;

use skywave_core::packet::{Ecn, Flags, Options, SynOptions};
use skywave_core::seq::SeqNr;
use skywave_core::tcp::wire::{self, Endpoints, Header, TimestampClock};
use skywave_core::{Duration, Segment};

use super::network::{App, Faults, Network, SERVER, config};
use crate::tcp::Listener;

/// A packet of a stranger's to port 80 of the second end.
fn stranger(n: u32, flags: Flags) -> Vec<u8> {
    let address = SocketAddr::from((
        [172, (16 + n % 8) as u8, (n >> 8) as u8, n as u8],
        1024 + (n >> 16) as u16,
    ));
    let header = Header {
        endpoints: Endpoints {
            source: address,
            destination: ([10, 0, 0, 2], 80).into(),
        },
        ecn: Ecn::NotEct,
        window_shift: 0,
        clock: TimestampClock::default(),
    };
    let mut segment = Segment {
        seq: SeqNr(n),
        ack: SeqNr(n),
        window: 65_535,
        flags,
        ..Segment::default()
    };
    if flags == Flags::SYN {
        segment.options = Options::Syn(SynOptions {
            mss: Some(1460),
            window_scale: Some(7),
            sack_permitted: true,
        });
    }
    let mut packet = Vec::new();
    wire::write(&header, &segment, &[], &mut packet).unwrap();
    packet
}

#[test]
fn a_flood_of_a_million_syns_leaves_a_bounded_number_and_old_connections_alive() {
    let mut server = config("linux");
    server.patience = Duration::from_secs(30);
    let mut network = Network::new([config("linux"), server], Faults::NONE, 1);
    let id = network.connect(5000);
    network.wait(Duration::from_millis(100));
    let accepted = network.accepted()[0];
    let mut apps = [
        App::new(0, id, (1, 2_000_000), (2, 1000)),
        App::new(1, accepted, (2, 1000), (1, 2_000_000)),
    ];
    let mut scratch = Vec::new();
    for n in 0..1_000_000 {
        let packet = stranger(n, Flags::SYN);
        network.ends[1].receive(network.now, &packet).unwrap();
        if n % 1000 == 0 {
            for app in &mut apps {
                app.go_on(&mut network);
            }
            network.wait(Duration::from_millis(1));
        } else {
            // The answers go nowhere.
            while network.ends[1].transmit(network.now, &mut scratch) {
                let parsed = wire::parse(&scratch).unwrap();
                if parsed.endpoints.destination.ip().is_ipv4()
                    && parsed.endpoints.destination.port() == 5000
                {
                    let answer = scratch.clone();
                    network.put(0, &answer);
                }
            }
        }
        assert!(network.ends[1].connections() <= 4096 + 1);
    }
    while !apps.iter().all(|app| app.finished) {
        let end = network.now + Duration::from_secs(60);
        assert!(network.step(end));
        for app in &mut apps {
            app.go_on(&mut network);
        }
        network.pump();
    }
    network.wait(Duration::from_secs(200));
    assert_eq!(network.ends[1].connections(), 0);
}

#[test]
fn who_finds_a_full_backlog_waits_and_loses_nothing() {
    let mut network = Network::new([config("linux"), config("linux")], Faults::NONE, 1);
    network.ends[1].unlisten(SERVER.address, SERVER.port);
    let narrow = Listener {
        backlog: 2,
        ..SERVER
    };
    network.ends[1].listen(narrow).unwrap();
    // One is established, then two are half-open at once: the ACK of the second one of these finds the backlog full, and the
    // SYN of a fourth one later.
    let mut callers = Vec::new();
    for ports in [5000..5001, 5001..5003, 5003..5004] {
        for port in ports {
            let id = network.connect(port);
            network.ends[0].write(id, b"question");
            callers.push(id);
        }
        network.wait(Duration::from_secs(5));
    }
    let mut taken = network.accepted();
    assert_eq!(taken.len(), 2);
    network.wait(Duration::from_secs(60));
    taken.extend(network.accepted());
    assert_eq!(taken.len(), 4);
    for (caller, server) in callers.into_iter().zip(taken) {
        let mut bytes = [0; 8];
        assert_eq!(network.ends[1].read(server, &mut bytes), 8);
        assert_eq!(&bytes, b"question");
        let status = network.ends[0].status(caller).unwrap();
        assert_eq!((status.connected, status.ended), (true, None));
    }
}

#[test]
fn strays_are_answered_so_many_times_a_second() {
    let mut network = Network::new([config("linux"), config("linux")], Faults::NONE, 1);
    let mut answers = 0;
    let mut scratch = Vec::new();
    for n in 0..5000 {
        let packet = stranger(n, Flags::ACK);
        network.ends[1].receive(network.now, &packet).unwrap();
        while network.ends[1].transmit(network.now, &mut scratch) {
            let reset = wire::parse(&scratch).unwrap();
            assert_eq!((reset.flags, reset.seq), (Flags::RST, SeqNr(n)));
            answers += 1;
        }
    }
    assert_eq!(answers, 1000);
    // Resets are never answered.
    network.wait(Duration::from_secs(2));
    let packet = stranger(1, Flags::RST);
    network.ends[1].receive(network.now, &packet).unwrap();
    assert!(!network.ends[1].transmit(network.now, &mut scratch));
}
