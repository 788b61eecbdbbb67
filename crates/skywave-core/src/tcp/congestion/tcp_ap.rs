//! TCP-AP, adaptive pacing for chains of radio hops (ElRakabawy, Klemm and Lindemann 2005; Francis 2012, section
//! 4.2): segments leave so far apart that one is out of the way of the next.
//!
//! With carrier sense of two hops, stations four hops apart can send at the same time. A segment takes the
//! four-hop propagation delay `FHD = 2·RTT/hops` for four of `hops` hops there and as many back, and one that
//! leaves FHD after the last does not meet it. Where round trips vary, stations contend, and the gap is longer:
//! the rate is one segment in `FHD·(1 + 2·cov)`, cov being the coefficient of variation of the last 50 round
//! trips. The window is Reno's.
//!
//! The text gives no formula. The published one also takes off what an ACK's shorter airtime saves, for which a
//! sender must know the rate of the radio.

use super::{CongestionControl, Law, Reno, standard_growth};
use crate::parameter::parameters;
use crate::tcp::pacing::NOMINAL_RTT;
use crate::tcp::slot::{Base, BuiltIn, OwnPreset, Setup};
use crate::tcp::window::{AckEvent, LossEvent, Response, TimeoutEvent, Window};
use crate::time::Duration;
use crate::units::Rate;

parameters! {
    /// Parameters of TCP-AP's pacing: the hops to the receiver, and the weight of older delays in their average.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct TcpApConfig {
        /// Hops to the receiver.
        // Routing tells a station. By default a chain of four hops, and the authors' weight.
        hops: f64 = 4.0, Positive;
        /// Weight of the older samples in the average delay of four hops.
        memory: f64 = 0.7, Probability;
    }
}

impl BuiltIn for TcpAp {
    type Config = TcpApConfig;
    type State = Box<Self>;
    const NAME: &'static str = "tcp-ap";
    const SUMMARY: &'static str =
        "paced by the delay of four hops and the variation of round trips; halving";
    const SOURCE: &'static str = "ElRakabawy, Klemm and Lindemann 2005";
    const PRESETS: &'static [OwnPreset<TcpApConfig>] = &[OwnPreset {
        name: "tcp-ap",
        summary: "adaptive pacing for a chain of four radio hops; NewReno recovery",
        source: "ElRakabawy, Klemm and Lindemann 2005",
        base: Base::NewReno,
        config: TcpApConfig::DEFAULT,
    }];

    fn build(config: &TcpApConfig, setup: &Setup) -> Box<Self> {
        Box::new(Self::new(*config, setup.mss))
    }
}

impl Law for TcpAp {}

/// Round trips of which the variation is taken.
const SAMPLES: usize = 50;

/// Congestion control TCP-AP for chains of radio hops, state of one sender: Reno's window, paced by the delay
/// of four hops and how much round trips vary.
#[derive(Clone, Copy, Debug)]
pub struct TcpAp {
    config: TcpApConfig,
    mss: u32,
    /// The latest round trips in seconds, in the place of the oldest the next one.
    round_trips: [f64; SAMPLES],
    seen: usize,
    /// FHD in seconds, averaged; `None` before a round trip.
    delay: Option<f64>,
}

impl TcpAp {
    /// State of a TCP-AP sender that has sent nothing yet; `mss` is the payload of a full segment in bytes.
    pub fn new(config: TcpApConfig, mss: u32) -> Self {
        Self {
            config,
            mss,
            round_trips: [0.0; SAMPLES],
            seen: 0,
            delay: None,
        }
    }

    fn measure(&mut self, rtt: Duration) {
        let rtt = rtt.as_secs_f64();
        self.round_trips[self.seen % SAMPLES] = rtt;
        self.seen += 1;
        let sample = 2.0 * rtt / self.config.hops;
        let memory = self.config.memory;
        self.delay = Some(
            self.delay
                .map_or(sample, |delay| memory * delay + (1.0 - memory) * sample),
        );
    }

    /// Standard deviation of the latest round trips over their mean.
    fn variation(&self) -> f64 {
        let latest = &self.round_trips[..self.seen.min(SAMPLES)];
        let count = latest.len() as f64;
        let mean = latest.iter().sum::<f64>() / count;
        let variance = latest
            .iter()
            .map(|rtt| (rtt - mean) * (rtt - mean))
            .sum::<f64>()
            / count;
        if mean > 0.0 {
            libm::sqrt(variance) / mean
        } else {
            0.0
        }
    }

    /// Seconds from one segment to the next.
    fn gap(&self) -> f64 {
        match self.delay {
            Some(delay) => delay * (1.0 + 2.0 * self.variation()),
            None => NOMINAL_RTT.as_secs_f64(),
        }
    }
}

impl CongestionControl for TcpAp {
    fn on_ack(&mut self, ack: &AckEvent) {
        if let Some(rtt) = ack.segment_rtt {
            self.measure(rtt);
        }
    }

    fn grow(&mut self, ack: &AckEvent, window: &mut Window) {
        standard_growth(ack, window);
    }

    fn on_loss(&mut self, loss: &LossEvent, window: &Window) -> Response {
        Reno.on_loss(loss, window)
    }

    fn on_timeout(&mut self, timeout: &TimeoutEvent, window: &Window) -> Response {
        Reno.on_timeout(timeout, window)
    }

    fn pacing_rate(&self) -> Option<Rate> {
        // A cast of a float saturates.
        let bits = f64::from(self.mss) * 8.0 / self.gap();
        Some(Rate::from_bps((bits as u64).max(1)))
    }

    fn send_quantum(&self) -> Option<u64> {
        Some(u64::from(self.mss))
    }
}

#[cfg(test)]
mod tests;
