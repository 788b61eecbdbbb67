//! Two ends and the path between them, in virtual time. Packets are lost by name: data, probes and
//! open packets by their control sequence numbers, ACKs by theirs.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use crate::time::{Duration, Time};
use crate::units::Rate;

use super::packet::{Control, Packet};
use super::wire;
use super::{Config, Receiver, Sender};

/// `s` seconds after the start.
pub(super) fn secs(s: f64) -> Time {
    Time::ZERO + Duration::from_secs_f64(s)
}

/// The control sequence number of a packet from the sender.
pub(super) fn ctrl_seq(packet: &Packet) -> u64 {
    match packet {
        Packet::Open(open) => open.ctrl_seq,
        packet => control(packet).map_or(u64::MAX, |c| c.ctrl_seq),
    }
}

/// The fields of a packet from the sender that rate control sees.
pub(super) fn control(packet: &Packet) -> Option<&Control> {
    match packet {
        Packet::Data(data) => Some(&data.control),
        Packet::Probe(probe) => Some(&probe.control),
        _ => None,
    }
}

/// The way there: a queue, a link, its delay; the way back has the delay only.
pub(super) struct Path {
    pub(super) rate: Rate,
    /// Packets that wait or are being sent, at most.
    pub(super) queue: usize,
    pub(super) delay: Duration,
    pub(super) lose: BTreeSet<u64>,
    pub(super) lose_acks: BTreeSet<u64>,
    /// Both ways are dead.
    pub(super) blackouts: Vec<Range<Time>>,
    /// The link is busy until then, with these.
    departures: Vec<Time>,
    pub(super) overflows: u64,
}

impl Path {
    /// 50 kb/s, 250 ms each way, as in section 5.2; a queue that does not matter.
    pub(super) fn new() -> Self {
        Self {
            rate: Rate::from_bps(50_000),
            queue: 1000,
            delay: Duration::from_millis(250),
            lose: BTreeSet::new(),
            lose_acks: BTreeSet::new(),
            blackouts: Vec::new(),
            departures: Vec::new(),
            overflows: 0,
        }
    }

    fn is_dead(&self, at: Time) -> bool {
        self.blackouts.iter().any(|b| b.contains(&at))
    }

    /// When a packet comes out.
    fn carry(&mut self, now: Time, packet: &Packet) -> Option<Time> {
        self.departures.retain(|&at| at > now);
        if self.departures.len() >= self.queue {
            self.overflows += 1;
            return None;
        }
        let bytes = wire::header_len(packet) as u64 + u64::from(packet.payload_len());
        let start = self.departures.last().copied().unwrap_or(now);
        let departs = start + self.rate.transmission_time(bytes, 0).0;
        self.departures.push(departs);
        let lost = self.lose.contains(&ctrl_seq(packet)) || self.is_dead(departs);
        (!lost).then_some(departs + self.delay)
    }

    fn carry_back(&self, now: Time, packet: &Packet) -> Option<Time> {
        let named = matches!(packet, Packet::Ack(ack) if self.lose_acks.contains(&ack.ack_seq));
        (!named && !self.is_dead(now)).then_some(now + self.delay)
    }
}

/// A connection.
pub(super) struct Pair {
    pub(super) sender: Sender,
    pub(super) receiver: Receiver,
    pub(super) path: Path,
    pub(super) now: Time,
    /// Everything that the sender sent and the receiver sent.
    pub(super) sent: Vec<(Time, Packet)>,
    pub(super) answers: Vec<(Time, Packet)>,
    /// The application reads at once.
    pub(super) reads: bool,
    /// How often the driver was told to keep each byte.
    pub(super) kept: Vec<u32>,
    flying: BTreeMap<(Time, u64), (bool, Packet)>,
    put: u64,
    steps: u32,
}

impl Pair {
    /// A connection that opens at 0 s.
    pub(super) fn new(config: Config, path: Path) -> Self {
        let config = Arc::new(config);
        let mut pair = Self {
            sender: Sender::new(Arc::clone(&config)),
            receiver: Receiver::new(config),
            path,
            now: Time::ZERO,
            sent: Vec::new(),
            answers: Vec::new(),
            reads: true,
            kept: Vec::new(),
            flying: BTreeMap::new(),
            put: 0,
            steps: 0,
        };
        pair.sender.open(pair.now);
        pair.pump();
        pair
    }

    /// The same with the defaults, and `bytes` to send; closed after them unless that is never.
    pub(super) fn transfer(bytes: u64, path: Path) -> Self {
        let mut pair = Self::new(Config::default(), path);
        pair.sender.write(bytes);
        if bytes < u64::MAX {
            pair.sender.close();
        }
        pair
    }

    /// Lets both ends send.
    pub(super) fn pump(&mut self) {
        while let Some(packet) = self.sender.poll_transmit(self.now) {
            if let Some(at) = self.path.carry(self.now, &packet) {
                self.put += 1;
                self.flying.insert((at, self.put), (true, packet));
            }
            self.sent.push((self.now, packet));
        }
        while let Some(packet) = self.receiver.poll_transmit(self.now) {
            if let Some(at) = self.path.carry_back(self.now, &packet) {
                self.put += 1;
                self.flying.insert((at, self.put), (false, packet));
            }
            self.answers.push((self.now, packet));
        }
    }

    fn arrive(&mut self, forward: bool, packet: &Packet) {
        if !forward {
            self.sender.on_packet(self.now, packet);
            return;
        }
        if let Some(range) = self.receiver.on_packet(self.now, packet) {
            let end = range.end as usize;
            self.kept.resize(self.kept.len().max(end), 0);
            self.kept[range.start as usize..end]
                .iter_mut()
                .for_each(|n| *n += 1);
        }
        if self.reads {
            self.receiver.read(u64::MAX);
        }
    }

    /// The next thing that happens up to `until`; false if nothing does.
    pub(super) fn step(&mut self, until: Time) -> bool {
        let arrival = self.flying.keys().next().map(|(at, _)| *at);
        let timers = [self.sender.next_timer(), self.receiver.next_timer()];
        let next = timers.into_iter().chain([arrival]).flatten().min();
        let Some(next) = next.filter(|next| *next <= until) else {
            return false;
        };
        assert!(next >= self.now, "a timer in the past");
        self.steps += 1;
        assert!(self.steps < 100_000, "still busy at {next:?}");
        self.now = next;
        if arrival == Some(next) {
            let (_, (forward, packet)) = self.flying.pop_first().unwrap();
            self.arrive(forward, &packet);
        } else {
            self.sender.on_timer(next);
            self.receiver.on_timer(next);
        }
        self.pump();
        true
    }

    /// Lets everything happen that does until `s` seconds after the start.
    pub(super) fn run_to(&mut self, s: f64) {
        while self.step(secs(s)) {}
        self.now = secs(s);
    }

    /// Lets everything happen until the sender is done.
    #[track_caller]
    pub(super) fn finish(&mut self) {
        while !self.sender.is_done() {
            assert!(self.sender.failure().is_none(), "{:?}", self.sender);
            assert!(self.step(Time::MAX), "nothing left to happen");
        }
    }

    /// The control sequence numbers of the packets sent from `from` to `to` that `which` selects.
    pub(super) fn numbers(&self, from: f64, to: f64, which: fn(&Packet) -> bool) -> Vec<u64> {
        let times = secs(from)..secs(to);
        let sent = self
            .sent
            .iter()
            .filter(|(at, p)| times.contains(at) && which(p));
        sent.map(|(_, p)| ctrl_seq(p)).collect()
    }

    /// The receiver's application has all `bytes`, each once.
    #[track_caller]
    pub(super) fn expect_delivered(&self, bytes: u64) {
        assert_eq!(self.receiver.delivered(), bytes);
        assert_eq!(self.kept.len() as u64, bytes);
        assert!(self.kept.iter().all(|&times| times == 1));
    }
}
