//! CUBIC (RFC 9438): growth by the time since the last reduction, in congestion avoidance.

use super::{CongestionControl, Law};
use crate::parameter::{Refusal, parameters};
use crate::tcp::slot::{Base, BuiltIn, OwnPreset, Setup};
use crate::tcp::slow_start::SlowStartConfig;
use crate::tcp::window::{AckEvent, IdleEvent, LossEvent, Response, TimeoutEvent, Window};
use crate::time::Time;
use crate::units::Segments;

parameters! {
    /// CUBIC's constants, by default as published.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct CubicConfig {
        /// Scaling constant C, in segments per second cubed.
        // C, segments per second cubed.
        c: f64 = 0.4, Positive;
        /// Decrease factor between 0 and 1: the part of the window that a loss leaves.
        beta: f64 = 0.7, Probability;
        /// Give up part of the share to new flows.
        fast_convergence: bool = true, Flag;
        /// Grow as Reno does when the window is what it was before the loss; Linux: false.
        // Once W_est has reached the window before the reduction, it grows as Reno's window does (α = 1, RFC 9438
        // section 4.3). Linux has no such step: there W_est always grows with α_cubic.
        alpha_one: bool = true, Flag;
    }
}

impl BuiltIn for Cubic {
    type Config = CubicConfig;
    type State = Box<Self>;
    const NAME: &'static str = "cubic";
    const SUMMARY: &'static str = "cubic in the time since the last reduction";
    const SOURCE: &'static str = "RFC 9438";
    const PRESETS: &'static [OwnPreset<CubicConfig>] = &[OwnPreset {
        name: "cubic",
        summary: "cubic growth in time since the last loss; SACK recovery",
        source: Self::SOURCE,
        base: Base::Sack,
        config: CubicConfig::DEFAULT,
    }];

    fn check(config: &CubicConfig) -> Result<(), Refusal> {
        if config.beta > 0.0 && config.beta < 1.0 {
            return Ok(());
        }
        Err(Refusal::of(
            &["beta"],
            "CUBIC's `beta` is not between 0 and 1",
            "at 0 a loss leaves nothing of the window, at 1 all of it",
        ))
    }

    fn build(config: &CubicConfig, _setup: &Setup) -> Box<Self> {
        Box::new(Self::new(*config))
    }
}

impl Law for Cubic {
    const SLOW_START: SlowStartConfig = SlowStartConfig::HyStart;
}

/// Part of the window that is kept after an ECN mark with RFC 8511 (section 3).
const BETA_ECN: f64 = 0.85;

/// State of one CUBIC sender.
#[derive(Clone, Copy, Debug)]
pub struct Cubic {
    config: CubicConfig,
    /// W_max: window just before the last reduction, less with fast convergence; segments.
    w_max: f64,
    /// cwnd_prior: window just before the last reduction, segments.
    cwnd_prior: f64,
    epoch: Option<Epoch>,
}

/// One period of growth since a reduction (RFC 9438 section 4.2).
#[derive(Clone, Copy, Debug)]
struct Epoch {
    start: Time,
    /// Up to when time has counted, or was left out.
    last: Time,
    /// K: seconds until the window is at W_max again.
    k: f64,
    /// W_est: what Reno would have (section 4.3).
    w_est: f64,
    /// Window at the start of the epoch.
    cwnd_start: f64,
}

impl Epoch {
    /// Time in which the window was not grown along the curve does not count (sections 4.2 and 5.8).
    fn leave_out(&mut self, until: Time) {
        self.start += until.since(self.last);
        self.last = until;
    }
}

impl Cubic {
    /// State of a CUBIC sender before its first loss.
    pub fn new(config: CubicConfig) -> Self {
        Self {
            config,
            w_max: 0.0,
            cwnd_prior: 0.0,
            epoch: None,
        }
    }

    /// A cut to this share of the window; W_max is where the growth slows down next time.
    fn cut(&mut self, event: &LossEvent, beta: f64) -> Response {
        let cwnd = event.window.0;
        // Section 4.7: fast convergence.
        self.w_max = if self.config.fast_convergence && cwnd < self.w_max {
            cwnd * (1.0 + beta) / 2.0
        } else {
            cwnd
        };
        self.cwnd_prior = cwnd;
        self.epoch = None;
        event.cut_to(event.window * beta)
    }

    fn begin(&mut self, now: Time, cwnd: f64) -> Epoch {
        if self.w_max < cwnd {
            // Slow start ended without a loss or after a timeout: start from the plateau, K = 0
            // (sections 4.8 and 4.10).
            self.w_max = cwnd;
        }
        Epoch {
            start: now,
            last: now,
            k: libm::cbrt((self.w_max - cwnd) / self.config.c),
            w_est: cwnd,
            cwnd_start: cwnd,
        }
    }
}

impl CongestionControl for Cubic {
    fn grow(&mut self, ack: &AckEvent, window: &mut Window) {
        let slow_start = window.cwnd < window.ssthresh;
        if let Some(epoch) = &mut self.epoch
            && (slow_start || !ack.may_grow)
        {
            epoch.leave_out(ack.now);
        }
        if !ack.may_grow {
            return;
        }
        let cwnd = window.cwnd.0;
        if slow_start {
            window.cwnd += ack.counted;
            return;
        }
        let mut epoch = self.epoch.unwrap_or_else(|| self.begin(ack.now, cwnd));
        epoch.last = ack.now;
        let CubicConfig {
            c, beta, alpha_one, ..
        } = self.config;
        let rtt = ack.srtt.unwrap_or_default().as_secs_f64();
        let t = ack.now.since(epoch.start).as_secs_f64();
        let curve = |t: f64| {
            let d = t - epoch.k;
            c * d * d * d + self.w_max
        };
        // Section 4.3: α_cubic until W_est has reached the window before the reduction, then 1.
        let alpha = if !alpha_one || epoch.w_est < self.cwnd_prior {
            3.0 * (1.0 - beta) / (1.0 + beta)
        } else {
            1.0
        };
        epoch.w_est += alpha * ack.counted.0 / cwnd;
        window.cwnd = if curve(t) < epoch.w_est {
            Segments(epoch.w_est.max(cwnd))
        } else {
            // Sections 4.4 and 4.5: towards the curve a round trip ahead, at most 1.5 cwnd.
            let target = curve(t + rtt).clamp(cwnd, 1.5 * cwnd);
            Segments(cwnd + (target - cwnd) / cwnd * ack.counted.0.min(1.0))
        };
        debug_assert!(window.cwnd.0 >= epoch.cwnd_start.min(cwnd));
        self.epoch = Some(epoch);
    }

    fn on_loss(&mut self, loss: &LossEvent, _window: &Window) -> Response {
        self.cut(loss, self.config.beta)
    }

    fn on_ecn(&mut self, mark: &LossEvent, _window: &Window) -> Response {
        let beta = if mark.abe { BETA_ECN } else { self.config.beta };
        self.cut(mark, beta)
    }

    fn on_resume(&mut self, idle: &IdleEvent) {
        if let Some(epoch) = &mut self.epoch {
            epoch.leave_out(idle.now);
        }
    }

    fn on_timeout(&mut self, timeout: &TimeoutEvent, _window: &Window) -> Response {
        // Section 4.8: the next congestion avoidance begins at a plateau of its own.
        self.w_max = 0.0;
        self.cwnd_prior = timeout.window.0;
        self.epoch = None;
        Response::restart(timeout.window * self.config.beta)
    }
}

#[cfg(test)]
mod tests;
