//! Streams of bytes over networks of every kind.

use skywave_core::Duration;
use skywave_core::tcp::PRESETS;
use skywave_core::tcp::wire::TimestampClock;

use super::network::{App, Faults, Network, config};
use crate::tcp::{Ending, EndpointConfig};

/// Sends so many bytes each way, and checks every one.
fn exchange(configs: [EndpointConfig; 2], faults: Faults, bytes: [u64; 2], seed: u64) -> Network {
    let mut network = Network::new(configs, faults, seed);
    let id = network.connect(5000);
    let mut apps = vec![App::new(0, id, (1, bytes[0]), (2, bytes[1]))];
    network.pump();
    let end = network.now + Duration::from_secs(3600);
    while !apps.iter().all(|app| app.finished) || apps.len() < 2 {
        assert!(network.step(end), "stands still at {:?}", network.now);
        for id in network.accepted() {
            apps.push(App::new(1, id, (2, bytes[1]), (1, bytes[0])));
        }
        for app in &mut apps {
            app.go_on(&mut network);
        }
        network.pump();
    }
    network
}

#[test]
fn bytes_arrive_both_ways_and_everything_is_gone_afterwards() {
    let mut network = exchange(
        [config("linux"), config("newreno")],
        Faults::NONE,
        [300_000, 5],
        1,
    );
    network.wait(Duration::from_secs(200));
    let totals = network.ends[0].totals();
    assert_eq!((totals.connections, totals.bytes), (1, 300_000));
    assert_eq!(totals.retransmissions, 0);
    for end in &network.ends {
        assert_eq!(end.connections(), 0);
        assert_eq!(end.deadline(), None);
    }
}

/// A repair answers to a loss, wherever in a tick of the timestamps' clock its segments were sent.
#[test]
fn no_repair_is_taken_for_needless_by_a_clock_that_ticks() {
    let totals = |tick, seed| {
        let clock = TimestampClock::new(tick).expect("a tick");
        let configs = [0, 1].map(|_| EndpointConfig {
            clock,
            ..config("rack-tlp")
        });
        let faults = Faults {
            loss: 0.02,
            ..Faults::NONE
        };
        let network = exchange(configs, faults, [500_000, 5], seed);
        let totals = network.ends[0].totals();
        (totals.retransmissions, totals.timeouts)
    };
    for seed in 1..=20 {
        let (sent_again, timeouts) = totals(Duration::from_nanos(1), seed);
        let ticking = totals(Duration::from_micros(70), seed);
        assert_eq!(ticking.0, sent_again, "seed {seed}");
        assert!(
            ticking.1 <= timeouts && sent_again > 0,
            "seed {seed}: {ticking:?}"
        );
    }
}

#[test]
fn every_preset_gets_through_a_network_that_does_everything_wrong() {
    let faults = Faults {
        loss: 0.05,
        copy: 0.02,
        damage: 0.02,
        jitter: Duration::from_millis(5),
    };
    for (seed, preset) in (1..).zip(PRESETS.iter()) {
        let configs = [config(preset.name), config(preset.name)];
        let network = exchange(configs, faults, [200_000, 100_000], seed);
        assert!(
            network.ends[0].totals().retransmissions > 0,
            "{}",
            preset.name
        );
    }
}

#[test]
fn tiny_windows_and_buffers_lose_nothing() {
    let mut small = config("sack");
    small.connection.tcp.rwnd = 3000;
    small.send_buffer = 700;
    let faults = Faults {
        loss: 0.03,
        ..Faults::NONE
    };
    exchange([small.clone(), small], faults, [60_000, 60_000], 7);
}

#[test]
fn a_peer_that_has_closed_still_reads() {
    let mut network = Network::new([config("linux"), config("linux")], Faults::NONE, 1);
    let id = network.connect(5000);
    network.ends[0].write(id, b"question");
    network.ends[0].close(id);
    network.wait(Duration::from_secs(1));
    let server = network.accepted()[0];
    let status = network.ends[1].status(server).unwrap();
    assert!(status.peer_closed && status.readable == 8);
    assert_eq!(network.ends[1].write(server, &vec![7; 100_000]), 100_000);
    network.wait(Duration::from_secs(1));
    let status = network.ends[0].status(id).unwrap();
    assert!(status.closed && !status.peer_closed);
    assert_eq!((status.readable, status.room), (100_000, 0));
}

#[test]
fn a_peer_hears_that_nobody_reads_any_more() {
    let mut network = Network::new([config("linux"), config("linux")], Faults::NONE, 1);
    let id = network.connect(5000);
    network.wait(Duration::from_secs(1));
    let server = network.accepted()[0];
    network.ends[1].release(network.now, server);
    network.wait(Duration::from_secs(1));
    let status = network.ends[0].status(id).unwrap();
    assert!(status.peer_closed && status.ended.is_none());
    network.ends[0].write(id, b"too late");
    network.wait(Duration::from_secs(1));
    let status = network.ends[0].status(id).unwrap();
    assert_eq!(status.ended, Some(Ending::Reset));
    assert_eq!(network.ends[1].connections(), 0);
}

#[test]
fn nobody_listens_and_a_reset_ends_a_connection() {
    let mut network = Network::new([config("linux"), config("linux")], Faults::NONE, 1);
    let mut nowhere = super::network::ends(5000);
    nowhere.destination.set_port(81);
    let refused = network.ends[0].connect(network.now, nowhere).unwrap();
    let id = network.connect(5001);
    network.wait(Duration::from_secs(1));
    let ended = |network: &Network, end: usize, id| network.ends[end].status(id).unwrap().ended;
    assert_eq!(ended(&network, 0, refused), Some(Ending::Refused));
    let server = network.accepted()[0];
    network.ends[0].abort(id);
    network.wait(Duration::from_secs(1));
    assert_eq!(ended(&network, 0, id), Some(Ending::Closed));
    assert_eq!(ended(&network, 1, server), Some(Ending::Reset));
}

#[test]
fn nobody_answers() {
    let mut network = Network::new([config("linux"), config("linux")], Faults::NONE, 1);
    network.faults.loss = 1.0;
    let id = network.connect(5000);
    network.wait(Duration::from_secs(300));
    let status = network.ends[0].status(id).unwrap();
    assert_eq!(status.ended, Some(Ending::TimedOut));
    network.ends[0].release(network.now, id);
    network.pump();
    assert_eq!(network.ends[0].connections(), 0);
}

#[test]
fn a_port_is_used_again_while_the_other_end_waits_out_the_last_connection() {
    let mut network = Network::new([config("linux"), config("linux")], Faults::NONE, 1);
    let mut held = Vec::new();
    for round in 0..5 {
        let id = network.connect(5000);
        network.wait(Duration::from_millis(100));
        let server = network.accepted()[0];
        // The end that closes first waits: in turn.
        let (first, second) = if round % 2 == 0 { (1, 0) } else { (0, 1) };
        let of = |end| if end == 0 { id } else { server };
        network.ends[first].close(of(first));
        network.wait(Duration::from_millis(100));
        network.ends[second].close(of(second));
        network.wait(Duration::from_millis(100));
        held.push([id, server]);
    }
    // Who holds a connection that has given way to another one learns that it is over.
    for pair in &held[..4] {
        for end in [0, 1] {
            let status = network.ends[end].status(pair[end]).unwrap();
            assert_eq!(status.ended, Some(Ending::Closed));
        }
    }
    for (end, id) in held.iter().flat_map(|pair| pair.iter().enumerate()) {
        network.ends[end].release(network.now, *id);
    }
    network.wait(Duration::from_secs(100));
    assert_eq!([0, 1].map(|end| network.ends[end].connections()), [0, 0]);
    assert_eq!(network.ends[0].totals().connections, 5);
}

#[test]
fn a_lost_flight_of_which_one_segment_came_takes_no_timeout_for_each_other() {
    for preset in PRESETS.iter() {
        let mut network = Network::new([config(preset.name), config("linux")], Faults::NONE, 1);
        // Between two ticks of the timestamps' clock, as almost all times are.
        network.wait(Duration::from_nanos(37_123));
        let id = network.connect(5000);
        network.wait(Duration::from_secs(1));
        network.ends[0].write(id, &vec![7; 200_000]);
        network.wait(Duration::from_secs(60));
        for (segments, loss) in [(3, 1.0), (1, 0.0), (6, 1.0), (0, 0.0)] {
            network.faults.loss = loss;
            network.ends[0].write(id, &vec![7; segments * 1448]);
            network.pump();
        }
        network.wait(Duration::from_secs(60));
        let totals = network.ends[0].totals();
        assert_eq!(totals.bytes, 200_000 + 10 * 1448, "{}", preset.name);
        assert!(totals.timeouts <= 2, "{} {totals:?}", preset.name);
    }
}
