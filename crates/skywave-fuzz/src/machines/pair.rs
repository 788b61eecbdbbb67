//! A sender and a receiver, joined by a path that follows a plan, in virtual time; in the middle of it there
//! may be an agent.

use skywave_core::agent::snoop::Verdict;
use skywave_core::agent::{Snoop, SnoopConfig};
use skywave_core::packet::{self, Body};
use skywave_core::tcp::limits::Limit;
use skywave_core::tcp::{Receiver, Sender, TcpConfig};
use skywave_core::{Duration, Segment, Time};

use super::operation::{Operation, Plan};
use crate::path::Path;

/// More than any plan can need: a transfer that takes longer has stopped.
const MAX_EVENTS: u32 = 200_000;

#[derive(Clone, Copy, Debug)]
enum Packet {
    Data(Segment),
    Ack(Segment),
    /// On the way to the agent.
    DataToAgent(Segment),
    AckToAgent(Segment),
}

/// Test bench of one fuzzed run: a TCP sender, a receiver, a Snoop agent between them or none, and what is on its way.
pub struct Pair<'a> {
    config: TcpConfig,
    plan: &'a Plan,
    sender: Sender,
    receiver: Receiver,
    agent: Option<Snoop>,
    now: Time,
    path: Path<Packet>,
    data_sent: u64,
    written: u64,
    closed: bool,
    /// Positions that have arrived, a second opinion on the receiver.
    arrived: Vec<bool>,
    prefix: usize,
    events: u32,
}

impl<'a> Pair<'a> {
    /// Test bench of a TCP sender and receiver with this configuration, to which [`Plan::applied_to`] has given the
    /// sizes of `plan`.
    pub fn new(config: TcpConfig, plan: &'a Plan) -> Self {
        let ends = config.handshake.span() + u64::from(config.fin);
        Self {
            plan,
            sender: Sender::new(config.clone()),
            receiver: Receiver::new(config.clone()),
            agent: None,
            config,
            now: Time::ZERO,
            path: Path::default(),
            data_sent: 0,
            written: 0,
            closed: false,
            arrived: vec![false; (plan.bytes() + ends) as usize],
            prefix: 0,
            events: 0,
        }
    }

    /// Test bench as of [`Self::new`], with a Snoop agent half-way on the path: each half takes the plan's delay.
    pub fn with_agent(config: TcpConfig, plan: &'a Plan, agent: SnoopConfig) -> Self {
        Self {
            agent: Some(Snoop::new(agent)),
            ..Self::new(config, plan)
        }
    }

    /// Carries out the plan, then runs the path without losses until nothing is left to do.
    ///
    /// # Panics
    /// When a rule of TCP is broken, or data do not arrive.
    pub fn run(mut self) {
        self.sender.open();
        self.pump();
        for operation in &self.plan.operations {
            self.apply(*operation);
        }
        self.close();
        while self.step(Time::MAX) {}
        self.finished();
    }

    fn apply(&mut self, operation: Operation) {
        match operation {
            Operation::Pass(events) => {
                for _ in 0..events {
                    self.step(Time::MAX);
                }
            }
            Operation::Wait(time) => {
                let until = self.now + time;
                while self.step(until) {}
                self.now = until;
                self.pump();
            }
            Operation::Deliver(which) => {
                if let Some(packet) = self.path.take(which) {
                    self.arrive(packet);
                }
            }
            Operation::Lose(which) => {
                self.path.take(which);
            }
            Operation::LoseAll => self.path.clear(),
            Operation::Duplicate(which, later) => self.path.duplicate(which, later),
            Operation::Delay(which, later) => self.path.delay(which, later),
            Operation::Write(bytes) => {
                self.sender.write(u64::from(bytes));
                if !self.closed {
                    self.written += u64::from(bytes);
                }
                self.pump();
            }
            Operation::Close => self.close(),
        }
    }

    fn close(&mut self) {
        self.closed = true;
        self.sender.close();
        self.pump();
    }

    /// Takes the next arrival or timer that is due by `until`; false when there is none.
    fn step(&mut self, until: Time) -> bool {
        let agent = self.agent.as_ref().and_then(Snoop::next_timer);
        // It may become due in the past.
        let agent = agent.map(|at| at.max(self.now));
        let timers = [self.sender.next_timer(), self.receiver.next_timer(), agent];
        let Some(next) = self.path.due(timers, until) else {
            return false;
        };
        assert!(next >= self.now, "a timer in the past");
        self.events += 1;
        assert!(
            self.events <= MAX_EVENTS,
            "still busy at {next:?}: {:?}",
            self.sender.counters()
        );
        self.now = next;
        if let Some(packet) = self.path.pop(next) {
            self.arrive(packet);
        } else {
            self.sender.on_timer(next);
            self.receiver.on_timer(next);
            if let Some(agent) = &mut self.agent {
                agent.on_timer(next);
            }
            self.pump();
        }
        true
    }

    fn arrive(&mut self, packet: Packet) {
        let delay = self.plan.delay;
        match packet {
            Packet::DataToAgent(segment) => {
                if let Some(agent) = &mut self.agent {
                    let packet = packet::Packet::new(0, segment.len, Body::TcpData(segment));
                    agent.on_data(self.now, &packet, &segment);
                }
                self.path.put(self.now + delay, Packet::Data(segment));
            }
            Packet::AckToAgent(segment) => {
                let agent = self.agent.as_mut();
                let verdict = agent.map(|agent| agent.on_ack(self.now, &segment));
                if verdict != Some(Verdict::Suppress) {
                    self.path.put(self.now + delay, Packet::Ack(segment));
                }
            }
            Packet::Ack(segment) => self.sender.on_segment(self.now, &segment),
            Packet::Data(segment) => {
                let before = self.receiver.delivered();
                self.note(&segment);
                self.receiver.on_segment(self.now, &segment);
                assert!(self.receiver.delivered() >= before, "takes bytes back");
                assert_eq!(self.receiver.next(), self.prefix as u64, "the prefix");
            }
        }
        self.pump();
    }

    fn note(&mut self, segment: &Segment) {
        let start = segment.seq.expand(self.config.iss, self.prefix as u64);
        let start = start.expect("the sender's own number") as usize;
        let end = start + segment.span() as usize;
        self.arrived[start..end].fill(true);
        while self.arrived.get(self.prefix) == Some(&true) {
            self.prefix += 1;
        }
    }

    /// Lets both ends send, then looks at them.
    fn pump(&mut self) {
        let delay: Duration = self.plan.delay;
        let mut polls = 0;
        while let Some(segment) = self.sender.poll_transmit(self.now) {
            polls += 1;
            assert!(polls < 10_000, "sends without end");
            assert!(segment.len <= self.config.mss, "a segment above the MSS");
            assert!(segment.span() > 0, "an empty segment");
            self.data_sent += 1;
            let packet = match self.agent {
                Some(_) => Packet::DataToAgent(segment),
                None => Packet::Data(segment),
            };
            self.path.put(self.now + delay, packet);
        }
        while let Some(ack) = self.receiver.poll_transmit(self.now) {
            let packet = match self.agent {
                Some(_) => Packet::AckToAgent(ack),
                None => Packet::Ack(ack),
            };
            self.path.put(self.now + delay, packet);
        }
        self.pump_agent();
        self.check();
    }

    /// Lets the agent send, then looks at it.
    fn pump_agent(&mut self) {
        let delay = self.plan.delay;
        while let Some(repair) = self.agent.as_mut().and_then(Snoop::poll_transmit) {
            let Body::TcpData(segment) = repair.body else {
                panic!("the agent sends {repair:?}")
            };
            let max = self.sender.flight().max();
            let start = segment.seq.expand(self.config.iss, max);
            assert!(
                start.is_some_and(|start| start + segment.span() <= max),
                "what the sender never sent"
            );
            self.path.put(self.now + delay, Packet::Data(segment));
        }
        if let Some(agent) = &self.agent {
            let counters = agent.counters();
            assert!(counters.timeouts <= counters.retransmits);
        }
    }

    /// Checks what holds at any time.
    fn check(&self) {
        let (sender, flight) = (&self.sender, self.sender.flight());
        let window = sender.window();
        assert!(
            window.cwnd.0.is_finite() && window.cwnd.0 >= 1.0,
            "{window:?}"
        );
        assert!(
            window.ssthresh.0.is_finite() && window.ssthresh.0 >= 1.0,
            "{window:?}"
        );
        assert!(flight.una() <= flight.nxt() && flight.nxt() <= flight.max());
        let outstanding = flight.max() - flight.una();
        assert!(
            outstanding <= u64::from(self.config.rwnd),
            "more than the receiver's window"
        );
        assert!(
            flight.una() <= self.receiver.next(),
            "acknowledged but not there"
        );
        self.check_scoreboard(outstanding);
        let is_paced = sender.limited_by() == Some(Limit::Pacing);
        assert_eq!(
            sender.next_timer().is_some(),
            !flight.is_empty() || is_paced,
            "a timer is pending if and only if data is outstanding, or waits for its turn"
        );
        let counters = sender.counters();
        assert!(counters.retransmits <= counters.sent);
        assert_eq!(counters.sent, self.data_sent);
        assert!(self.receiver.delivered() + sender.unsent() <= self.written);
        if !sender.is_done() {
            let explained = sender.limit_times(self.now).total();
            assert_eq!(explained, self.now.since(Time::ZERO), "time unexplained");
        }
    }

    fn check_scoreboard(&self, outstanding: u64) {
        let flight = self.sender.flight();
        let (mut lost, mut sacked, mut next) = (0, 0, flight.una());
        for segment in flight.segments() {
            assert!(segment.start <= next && next < segment.end, "a gap");
            assert!(!(segment.lost && segment.sacked), "lost, yet there");
            next = segment.end;
            lost += if segment.lost { segment.len() } else { 0 };
            sacked += if segment.sacked { segment.len() } else { 0 };
        }
        assert_eq!(next, flight.max(), "segments up to the last byte sent");
        assert_eq!(sacked, flight.sacked_bytes());
        assert!(sacked <= outstanding);
        assert!(flight.pipe() >= outstanding - sacked - lost);
    }

    /// Checks what holds when nothing is left to do.
    fn finished(&self) {
        assert!(
            self.sender.is_done(),
            "quiet but not done: {:?}",
            self.sender
        );
        assert_eq!(self.written, self.plan.bytes());
        assert_eq!(self.receiver.delivered(), self.written);
        assert_eq!(self.receiver.is_finished(), self.config.fin);
        assert_eq!(self.sender.unsent(), 0);
    }
}
