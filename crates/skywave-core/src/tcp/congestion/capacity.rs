//! A window that random loss does not shrink: CUBIC, but no loss cuts it below what the path was measured
//! to carry, and a loss without a queue cuts nothing.
//!
//! Three things are known of the path: the largest rate of delivery of the last ten round trips (as BBR
//! has it), the smallest round trip, and the queue, which is what a round trip takes longer (as CERL reads
//! it). Rate times smallest round trip is the BDP: what must be in flight to use the path without a queue.
//!
//! - A loss while the queue is short says nothing about congestion: the window stays, and CUBIC's growth
//!   goes on as if nothing had happened.
//! - A loss while the queue is long is answered as by CUBIC, but not below the BDP (as Westwood does it).
//!   Beside other senders the own share of the rate makes a small BDP, so that CUBIC's cut decides.
//! - A mark is no random loss: CUBIC's cut.
//!
//! Slow start ends when the rate stops growing (BBR), when the smallest queue of a round trip is long, or
//! when a round trip loses more than a channel would. What is lost is repaired by SACK at the window's own
//! size ([`owns_window`](CongestionControl::owns_window)), and the sender is paced as Linux paces: a burst
//! in a short queue would cost packets that only look like random loss.

mod queue;

use super::cubic::{Cubic, CubicConfig};
use super::path::{FEWEST, FullPipe, MaxRate, NO_RATE, Rounds, delivered_in};
use super::{CongestionControl, Law};
use crate::tcp::flight::RateSample;
use crate::tcp::pacing::{AVOIDANCE_GAIN, NOMINAL_RTT, SLOW_START_GAIN, rate_of_window};
use crate::tcp::slot::{BuiltIn, Setup};
use crate::tcp::window::{AckEvent, LossCause, LossEvent, Response, TimeoutEvent, Window};
use crate::units::{Rate, Segments};

use queue::Queue;

/// A cut to this part of the window or more is none: CUBIC would begin a new period of growth for nothing.
const KEPT: f64 = 0.95;

/// In slow start, losing this part of a round trip's segments is congestion even without a queue, as at
/// a buffer of a few packets. No channel that TCP works over loses that much; doubling the window beyond
/// such a buffer loses half.
const TOO_MUCH: f64 = 0.3;
/// ... of at least this many segments.
const TOO_MANY: Segments = Segments(8.0);

/// State of one sender.
#[derive(Clone, Debug)]
pub struct Capacity {
    mss: u32,
    cubic: Cubic,
    rounds: Rounds,
    bandwidth: MaxRate,
    full_pipe: FullPipe,
    queue: Queue,
    /// What the present round trip has delivered and lost, in segments.
    delivered: Segments,
    lost: Segments,
    /// The first slow start goes on.
    startup: bool,
    pace: Rate,
}

impl BuiltIn for Capacity {
    type Config = ();
    /// In a box: it is several times as large as the others.
    type State = Box<Self>;
    const NAME: &'static str = "capacity";
    const SUMMARY: &'static str =
        "CUBIC that never cuts below the measured BDP, nor for a loss without a queue; paced";
    const SOURCE: &'static str = "docs/mechanisms/capacity.md";
    const DEFAULT: () = ();

    fn build(_config: &(), setup: &Setup) -> Box<Self> {
        Box::new(Self::new(setup))
    }
}

impl Law for Capacity {}

impl Capacity {
    /// A sender that has seen nothing yet.
    pub fn new(setup: &Setup) -> Self {
        Self {
            mss: setup.mss,
            // Linux' constants: this sender meets Linux' CUBIC.
            cubic: Cubic::new(CubicConfig {
                alpha_one: false,
                ..CubicConfig::DEFAULT
            }),
            rounds: Rounds::default(),
            bandwidth: MaxRate::new(NO_RATE),
            full_pipe: FullPipe::default(),
            queue: Queue::default(),
            delivered: Segments::ZERO,
            lost: Segments::ZERO,
            startup: true,
            pace: rate_of_window(
                setup.initial_window,
                NOMINAL_RTT,
                setup.mss,
                SLOW_START_GAIN,
            ),
        }
    }

    /// What must be in flight to use all of the path; no segment before anything was measured.
    fn bdp(&self) -> Segments {
        let rtt = self.queue.min_rtt().unwrap_or_default();
        delivered_in(rtt, self.bandwidth.get(), self.mss)
    }

    /// Takes the sample into what is known of the path; whether a round trip is over.
    fn measure(&mut self, sample: &RateSample) -> bool {
        if let Some(rtt) = sample.rtt {
            self.queue.on_sample(rtt);
        }
        let round = self.rounds.on_ack(sample);
        if let Some(rate) = sample.rate()
            && (!sample.app_limited || rate >= self.bandwidth.get())
        {
            self.bandwidth.update(self.rounds.count(), rate);
        }
        round
    }

    /// Whether the first slow start has filled the path, as of this ACK.
    fn fills_the_path(&mut self, round: bool, sample: &RateSample) -> bool {
        if round && !sample.app_limited {
            self.full_pipe.on_round(self.bandwidth.get());
        }
        let sent = self.lost + self.delivered;
        self.full_pipe.is_reached()
            || round && self.queue.stayed_long()
            || self.lost >= TOO_MANY && self.lost > sent * TOO_MUCH
    }

    fn end_slow_start(&mut self, window: &mut Window) {
        self.startup = false;
        let bdp = self.bdp().max(FEWEST);
        window.ssthresh = bdp;
        window.cwnd = window.cwnd.min(bdp);
    }
}

impl CongestionControl for Capacity {
    fn on_ack(&mut self, ack: &AckEvent, window: &mut Window) {
        let Some(sample) = ack.rate else {
            // Nothing has arrived.
            return;
        };
        let round = self.measure(&sample);
        self.delivered += ack.delivered;
        self.lost += ack.lost;
        if self.startup && self.fills_the_path(round, &sample) {
            self.end_slow_start(window);
        }
        if round {
            self.queue.begin_round();
            (self.delivered, self.lost) = (Segments::ZERO, Segments::ZERO);
        }
        let slow_start = window.cwnd < window.ssthresh;
        let pace = if slow_start {
            SLOW_START_GAIN
        } else {
            AVOIDANCE_GAIN
        };
        // A window that is not half used does not grow. Losses and the pace keep it from being filled.
        let used = Segments::from_bytes(sample.flight_before, self.mss) * 2.0 >= window.cwnd;
        let ack = AckEvent {
            counted: ack.delivered,
            may_grow: used,
            ..*ack
        };
        self.cubic.on_ack(&ack, window);
        if let Some(srtt) = ack.srtt.filter(|srtt| !srtt.is_zero()) {
            self.pace = rate_of_window(window.cwnd, srtt, self.mss, pace);
        }
    }

    fn on_loss(&mut self, loss: &LossEvent, window: &Window) -> Response {
        let queued = if self.startup {
            self.queue.is_long_for_the_path()
        } else {
            self.queue.is_long()
        };
        if loss.cause == LossCause::Eln || !queued {
            return Response::unchanged(window);
        }
        let bdp = self.bdp().max(FEWEST);
        if !self.startup && bdp >= window.cwnd * KEPT {
            return Response::unchanged(window);
        }
        let cut = self.cubic.on_loss(loss, window);
        let to = if std::mem::take(&mut self.startup) {
            bdp
        } else {
            cut.ssthresh.max(bdp)
        };
        Response::cut_to(to.min(window.cwnd.max(FEWEST)))
    }

    fn on_timeout(&mut self, timeout: &TimeoutEvent, window: &Window) -> Response {
        self.startup = false;
        let cut = self.cubic.on_timeout(timeout, window);
        Response {
            ssthresh: cut.ssthresh.max(self.bdp()).max(FEWEST),
            ..cut
        }
    }

    fn on_ecn(&mut self, mark: &LossEvent, window: &Window) -> Response {
        self.startup = false;
        self.cubic.on_loss(mark, window)
    }

    fn owns_window(&self) -> bool {
        true
    }

    fn needs_rate(&self) -> bool {
        true
    }

    fn pacing_rate(&self) -> Option<Rate> {
        Some(self.pace)
    }
}

#[cfg(test)]
mod tests;
