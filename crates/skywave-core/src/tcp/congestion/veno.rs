//! TCP Veno (Fu and Liew 2003): Reno that grows slower and cuts less by the backlog it measures.

use super::{CongestionControl, Law, Reno};
use crate::parameter::parameters;
use crate::tcp::slot::{Base, BuiltIn, OwnPreset, Setup};
use crate::tcp::window::{AckEvent, LossEvent, Response, TimeoutEvent, Window};
use crate::time::Duration;
use crate::units::Segments;

parameters! {
    /// Veno's threshold: the backlog at the bottleneck from which a loss is congestive, by default as published.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct VenoConfig {
        /// Backlog in segments from which a loss is congestive.
        // N.
        backlog: f64 = 3.0, Positive;
    }
}

impl BuiltIn for Veno {
    type Config = VenoConfig;
    type State = Self;
    const NAME: &'static str = "veno";
    const SUMMARY: &'static str = "slower growth and a milder cut by the backlog";
    const SOURCE: &'static str = "Fu and Liew 2003";
    const PRESETS: &'static [OwnPreset<VenoConfig>] = &[OwnPreset {
        name: "veno",
        summary: "milder cut (4/5) when the backlog is small",
        source: Self::SOURCE,
        base: Base::Reno,
        config: VenoConfig::DEFAULT,
    }];

    fn build(config: &VenoConfig, _setup: &Setup) -> Self {
        Self::new(*config)
    }
}

impl Law for Veno {}

/// State of one Veno sender.
#[derive(Clone, Copy, Debug)]
pub struct Veno {
    config: VenoConfig,
    base_rtt: Duration,
    rtt: Option<Duration>,
    /// Congestion avoidance adds 1/cwnd on every second ACK once the backlog has reached N.
    skip: bool,
}

impl Veno {
    /// State of a Veno sender that has sent nothing yet.
    pub fn new(config: VenoConfig) -> Self {
        Self {
            config,
            base_rtt: Duration::MAX,
            rtt: None,
            skip: false,
        }
    }

    /// Segments queued at the bottleneck: `cwnd·(RTT − BaseRTT)/RTT` (section II-A).
    fn backlog(&self, cwnd: Segments) -> f64 {
        self.rtt.map_or(0.0, |rtt| {
            let queued = rtt.saturating_sub(self.base_rtt);
            cwnd.0 * queued.as_nanos() as f64 / rtt.as_nanos().max(1) as f64
        })
    }
}

impl CongestionControl for Veno {
    fn on_ack(&mut self, ack: &AckEvent) {
        if let Some(rtt) = ack.segment_rtt {
            self.base_rtt = self.base_rtt.min(rtt);
            self.rtt = Some(rtt);
        }
    }

    fn grow(&mut self, ack: &AckEvent, window: &mut Window) {
        if !ack.may_grow {
            return;
        }
        if window.cwnd < window.ssthresh {
            window.cwnd += ack.counted;
            return;
        }
        // Section II-B: one segment a round trip, or every second one when the link is full.
        self.skip = !self.skip && self.backlog(window.cwnd) >= self.config.backlog;
        if !self.skip {
            window.cwnd += ack.counted / window.cwnd.0;
        }
    }

    fn on_loss(&mut self, loss: &LossEvent, window: &Window) -> Response {
        // Section II-C: a small backlog means a random loss.
        if self.backlog(window.cwnd) < self.config.backlog {
            loss.cut_to(loss.window * 0.8)
        } else {
            Reno.on_loss(loss, window)
        }
    }

    fn on_timeout(&mut self, timeout: &TimeoutEvent, window: &Window) -> Response {
        Reno.on_timeout(timeout, window)
    }
}

#[cfg(test)]
mod tests;
