//! The relay over real sockets: its counts must match what happened. No test depends on time.

use std::net::UdpSocket;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration as StdDuration;

use skywave_core::link::{Limit, LinkConfig, LossConfig, QueueConfig};
use skywave_core::{Duration, Rate, Time, wtcp};
use skywave_wire::loopback::{TransferError, transfer};
use skywave_wire::relay::{
    HopConfig, KEPT_BYTES, Relay, RelayConfig, Report, Step, UDP_OVERHEAD, UdpEnds, UdpError, drive,
};

/// A hundred clients' packets of a kilobyte, and a few milliseconds.
fn link(loss: f64) -> LinkConfig {
    let queue = QueueConfig::DropTail(Limit::Packets(1000));
    let mut link = LinkConfig::new(
        Rate::from_bps(1_000_000_000),
        Duration::from_millis(2),
        queue,
    );
    link.loss = vec![LossConfig::Iid(loss)];
    link
}

fn path(forward: LinkConfig, back: LinkConfig) -> RelayConfig {
    let hop = |name: &str, link| HopConfig {
        name: name.to_owned(),
        link,
    };
    let route = |hop| vec![Step { hop, extra: 0 }];
    RelayConfig {
        hops: vec![hop("radio", forward), hop("radio.reverse", back)],
        routes: [route(0), route(1)],
        overhead: UDP_OVERHEAD,
        seed: 3,
        kept_bytes: KEPT_BYTES,
    }
}

/// Runs `work` with the address of a relay to an echo; also returns the relay's report.
fn relayed<T>(config: &RelayConfig, work: impl FnOnce(std::net::SocketAddr) -> T) -> (T, Report) {
    let echo = UdpSocket::bind("127.0.0.1:0").unwrap();
    let target = echo.local_addr().unwrap();
    let mut ends = UdpEnds::bind("127.0.0.1:0".parse().unwrap(), target).unwrap();
    let address = ends.address();
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            echo.set_read_timeout(Some(StdDuration::from_millis(50)))
                .unwrap();
            let mut buffer = [0; 2000];
            while !stop.load(Ordering::Relaxed) {
                if let Ok((length, from)) = echo.recv_from(&mut buffer) {
                    echo.send_to(&buffer[..length], from).unwrap();
                }
            }
        });
        let relay = scope.spawn(|| {
            let mut relay = Relay::new(config);
            drive(&mut relay, &mut ends, &mut |_| {
                !stop.load(Ordering::Relaxed)
            })
        });
        let done = work(address);
        stop.store(true, Ordering::Relaxed);
        let (report, result) = relay.join().unwrap();
        result.unwrap();
        (done, report)
    })
}

fn client(relay: std::net::SocketAddr) -> UdpSocket {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.connect(relay).unwrap();
    socket
        .set_read_timeout(Some(StdDuration::from_secs(5)))
        .unwrap();
    socket
}

#[test]
fn each_client_gets_its_own_answers_back() {
    let config = path(link(0.0), link(0.0));
    let ((), report) = relayed(&config, |address| {
        let clients = [client(address), client(address), client(address)];
        for round in 0..20_u8 {
            for (n, socket) in clients.iter().enumerate() {
                socket.send(&[n as u8, round, 0, 0, 0]).unwrap();
            }
            for (n, socket) in clients.iter().enumerate() {
                let mut buffer = [0; 100];
                assert_eq!(socket.recv(&mut buffer).unwrap(), 5);
                assert_eq!(buffer[..2], [n as u8, round]);
            }
        }
    });
    for way in report.ways {
        assert_eq!((way.packets_in, way.bytes_in), (60, 300));
        assert_eq!((way.packets_out, way.bytes_out), (60, 300));
    }
    assert_eq!(report.lateness.packets(), 120);
    assert_eq!(report.under_way, 0);
    assert_eq!(report.lost_outside(), 0);
}

#[test]
fn the_same_packets_are_lost_as_in_the_simulator() {
    let config = path(link(0.3), link(0.0));
    let sent = 300;
    // Packets that the simulator's link loses, regardless of their times.
    let mut bare = skywave_core::link::Link::new(link(0.3), 3, "link.radio");
    let lost: Vec<bool> = (0..sent)
        .map(|n| bare.send(Time::from_nanos(n * 1_000_000), 1))
        .map(|fate| matches!(fate, skywave_core::link::Fate::Dropped(_)))
        .collect();
    let (received, report) = relayed(&config, |address| {
        let socket = client(address);
        for n in 0..sent {
            socket.send(&n.to_be_bytes()).unwrap();
        }
        let mut received = vec![false; sent as usize];
        let mut buffer = [0; 8];
        for _ in 0..lost.iter().filter(|lost| !**lost).count() {
            assert_eq!(socket.recv(&mut buffer).unwrap(), 8);
            received[u64::from_be_bytes(buffer) as usize] = true;
        }
        received
    });
    for (n, lost) in lost.iter().enumerate() {
        assert_ne!(received[n], *lost, "packet {n}");
    }
    let dropped = lost.iter().filter(|lost| **lost).count() as u64;
    assert_eq!(report.ways[0].dropped, dropped);
    assert_eq!(report.hops[0].tally.channel, dropped);
    assert_eq!(report.ways[1].packets_out, sent - dropped);
}

#[test]
fn packets_to_nobody_are_counted() {
    // A port that was free a moment ago.
    let nobody = UdpSocket::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let mut ends = UdpEnds::bind("127.0.0.1:0".parse().unwrap(), nobody).unwrap();
    let socket = client(ends.address());
    for _ in 0..5 {
        socket.send(b"anybody there?").unwrap();
    }
    let mut relay = Relay::new(&path(link(0.0), link(0.0)));
    let mut looks = 0;
    let (report, result) = drive(&mut relay, &mut ends, &mut |view| {
        looks += 1;
        view.ways[0].packets_out < 5 && looks < 100
    });
    result.unwrap();
    assert_eq!(report.ways[0].packets_out, 5);
    assert!(report.troubles.refused > 0);
}

#[test]
fn what_the_system_refuses_is_counted_by_its_reason() {
    let target = UdpSocket::bind("127.0.0.1:0").unwrap();
    let listen = "[::1]:0".parse().unwrap();
    let Ok(mut ends) = UdpEnds::bind(listen, target.local_addr().unwrap()) else {
        println!("skipped: no IPv6");
        return;
    };
    // IPv6 has room for it, IPv4 has none.
    let socket = UdpSocket::bind("[::1]:0").unwrap();
    socket.send_to(&vec![0; 65_510], ends.address()).unwrap();
    let mut relay = Relay::new(&path(link(0.0), link(0.0)));
    let mut looks = 0;
    let (report, result) = drive(&mut relay, &mut ends, &mut |view| {
        looks += 1;
        view.ways[0].unsent < 1 && looks < 100
    });
    result.unwrap();
    assert_eq!((report.unsent(), report.ways[0].packets_out), (1, 0));
    let too_long = rustix::io::Errno::MSGSIZE.raw_os_error();
    assert_eq!(report.errors, [(Some(too_long), 1)].into());
    assert!(!report.is_faithful());
}

#[test]
fn wrong_addresses_are_refused_at_once() {
    let taken = UdpSocket::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    let other = "127.0.0.1:9".parse().unwrap();
    let refused = UdpEnds::bind(address, other).unwrap_err();
    assert!(matches!(refused, UdpError::Listen { .. }), "{refused}");
    let free = "127.0.0.1:0".parse().unwrap();
    let no_port = UdpEnds::bind(free, "127.0.0.1:0".parse().unwrap()).unwrap_err();
    assert!(matches!(no_port, UdpError::NoPort(_)), "{no_port}");
    drop(taken);
    let itself = UdpEnds::bind(address, address).unwrap_err();
    assert!(matches!(itself, UdpError::Itself(_)), "{itself}");
    let everywhere = format!("0.0.0.0:{}", address.port()).parse().unwrap();
    assert!(matches!(
        UdpEnds::bind(everywhere, address),
        Err(UdpError::Itself(_))
    ));
}

#[test]
fn a_transfer_of_this_process_passes_the_relay() {
    let path = path(link(0.01), link(0.0));
    let config = Arc::new(wtcp::Config {
        mss: 1391,
        ..wtcp::Config::default()
    });
    let measure = (
        Time::from_nanos(500_000_000),
        Time::from_nanos(1_500_000_000),
    );
    let stop = AtomicBool::new(false);
    let got = transfer(&path, &config, measure, &stop).unwrap();
    assert!(
        got.delivered > 0 && got.receiver.delivered >= got.delivered,
        "{got:?}"
    );
    let way = &got.report.ways[0];
    // The set-up comes before the data.
    assert!(way.packets_in >= got.sender.sent.data + 2, "{got:?}");
    assert_eq!(got.report.hops[0].tally.offered, way.packets_in);
    assert!(got.receiver.received.data <= way.packets_out, "{got:?}");

    stop.store(true, Ordering::Relaxed);
    let stopped = transfer(&path, &config, measure, &stop);
    assert!(matches!(stopped, Err(TransferError::Stopped)));
}
