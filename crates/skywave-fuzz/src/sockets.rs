//! Two endpoints, and a network that may do anything: it reads, changes, repeats and invents datagrams.

use std::net::SocketAddr;
use std::ops::Range;
use std::sync::Arc;

use arbitrary::{Arbitrary, Result, Unstructured};
use skywave_core::{Duration, Time};
use skywave_wire::endpoint::{Allowed, Config, Endpoint, Id};
use skywave_wire::key::SecretKey;

use crate::path::Path;

/// More than any rule needs to be broken.
const MAX_OPERATIONS: usize = 200;
/// One way.
const DELAY: Duration = Duration::from_millis(20);
/// A packet each 10 ms, in bits a second.
const RATE: f64 = 1.2e6;
/// Of a sender and of a receiver: some round trips at that pace, and few enough to be full at times.
const BUFFER: usize = 32 << 10;
/// Five round trips. After it only timers are left, most of them those that ask again and again whether
/// an idle peer is still there or has room.
const SILENCE: Duration = Duration::from_millis(200);
/// More than any transfer here needs: one that takes longer has stopped.
const MAX_EVENTS: u32 = 200_000;
const CLIENT: SecretKey = SecretKey::from_bytes([1; 32]);
const SERVER: SecretKey = SecretKey::from_bytes([4; 32]);

/// Where hosts are; the third one is the network's own.
const HOSTS: usize = 3;
const CLIENT_AT: usize = 0;
const SERVER_AT: usize = 1;

fn address(host: usize) -> SocketAddr {
    ([192, 0, 2, host as u8], 1000).into()
}

fn host(address: SocketAddr) -> usize {
    (0..HOSTS)
        .find(|&n| self::address(n) == address)
        .expect("nobody else was heard of")
}

/// One thing that happens.
#[derive(Clone, Debug, PartialEq)]
pub enum Operation {
    /// This many events, or up to the first that comes after a silence.
    Pass(u8),
    /// Nothing is done for this long.
    Wait(Duration),
    /// The chosen datagram is lost.
    Lose(u8),
    /// A second copy comes later.
    Duplicate(u8, Duration),
    /// It comes later.
    Delay(u8, Duration),
    /// A byte of it is changed.
    Change(u8, u16, u8),
    /// It is cut off.
    Cut(u8, u16),
    /// It seems to come from another host.
    Disguise(u8, u8),
    /// A datagram that was on its way some time ago comes again, from any host.
    Replay(u16, u8),
    /// An invented datagram, from any host to either endpoint.
    Invent(u8, bool, Vec<u8>),
    /// An application writes.
    Write(bool, u16),
    /// An application reads.
    Read(bool, u16),
}

impl<'a> Arbitrary<'a> for Operation {
    fn arbitrary(bytes: &mut Unstructured<'a>) -> Result<Self> {
        let later = |bytes: &mut Unstructured<'a>| {
            Ok(Duration::from_millis(u64::from(u8::arbitrary(bytes)?) * 10))
        };
        Ok(match u8::arbitrary(bytes)? % 16 {
            0..=3 => Self::Pass(bytes.arbitrary()?),
            4 => Self::Wait(later(bytes)?),
            5 => Self::Lose(bytes.arbitrary()?),
            6 => Self::Duplicate(bytes.arbitrary()?, later(bytes)?),
            7 => Self::Delay(bytes.arbitrary()?, later(bytes)?),
            8 => Self::Change(bytes.arbitrary()?, bytes.arbitrary()?, bytes.arbitrary()?),
            9 => Self::Cut(bytes.arbitrary()?, bytes.arbitrary()?),
            10 => Self::Disguise(bytes.arbitrary()?, bytes.arbitrary()?),
            11 => Self::Replay(bytes.arbitrary()?, bytes.arbitrary()?),
            12 => {
                let (from, to) = (bytes.arbitrary()?, bytes.arbitrary()?);
                let len = usize::from(u8::arbitrary(bytes)?).min(bytes.len());
                // One of ours as far as its first bytes go.
                let kind = u8::arbitrary(bytes)? % 9;
                let mut datagram = vec![kind, 1, 0, 0];
                datagram.extend_from_slice(bytes.bytes(len.saturating_sub(1))?);
                Self::Invent(from, to, datagram)
            }
            13 | 14 => Self::Write(bytes.arbitrary()?, bytes.arbitrary()?),
            _ => Self::Read(bytes.arbitrary()?, bytes.arbitrary()?),
        })
    }
}

/// A datagram on its way.
type Datagram = (usize, usize, Vec<u8>);

/// One end of a connection, and what went through it.
struct End {
    endpoint: Endpoint,
    id: Option<Id>,
    written: u64,
    read: u64,
}

impl End {
    fn new(secret: SecretKey, allowed: Allowed) -> Self {
        // Nothing limits the path here, and a sender probes at its pace.
        let mut config = Config::default().limited_to(RATE);
        config.send_buffer = BUFFER;
        Arc::make_mut(&mut config.wtcp).receive_buffer = BUFFER as u32;
        let endpoint = Endpoint::new(secret, allowed, config);
        Self {
            endpoint: endpoint.expect("the system has random numbers"),
            id: None,
            written: 0,
            read: 0,
        }
    }
}

struct World {
    now: Time,
    ends: [End; 2],
    path: Path<Datagram>,
    /// Datagrams that were sent, for those who listen.
    heard: Vec<Datagram>,
    events: u32,
}

/// Bytes of a stream at some positions; the streams differ.
fn bytes_at(stream: usize, positions: Range<u64>) -> Vec<u8> {
    let byte = |n: u64| ((n as u32).wrapping_mul(0x9e37_79b1) >> 24) as u8 ^ stream as u8;
    positions.map(byte).collect()
}

/// The operations, one after the other; after them the network behaves.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan(Vec<Operation>);

impl<'a> Arbitrary<'a> for Plan {
    fn arbitrary(bytes: &mut Unstructured<'a>) -> Result<Self> {
        let mut operations = Vec::new();
        while !bytes.is_empty() && operations.len() < MAX_OPERATIONS {
            operations.push(Operation::arbitrary(bytes)?);
        }
        Ok(Self(operations))
    }
}

/// Reads a plan out of `data` and carries it out.
///
/// # Panics
/// When a rule is broken.
pub fn run(data: &[u8]) {
    let plan = Plan::arbitrary(&mut Unstructured::new(data));
    plan.expect("missing bytes read as zeros").carry_out();
}

impl Plan {
    /// Carries it out.
    ///
    /// # Panics
    /// When a rule is broken.
    pub fn carry_out(self) {
        let mut world = World::new();
        for operation in self.0 {
            world.apply(operation);
        }
        world.finish();
    }
}

impl World {
    fn new() -> Self {
        let mut client = End::new(CLIENT, Allowed::Keys([].into()));
        let server = End::new(SERVER, Allowed::Keys([CLIENT.public()].into()));
        let now = Time::ZERO;
        let peer = address(SERVER_AT);
        let id = client.endpoint.connect(now, peer, SERVER.public());
        client.id = Some(id.expect("the system has random numbers"));
        let mut world = Self {
            now,
            ends: [client, server],
            path: Path::default(),
            heard: Vec::new(),
            events: 0,
        };
        world.pump();
        world
    }

    fn apply(&mut self, operation: Operation) {
        match operation {
            Operation::Pass(events) => {
                for _ in 0..events {
                    let before = self.now;
                    self.step(Time::MAX);
                    if self.now > before + SILENCE {
                        break;
                    }
                }
            }
            Operation::Wait(time) => {
                let until = self.now + time;
                while self.step(until) {}
                self.now = until;
                self.on_timers();
            }
            Operation::Lose(which) => {
                self.path.take(which);
            }
            Operation::Duplicate(which, later) => self.path.duplicate(which, later),
            Operation::Delay(which, later) => self.path.delay(which, later),
            Operation::Change(which, place, by) => {
                if let Some((_, _, bytes)) = self.path.get_mut(which) {
                    let len = bytes.len().max(1);
                    if let Some(byte) = bytes.get_mut(usize::from(place) % len) {
                        *byte ^= by;
                    }
                }
            }
            Operation::Cut(which, len) => {
                if let Some((_, _, bytes)) = self.path.get_mut(which) {
                    bytes.truncate(usize::from(len));
                }
            }
            Operation::Disguise(which, from) => {
                if let Some((sender, ..)) = self.path.get_mut(which) {
                    *sender = usize::from(from) % HOSTS;
                }
            }
            Operation::Replay(which, from) => {
                let n = self.heard.len();
                if let Some(&(_, to, ref bytes)) = usize::from(which)
                    .checked_rem(n)
                    .and_then(|n| self.heard.get(n))
                {
                    let datagram = (usize::from(from) % HOSTS, to, bytes.clone());
                    self.path.put(self.now, datagram);
                }
            }
            Operation::Invent(from, to_server, bytes) => {
                let to = if to_server { SERVER_AT } else { CLIENT_AT };
                self.path
                    .put(self.now, (usize::from(from) % HOSTS, to, bytes));
            }
            Operation::Write(server, len) => self.write(usize::from(server), u64::from(len)),
            Operation::Read(server, len) => self.read(usize::from(server), usize::from(len)),
        }
    }

    fn write(&mut self, end: usize, len: u64) {
        let now = self.now;
        let it = &mut self.ends[end];
        if let Some(id) = it.id {
            let bytes = bytes_at(end, it.written..it.written + len);
            let taken = it.endpoint.write(now, id, &bytes);
            assert!(taken <= BUFFER, "more than there is room for");
            it.written += taken as u64;
        }
        self.pump();
    }

    fn read(&mut self, end: usize, len: usize) {
        let it = &mut self.ends[end];
        if let Some(id) = it.id {
            let mut out = vec![0; len];
            let n = it.endpoint.read(id, &mut out);
            let expected = bytes_at(1 - end, it.read..it.read + n as u64);
            assert!(out[..n] == expected, "other bytes");
            it.read += n as u64;
        }
        assert!(self.ends[end].read <= self.ends[1 - end].written);
        self.pump();
    }

    /// The next arrival or timer that is due by `until`; false when there is none.
    fn step(&mut self, until: Time) -> bool {
        let arrival = self.path.next();
        let timers = self.ends.each_ref().map(|end| end.endpoint.next_timer());
        let Some(next) = timers.into_iter().chain([arrival]).flatten().min() else {
            return false;
        };
        if next > until {
            return false;
        }
        assert!(next >= self.now, "a timer in the past");
        self.events += 1;
        assert!(self.events <= MAX_EVENTS, "still busy");
        self.now = next;
        if arrival == Some(next) {
            let datagram = self.path.pop().expect("just seen");
            self.deliver(&datagram);
        }
        self.on_timers();
        true
    }

    fn on_timers(&mut self) {
        for end in &mut self.ends {
            end.endpoint.on_timer(self.now);
        }
        self.pump();
    }

    fn deliver(&mut self, (from, to, bytes): &Datagram) {
        // A peer may have "moved" to the network's own host: datagrams for that host are handed on
        // to the end opposite of their sender.
        let to = match *to {
            CLIENT_AT | SERVER_AT => *to,
            _ => 1 - from % 2,
        };
        let end = &mut self.ends[to];
        end.endpoint.on_datagram(self.now, address(*from), bytes);
        let at = end.id.and_then(|id| end.endpoint.peer(id));
        let is_stranger = *from == HOSTS - 1 && at.is_none_or(|(_, at)| at != address(*from));
        let before = self.heard.len();
        self.pump();
        let answers = self.heard[before..].iter();
        let answers: Vec<_> = answers.filter(|(_, to, _)| to == from).collect();
        if is_stranger {
            // An answer that the packet asked for, and a challenge.
            let bytes_back: usize = answers.iter().map(|(_, _, answer)| answer.len()).sum();
            assert!(answers.len() <= 2, "more than two answers to a stranger");
            assert!(
                bytes_back <= 3 * bytes.len(),
                "more than three times as much"
            );
        }
    }

    /// Lets both endpoints send.
    fn pump(&mut self) {
        let mut out = Vec::new();
        for from in [CLIENT_AT, SERVER_AT] {
            let end = &mut self.ends[from];
            for polls in 0.. {
                assert!(polls < 1000, "sends without end");
                let Some(to) = end.endpoint.poll_transmit(self.now, &mut out) else {
                    break;
                };
                assert!(out.len() <= 1472, "longer than a packet");
                // To itself, if its peer seems to be where it is itself: handed on as in `deliver`.
                let to = match host(to) {
                    to if to == from => 1 - from,
                    to => to,
                };
                let datagram = (from, to, out.clone());
                self.heard.push(datagram.clone());
                self.path.put(self.now + DELAY, datagram);
            }
            while let Some(id) = end.endpoint.poll_incoming() {
                assert_eq!((from, end.id), (SERVER_AT, None), "a stranger's connection");
                let (key, _) = end.endpoint.peer(id).expect("it is there");
                assert_eq!(key, CLIENT.public());
                end.id = Some(id);
            }
            // Half-open ones of repeated first messages are given up in time.
            assert!(end.endpoint.connections() <= MAX_OPERATIONS);
        }
    }

    /// The network behaves: all that was written arrives, unless the handshake took too long.
    fn finish(mut self) {
        for end in [CLIENT_AT, SERVER_AT] {
            if let Some(id) = self.ends[end].id {
                self.ends[end].endpoint.close(self.now, id);
            }
        }
        self.pump();
        loop {
            for end in [CLIENT_AT, SERVER_AT] {
                let unread = self.ends[1 - end].written - self.ends[end].read;
                self.read(end, unread as usize);
            }
            if let (Some(server), false) = (self.ends[SERVER_AT].id, self.is_over()) {
                self.ends[SERVER_AT].endpoint.close(self.now, server);
                self.pump();
            }
            let client = self.ends[CLIENT_AT].id.expect("from the start");
            if let Some(why) = self.ends[CLIENT_AT].endpoint.failed(client) {
                assert_eq!(self.ends[SERVER_AT].id, None, "it was open: {why}");
                let patience = Config::default().handshake_timeout;
                assert!(self.now >= Time::ZERO + patience, "too soon: {why}");
                return;
            }
            if self.is_over() {
                break;
            }
            assert!(self.step(Time::MAX), "quiet but not over");
        }
        let [client, server] = &self.ends;
        assert_eq!((client.read, server.read), (server.written, client.written));
    }

    fn is_over(&self) -> bool {
        self.ends.iter().all(|end| {
            end.id
                .is_some_and(|id| end.endpoint.is_sent(id) && end.endpoint.is_read(id))
        })
    }
}
