//! Two endpoints and a network that follow a plan.

use skywave_core::packet::Timestamps;
use skywave_core::tcp::PRESETS;
use skywave_core::tcp::wire::{self, Endpoints, Header, Parsed, TimestampClock};
use skywave_core::{Duration, Segment, Time};
use skywave_wire::tcp::{Endpoint, EndpointConfig, Event, Form, Listener, Role, Status, StreamId};

use super::operation::{Operation, Plan};
use crate::machines::PROFILES;
use crate::path::Path;

/// More than any plan can need: an exchange that takes longer has stopped, or goes on for ever.
const MAX_EVENTS: u64 = 400_000;
/// Packets that an end sends at one moment at most: all of the largest windows of a few connections.
const MAX_AT_ONCE: usize = 20_000;
/// Time in which everything that was let go is gone: longer than any timer of an endpoint's, several times over.
const LONG: Duration = Duration::from_secs(20_000);
/// Time that a packet takes.
const DELAY: Duration = Duration::from_millis(10);
/// Port of both ends' listeners.
const PORT: u16 = 80;
/// Bytes written at most into one connection, so that a plan ends.
const MOST: u64 = 100_000;

/// A connection as its application knows it.
struct Stream {
    id: StreamId,
    written: u64,
    read: u64,
    /// Number of the stream that it writes into and reads from: the ports of both ends.
    name: [u64; 2],
}

/// Test bench of one fuzzed run: two endpoints with many connections and the network between them, driven by a plan.
pub struct Pair<'a> {
    plan: &'a Plan,
    ends: [Endpoint; 2],
    streams: [Vec<Stream>; 2],
    path: Path<(usize, Vec<u8>)>,
    now: Time,
    events: u64,
    honest: bool,
}

fn address(end: usize, port: u16) -> std::net::SocketAddr {
    ([10, 0, 0, end as u8 + 1], port).into()
}

fn byte(name: u64, position: u64) -> u8 {
    ((position.wrapping_mul(2_654_435_761) >> 7) ^ name) as u8
}

/// Header and segment by which the packet can be written again.
fn parts(now: Time, parsed: &Parsed<'_>) -> (Header, Segment) {
    let clock = TimestampClock::default();
    let header = Header {
        endpoints: parsed.endpoints,
        ecn: parsed.ecn,
        window_shift: 0,
        clock,
    };
    let near = Timestamps {
        value: now,
        echo: now,
    };
    (header, parsed.segment(0, clock, near))
}

/// The segments' packets that a device makes of one.
fn cut(now: Time, form: Form, packet: &[u8]) -> Vec<Vec<u8>> {
    let Form::Unsummed { piece, headers, .. } = form else {
        return vec![packet.to_vec()];
    };
    let parsed = wire::parse_unsummed(packet).expect("an own packet");
    assert_eq!(packet.len() - parsed.payload.len(), usize::from(headers));
    let (header, mut segment) = parts(now, &parsed);
    let pieces = parsed.payload.chunks(piece.map_or(usize::MAX, usize::from));
    let written = pieces.map(|piece| {
        segment.len = piece.len() as u32;
        let mut out = Vec::new();
        wire::write(&header, &segment, piece, &mut out).expect("a part of a packet");
        assert!(out.len() <= 1500, "longer than the path takes");
        segment.seq.0 = segment.seq.0.wrapping_add(segment.len);
        out
    });
    written.collect()
}

impl<'a> Pair<'a> {
    /// Test bench with both endpoints configured by `plan`, listening and without connections.
    pub fn new(plan: &'a Plan) -> Self {
        let end = |n: usize| {
            let composition = PRESETS[plan.presets[n]].composition.clone();
            let profile = PROFILES[plan.profiles[n]];
            let mut config = EndpointConfig::new(Role::Host, profile, composition);
            config.connection.tcp.rwnd = plan.buffer;
            config.send_buffer = plan.buffer as usize;
            config.time_wait = 3;
            let mut end = Endpoint::new(config, n as u128);
            let listener = Listener {
                address: None,
                port: Some(PORT),
                backlog: plan.backlog,
                asks: plan.asks,
            };
            end.listen(listener).expect("the first listener");
            end
        };
        Self {
            ends: [end(0), end(1)],
            streams: [Vec::new(), Vec::new()],
            path: Path::default(),
            now: Time::from_nanos(1),
            events: 0,
            honest: plan.is_honest(),
            plan,
        }
    }

    /// Carries out the plan, then releases all connections and waits until none is left.
    ///
    /// # Panics
    /// When bytes are changed, a buffer is above its size, or connections are left over.
    pub fn run(mut self) {
        for operation in &self.plan.operations {
            self.apply(operation);
            self.pump();
        }
        self.release_all();
        let until = self.now + LONG;
        while self.step(until) {
            self.release_all();
        }
        for end in &self.ends {
            assert_eq!(end.connections(), 0, "left over: {end:?}");
            assert_eq!(end.deadline(), None);
        }
    }

    fn release_all(&mut self) {
        for n in 0..2 {
            for stream in std::mem::take(&mut self.streams[n]) {
                self.ends[n].release(self.now, stream.id);
            }
        }
        self.pump();
    }

    fn apply(&mut self, operation: &Operation) {
        match *operation {
            Operation::Pass(number) => {
                for _ in 0..number {
                    self.step(Time::MAX);
                }
            }
            Operation::Wait(time) => {
                let until = self.now + time;
                while self.step(until) {}
                self.now = until;
            }
            Operation::Lose(which) => {
                self.path.take(which);
            }
            Operation::Duplicate(which, later) => self.path.duplicate(which, later),
            Operation::Delay(which, later) => self.path.delay(which, later),
            Operation::Flip(which, bit) => {
                if let Some((_, packet)) = self.path.get_mut(which) {
                    let bit = usize::from(bit) % (8 * packet.len());
                    packet[bit / 8] ^= 1 << (bit % 8);
                }
            }
            Operation::Connect(n, port) => self.connect(n, port),
            Operation::Write(n, which, len) => self.write(n, which, u64::from(len)),
            Operation::Read(n, which, len) => self.read(n, which, usize::from(len)),
            Operation::Close(n, which) => {
                if let Some(stream) = self.stream(n, which) {
                    let id = stream.id;
                    self.ends[n].close(id);
                }
            }
            Operation::Abort(n, which) => {
                if let Some(stream) = self.stream(n, which) {
                    let id = stream.id;
                    self.ends[n].abort(id);
                }
            }
            Operation::Release(n, which) => {
                if let Some(at) = usize::from(which).checked_rem(self.streams[n].len()) {
                    let stream = self.streams[n].swap_remove(at);
                    self.ends[n].release(self.now, stream.id);
                }
            }
            Operation::Bytes(n, ref bytes) => {
                let _ = self.ends[n].receive(self.now, bytes);
            }
            Operation::Forge(which, at, value) => self.forge(which, at, value),
        }
    }

    fn connect(&mut self, n: usize, port: u8) {
        let port = 1000 + u16::from(port);
        let ends = Endpoints {
            source: address(n, port),
            destination: address(1 - n, PORT),
        };
        if let Ok(id) = self.ends[n].connect(self.now, ends) {
            self.hold(n, id, [port, PORT]);
        }
    }

    fn hold(&mut self, n: usize, id: StreamId, ports: [u16; 2]) {
        self.streams[n].push(Stream {
            id,
            written: 0,
            read: 0,
            name: ports.map(u64::from),
        });
    }

    fn stream(&mut self, n: usize, which: u8) -> Option<&mut Stream> {
        let at = usize::from(which).checked_rem(self.streams[n].len())?;
        self.streams[n].get_mut(at)
    }

    fn write(&mut self, n: usize, which: u8, len: u64) {
        let Some(stream) = self.stream(n, which) else {
            return;
        };
        let len = len.min(MOST - stream.written);
        let (id, name, from) = (stream.id, stream.name[0], stream.written);
        let bytes: Vec<u8> = (from..from + len).map(|at| byte(name, at)).collect();
        let written = self.ends[n].write(id, &bytes);
        assert!(written <= bytes.len());
        if let Some(stream) = self.stream(n, which) {
            stream.written += written as u64;
        }
    }

    fn read(&mut self, n: usize, which: u8, len: usize) {
        let Some(stream) = self.stream(n, which) else {
            return;
        };
        let (id, name, from) = (stream.id, stream.name[1], stream.read);
        let mut bytes = vec![0; len];
        let read = self.ends[n].read(id, &mut bytes);
        // A port may be used by a second connection, which writes the same bytes.
        for (position, got) in (from..).zip(&bytes[..read]).filter(|_| self.honest) {
            assert_eq!(*got, byte(name, position), "byte {position} of {name}");
        }
        if let Some(stream) = self.stream(n, which) {
            stream.read += read as u64;
        }
    }

    /// A packet like one on its way arrives before that, with one field of its TCP header changed and right checksums.
    fn forge(&mut self, which: u8, at: u16, value: u8) {
        let Some((to, packet)) = self.path.get_mut(which).cloned() else {
            return;
        };
        let Ok(parsed) = wire::parse(&packet) else {
            return;
        };
        let (header, mut segment) = parts(self.now, &parsed);
        let change = u32::from(value) << (at % 32);
        match at / 32 % 5 {
            0 => segment.seq.0 = segment.seq.0.wrapping_add(change),
            1 => segment.ack.0 = segment.ack.0.wrapping_add(change),
            2 => segment.window ^= change,
            3 => segment
                .flags
                .toggle(skywave_core::packet::Flags::from_bits_retain(value)),
            _ => segment.timestamps = None,
        }
        let mut forged = Vec::new();
        if wire::write(&header, &segment, parsed.payload, &mut forged).is_ok() {
            let _ = self.ends[to].receive(self.now, &forged);
        }
    }

    /// Takes the next arrival or timer that is due by `until`; false when there is none.
    fn step(&mut self, until: Time) -> bool {
        let timers = self.ends.each_ref().map(Endpoint::deadline);
        let Some(next) = self.path.due(timers, until) else {
            return false;
        };
        self.events += 1;
        assert!(self.events < MAX_EVENTS, "still busy: {:?}", self.ends);
        self.now = self.now.max(next);
        if let Some((to, packet)) = self.path.pop(next) {
            let _ = self.ends[to].receive(self.now, &packet);
        }
        for end in &mut self.ends {
            end.poll(self.now);
        }
        self.pump();
        true
    }

    fn pump(&mut self) {
        let mut packet = Vec::new();
        for n in 0..2 {
            let mut sent = 0;
            loop {
                // The second end has a device that cuts packets.
                while let Some(form) = match n {
                    0 => self.ends[n]
                        .transmit(self.now, &mut packet)
                        .then_some(Form::Whole),
                    _ => self.ends[n].transmit_large(self.now, &mut packet),
                } {
                    for piece in cut(self.now, form, &packet) {
                        sent += 1;
                        assert!(sent < MAX_AT_ONCE, "sends without end");
                        self.path.put(self.now + DELAY, (1 - n, piece));
                    }
                }
                let Some(event) = self.ends[n].poll_event() else {
                    break;
                };
                self.hear(n, event);
            }
            self.check(n);
        }
    }

    fn hear(&mut self, n: usize, event: Event) {
        let accepted = match event {
            Event::Asked(ends) => self.ends[n].accept(self.now, ends).map(|id| (id, ends)),
            Event::Accepted(id) => {
                self.ends[n].take(id);
                self.ends[n].addresses(id).map(|ends| (id, ends))
            }
            Event::Changed(_) => None,
        };
        if let Some((id, ends)) = accepted {
            self.hold(n, id, [PORT, ends.source.port()]);
        }
    }

    fn check(&self, n: usize) {
        for stream in &self.streams[n] {
            let status = self.ends[n].status(stream.id).expect("it is held");
            let Status { readable, room, .. } = status;
            assert!(
                readable <= self.plan.buffer as usize,
                "more than the buffer"
            );
            assert!(room <= self.plan.buffer as usize);
        }
    }
}
