//! TCP CERL (El-Ocla 2008, section 3): Reno, unless the bottleneck's queue was short.
//!
//! The queue is read from the round-trip time, `l = RTT − T` with `T` the smallest RTT seen; the
//! paper's factor B cancels in the comparison, so `l` is kept in seconds (section 3.2). A loss found
//! by duplicate ACKs is congestive when `l ≥ N = A·l_max` and no window of data was cut for it
//! already; any other loss leaves window and threshold alone. Inflation and deflation to the saved
//! window (section 3.3) are what every recovery does with a [`Response`] whose window is unchanged.

use super::{CongestionControl, Law, Reno, standard_growth};
use crate::parameter::parameters;
use crate::tcp::slot::{Base, BuiltIn, OwnPreset, Setup};
use crate::tcp::window::{AckEvent, LossEvent, Response, TimeoutEvent, Window};
use crate::time::Duration;

parameters! {
    /// CERL's constants, by default as published.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct CerlConfig {
        /// Share of the largest queue seen from which a loss is congestive.
        // A (section 4.7).
        a: f64 = 0.55, Probability;
        /// One reduction a window of data; CERL2: false.
        // Section 3.4.
        once_per_window: bool = true, Flag;
    }
}

impl BuiltIn for Cerl {
    type Config = CerlConfig;
    type State = Box<Self>;
    const NAME: &'static str = "cerl";
    const SUMMARY: &'static str =
        "no cut when the queue is short, one cut a window (a, once_per_window)";
    const SOURCE: &'static str = "El-Ocla 2008, section 3";
    const PRESETS: &'static [OwnPreset<CerlConfig>] = &[
        OwnPreset {
            name: "cerl",
            summary: "no cut when the queue is short (random loss), one cut a window",
            source: Self::SOURCE,
            base: Base::Reno,
            config: CerlConfig::DEFAULT,
        },
        OwnPreset {
            name: "cerl2",
            summary: "CERL without the guard of one cut a window",
            source: "El-Ocla 2008, section 4.3",
            base: Base::Reno,
            config: CerlConfig {
                once_per_window: false,
                ..CerlConfig::DEFAULT
            },
        },
    ];

    fn build(config: &CerlConfig, _setup: &Setup) -> Box<Self> {
        Box::new(Self::new(*config))
    }
}

/// CERL guards against repeated cuts itself: its figure 2 tells which losses belong to a window
/// that was cut already.
impl Law for Cerl {
    const GUARDS_REPEATS: bool = true;
}

/// Congestion control CERL, state of one sender: Reno, but a loss that duplicate ACKs show while the
/// bottleneck's queue is short does not cut the window.
#[derive(Clone, Copy, Debug)]
pub struct Cerl {
    config: CerlConfig,
    /// T: smallest round trip seen.
    rtt_min: Duration,
    /// l: queueing delay of the latest sample.
    queue: Duration,
    /// l_max: largest queueing delay seen.
    queue_max: Duration,
    /// lastDecMaxSentSeqno: highest position sent when the window was last cut.
    last_decrease: Option<u64>,
}

impl Cerl {
    /// State of a CERL sender that has sent nothing yet.
    pub fn new(config: CerlConfig) -> Self {
        Self {
            config,
            rtt_min: Duration::MAX,
            queue: Duration::ZERO,
            queue_max: Duration::ZERO,
            last_decrease: None,
        }
    }

    /// Section 3.2: `l ≥ N`. Before any queue was seen `N = 0`, so the loss counts as congestive.
    fn queue_is_long(&self) -> bool {
        self.queue.as_nanos() as f64 >= self.config.a * self.queue_max.as_nanos() as f64
    }

    /// Section 3.4, figure 2: the lost segment was sent after the last cut.
    fn is_new_window(&self, una: u64) -> bool {
        self.last_decrease.is_none_or(|sent| una >= sent)
    }
}

impl CongestionControl for Cerl {
    fn on_ack(&mut self, ack: &AckEvent) {
        if let Some(rtt) = ack.rtt {
            self.rtt_min = self.rtt_min.min(rtt);
            self.queue = rtt.saturating_sub(self.rtt_min);
            self.queue_max = self.queue_max.max(self.queue);
        }
    }

    fn grow(&mut self, ack: &AckEvent, window: &mut Window) {
        standard_growth(ack, window);
    }

    fn on_loss(&mut self, loss: &LossEvent, window: &Window) -> Response {
        if self.queue_is_long() && self.is_new_window(loss.una) {
            if self.config.once_per_window {
                self.last_decrease = Some(loss.max);
            }
            Reno.on_loss(loss, window)
        } else {
            Response::unchanged(window)
        }
    }

    fn on_timeout(&mut self, timeout: &TimeoutEvent, window: &Window) -> Response {
        Reno.on_timeout(timeout, window)
    }
}

#[cfg(test)]
mod tests;
