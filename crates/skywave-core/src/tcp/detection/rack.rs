//! RACK-TLP (RFC 8985): a segment is lost when one sent later has arrived and a round trip and a
//! reordering window have passed since it was last sent; a probe makes a silent tail speak.

mod tlp;

use super::{
    Allowance, Answer, DetectionEvent, Detector, Facts, Finding, LossDetector, LossRule, Sending,
};
use crate::tcp::flight::{Delivery, Flight};
use crate::tcp::slot::{BuiltIn, Setup};
use crate::tcp::window::LossEvent;
use crate::time::{Duration, Time};

use tlp::Tlp;

/// Segments reported above a hole after which reordering is not waited for, unless it was seen.
const DUP_THRESH: u32 = 3;
/// Recoveries without a duplicate report after which the reordering window is small again.
const PERSIST: u32 = 16;

/// Least time after which a segment can be lost.
const INSTANT: Duration = Duration::from_nanos(1);

/// Loss detector RACK-TLP (RFC 8985), state of one sender (section 5.3).
#[derive(Clone, Debug)]
pub struct Rack {
    reordering: Reordering,
    timer: Option<Timer>,
    rule: LossRule,
    recovery: Phase,
    tlp: Tlp,
    /// Time by which the timer expires later.
    slack: Duration,
}

impl BuiltIn for Rack {
    type Config = ();
    /// In a box: it is several times as large as the others.
    type State = Box<Self>;
    const NAME: &'static str = "rack";
    const SUMMARY: &'static str =
        "a round trip and a reordering window after it was sent; tail loss probes";
    const SOURCE: &'static str = "RFC 8985";

    fn build(_config: &(), setup: &Setup) -> Box<Self> {
        Box::new(Self::new(setup))
    }
}

impl Detector for Rack {
    const NEEDS_SACK: bool = true;
}

/// The pending timer of RFC 8985 section 8: only one at a time. The retransmission timer remains as
/// a backstop.
#[derive(Clone, Copy, Debug)]
enum Timer {
    /// The reordering window of a segment ends.
    Reordering(Time),
    /// A probe is due.
    Probe(Time),
}

/// Whether a fast or timeout recovery goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Open,
    /// The timer expired; the end of what was sent is seen with the next ACK.
    TimedOut,
    /// Until everything below this position is acknowledged.
    Until(u64),
}

/// The reordering window's size (section 6.2, step 4).
#[derive(Clone, Copy, Debug)]
struct Reordering {
    /// reo_wnd_mult, in quarters of the smallest round trip.
    quarters: u32,
    /// reo_wnd_persist: recoveries until that is forgotten.
    persist: u32,
    /// dsack_round: no other duplicate report counts until this is acknowledged.
    round: Option<u64>,
    /// The present ACK reports a duplicate.
    duplicate: bool,
}

impl Reordering {
    fn adapt(&mut self, flight: &Flight, recovered: bool) {
        self.round.take_if(|round| flight.una() >= *round);
        if std::mem::take(&mut self.duplicate) && self.round.is_none() {
            self.round = Some(flight.nxt());
            self.quarters = self.quarters.saturating_add(1);
            self.persist = PERSIST;
        } else if recovered {
            self.persist = self.persist.saturating_sub(1);
            if self.persist == 0 {
                self.quarters = 1;
            }
        }
    }

    fn window(&self, delivery: &Delivery, event: &DetectionEvent, recovering: bool) -> Duration {
        let enough_held = || event.flight.holds_segments(DUP_THRESH as usize);
        if !delivery.reordered() && (recovering || enough_held()) {
            return Duration::ZERO;
        }
        let window = delivery.min_rtt() * u64::from(self.quarters) / 4;
        event.srtt.map_or(window, |srtt| window.min(srtt))
    }
}

impl Rack {
    /// Detector of a new connection, which has sent nothing yet.
    pub fn new(setup: &Setup) -> Self {
        Self {
            reordering: Reordering {
                quarters: 1,
                persist: PERSIST,
                round: None,
                duplicate: false,
            },
            timer: None,
            rule: LossRule::DupThresh(DUP_THRESH),
            recovery: Phase::Open,
            tlp: Tlp::new(setup.sack, setup.ack_delay, setup.timer_slack),
            slack: setup.timer_slack,
        }
    }

    /// As [`LossDetector::arm_probe`], with those fields of the event that it uses.
    #[inline]
    pub(in crate::tcp) fn arm(
        &mut self,
        now: Time,
        flight: &Flight,
        srtt: Option<Duration>,
        timeout: Time,
    ) {
        let waiting = matches!(self.timer, Some(Timer::Reordering(_)));
        if !waiting && !self.is_recovering() {
            let due = self.tlp.due(now, flight, srtt, timeout);
            self.timer = due.map(Timer::Probe);
        }
    }

    #[inline]
    fn is_recovering(&self) -> bool {
        self.recovery != Phase::Open
    }

    /// Follows the recovery; true when it ends here.
    fn recovered(&mut self, flight: &Flight) -> bool {
        if self.recovery == Phase::TimedOut {
            self.recovery = Phase::Until(flight.max());
        }
        let ends = matches!(self.recovery, Phase::Until(end) if flight.una() >= end);
        if ends {
            self.recovery = Phase::Open;
        }
        ends
    }

    /// Section 6.2, step 5: what is lost by now, and when to look again.
    fn detect(&mut self, event: &DetectionEvent) -> Finding {
        self.timer.take_if(|t| matches!(t, Timer::Reordering(_)));
        let Some(delivery) = event.flight.delivery() else {
            return Finding::Nothing;
        };
        let recovering = self.is_recovering();
        let wait = delivery.rtt() + self.reordering.window(delivery, event, recovering);
        // Where a round trip takes no time, what was sent just now would be lost already, and each ACK
        // of a repair would send it again, without end.
        let wait = wait.max(INSTANT);
        let rule = delivery.sent_before(wait, event.now);
        self.rule = LossRule::SentBefore(rule);
        let (lost, later) = event.flight.judge(rule);
        if let Some(later) = later {
            self.timer = Some(Timer::Reordering(later + self.slack));
        }
        match (lost, recovering) {
            (true, true) => Finding::More,
            (true, false) => Finding::Lost,
            (false, _) => Finding::Nothing,
        }
    }
}

impl LossDetector for Rack {
    fn facts(&self) -> Facts {
        Facts {
            ignores_new_acks: true,
            needs_deliveries: true,
            ..Facts::default()
        }
    }

    fn on_duplicate(&mut self, ack: u64, reported: Option<u64>) {
        self.reordering.duplicate |= reported.is_some();
        self.tlp.on_duplicate(ack, reported);
    }

    fn on_delivery(&mut self, event: &DetectionEvent) -> Finding {
        let recovered = self.recovered(event.flight);
        self.reordering.adapt(event.flight, recovered);
        let repaired = self.tlp.on_ack(event);
        let finding = self.detect(event);
        if event.flight.is_empty() || event.flight.sacked_bytes() > 0 {
            self.timer.take_if(|t| matches!(t, Timer::Probe(_)));
        }
        match (finding, repaired) {
            (Finding::Nothing, Some(sent_at)) => Finding::Repaired { sent_at },
            (found, _) => found,
        }
    }

    /// Without any reports duplicate ACKs are all that there is (RFC 5681).
    fn on_dupack(&mut self, event: &DetectionEvent) -> bool {
        event.dupacks == DUP_THRESH && event.flight.sacked_bytes() == 0
    }

    #[inline]
    fn on_sent(&mut self, _now: Time, flight: &Flight, start: u64, _sending: Sending) {
        self.tlp.on_sent(flight, start);
    }

    fn on_retransmit(&mut self, flight: &Flight, _loss: &mut LossEvent) -> Answer {
        self.recovery = Phase::Until(flight.max());
        self.timer.take_if(|t| matches!(t, Timer::Probe(_)));
        self.tlp.reset();
        Answer::default()
    }

    fn on_timeout(&mut self, _flight: &Flight) {
        self.recovery = Phase::TimedOut;
        self.timer = None;
        self.tlp.reset();
    }

    fn arm_probe(&mut self, event: &DetectionEvent, timeout: Time) {
        self.arm(event.now, event.flight, event.srtt, timeout);
    }

    #[inline]
    fn next_timer(&self) -> Option<Time> {
        self.timer.map(|timer| match timer {
            Timer::Reordering(at) | Timer::Probe(at) => at,
        })
    }

    fn on_timer(&mut self, event: &DetectionEvent) -> Finding {
        match self.timer.take() {
            Some(Timer::Probe(_)) => self.tlp.on_timer(),
            _ => self.detect(event),
        }
    }

    fn threshold(&self) -> u32 {
        DUP_THRESH
    }

    fn loss_rule(&self) -> LossRule {
        self.rule
    }

    /// A segment for each that is reported while reordering is waited for: what is in flight stays
    /// the same (RFC 6675 section 5, step C, before a recovery).
    #[inline]
    fn limited_transmit(&self, dupacks: u32) -> Allowance {
        if self.is_recovering() {
            super::limited_transmit(dupacks, DUP_THRESH)
        } else {
            Allowance::Beyond(dupacks)
        }
    }
}
