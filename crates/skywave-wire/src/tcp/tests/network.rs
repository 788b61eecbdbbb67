//! A network between two endpoints, in virtual time, that loses, copies, delays and damages packets.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use skywave_core::rng::Stream;
use skywave_core::tcp::config::Profile;
use skywave_core::tcp::preset;
use skywave_core::tcp::wire::Endpoints;
use skywave_core::{Duration, Time};

use super::icmp::error;
use crate::tcp::{Endpoint, EndpointConfig, Event, Listener, Role, StreamId};

/// Chances of each packet.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Faults {
    pub(super) loss: f64,
    pub(super) copy: f64,
    pub(super) damage: f64,
    /// A packet takes up to so much longer, and others overtake it.
    pub(super) jitter: Duration,
}

impl Faults {
    pub(super) const NONE: Self = Self {
        loss: 0.0,
        copy: 0.0,
        damage: 0.0,
        jitter: Duration::ZERO,
    };
}

type Arrival = Reverse<(Time, u64, usize, Vec<u8>)>;

pub(super) struct Network {
    pub(super) ends: [Endpoint; 2],
    pub(super) now: Time,
    pub(super) faults: Faults,
    pub(super) delay: Duration,
    /// Bytes of the largest packet that a router on the way to the second end passes on; others it drops and tells.
    pub(super) mtu: usize,
    pub(super) dropped: u64,
    pub(super) longest: usize,
    under_way: BinaryHeap<Arrival>,
    sent: u64,
    /// Draws of what goes wrong, of packets to each end: those of one way do not hang on when the other way sends.
    rngs: [Stream; 2],
    /// Events that nobody has looked at.
    pub(super) events: [Vec<Event>; 2],
}

pub(super) fn config(name: &str) -> EndpointConfig {
    let composition = preset(name).expect("a preset").composition.clone();
    EndpointConfig::new(Role::Host, Profile::Linux, composition)
}

/// Addresses of a connection from the first end to port 80 of the second.
pub(super) fn ends(port: u16) -> Endpoints {
    Endpoints {
        source: ([10, 0, 0, 1], port).into(),
        destination: ([10, 0, 0, 2], 80).into(),
    }
}

pub(super) const SERVER: Listener = Listener {
    address: None,
    port: Some(80),
    backlog: 4096,
    asks: false,
};

impl Network {
    pub(super) fn new(configs: [EndpointConfig; 2], faults: Faults, seed: u64) -> Self {
        let [first, second] = configs;
        let mut ends = [Endpoint::new(first, 1), Endpoint::new(second, 2)];
        ends[1].listen(SERVER).expect("the first listener");
        Self {
            ends,
            now: Time::from_nanos(1_000_000_000),
            faults,
            delay: Duration::from_millis(10),
            mtu: usize::MAX,
            dropped: 0,
            longest: 0,
            under_way: BinaryHeap::new(),
            sent: 0,
            rngs: ["first", "second"].map(|end| Stream::named(seed, end, "faults")),
            events: [Vec::new(), Vec::new()],
        }
    }

    pub(super) fn connect(&mut self, port: u16) -> StreamId {
        self.ends[0]
            .connect(self.now, ends(port))
            .expect("a free port")
    }

    /// Sends what the ends have to send, and collects what they tell.
    pub(super) fn pump(&mut self) {
        let mut packet = Vec::new();
        for n in 0..2 {
            while self.ends[n].transmit(self.now, &mut packet) {
                self.put(1 - n, &packet);
            }
            while let Some(event) = self.ends[n].poll_event() {
                self.events[n].push(event);
            }
        }
    }

    /// Puts a packet under way to an end.
    pub(super) fn put(&mut self, to: usize, packet: &[u8]) {
        if to == 1 && packet.len() > self.mtu {
            self.dropped += 1;
            return self.put(0, &error(packet, 3, 4, self.mtu as u16));
        }
        if to == 1 {
            self.longest = self.longest.max(packet.len());
        }
        let rng = &mut self.rngs[to];
        let copies = 1 + usize::from(rng.chance(self.faults.copy));
        for _ in 0..copies {
            if rng.chance(self.faults.loss) {
                continue;
            }
            let mut packet = packet.to_vec();
            if rng.chance(self.faults.damage) {
                let bit = (rng.unit() * 8.0 * packet.len() as f64) as usize;
                packet[bit / 8] ^= 1 << (bit % 8);
            }
            let late = self.faults.jitter.mul_f64(rng.unit());
            self.sent += 1;
            let arrival = (self.now + self.delay + late, self.sent, to, packet);
            self.under_way.push(Reverse(arrival));
        }
    }

    /// Goes on to the next arrival or timer; false if there is none until then.
    pub(super) fn step(&mut self, until: Time) -> bool {
        let arrival = self.under_way.peek().map(|Reverse((at, ..))| *at);
        let timers = self.ends.iter().filter_map(Endpoint::deadline);
        let Some(next) = timers.chain(arrival).min().filter(|&at| at <= until) else {
            return false;
        };
        self.now = self.now.max(next);
        while let Some(Reverse((at, ..))) = self.under_way.peek()
            && *at <= self.now
        {
            let Some(Reverse((_, _, to, packet))) = self.under_way.pop() else {
                break;
            };
            let _ = self.ends[to].receive(self.now, &packet);
        }
        for end in &mut self.ends {
            end.poll(self.now);
        }
        self.pump();
        true
    }

    /// Lets time pass.
    pub(super) fn wait(&mut self, time: Duration) {
        let until = self.now + time;
        self.pump();
        while self.step(until) {}
        self.now = until;
    }

    /// Takes the connections to the second end that are established.
    pub(super) fn accepted(&mut self) -> Vec<StreamId> {
        let mut accepted = Vec::new();
        self.events[1].retain(|event| match event {
            Event::Accepted(id) => {
                accepted.push(*id);
                false
            }
            _ => true,
        });
        for &id in &accepted {
            self.ends[1].take(id);
        }
        accepted
    }
}

/// Byte at a position of a stream.
pub(super) fn byte(stream: u64, position: u64) -> u8 {
    ((position.wrapping_mul(2_654_435_761) >> 7) ^ stream) as u8
}

/// An application that writes a stream, closes, and reads what it is to get.
pub(super) struct App {
    pub(super) end: usize,
    pub(super) id: StreamId,
    /// Number of the stream that it writes, and its length.
    pub(super) writes: (u64, u64),
    pub(super) reads: (u64, u64),
    pub(super) written: u64,
    pub(super) read: u64,
    pub(super) finished: bool,
}

impl App {
    pub(super) fn new(end: usize, id: StreamId, writes: (u64, u64), reads: (u64, u64)) -> Self {
        Self {
            end,
            id,
            writes,
            reads,
            written: 0,
            read: 0,
            finished: false,
        }
    }

    /// Writes and reads as much as can be.
    pub(super) fn go_on(&mut self, network: &mut Network) {
        let now = network.now;
        let end = &mut network.ends[self.end];
        let Some(status) = end.status(self.id).filter(|_| !self.finished) else {
            return;
        };
        let n = (self.writes.1 - self.written).min(status.room as u64);
        if n > 0 {
            let bytes: Vec<u8> = (self.written..self.written + n)
                .map(|position| byte(self.writes.0, position))
                .collect();
            assert_eq!(end.write(self.id, &bytes), bytes.len());
            self.written += n;
        }
        if self.written == self.writes.1 && !status.closed {
            end.close(self.id);
        }
        let mut bytes = vec![0; status.readable];
        let n = end.read(self.id, &mut bytes);
        assert_eq!(n, status.readable);
        for (position, got) in (self.read..).zip(&bytes) {
            assert_eq!(*got, byte(self.reads.0, position), "byte {position}");
        }
        self.read += n as u64;
        let status = end.status(self.id).expect("it is held");
        if status.peer_closed && self.written == self.writes.1 {
            assert_eq!(self.read, self.reads.1);
            end.release(now, self.id);
            self.finished = true;
        }
    }
}
