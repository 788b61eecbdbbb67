//! Two endpoints, joined by a path in virtual time.

use std::collections::BTreeMap;

use skywave_core::Duration;
use skywave_core::wtcp::Micros;

use super::*;

mod strangers;

const A: SecretKey = SecretKey::from_bytes([1; 32]);
const B: SecretKey = SecretKey::from_bytes([4; 32]);
const DELAY: Duration = Duration::from_millis(20);

fn a_addr() -> SocketAddr {
    "192.0.2.1:1000".parse().unwrap()
}

fn b_addr() -> SocketAddr {
    "192.0.2.2:2000".parse().unwrap()
}

/// Pseudo-random numbers: losing every fourth packet would always hit the same kind.
fn mixed(n: u64) -> u64 {
    let n = n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let n = (n ^ (n >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    n ^ (n >> 32)
}

/// Loses one packet of this many, if asked to.
struct World {
    now: Time,
    a: Endpoint,
    b: Endpoint,
    /// Where they are: hosts may move.
    a_at: SocketAddr,
    b_at: SocketAddr,
    path: BTreeMap<(Time, u64), (SocketAddr, SocketAddr, Vec<u8>)>,
    sent: u64,
    lose_every: u64,
    /// All datagrams ever sent.
    log: Vec<(SocketAddr, SocketAddr, Vec<u8>)>,
}

impl World {
    fn new(allowed: Allowed) -> Self {
        let nobody = Allowed::Keys(BTreeSet::new());
        Self {
            now: Time::ZERO,
            a: Endpoint::new(A, nobody, Config::default()).unwrap(),
            b: Endpoint::new(B, allowed, Config::default()).unwrap(),
            a_at: a_addr(),
            b_at: b_addr(),
            path: BTreeMap::new(),
            sent: 0,
            lose_every: u64::MAX,
            log: Vec::new(),
        }
    }

    fn knowing_a() -> Self {
        Self::new(Allowed::Keys([A.public()].into()))
    }

    fn pump(&mut self) {
        let mut out = Vec::new();
        for (endpoint, from) in [(&mut self.a, self.a_at), (&mut self.b, self.b_at)] {
            while let Some(to) = endpoint.poll_transmit(self.now, &mut out) {
                self.sent += 1;
                self.log.push((from, to, out.clone()));
                if !mixed(self.sent).is_multiple_of(self.lose_every) {
                    let key = (self.now + DELAY, self.sent);
                    self.path.insert(key, (from, to, out.clone()));
                }
            }
        }
    }

    /// Processes the next event; false if there is none.
    fn step(&mut self) -> bool {
        self.pump();
        let arrival = self.path.keys().next().map(|&(at, _)| at);
        let times = [arrival, self.a.next_timer(), self.b.next_timer()];
        let Some(next) = times.into_iter().flatten().min() else {
            return false;
        };
        assert!(next >= self.now, "a timer in the past");
        self.now = next;
        if arrival == Some(next) {
            let (_, (from, to, bytes)) = self.path.pop_first().unwrap();
            self.deliver(from, to, &bytes);
        }
        self.a.on_timer(next);
        self.b.on_timer(next);
        self.pump();
        true
    }

    fn deliver(&mut self, from: SocketAddr, to: SocketAddr, bytes: &[u8]) {
        match to {
            to if to == self.b_at => self.b.on_datagram(self.now, from, bytes),
            to if to == self.a_at => self.a.on_datagram(self.now, from, bytes),
            _ => {}
        }
    }

    fn run(&mut self, time: Duration, mut until: impl FnMut(&mut Self) -> bool) -> bool {
        let end = self.now + time;
        while self.now < end {
            if until(self) {
                return true;
            }
            if !self.step() {
                return until(self);
            }
        }
        false
    }

    fn connect(&mut self) -> (Id, Id) {
        let ours = self.a.connect(self.now, b_addr(), B.public()).unwrap();
        let mut theirs = None;
        assert!(self.run(Duration::from_secs(60), |w| {
            theirs = theirs.or(w.b.poll_incoming());
            theirs.is_some()
        }));
        assert!(self.a.is_open(ours));
        (ours, theirs.unwrap())
    }
}

fn stream(len: usize) -> Vec<u8> {
    (0..len as u64).map(|n| (n * n % 251) as u8).collect()
}

/// Sends streams both ways at once and compares them.
fn talk(world: &mut World, forward: usize, back: usize) {
    let (a, b) = world.connect();
    assert_eq!(world.b.peer(b), Some((A.public(), a_addr())));
    let texts = [stream(forward), stream(back)];
    let mut written = [0, 0];
    let mut read = [Vec::new(), Vec::new()];
    let done = world.run(Duration::from_secs(3000), |w| {
        for (n, (endpoint, id)) in [(&mut w.a, a), (&mut w.b, b)].into_iter().enumerate() {
            written[n] += endpoint.write(w.now, id, &texts[n][written[n]..]);
            if written[n] == texts[n].len() {
                endpoint.close(w.now, id);
            }
            let mut out = [0; 5000];
            let got = endpoint.read(id, &mut out);
            read[1 - n].extend_from_slice(&out[..got]);
        }
        w.pump();
        w.a.is_sent(a) && w.b.is_sent(b) && w.a.is_read(a) && w.b.is_read(b)
    });
    assert!(done, "{:?}", world.a.status(world.now, a));
    assert_eq!(read, texts);
}

#[test]
fn streams_arrive_both_ways() {
    talk(&mut World::knowing_a(), 300_000, 70_000);
}

#[test]
fn losses_of_any_packet_are_repaired() {
    for lose_every in 2..12 {
        let mut world = World::knowing_a();
        world.lose_every = lose_every;
        talk(&mut world, 40_000, 5_000);
    }
}

#[test]
fn an_empty_stream_ends_too() {
    talk(&mut World::knowing_a(), 0, 0);
}

#[test]
fn everyone_may_be_let_in() {
    talk(&mut World::new(Allowed::Everyone), 1000, 0);
}

#[test]
fn without_a_key_no_connection() {
    for allowed in [vec![], vec![B.public()]] {
        let mut world = World::new(Allowed::Keys(allowed.into_iter().collect()));
        let id = world.a.connect(world.now, b_addr(), B.public()).unwrap();
        assert!(world.run(Duration::from_secs(60), |w| w.a.failed(id).is_some()));
        let refused = Failed::Refused(Refusal::UnknownPeer);
        assert_eq!(world.a.failed(id), Some(refused));
        assert_eq!(world.b.connections(), 0);
    }
}

/// The answer to each first message of the first eight seconds is lost.
#[test]
fn a_handshake_that_lost_its_answers_recovers() {
    let mut world = World::knowing_a();
    let id = world.a.connect(world.now, b_addr(), B.public()).unwrap();
    let open = world.run(Duration::from_secs(29), |w| {
        if w.now < Time::ZERO + Duration::from_secs(8) {
            let second = |d: &(SocketAddr, SocketAddr, Vec<u8>)| d.2[0] != 4;
            w.path.retain(|_, datagram| second(datagram));
        }
        w.a.is_open(id) && w.b.poll_incoming().is_some()
    });
    assert!(open);
}

/// An eavesdropper answers first, with an invalid packet.
#[test]
fn a_forged_answer_spoils_nothing() {
    let mut world = World::knowing_a();
    let id = world.a.connect(world.now, b_addr(), B.public()).unwrap();
    let first = |w: &mut World| w.path.values().any(|(_, _, bytes)| bytes[0] == 3);
    assert!(world.run(Duration::from_secs(1), first));
    let mut forged = vec![4, 1, 0, 0];
    forged.extend_from_slice(&id.to_be_bytes());
    forged.extend_from_slice(&[7; 52]);
    world.deliver(b_addr(), a_addr(), &forged);
    assert!(world.run(Duration::from_millis(100), |w| w.a.is_open(id)));
}

/// Everything is acknowledged, so no packet of a stream asks the peer.
#[test]
fn a_peer_that_was_started_anew_is_noticed_in_silence() {
    let mut world = World::knowing_a();
    let (a, _) = world.connect();
    world.a.write(world.now, a, b"an offer");
    world.run(Duration::from_secs(5), |_| false);
    world.b = Endpoint::new(B, Allowed::Everyone, Config::default()).unwrap();
    let doubted = |w: &mut World| w.a.status(w.now, a).unwrap().doubted;
    assert!(world.run(Duration::from_secs(15), doubted));
}

#[test]
fn giving_up_is_told_although_packets_are_lost() {
    let mut world = World::knowing_a();
    let (a, b) = world.connect();
    world.b.abandon(world.now, b);
    world.pump();
    world.path.clear();
    assert!(world.run(Duration::from_secs(5), |w| w.a.failed(a).is_some()));
    assert_eq!(world.a.failed(a), Some(Failed::GivenUp));
}

#[test]
fn nothing_is_written_after_the_end() {
    let mut world = World::knowing_a();
    let (a, _) = world.connect();
    assert_eq!(world.a.write(world.now, a, b"all"), 3);
    world.a.close(world.now, a);
    assert_eq!(world.a.write(world.now, a, b"more"), 0);
    assert!(world.a.is_closed(a));
}

#[test]
fn another_host_in_its_place_is_found_out() {
    let mut world = World::new(Allowed::Everyone);
    let c = SecretKey::from_bytes([6; 32]);
    let id = world.a.connect(world.now, b_addr(), c.public()).unwrap();
    assert!(world.run(Duration::from_secs(60), |w| w.a.failed(id).is_some()));
    let refused = Failed::Refused(Refusal::WrongKey);
    assert_eq!(world.a.failed(id), Some(refused));
}

#[test]
fn nobody_there_is_noticed_and_forgotten() {
    let mut world = World::knowing_a();
    world.lose_every = 1;
    let id = world.a.connect(world.now, b_addr(), B.public()).unwrap();
    assert!(world.run(Duration::from_secs(60), |w| w.a.failed(id).is_some()));
    assert_eq!(world.a.failed(id), Some(Failed::NoAnswer));
    world.a.abandon(world.now, id);
    world.pump();
    assert_eq!(world.a.connections(), 0);
    assert_eq!(world.a.next_timer(), None);
}

/// An eavesdropper sends all of it again, from the same address and from another one.
#[test]
fn replay_is_harmless() {
    let mut world = World::knowing_a();
    talk(&mut world, 20_000, 20_000);
    let log = world.log.clone();
    let sent = world.log.len();
    let thief: SocketAddr = "198.51.100.9:9".parse().unwrap();
    for (from, to, bytes) in &log {
        for from in [*from, thief] {
            world.deliver(from, *to, bytes);
            world.pump();
        }
    }
    assert_eq!(world.b.poll_incoming(), None);
    // At most a half-open connection remains, and it is given up.
    let (a, b) = (world.a.connections(), world.b.connections());
    assert!(a == 1 && b <= 2, "{a} {b}");
    // A stranger gets nothing but cookies, and the answer that its connection is unknown.
    for (_, to, bytes) in &world.log[sent..] {
        let outer = Outer::decode(bytes);
        let harmless = matches!(outer, Some(Outer::Cookie { .. } | Outer::Unknown { .. }));
        assert!(*to != thief || harmless, "{outer:?}");
    }
    world.path.clear();
    world.run(Duration::from_secs(60), |_| false);
    assert_eq!(world.b.connections(), 1);
}

#[test]
fn a_host_that_was_started_anew_says_so() {
    let mut world = World::knowing_a();
    let (a, _) = world.connect();
    let doubted = |w: &World| w.a.status(w.now, a).unwrap().doubted;
    assert!(!doubted(&world));
    world.b = Endpoint::new(B, Allowed::Everyone, Config::default()).unwrap();
    world.a.write(world.now, a, b"still there?");
    assert!(world.run(Duration::from_secs(10), |w| doubted(w)));
    // An unauthenticated refusal counts for nothing, and the connection does not fail because of it.
    assert_eq!(world.a.failed(a), None);
}

/// A host that connects chooses the number of its connection, so it may choose another host's.
#[test]
fn peers_with_the_same_number_are_told_apart_by_their_addresses() {
    let mut world = World::new(Allowed::Everyone);
    let (number, with_a) = world.connect();
    let secret = SecretKey::from_bytes([6; 32]);
    let address: SocketAddr = "192.0.2.3:3000".parse().unwrap();
    let mut c = Endpoint::new(secret, Allowed::Everyone, Config::default()).unwrap();
    let names = Names {
        id: number,
        peer_id: 0,
        peer: b_addr(),
        peer_key: B.public(),
    };
    let connection = Connection::connect(world.now, names, &c.config);
    c.connections.insert(number, connection);
    c.changed(number);
    let mut out = Vec::new();
    let with_c = loop {
        while c.poll_transmit(world.now, &mut out).is_some() {
            world.b.on_datagram(world.now, address, &out);
        }
        if let Some(id) = world.b.poll_incoming() {
            break id;
        }
        while let Some(to) = world.b.poll_transmit(world.now, &mut out) {
            assert_eq!(to, address);
            c.on_datagram(world.now, b_addr(), &out);
        }
    };
    let doubted =
        |world: &World| [with_a, with_c].map(|id| world.b.status(world.now, id).unwrap().doubted);
    let mut unknown = Vec::new();
    Outer::Unknown { id: number }.encode(&mut unknown);
    for (from, is_doubted) in [(a_addr(), [true, false]), (address, [true, true])] {
        world.b.on_datagram(world.now, from, &unknown);
        assert_eq!(doubted(&world), is_doubted, "{from}");
    }
}

#[test]
fn giving_up_is_told() {
    let mut world = World::knowing_a();
    let (a, b) = world.connect();
    world.a.write(world.now, a, &stream(1_000_000));
    world.b.abandon(world.now, b);
    assert!(world.run(Duration::from_secs(10), |w| w.a.failed(a).is_some()));
    assert_eq!(world.a.failed(a), Some(Failed::GivenUp));
    assert_eq!(world.b.failed(b), Some(Failed::Abandoned));
}

#[test]
fn silence_for_too_long_ends_a_connection() {
    let mut world = World::knowing_a();
    let (a, _) = world.connect();
    world.a.write(world.now, a, b"anybody there?");
    world.path.clear();
    world.lose_every = 1;
    let heard = world.now;
    assert!(world.run(Duration::from_secs(4000), |w| w.a.failed(a).is_some()));
    assert_eq!(world.a.failed(a), Some(Failed::Idle));
    let silent = world.now.since(heard);
    assert!(silent <= Config::default().idle_timeout && silent >= Duration::from_secs(1799));
}

#[test]
fn a_blackout_of_ten_minutes_is_survived() {
    let mut world = World::knowing_a();
    // A packet a millisecond at most.
    let mut wtcp = (*Config::default().wtcp).clone();
    wtcp.min_separation = Micros(1000);
    let config = Config {
        wtcp: Arc::new(wtcp),
        ..Config::default()
    };
    world.a = Endpoint::new(A, Allowed::Everyone, config).unwrap();
    let (a, b) = world.connect();
    let text = stream(1_000_000);
    assert_eq!(world.a.write(world.now, a, &text), text.len());
    world.run(Duration::from_millis(300), |_| false);
    let before = world.b.status(world.now, b).unwrap().delivered;
    assert!(before > 0 && before < 500_000, "{before}");
    world.lose_every = 1;
    world.path.clear();
    world.run(Duration::from_secs(600), |_| false);
    assert!(world.a.status(world.now, a).unwrap().in_blackout);
    world.lose_every = u64::MAX;
    let mut read = Vec::new();
    assert!(world.run(Duration::from_secs(10), |w| {
        let mut out = vec![0; text.len()];
        let n = w.b.read(b, &mut out);
        read.extend_from_slice(&out[..n]);
        read.len() == text.len()
    }));
    assert_eq!(read, text);
}

#[test]
fn there_is_an_end_to_connections() {
    let config = Config {
        max_connections: 3,
        max_per_key: 3,
        ..Config::default()
    };
    let mut world = World::knowing_a();
    world.b = Endpoint::new(B, Allowed::Everyone, config).unwrap();
    let (_, first) = world.connect();
    for _ in 0..2 {
        world.connect();
    }
    let id = world.a.connect(world.now, b_addr(), B.public()).unwrap();
    assert!(world.run(Duration::from_secs(60), |w| w.a.failed(id).is_some()));
    let full = Failed::Refused(Refusal::Full);
    assert_eq!(world.a.failed(id), Some(full));
    // An unused connection makes room.
    world.b.abandon(world.now, first);
    world.connect();
    assert_eq!(world.b.connections(), 3);
}
