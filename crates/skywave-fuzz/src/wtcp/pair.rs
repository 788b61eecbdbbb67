//! A sender and a receiver, joined by a path that follows a plan, in virtual time. Every packet goes
//! through the wire format.

use std::sync::Arc;

use skywave_core::Time;
use skywave_core::wtcp::{Micros, Packet, Receiver, Sender, wire};

use super::operation::{Operation, Plan};
use crate::machines::Operation as OnPath;
use crate::path::Path;

/// More than any plan can need: a transfer that takes longer has stopped.
const MAX_EVENTS: u32 = 400_000;
/// Any number will do.
const CONNECTION: u32 = 0x1234_5678;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum To {
    Sender,
    Receiver,
}

/// Test bench of one fuzzed run: a WTCP sender and its receiver, and what is on its way between them.
pub struct Pair<'a> {
    plan: &'a Plan,
    sender: Sender,
    receiver: Receiver,
    now: Time,
    path: Path<(To, Packet)>,
    blackout: Time,
    reads: bool,
    written: u64,
    read: u64,
    closed: bool,
    /// Bytes that the driver was told to keep, a second opinion on the receiver.
    kept: Vec<bool>,
    prefix: usize,
    last_ctrl_seq: Option<u64>,
    last_sent: Option<Time>,
    events: u32,
}

impl<'a> Pair<'a> {
    /// Test bench of a WTCP sender and its receiver, configured by `plan`.
    pub fn new(plan: &'a Plan) -> Self {
        let config = Arc::new(plan.config.clone());
        config
            .check()
            .expect("a plan has a configuration that works");
        Self {
            plan,
            sender: Sender::new(Arc::clone(&config)),
            receiver: Receiver::new(config),
            now: Time::ZERO,
            path: Path::default(),
            blackout: Time::ZERO,
            reads: plan.reads,
            written: 0,
            read: 0,
            closed: false,
            kept: Vec::new(),
            prefix: 0,
            last_ctrl_seq: None,
            last_sent: None,
            events: 0,
        }
    }

    /// Carries out the plan, then runs the path without losses until nothing is left to do. Ends early if either end
    /// has given up for want of packets.
    ///
    /// # Panics
    /// When a rule of WTCP is broken, or data do not arrive.
    pub fn run(mut self) {
        self.sender.open(self.now);
        self.pump();
        for operation in &self.plan.operations {
            if !self.is_alive() {
                return; // nothing heard for half an hour
            }
            self.apply(*operation);
        }
        self.reads = true;
        self.read_some(u64::MAX);
        self.close();
        while self.is_alive() && !self.sender.is_done() {
            assert!(
                self.step(Time::MAX),
                "quiet but not done: {:?}",
                self.sender
            );
        }
        if self.is_alive() {
            self.finished();
        }
    }

    /// Neither end has given up, which they do only for want of packets.
    fn is_alive(&self) -> bool {
        self.sender.failure().is_none() && self.receiver.failure().is_none()
    }

    fn apply(&mut self, operation: Operation) {
        match operation {
            Operation::OnPath(operation) => self.apply_on_path(operation),
            Operation::Blackout(time) => {
                self.path.clear();
                self.blackout = self.blackout.max(self.now + time);
            }
            Operation::Read(bytes) => {
                self.read_some(u64::from(bytes));
                self.pump();
            }
        }
    }

    fn apply_on_path(&mut self, operation: OnPath) {
        match operation {
            OnPath::Pass(events) => {
                for _ in 0..events {
                    self.step(Time::MAX);
                }
            }
            OnPath::Wait(time) => {
                let until = self.now + time;
                while self.step(until) {}
                self.now = until;
                self.on_timers();
            }
            OnPath::Deliver(which) => {
                if let Some((to, packet)) = self.path.take(which) {
                    self.arrive(to, &packet);
                }
            }
            OnPath::Lose(which) => {
                self.path.take(which);
            }
            OnPath::LoseAll => self.path.clear(),
            OnPath::Duplicate(which, later) => self.path.duplicate(which, later),
            OnPath::Delay(which, later) => self.path.delay(which, later),
            OnPath::Write(bytes) => {
                self.sender.write(u64::from(bytes));
                if !self.closed {
                    self.written += u64::from(bytes);
                }
                self.pump();
            }
            OnPath::Close => self.close(),
        }
    }

    fn close(&mut self) {
        self.closed = true;
        self.sender.close();
        self.pump();
    }

    /// Takes the next arrival or timer that is due by `until`; false when there is none.
    fn step(&mut self, until: Time) -> bool {
        let timers = [self.sender.next_timer(), self.receiver.next_timer()];
        let Some(next) = self.path.due(timers, until) else {
            return false;
        };
        assert!(next >= self.now, "a timer in the past");
        self.events += 1;
        assert!(self.events <= MAX_EVENTS, "still busy: {:?}", self.sender);
        self.now = next;
        if let Some((to, packet)) = self.path.pop(next) {
            self.arrive(to, &packet);
        } else {
            self.on_timers();
        }
        true
    }

    fn on_timers(&mut self) {
        self.sender.on_timer(self.now);
        self.receiver.on_timer(self.now);
        self.pump();
    }

    fn arrive(&mut self, to: To, packet: &Packet) {
        match to {
            To::Sender => self.sender.on_packet(self.now, packet),
            To::Receiver => {
                if let Some(range) = self.receiver.on_packet(self.now, packet) {
                    let (start, end) = (range.start as usize, range.end as usize);
                    self.kept.resize(self.kept.len().max(end), false);
                    assert!(self.kept[start..end].iter().any(|kept| !kept), "news");
                    self.kept[start..end].fill(true);
                }
                if self.reads {
                    self.read_some(u64::MAX);
                }
            }
        }
        self.pump();
    }

    fn read_some(&mut self, bytes: u64) {
        self.read += bytes.min(self.receiver.readable());
        self.receiver.read(bytes);
    }

    /// Lets both ends send, then looks at them.
    fn pump(&mut self) {
        for polls in 0.. {
            assert!(polls < 10, "sends without end");
            let Some(packet) = self.sender.poll_transmit(self.now) else {
                break;
            };
            self.check_sent(&packet);
            self.send(To::Receiver, packet);
        }
        for polls in 0.. {
            assert!(polls < 3, "answers without end");
            let Some(packet) = self.receiver.poll_transmit(self.now) else {
                break;
            };
            self.send(To::Sender, packet);
        }
        self.check();
    }

    fn send(&mut self, to: To, packet: Packet) {
        let mut bytes = wire::header(CONNECTION, &packet).to_vec();
        bytes.resize(bytes.len() + usize::from(packet.payload_len()), 0);
        let read = wire::decode(&bytes).expect("our own packets can be read");
        assert_eq!((read.connection, &read.packet), (CONNECTION, &packet));
        if self.now >= self.blackout {
            self.path.put(self.now + self.plan.delay, (to, packet));
        }
    }

    /// Checks what holds for every packet of the sender.
    fn check_sent(&mut self, packet: &Packet) {
        let config = &self.plan.config;
        let control = match packet {
            Packet::Data(data) => {
                let empty = data.len == 0 && !data.fin;
                assert!(data.len <= config.mss && !empty && data.ack_every > 0);
                &data.control
            }
            Packet::Probe(probe) => &probe.control,
            Packet::Open(_) => {
                self.last_sent = Some(self.now);
                self.last_ctrl_seq = Some(self.last_ctrl_seq.map_or(0, |last| last + 1));
                return;
            }
            _ => return,
        };
        assert_eq!(
            control.ctrl_seq,
            self.last_ctrl_seq.map_or(0, |last| last + 1)
        );
        self.last_ctrl_seq = Some(control.ctrl_seq);
        let bounds = config.min_separation..=config.max_separation;
        assert!(bounds.contains(&control.separation));
        if control.run > 0 {
            let gap = self.now.since(self.last_sent.expect("a run has a start"));
            assert!(gap >= control.separation.to_duration(), "a burst");
            assert_eq!(control.gap, Micros::from_duration(gap));
        }
        self.last_sent = Some(self.now);
    }

    /// Checks what holds at any time.
    fn check(&mut self) {
        let (sender, receiver) = (&self.sender, &self.receiver);
        while self.kept.get(self.prefix) == Some(&true) {
            self.prefix += 1;
        }
        assert_eq!(receiver.delivered(), self.prefix as u64, "the prefix");
        assert_eq!(receiver.readable(), self.prefix as u64 - self.read);
        let buffer = u64::from(self.plan.config.receive_buffer);
        assert_eq!(receiver.window_end(), self.read + buffer);
        assert!(sender.window_end() <= receiver.window_end() + 1);
        assert!(sender.sent_to() <= self.read + buffer, "the window");
        assert!(sender.acknowledged() <= self.prefix as u64, "not there");
        assert_eq!(sender.sent_to() + sender.unsent(), self.written);
        if let Some(rate) = receiver.rate() {
            assert!(rate.is_finite() && rate > 0.0, "{rate}");
        }
        self.check_unacked();
        if sender.is_established() && sender.unacked().next().is_some() {
            assert!(sender.next_timer().is_some(), "would wait for ever");
        }
        let counters = sender.counters();
        assert!(counters.retransmits <= counters.data);
        assert!(counters.data + counters.probes <= counters.sent);
    }

    fn check_unacked(&self) {
        let mut end = 0;
        for packet in self.sender.unacked() {
            assert!(end <= packet.rel_seq, "out of order");
            end = packet.end();
            let bytes = packet.rel_seq as usize..packet.rel_seq as usize + usize::from(packet.len);
            assert!(bytes.end as u64 <= self.sender.sent_to());
        }
    }

    /// Checks what holds when nothing is left to do.
    fn finished(&self) {
        assert!(self.receiver.is_finished());
        assert_eq!(self.receiver.delivered(), self.written);
        assert_eq!(self.kept.len() as u64, self.written);
        assert_eq!(self.sender.next_timer(), None, "a sender that is done");
        assert_eq!(self.sender.acknowledged(), self.written);
        // A receiver stays a while to answer, but sends nothing by itself.
        let silent = self.plan.config.idle_timeout;
        let stays = self.receiver.next_timer();
        assert!(stays.is_none_or(|at| at <= self.now + silent));
    }
}
