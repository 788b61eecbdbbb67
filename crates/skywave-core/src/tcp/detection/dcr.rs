//! TCP-DCR (Bhandarkar et al., section 3): a loss is reported one round trip after the first
//! duplicate ACK, so that a link may repair its own losses until then.
//!
//! The wait begins in congestion avoidance only (section 3.3), on the first duplicate ACK. During it
//! the window goes on growing, but each duplicate ACK lets one new segment out and no more; an ACK
//! of the missing segment ends it and nothing has happened. In slow start, and below what was sent
//! at the last fast retransmit or timeout, three duplicate ACKs count as ever: further losses of one
//! window do not wait again.
//!
//! While it waits it sends beyond the window, as TCP-NCR does, and so a cut is measured by how much was in flight
//! before. Otherwise a law that cuts in proportion to what is outstanding would not cut at all.

use super::dupacks::Dupacks;
use super::{
    AckFinding, Allowance, Answer, DetectionEvent, Detector, Finding, LossDetector,
    limited_transmit,
};
use crate::parameter::{Stored, parameters};
use crate::tcp::flight::Flight;
use crate::tcp::slot::{Base, BuiltIn, Field, Kind, OwnPreset, Refusal, Setup, Value};
use crate::tcp::window::LossEvent;
use crate::time::{Duration, Time};
use crate::units::Segments;

parameters! {
    /// TCP-DCR's delay of the response to a loss, by default as published.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct DcrConfig {
        /// Delay of the response to a loss, in smoothed round trips.
        // τ (section 3.2: one).
        tau: f64 = 1.0, Positive;
        +
        /// How the delay is measured: by a timer, or by duplicate ACKs.
        wait: DcrWait = DcrWait::EXACT;
        also {
            Field::by(
                Kind::OneOf(&["timer", "dupacks"]),
                "by",
                "How the delay is kept: by a timer, or by a number of duplicate ACKs",
                |c| Some(Value::Choice(usize::from(c.wait == DcrWait::Dupacks))),
                |c, by| {
                    let by_dupacks = by == Value::Choice(1);
                    c.wait = if by_dupacks { DcrWait::Dupacks } else { DcrWait::EXACT };
                    Ok(())
                },
            ),
            Field::within(
                Kind::Period,
                "tick",
                "Tick of the timer's clock, which is exact without it",
                |c: &mut Self| c.wait.tick(),
            )
            .or("none"),
        }
    }
}

/// How TCP-DCR measures its delay, from the first duplicate ACK until a loss counts as found (Bhandarkar et al.,
/// TCP-DCR, section 3.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DcrWait {
    /// By a timer of τ smoothed round trips.
    Timer {
        /// Tick of its clock: it expires on the first one at or after τ. Zero for an exact clock.
        tick: Duration,
    },
    /// By W·τ·srtt/RTT duplicate ACKs, with W the segments in flight at the first one and RTT the
    /// latest sample; at least three. Needs new data to send meanwhile, for the ACKs to come.
    Dupacks,
}

impl DcrWait {
    const EXACT: Self = Self::Timer {
        tick: Duration::ZERO,
    };

    fn tick(&mut self) -> Result<&mut dyn Stored, Refusal> {
        match self {
            Self::Timer { tick } => Ok(tick),
            Self::Dupacks => Err(Refusal::new(
                "duplicate ACKs have no clock",
                "this is for `by = \"timer\"` only",
            )),
        }
    }
}

impl BuiltIn for Dcr {
    type Config = DcrConfig;
    type State = Box<Self>;
    const NAME: &'static str = "dcr";
    const SUMMARY: &'static str = "one round trip after the first duplicate ACK (tau, by, tick)";
    const SOURCE: &'static str = "Bhandarkar et al., TCP-DCR, section 3";
    const PRESETS: &'static [OwnPreset<DcrConfig>] = &[
        OwnPreset {
            name: "dcr",
            summary: "SACK that waits a round trip before it responds to a loss",
            source: Self::SOURCE,
            base: Base::Sack,
            config: DcrConfig::DEFAULT,
        },
        OwnPreset {
            name: "dcr-sack1",
            summary: "the same with the pipe accounting of ns-2's Sack1",
            source: "Bhandarkar et al., TCP-DCR, section 4",
            base: Base::Sack1,
            config: DcrConfig::DEFAULT,
        },
        OwnPreset {
            name: "dcr-newreno",
            summary: "the same for receivers without SACK: NewReno recovery",
            source: "Bhandarkar et al., TCP-DCR, section 3.3",
            base: Base::NewReno,
            config: DcrConfig::DEFAULT,
        },
    ];

    fn build(config: &DcrConfig, _setup: &Setup) -> Box<Self> {
        Box::new(Self::new(*config))
    }
}

impl Detector for Dcr {}

/// Loss detector TCP-DCR, state of one sender: it waits for about a round trip after the first duplicate ACK,
/// as segments may only be reordered.
#[derive(Clone, Copy, Debug)]
pub struct Dcr {
    config: DcrConfig,
    ordinary: Dupacks,
    waiting: Option<Wait>,
    /// Flight at the beginning of the delay that runs, or that has just run out.
    flight_before: Option<Segments>,
    /// End of what was sent at the last fast retransmit or timeout.
    recover: u64,
}

/// A delay that is running.
#[derive(Clone, Copy, Debug)]
struct Wait {
    /// Position up to which data may be sent; each duplicate ACK moves it by one segment.
    edge: u64,
    until: Until,
}

#[derive(Clone, Copy, Debug)]
enum Until {
    Time(Time),
    Dupacks(u32),
}

impl Dcr {
    /// TCP-DCR detector of a sender that has sent nothing yet.
    pub fn new(config: DcrConfig) -> Self {
        Self {
            config,
            ordinary: Dupacks(3),
            waiting: None,
            flight_before: None,
            recover: 0,
        }
    }

    /// When a wait that begins now ends; `None` without a round trip to measure it by.
    fn end_of_wait(&self, event: &DetectionEvent) -> Option<Until> {
        let srtt = event.srtt?;
        Some(match self.config.wait {
            DcrWait::Timer { tick } => {
                Until::Time(next_tick(event.now + srtt.mul_f64(self.config.tau), tick))
            }
            DcrWait::Dupacks => {
                let window = event.flight.in_flight() as f64 / f64::from(event.mss);
                let rtt = event.rtt?.as_nanos().max(1) as f64;
                let scaled = window * self.config.tau * srtt.as_nanos() as f64 / rtt;
                // A cast saturates; never fewer than the ordinary rule wants.
                Until::Dupacks((libm::ceil(scaled) as u32).max(self.ordinary.0))
            }
        })
    }

    fn begin(&mut self, event: &DetectionEvent) {
        if event.in_slow_start() || event.flight.una() < self.recover {
            return;
        }
        self.waiting = self.end_of_wait(event).map(|until| Wait {
            edge: event.flight.max(),
            until,
        });
        // Not above the window, by which Reno cuts (as in ns-2).
        let window = event.window.cwnd.to_bytes(event.mss);
        let flight = event.flight.in_flight().min(window);
        let flight = Segments::from_bytes(flight, event.mss);
        self.flight_before = self.waiting.map(|_| flight);
    }

    fn end(&mut self) {
        self.waiting = None;
        self.flight_before = None;
    }
}

/// The first tick of a coarse clock at or after `time`.
fn next_tick(time: Time, tick: Duration) -> Time {
    let (ns, tick) = (time.as_nanos(), tick.as_nanos().max(1));
    Time::from_nanos(ns.div_ceil(tick).saturating_mul(tick))
}

impl LossDetector for Dcr {
    fn on_dupack(&mut self, event: &DetectionEvent) -> bool {
        if event.dupacks == 1 {
            self.begin(event);
        }
        let Some(wait) = &mut self.waiting else {
            return self.ordinary.on_dupack(event);
        };
        wait.edge += u64::from(event.mss);
        let over = matches!(wait.until, Until::Dupacks(n) if event.dupacks >= n);
        if over {
            self.waiting = None;
        }
        over
    }

    /// The hole is filled: nothing was lost.
    fn on_new_ack(&mut self, _event: &DetectionEvent) -> AckFinding {
        self.end();
        AckFinding::Nothing
    }

    /// The new segments that duplicate ACKs have let out replace what has arrived.
    fn on_retransmit(&mut self, flight: &Flight, loss: &mut LossEvent) -> Answer {
        if let Some(before) = self.flight_before {
            loss.measure_by(before);
        }
        self.end();
        self.recover = flight.max();
        Answer::default()
    }

    fn on_timeout(&mut self, flight: &Flight) {
        self.end();
        self.recover = flight.max();
    }

    fn next_timer(&self) -> Option<Time> {
        match self.waiting?.until {
            Until::Time(at) => Some(at),
            Until::Dupacks(_) => None,
        }
    }

    fn on_timer(&mut self, _event: &DetectionEvent) -> Finding {
        self.waiting = None;
        Finding::Lost
    }

    fn is_waiting(&self) -> bool {
        self.waiting.is_some()
    }

    fn threshold(&self) -> u32 {
        self.ordinary.0
    }

    fn limited_transmit(&self, dupacks: u32) -> Allowance {
        match self.waiting {
            Some(wait) => Allowance::Until(wait.edge),
            None => limited_transmit(dupacks, self.ordinary.0),
        }
    }
}
