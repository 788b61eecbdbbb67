//! TCP Vegas (Brakmo, O'Malley and Peterson 1994), as ns-2 reads it: keep a few segments queued.
//!
//! Once a round trip the expected rate (what is in flight over the smallest RTT) is compared with
//! the actual one; the difference times the smallest RTT is the number of segments queued. The
//! fine-grained loss check belongs to the `detection` slot.

use super::{CongestionControl, Law};
use crate::parameter::{Refusal, parameters};
use crate::tcp::slot::{BuiltIn, Setup};
use crate::tcp::window::{AckEvent, LossEvent, MIN_SSTHRESH, Response, TimeoutEvent, Window};
use crate::time::{Duration, Time};
use crate::units::Segments;

parameters! {
    /// Vegas' thresholds, in segments; by default as published.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct VegasConfig {
        /// Queued segments below which the window grows.
        alpha: f64 = 1.0, Positive;
        /// Queued segments above which the window shrinks.
        beta: f64 = 3.0, Positive;
        /// Queued segments above which slow start ends.
        gamma: f64 = 1.0, Positive;
    }
}

impl BuiltIn for Vegas {
    type Config = VegasConfig;
    type State = Box<Self>;
    const NAME: &'static str = "vegas";
    const SUMMARY: &'static str = "holds alpha to beta segments in the queue";
    const SOURCE: &'static str = "Brakmo 1994";

    fn check(config: &VegasConfig) -> Result<(), Refusal> {
        if config.alpha <= config.beta {
            return Ok(());
        }
        Err(Refusal::of(
            &["alpha", "beta"],
            "Vegas' `alpha` is above its `beta`",
            "below alpha the window grows, above beta it shrinks",
        ))
    }

    fn build(config: &VegasConfig, setup: &Setup) -> Box<Self> {
        Box::new(Self::new(*config, setup.mss))
    }
}

/// Vegas guards against repeated cuts itself: it checks whether the window was cut since the lost
/// segment left.
impl Law for Vegas {
    const GUARDS_REPEATS: bool = true;
}

/// State of one Vegas sender.
#[derive(Clone, Copy, Debug)]
pub struct Vegas {
    config: VegasConfig,
    mss: u32,
    base_rtt: Duration,
    /// Sum and number of the fine-grained samples of this round trip.
    rtt_sum: Duration,
    rtt_count: u64,
    /// Position and time at which this round trip began.
    round_start: u64,
    round_began: Time,
    /// Amount that each ACK of this round trip adds to the window.
    increment: Segments,
    /// Slow start doubles in every other round trip.
    grow_this_round: bool,
    last_cut: Option<Time>,
}

impl Vegas {
    /// State of a Vegas sender that has sent nothing yet; `mss` is the payload of a full segment in bytes.
    pub fn new(config: VegasConfig, mss: u32) -> Self {
        Self {
            config,
            mss,
            base_rtt: Duration::MAX,
            rtt_sum: Duration::ZERO,
            rtt_count: 0,
            round_start: 0,
            round_began: Time::ZERO,
            increment: Segments::ZERO,
            grow_this_round: true,
            last_cut: None,
        }
    }

    /// Once a round trip: compare expected with actual and set this round's increment.
    fn end_round(&mut self, ack: &AckEvent, outstanding: f64, window: &mut Window) {
        let rtt = if self.rtt_count > 0 {
            self.rtt_sum / self.rtt_count
        } else {
            ack.now.since(self.round_began)
        };
        self.rtt_sum = Duration::ZERO;
        self.rtt_count = 0;
        let sent = Segments::from_bytes(ack.nxt.saturating_sub(self.round_start), self.mss).0;
        if !rtt.is_zero() {
            // With one segment in the round there was nothing to queue behind: a true base.
            if rtt < self.base_rtt || sent <= 1.0 {
                self.base_rtt = rtt;
            }
            let actual = sent * self.base_rtt.as_nanos() as f64 / rtt.as_nanos() as f64;
            self.decide((outstanding - actual).round_half_up(), window);
        }
        self.round_start = ack.nxt;
        self.round_began = ack.now;
    }

    fn decide(&mut self, queued: f64, window: &mut Window) {
        self.increment = Segments::ZERO;
        if window.cwnd < window.ssthresh {
            self.grow_this_round = !self.grow_this_round;
            if !self.grow_this_round {
                return;
            }
            if queued > self.config.gamma {
                window.ssthresh = MIN_SSTHRESH;
                window.cwnd = (window.cwnd * 0.875).max(MIN_SSTHRESH);
            } else {
                self.increment = Segments::ONE;
            }
        } else if queued > self.config.beta {
            window.cwnd = (window.cwnd - Segments::ONE).max(MIN_SSTHRESH);
        } else if queued < self.config.alpha {
            self.increment = Segments(1.0 / window.cwnd.0);
        }
    }
}

trait RoundHalfUp {
    /// Adds a half and drops the fraction, as the reference implementation rounds.
    fn round_half_up(self) -> f64;
}

impl RoundHalfUp for f64 {
    fn round_half_up(self) -> f64 {
        (self + 0.5).trunc()
    }
}

impl CongestionControl for Vegas {
    fn grow(&mut self, ack: &AckEvent, window: &mut Window) {
        // The segment about to be sent counts as outstanding.
        let outstanding = ack.in_flight.0 + 1.0;
        if ack.una > self.round_start {
            self.end_round(ack, outstanding, window);
        }
        if self.increment == Segments::ONE && window.cwnd >= window.ssthresh {
            self.increment = Segments::ZERO;
        }
        // Grow only while the window is in use.
        if window.cwnd.0 - outstanding <= 2.0 {
            window.cwnd += self.increment;
        }
        if let Some(rtt) = ack.segment_rtt {
            self.rtt_sum += rtt;
            self.rtt_count += 1;
            self.base_rtt = self.base_rtt.min(rtt);
        }
    }

    fn on_loss(&mut self, loss: &LossEvent, window: &Window) -> Response {
        if self.last_cut.is_some_and(|cut| loss.sent_at <= cut) {
            // The window was cut after this segment left: the loss is old news.
            return Response::unchanged(window);
        }
        self.last_cut = Some(loss.now);
        let win = loss.window.0.trunc();
        let cut = if loss.transmissions > 1 {
            (win / 2.0).trunc()
        } else {
            win - (win / 4.0).trunc()
        };
        Response {
            // Slow start is over for good.
            ssthresh: MIN_SSTHRESH,
            window_after: Segments(if win <= 3.0 { 2.0 } else { cut }),
        }
    }

    fn on_timeout(&mut self, timeout: &TimeoutEvent, _window: &Window) -> Response {
        self.last_cut = Some(timeout.now);
        Response {
            window_after: MIN_SSTHRESH,
            ..Response::restart(timeout.window / 2.0)
        }
    }
}

#[cfg(test)]
mod tests;
