//! The end of slow start before packets are lost: HyStart (Ha and Rhee 2011, as Linux's CUBIC has it) and
//! HyStart++ (RFC 9406).
//!
//! Both watch the smallest round trip of each round, from its eighth sample on. When it has grown by an eighth
//! (within 4 to 16 ms), the bottleneck's queue is filling, and doubling the window once more would
//! overflow it. HyStart then ends slow start. HyStart++ first grows four times more slowly, for five
//! rounds; if the round trip falls again meanwhile, as after a burst, slow start goes on. HyStart also
//! ends when the ACKs of a round come as a train that is longer than half a round trip: the window has
//! then filled the path.
//!
//! A window law need not know of this: it is told of a threshold, or of fewer segments to grow by.

use super::window::{AckEvent, Window};
use crate::parameter::names;
use crate::time::{Duration, Time};
use crate::units::Segments;

names! {
    /// Sign that ends slow start besides a loss.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
    pub enum SlowStartConfig {
        /// No sign besides a loss.
        // RFC 5681.
        Standard = "standard" default,
        /// HyStart, as Linux's CUBIC has it: a round trip that grows, or a long train of ACKs.
        // In each slow start (Ha and Rhee 2011).
        HyStart = "hystart",
        /// HyStart++ (RFC 9406): a round trip that grows slows the first slow start down, and then ends it.
        HyStartPlusPlus = "hystart++",
    }
}

/// The round trip must grow by this part of it, within these bounds (RFC 9406 section 4.3).
const RTT_DIVISOR: u64 = 8;
const MIN_RTT_THRESHOLD: Duration = Duration::from_millis(4);
const MAX_RTT_THRESHOLD: Duration = Duration::from_millis(16);
/// Samples of a round that are looked at before it is judged (`N_RTT_SAMPLE`).
const SAMPLES: u32 = 8;
/// In conservative slow start the window grows by this part of what it else would, for these rounds
/// (`CSS_GROWTH_DIVISOR`, `CSS_ROUNDS`).
const CSS_GROWTH_DIVISOR: f64 = 4.0;
const CSS_ROUNDS: u32 = 5;
/// An unpaced sender grows by at most this at an ACK (`L`).
const LARGEST_STEP: Segments = Segments(8.0);
/// HyStart looks at windows from here on (Linux's `hystart_low_window`).
const LOW_WINDOW: Segments = Segments(16.0);
/// ACKs that are closer to each other than this are one train (Linux's `hystart_ack_delta_us`).
const TRAIN_GAP: Duration = Duration::from_millis(2);

/// Watch over the slow start of one connection, which ends slow start before a loss does (HyStart, HyStart++).
#[derive(Clone, Debug)]
pub struct SlowStart {
    rule: Rule,
    round: Round,
}

#[derive(Clone, Debug)]
enum Rule {
    HyStart {
        /// Smallest round trip of the connection.
        min_rtt: Duration,
        /// When the latest ACK of the train came that began with the round, until that has a gap.
        train: Option<Time>,
    },
    PlusPlus {
        /// Smallest round trip of the round before.
        last_min: Duration,
        phase: Phase,
    },
}

/// Where HyStart++ is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    SlowStart,
    /// Conservative slow start: since a round whose smallest round trip was `baseline`, rounds so far.
    Conservative {
        baseline: Duration,
        rounds: u32,
    },
    /// The first slow start is over.
    Over,
}

/// The round that is going on: until all data is acknowledged that had been sent when it began.
#[derive(Clone, Debug)]
struct Round {
    end: u64,
    began: Time,
    min_rtt: Duration,
    samples: u32,
}

impl Round {
    fn starting(began: Time, end: u64) -> Self {
        Self {
            end,
            began,
            min_rtt: Duration::MAX,
            samples: 0,
        }
    }

    fn take(&mut self, rtt: Option<Duration>) {
        if let Some(rtt) = rtt {
            self.min_rtt = self.min_rtt.min(rtt);
            self.samples += 1;
        }
    }

    /// The smallest round trip, when there are enough samples.
    fn judged(&self) -> Option<Duration> {
        (self.samples >= SAMPLES).then_some(self.min_rtt)
    }
}

impl SlowStart {
    /// Watch for a new connection; `None` where a loss alone ends slow start.
    pub fn new(config: SlowStartConfig) -> Option<Self> {
        let rule = match config {
            SlowStartConfig::Standard => return None,
            SlowStartConfig::HyStart => Rule::HyStart {
                min_rtt: Duration::MAX,
                train: None,
            },
            SlowStartConfig::HyStartPlusPlus => Rule::PlusPlus {
                last_min: Duration::MAX,
                phase: Phase::SlowStart,
            },
        };
        Some(Self {
            rule,
            round: Round::starting(Time::ZERO, 0),
        })
    }

    /// Takes an ACK of new data outside of a recovery, before the congestion control grows the window. Ends slow start,
    /// if it is time, by setting the slow start threshold. Returns how many segments of `ack.counted` are to count for
    /// growth. `paced`: whether the sender paces, so that bursts need no limit.
    pub fn on_ack(&mut self, ack: &AckEvent, window: &mut Window, paced: bool) -> Segments {
        if window.cwnd >= window.ssthresh {
            self.leave();
            return ack.counted;
        }
        let last = self.round.min_rtt;
        // Beyond the end: what acknowledges the last segment of a round is a sample of that round.
        let is_new_round = ack.una > self.round.end;
        if is_new_round {
            self.round = Round::starting(ack.now, ack.nxt);
        }
        self.round.take(ack.segment_rtt);
        match &mut self.rule {
            Rule::HyStart { min_rtt, train } => {
                if let Some(rtt) = ack.segment_rtt {
                    *min_rtt = rtt.min(*min_rtt);
                }
                if is_new_round {
                    *train = Some(ack.now);
                }
                let is_long = train_is_long(train, &self.round, ack.now, *min_rtt, paced);
                let has_grown = |round: Duration| has_grown(round, *min_rtt);
                let grown = self.round.judged().is_some_and(has_grown);
                if window.cwnd >= LOW_WINDOW && (is_long || grown) {
                    window.ssthresh = window.cwnd;
                }
                ack.counted
            }
            Rule::PlusPlus { last_min, phase } => {
                if is_new_round {
                    *last_min = last;
                    phase.count_round(window);
                }
                phase.judge(self.round.judged(), *last_min);
                let counted = if paced {
                    ack.counted
                } else {
                    ack.counted.min(LARGEST_STEP)
                };
                match phase {
                    Phase::SlowStart => counted,
                    Phase::Conservative { .. } => counted / CSS_GROWTH_DIVISOR,
                    Phase::Over => ack.counted,
                }
            }
        }
    }

    /// Slow start is over; RFC 9406 section 4.3 is for the first one alone.
    fn leave(&mut self) {
        if let Rule::PlusPlus { phase, .. } = &mut self.rule {
            *phase = Phase::Over;
        }
        self.round.end = 0;
    }
}

impl Phase {
    /// A round has ended: after enough of them conservative slow start does, too.
    fn count_round(&mut self, window: &mut Window) {
        if let Self::Conservative { rounds, .. } = self {
            *rounds += 1;
            if *rounds >= CSS_ROUNDS {
                window.ssthresh = window.cwnd;
                *self = Self::Over;
            }
        }
    }

    /// The smallest round trip of the present round, when it can be judged, beside that of the last one.
    fn judge(&mut self, round: Option<Duration>, last: Duration) {
        let Some(round) = round else {
            return;
        };
        match *self {
            Self::SlowStart if last < Duration::MAX && has_grown(round, last) => {
                *self = Self::Conservative {
                    baseline: round,
                    rounds: 0,
                };
            }
            Self::Conservative { baseline, .. } if round < baseline => *self = Self::SlowStart,
            Self::SlowStart | Self::Conservative { .. } | Self::Over => {}
        }
    }
}

/// A round trip has grown so much that a queue must be filling.
fn has_grown(round: Duration, before: Duration) -> bool {
    let threshold = (before / RTT_DIVISOR).clamp(MIN_RTT_THRESHOLD, MAX_RTT_THRESHOLD);
    round >= before + threshold
}

/// The ACKs of the round have come without a gap for so long that the window fills the path: half of the
/// smallest round trip, as data leaves in bursts and takes the other half to spread; all of it if the
/// sender is paced.
fn train_is_long(
    train: &mut Option<Time>,
    round: &Round,
    now: Time,
    min_rtt: Duration,
    paced: bool,
) -> bool {
    *train = train
        .filter(|&latest| now.since(latest) <= TRAIN_GAP)
        .map(|_| now);
    let threshold = if paced { min_rtt } else { min_rtt / 2 };
    train.is_some() && now.since(round.began) > threshold
}

#[cfg(test)]
mod tests;
