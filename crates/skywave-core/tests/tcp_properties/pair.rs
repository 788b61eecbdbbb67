//! A sender and a receiver, joined by a path that follows a plan, in virtual time.

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use skywave_core::tcp::{Receiver, Sender, TcpConfig};
use skywave_core::{Duration, Segment, Time};

use crate::plan::{Fate, Plan, Write};

/// More than any plan can need: a transfer that takes longer has stopped.
const MAX_EVENTS: u32 = 50_000;

enum Event {
    Data(Segment),
    Ack(Segment),
    Application,
}

/// Both ends and everything on its way.
pub(crate) struct Pair<'a> {
    config: TcpConfig,
    plan: &'a Plan,
    sender: Sender,
    receiver: Receiver,
    now: Time,
    /// By time, then in the order in which they were scheduled.
    events: BTreeMap<(Time, u64), Event>,
    scheduled: u64,
    data_sent: usize,
    acks_sent: usize,
    writes_done: usize,
    /// Positions that have arrived within the window, a second opinion on the receiver.
    arrived: Vec<bool>,
    prefix: usize,
}

type Checked = Result<(), TestCaseError>;

impl<'a> Pair<'a> {
    pub(crate) fn new(config: TcpConfig, plan: &'a Plan) -> Self {
        let ends = config.handshake.span() + u64::from(config.fin);
        let mut pair = Self {
            plan,
            sender: Sender::new(config.clone()),
            receiver: Receiver::new(config.clone()),
            config,
            now: Time::ZERO,
            events: BTreeMap::new(),
            scheduled: 0,
            data_sent: 0,
            acks_sent: 0,
            writes_done: 0,
            arrived: vec![false; (plan.bytes() + ends) as usize],
            prefix: 0,
        };
        pair.schedule(Duration::ZERO, Event::Application);
        pair
    }

    /// Until nothing is left to do.
    pub(crate) fn run(mut self) -> Checked {
        self.sender.open();
        self.pump()?;
        for _ in 0..MAX_EVENTS {
            if !self.step()? {
                return self.finished();
            }
        }
        Err(TestCaseError::fail(format!(
            "still busy at {:?}: {:?}",
            self.now,
            self.sender.counters()
        )))
    }

    fn schedule(&mut self, after: Duration, event: Event) {
        self.scheduled += 1;
        self.events
            .insert((self.now + after, self.scheduled), event);
    }

    /// The next event or timer; false when there is none.
    fn step(&mut self) -> Result<bool, TestCaseError> {
        let event = self.events.keys().next().map(|(at, _)| *at);
        let timer = [self.sender.next_timer(), self.receiver.next_timer()];
        let Some(next) = timer.into_iter().chain([event]).flatten().min() else {
            return Ok(false);
        };
        prop_assert!(next >= self.now, "a timer in the past");
        self.now = next;
        if event == Some(next) {
            let (_, event) = self.events.pop_first().expect("just seen");
            self.handle(event)?;
        } else {
            self.sender.on_timer(next);
            self.receiver.on_timer(next);
        }
        self.pump()?;
        if !self.sender.is_done() {
            let explained = self.sender.limit_times(self.now).total();
            prop_assert_eq!(explained, self.now.since(Time::ZERO));
        }
        Ok(true)
    }

    fn handle(&mut self, event: Event) -> Checked {
        match event {
            Event::Data(segment) => {
                let before = self.receiver.delivered();
                self.arrive(&segment);
                self.receiver.on_segment(self.now, &segment);
                prop_assert!(self.receiver.delivered() >= before);
                prop_assert_eq!(self.receiver.next(), self.prefix as u64);
            }
            Event::Ack(segment) => self.sender.on_segment(self.now, &segment),
            Event::Application => match self.plan.writes.get(self.writes_done) {
                Some(Write::Bytes(bytes)) => {
                    self.sender.write(*bytes);
                    self.writes_done += 1;
                    self.schedule(Duration::ZERO, Event::Application);
                }
                Some(Write::Pause(ms)) => {
                    self.writes_done += 1;
                    self.schedule(Duration::from_millis(*ms), Event::Application);
                }
                None => self.sender.close(),
            },
        }
        Ok(())
    }

    fn arrive(&mut self, segment: &Segment) {
        let start = segment.seq.expand(self.config.iss, self.prefix as u64) as usize;
        let end = start + segment.span() as usize;
        self.arrived[start..end].fill(true);
        while self.arrived.get(self.prefix) == Some(&true) {
            self.prefix += 1;
        }
    }

    /// Lets both ends send, then looks at them.
    fn pump(&mut self) -> Checked {
        let mut polls = 0;
        while let Some(segment) = self.sender.poll_transmit(self.now) {
            polls += 1;
            prop_assert!(polls < 10_000, "sends without end");
            prop_assert!(segment.len <= self.config.mss);
            prop_assert!(segment.span() > 0);
            let fate = self.plan.data.get(self.data_sent).copied();
            self.data_sent += 1;
            self.put(fate, || Event::Data(segment.clone()));
        }
        while let Some(ack) = self.receiver.poll_transmit(self.now) {
            let fate = self.plan.acks.get(self.acks_sent).copied();
            self.acks_sent += 1;
            self.put(fate, || Event::Ack(ack.clone()));
        }
        self.check()
    }

    fn put(&mut self, fate: Option<Fate>, packet: impl Fn() -> Event) {
        let delay = Duration::from_millis(self.plan.delay);
        match fate.unwrap_or(Fate::Deliver) {
            Fate::Deliver => self.schedule(delay, packet()),
            Fate::Lose => (),
            Fate::Duplicate(ms) => {
                self.schedule(delay, packet());
                self.schedule(delay + Duration::from_millis(ms), packet());
            }
            Fate::Delay(ms) => self.schedule(delay + Duration::from_millis(ms), packet()),
        }
    }

    /// What holds at any time.
    fn check(&self) -> Checked {
        let (sender, flight) = (&self.sender, self.sender.flight());
        let window = sender.window();
        prop_assert!(
            window.cwnd.0.is_finite() && window.cwnd.0 >= 1.0,
            "{window:?}"
        );
        prop_assert!(
            window.ssthresh.0.is_finite() && window.ssthresh.0 > 0.0,
            "{window:?}"
        );
        let outstanding = flight.max() - flight.una();
        prop_assert!(outstanding <= u64::from(self.config.rwnd));
        prop_assert!(flight.una() <= flight.nxt() && flight.nxt() <= flight.max());
        prop_assert!(flight.una() <= self.receiver.next());
        prop_assert!(flight.sacked_bytes() <= outstanding);
        let lost = flight
            .segments()
            .filter(|s| s.lost)
            .map(|s| s.end - s.start);
        let lost = lost.sum::<u64>();
        let sacked = flight
            .segments()
            .filter(|s| s.sacked)
            .map(|s| s.end - s.start);
        prop_assert_eq!(sacked.sum::<u64>(), flight.sacked_bytes());
        prop_assert!(flight.pipe() >= outstanding - flight.sacked_bytes() - lost);
        prop_assert!(flight.segments().all(|s| !(s.lost && s.sacked)));
        prop_assert_eq!(
            sender.next_timer().is_some(),
            !flight.is_empty(),
            "a timer is pending if and only if data is outstanding"
        );
        let counters = sender.counters();
        prop_assert!(counters.retransmits <= counters.sent);
        prop_assert_eq!(counters.sent, self.data_sent as u64);
        Ok(())
    }

    /// What holds when nothing is left to do.
    fn finished(&self) -> Checked {
        prop_assert!(
            self.sender.is_done(),
            "quiet but not done: {:?}",
            self.sender
        );
        prop_assert_eq!(self.receiver.delivered(), self.plan.bytes());
        prop_assert_eq!(self.receiver.is_finished(), self.config.fin);
        prop_assert_eq!(self.sender.unsent(), 0);
        Ok(())
    }
}
