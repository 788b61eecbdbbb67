//! TCP-NCL (Lai, Leung and Li, as in Francis 2012, section 3.1.1): one timer decides that a segment is sent again,
//! and a second one, which begins then, whether that was congestion.
//!
//! - The retransmission decision (RD) of a segment is due `srtt + 4·rttvar` after it was sent, however many duplicate
//!   ACKs come before. It sends the segment again, and the window stays.
//! - The congestion decision (CD) is due one smoothed round trip after that. If the segment is acknowledged before,
//!   nothing else happens; if not, the window law answers as to any loss, once a window of data.
//!
//! Open in the text, and decided here:
//! - RD is the retransmission timeout of the samples without its lower bound, so that the clock's tick bounds the
//!   variance term, and it is backed off as that is; it lasts a millisecond at least. No timer runs before the first
//!   sample.
//! - A segment is acknowledged when an ACK covers it or SACK blocks report it. Without reports only the oldest one is
//!   known to be missing, and only that one is sent again.
//! - What was outstanding when the window was cut, or at a timeout, brings no other cut.
//! - The retransmission timeout remains as a backstop: the second copy of the oldest segment and later ones do not put
//!   it off.

use super::{Answer, DetectionEvent, Detector, Facts, Finding, LossDetector, LossRule, Sending};
use crate::tcp::flight::{Flight, SentBefore};
use crate::tcp::slot::{Base, BuiltIn, OwnPreset, Setup};
use crate::tcp::window::LossEvent;
use crate::time::{Duration, Time};

/// Shortest retransmission decision, as RFC 9002's granularity of timers: where round trips take no time and the clock
/// has no tick, a segment without an answer would be sent again each nanosecond.
const LEAST_WAIT: Duration = Duration::from_millis(1);

/// Loss detector TCP-NCL, state of one sender: one timer sends a segment again, a second one decides a round
/// trip later whether the loss was congestion.
#[derive(Clone, Copy, Debug)]
pub struct Ncl {
    /// When one of the two timers is due next.
    timer: Time,
    /// Length of a congestion decision: the smoothed round trip. Zero before the first sample.
    decision: Duration,
    /// Copies sent until then have had their decision.
    decided: Time,
    /// No other cut for what lies below.
    answered: u64,
    rule: LossRule,
}

impl BuiltIn for Ncl {
    type Config = ();
    type State = Box<Self>;
    const NAME: &'static str = "ncl";
    const SUMMARY: &'static str =
        "a timer a segment; no cut unless the copy is not acknowledged within a round trip either";
    const SOURCE: &'static str = "Lai, Leung and Li, in Francis 2012, section 3.1.1";
    const PRESETS: &'static [OwnPreset<()>] = &[OwnPreset {
        name: "ncl",
        summary: "SACK that sends again by timers, and decides a round trip later whether it was congestion",
        source: Self::SOURCE,
        base: Base::Sack,
        config: (),
    }];

    fn build(_config: &(), _setup: &Setup) -> Box<Self> {
        Box::new(Self {
            timer: Time::MAX,
            decision: Duration::ZERO,
            decided: Time::ZERO,
            answered: 0,
            rule: LossRule::SentBefore(SentBefore::NOTHING),
        })
    }
}

impl Detector for Ncl {
    const NEEDS_SACK: bool = true;
}

impl Ncl {
    /// The oldest copy that waits for its congestion decision: when that is due, and where the copy begins.
    fn undecided(&self, flight: &Flight) -> Option<(Time, u64)> {
        let (at, start) = flight.first_sent_again_after(self.decided)?;
        (!self.decision.is_zero()).then(|| (at + self.decision, start))
    }

    /// Whether the retransmission decision of some segment is due. Sets the timer for what is due after now.
    fn decide(&mut self, event: &DetectionEvent) -> bool {
        self.decision = event.srtt.unwrap_or_default();
        let Some(wait) = event.rto.of_samples() else {
            self.timer = Time::MAX;
            return false;
        };
        let wait = wait.max(LEAST_WAIT);
        let rule = SentBefore::all(wait, event.now);
        self.rule = LossRule::SentBefore(rule);
        let retransmission = event.flight.next_due(rule);
        // A smoothed round trip that has become shorter may have made it overdue.
        let congestion = self.undecided(event.flight);
        let congestion = congestion.map(|(due, _)| due.max(event.now));
        let due = retransmission.into_iter().chain(congestion).min();
        self.timer = due.unwrap_or(Time::MAX);
        event.flight.finds_lost(rule)
    }
}

impl LossDetector for Ncl {
    fn facts(&self) -> Facts {
        Facts {
            ignores_new_acks: true,
            needs_deliveries: true,
            ..Facts::default()
        }
    }

    /// Duplicate ACKs tell nothing.
    fn on_dupack(&mut self, _event: &DetectionEvent) -> bool {
        false
    }

    fn on_delivery(&mut self, event: &DetectionEvent) -> Finding {
        if self.decide(event) {
            Finding::Lost
        } else {
            Finding::Nothing
        }
    }

    fn arm_probe(&mut self, event: &DetectionEvent, _timeout: Time) {
        self.decide(event);
    }

    fn on_sent(&mut self, now: Time, _flight: &Flight, _start: u64, sending: Sending) {
        if sending == Sending::Repair && !self.decision.is_zero() {
            self.timer = self.timer.min(now + self.decision);
        }
    }

    fn on_timeout(&mut self, flight: &Flight) {
        self.timer = Time::MAX;
        self.answered = flight.max();
    }

    fn next_timer(&self) -> Option<Time> {
        Some(self.timer).filter(|&at| at < Time::MAX)
    }

    fn on_timer(&mut self, event: &DetectionEvent) -> Finding {
        let mut unanswered = false;
        while let Some((due, start)) = self.undecided(event.flight)
            && due <= event.now
        {
            self.decided = due - self.decision;
            unanswered |= start >= self.answered;
        }
        let lost = self.decide(event);
        if unanswered {
            self.answered = event.flight.max();
            if lost {
                self.timer = event.now; // what is due as well comes next
            }
            Finding::Unanswered
        } else if lost {
            Finding::Lost
        } else {
            Finding::Nothing
        }
    }

    fn on_retransmit(&mut self, _flight: &Flight, loss: &mut LossEvent) -> Answer {
        Answer {
            is_noise: true,
            keeps_timer: loss.transmissions > 1,
            ..Answer::default()
        }
    }

    fn loss_rule(&self) -> LossRule {
        self.rule
    }
}
