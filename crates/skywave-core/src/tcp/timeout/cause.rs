//! A timeout that finds out its cause afterwards (Park et al., as in Francis 2012, section 5.2): while the sender goes
//! back N, the round trips of what it sends again tell how long the queue is. If it is short, no congestion caused the
//! timeout, and window and backoff are again what they were; otherwise they stay cut.
//!
//! Open in the text, and decided here:
//! - the queue is short if the mean of the first round trips is at most halfway from the smallest round trip of the
//!   connection to the largest one (`queue`);
//! - four of them are awaited (`samples`), or as many as there are until all that was outstanding is acknowledged;
//!   without any, the cut stays;
//! - a round trip that may be that of an earlier copy does not count (RFC 8985 section 6.2, step 2);
//! - further timeouts in between are part of the first.

use super::TimeoutPolicy;
use crate::parameter::parameters;
use crate::tcp::flight::RttSample;
use crate::tcp::rtt_range::RttRange;
use crate::tcp::slot::{Base, BuiltIn, OwnPreset, Setup};
use crate::tcp::window::{Response, TimeoutEvent, Window};
use crate::time::Duration;

parameters! {
    /// Parameters by which the cause of a timeout is found: which queue counts as short, and how many round trips are
    /// awaited.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct CauseConfig {
        /// The longest queue that is short, as a share of the longest that was seen.
        // Of the delays in queues.
        queue: f64 = 0.5, Probability;
        /// Round trips of what is sent again that are awaited.
        samples: u32 = 4, Count;
    }
}

impl BuiltIn for Cause {
    type Config = CauseConfig;
    type State = Box<Self>;
    const NAME: &'static str = "cause";
    const SUMMARY: &'static str =
        "take it back if the round trips of what is sent again show a short queue (queue, samples)";
    const SOURCE: &'static str = "Park et al., in Francis 2012, section 5.2";
    const PRESETS: &'static [OwnPreset<CauseConfig>] = &[OwnPreset {
        name: "rto-cause",
        summary: "NewReno that takes a timeout back if the queue is short",
        source: Self::SOURCE,
        base: Base::NewReno,
        config: Self::DEFAULT,
    }];

    fn build(config: &CauseConfig, _setup: &Setup) -> Box<Self> {
        Box::new(Self {
            config: *config,
            range: RttRange::default(),
            trial: None,
        })
    }
}

/// Timeout policy that finds out the cause of a timeout afterwards: if the round trips of what is sent again show a
/// short queue, the cut of the window and the backoff of the RTO are taken back.
#[derive(Clone, Copy, Debug)]
pub struct Cause {
    config: CauseConfig,
    range: RttRange,
    trial: Option<Trial>,
}

/// A timeout whose cause is not known yet.
#[derive(Clone, Copy, Debug)]
struct Trial {
    /// The window before the timeout.
    before: Window,
    /// Round trips since then, and their sum.
    samples: u32,
    sum: Duration,
}

impl Cause {
    fn is_short(&self, trial: &Trial) -> bool {
        let Some((least, width)) = self.range.least_and_width() else {
            return false;
        };
        let limit = least + width.mul_f64(self.config.queue);
        trial.samples > 0 && trial.sum / u64::from(trial.samples) <= limit
    }
}

impl TimeoutPolicy for Cause {
    fn respond(
        &mut self,
        _timeout: &TimeoutEvent,
        response: Response,
        window: &Window,
    ) -> Response {
        let before = self.trial.map_or(*window, |trial| trial.before);
        self.trial = Some(Trial {
            before,
            samples: 0,
            sum: Duration::ZERO,
        });
        response
    }

    fn needs_deliveries(&self) -> bool {
        true
    }

    fn on_round_trip(&mut self, sample: Option<RttSample>, repaired: bool) -> Option<Window> {
        if let Some(RttSample { rtt, .. }) = sample {
            self.range.take(rtt);
        }
        let trial = self.trial.as_mut()?;
        if let Some(sample) = sample.filter(|sample| sample.resent) {
            trial.samples += 1;
            trial.sum += sample.rtt;
        }
        if trial.samples < self.config.samples && !repaired {
            return None;
        }
        let trial = self.trial.take()?;
        self.is_short(&trial).then_some(trial.before)
    }
}
