//! Prague (draft-briscoe-iccrg-prague-congestion-control): DCTCP for the Internet, beside a queue of its own
//! ([`DualPi2`](crate::link::DualPi2Config)).
//!
//! - Its data carries ECT(1), by which queues know it (RFC 9331).
//! - The window grows with each ACK of unmarked data, also just after a cut, so that marks now and then
//!   hold it in balance instead of a sawtooth.
//! - A few round trips after slow start it is **independent of short round trips**: below a virtual round
//!   trip of 25 ms the rate grows, and is cut, as with that. The increase of a round trip is
//!   `(RTT/25 ms)²` segments; α moves and a cut comes once in 25 ms.
//! - It is paced at a window in a round trip, in bursts of at most 0.25 ms.
//! - A loss halves the window, as Reno's.
//!
//! α stays at 1 until the first mark: before that nothing shows that a queue on the path marks.

use super::dctcp::MarkedShare;
use super::{CongestionControl, Law, NeedsEcn, Reno};
use crate::parameter::parameters;
use crate::tcp::pacing::{NOMINAL_RTT, SLOW_START_GAIN, rate_of_window};
use crate::tcp::slot::{BuiltIn, Setup};
use crate::tcp::window::{AckEvent, LossEvent, Repairing, Response, TimeoutEvent, Window};
use crate::time::{Duration, Time};
use crate::units::{Rate, Segments};

parameters! {
    /// Prague's constants, by default as published.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct PragueConfig {
        /// Weight of the latest round trip in the average share of marked data.
        // g, of the latest round trip in α.
        g: f64 = 1.0 / 16.0, Probability;
        /// Virtual round-trip time: with a shorter one the sender behaves as with this.
        // With a shorter round trip the sender behaves as with this.
        rtt_virt: Duration = Duration::from_millis(25), Period;
    }
}

impl BuiltIn for Prague {
    type Config = PragueConfig;
    /// In a box: it is larger than the others.
    type State = Box<Self>;
    const NAME: &'static str = "prague";
    const SUMMARY: &'static str = "DCTCP's cut; growth as with 25 ms; paced; ECT(1)";
    const SOURCE: &'static str = "draft-briscoe-iccrg-prague-congestion-control";

    fn build(config: &PragueConfig, setup: &Setup) -> Box<Self> {
        Box::new(Self::new(*config, setup))
    }
}

impl Law for Prague {
    const NEEDS_ECN: NeedsEcn = NeedsEcn::L4s;
}

/// Rounds after slow start until short round trips do not count any more, as in Linux.
const TRANSITION: u32 = 4;
/// Longest burst.
const BURST: Duration = Duration::from_micros(250);

/// State of one Prague sender.
#[derive(Clone, Copy, Debug)]
pub struct Prague {
    share: MarkedShare,
    rtt_virt: Duration,
    mss: u32,
    /// Rounds since slow start, up to the transition.
    rounds: u32,
    seen_mark: bool,
    /// Smoothed round trip of segments, finer than the timer's clock may be; zero while none was seen.
    srtt: Duration,
    /// When α moved last, and when a mark last cut the window.
    moved_at: Time,
    cut_at: Time,
    pace: Rate,
}

impl Prague {
    /// State of a Prague sender that has sent nothing yet.
    pub fn new(config: PragueConfig, setup: &Setup) -> Self {
        Self {
            share: MarkedShare::new(config.g, 1.0),
            rtt_virt: config.rtt_virt,
            mss: setup.mss,
            rounds: 0,
            seen_mark: false,
            srtt: Duration::ZERO,
            moved_at: Time::ZERO,
            cut_at: Time::ZERO,
            pace: rate_of_window(setup.initial_window, NOMINAL_RTT, setup.mss, 1.0),
        }
    }

    /// Short round trips do not count.
    fn is_independent(&self) -> bool {
        self.rounds >= TRANSITION
    }

    /// So much of a virtual round trip has passed since `then` that the next step may come.
    fn may_go_on(&self, now: Time, then: Time) -> bool {
        !self.is_independent() || now.since(then) >= self.rtt_virt
    }

    /// Growth of the window in a round trip, in segments.
    fn step(&self) -> f64 {
        if !self.is_independent() || self.srtt >= self.rtt_virt {
            return 1.0;
        }
        let share = self.srtt.as_secs_f64() / self.rtt_virt.as_secs_f64();
        share * share
    }

    /// Takes the round trip, counts marks, and moves α at the end of a round.
    fn measure(&mut self, ack: &AckEvent, window: &Window) {
        if let Some(rtt) = ack.segment_rtt {
            self.srtt = if self.srtt.is_zero() {
                rtt
            } else {
                (self.srtt * 7 + rtt) / 8
            };
        }
        self.share.count(ack);
        self.seen_mark |= ack.marked > Segments::ZERO;
        if !self.share.is_over(ack) || !self.may_go_on(ack.now, self.moved_at) {
            return;
        }
        if self.seen_mark {
            self.share.update(ack);
        } else {
            self.share.begin_round(ack);
        }
        self.moved_at = ack.now;
        if window.cwnd >= window.ssthresh {
            self.rounds = (self.rounds + 1).min(TRANSITION);
        }
    }

    fn increase(&self, ack: &AckEvent, window: &mut Window) {
        // Paced as it is, the sender need not fill the window to the last segment.
        let is_used = ack.in_flight_before * 2.0 >= window.cwnd;
        let unmarked = ack.marked == Segments::ZERO;
        if !is_used || !unmarked || ack.repairing == Repairing::Loss {
            return;
        }
        if window.cwnd < window.ssthresh {
            window.cwnd += ack.counted;
        } else {
            window.cwnd += ack.counted * self.step() / window.cwnd.0;
        }
    }
}

impl CongestionControl for Prague {
    fn grow(&mut self, ack: &AckEvent, window: &mut Window) {
        self.measure(ack, window);
        self.increase(ack, window);
        if !self.srtt.is_zero() {
            let in_use = window.cwnd.max(ack.in_flight);
            let fast = window.cwnd < window.ssthresh / 2.0;
            let gain = if fast { SLOW_START_GAIN } else { 1.0 };
            self.pace = rate_of_window(in_use, self.srtt, self.mss, gain);
        }
    }

    fn on_loss(&mut self, loss: &LossEvent, window: &Window) -> Response {
        Reno.on_loss(loss, window)
    }

    fn on_timeout(&mut self, timeout: &TimeoutEvent, window: &Window) -> Response {
        Reno.on_timeout(timeout, window)
    }

    fn on_ecn(&mut self, mark: &LossEvent, window: &Window) -> Response {
        if !self.may_go_on(mark.now, self.cut_at) {
            return Response::unchanged(window);
        }
        self.cut_at = mark.now;
        mark.cut_to(mark.window * (1.0 - self.share.alpha / 2.0))
    }

    fn pacing_rate(&self) -> Option<Rate> {
        Some(self.pace)
    }

    fn send_quantum(&self) -> Option<u64> {
        Some(self.pace.bytes_in(BURST))
    }
}

#[cfg(test)]
mod tests;
