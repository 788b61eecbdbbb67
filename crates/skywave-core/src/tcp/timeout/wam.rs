//! TCP-WAM (Francis 2012, section 3.2.1): on asymmetric paths the first suspect of a timeout is the way of the ACKs.
//!
//! The timer's expiry cuts nothing and sends nothing again: the sender goes on with new data as if everything had been
//! acknowledged, and marks it. The receiver answers marked data at once, by an ACK with a mark if everything before it
//! has arrived, by duplicate ACKs otherwise. If nothing comes within `τ = min(α·RTO, 1 s)`, slow start begins as ever.
//!
//! Open in the text, and decided here:
//! - α is a half;
//! - data is marked until an answer with a mark comes; until then the window does not grow, as an ACK without a mark
//!   says that something is missing. A receiver that does not know marks answers by any ACK of new data;
//! - duplicate ACKs are what they always are, and three of them a fast retransmit;
//! - while the sender goes back N after a timeout there is no new data to ask with, and an expiry is a timeout.

use super::{Extension, TimeoutPolicy};
use crate::parameter::parameters;
use crate::tcp::flight::Flight;
use crate::tcp::rto::RtoEstimator;
use crate::tcp::slot::{Base, BuiltIn, OwnPreset, Setup};
use crate::time::Duration;

parameters! {
    /// Parameter of TCP-WAM: how long the sender waits for the receiver's answer.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct WamConfig {
        /// Time for an answer, in RTOs; at most a second.
        // α.
        alpha: f64 = 0.5, Probability;
    }
}

/// The longest time for an answer.
const LONGEST: Duration = Duration::from_secs(1);

impl BuiltIn for Wam {
    type Config = WamConfig;
    type State = Self;
    const NAME: &'static str = "wam";
    const SUMMARY: &'static str = "go on with new data that asks for an answer, and cut if none comes within half an RTO (alpha)";
    const SOURCE: &'static str = "Francis 2012, section 3.2.1";
    const PRESETS: &'static [OwnPreset<WamConfig>] = &[OwnPreset {
        name: "wam",
        summary: "Reno that takes its first timeout for lost ACKs and goes on; with `acking = \"wam\"`",
        source: Self::SOURCE,
        base: Base::Reno,
        config: Self::DEFAULT,
    }];

    fn build(config: &WamConfig, _setup: &Setup) -> Self {
        Self {
            config: *config,
            asked_at: None,
        }
    }
}

/// Timeout policy of TCP-WAM, state of one sender: after the first expiry it goes on with new data that asks
/// the receiver for an answer, and cuts only if none comes.
#[derive(Clone, Copy, Debug)]
pub struct Wam {
    config: WamConfig,
    /// First position of the data that asks, while no answer has come.
    asked_at: Option<u64>,
}

impl TimeoutPolicy for Wam {
    fn extends(&mut self, rto: &RtoEstimator, flight: &Flight) -> Option<Extension> {
        let goes_back = flight.nxt() < flight.max();
        if self.asked_at.take().is_some() || goes_back {
            return None;
        }
        self.asked_at = Some(flight.max());
        Some(Extension {
            timer: rto.stretched(self.config.alpha).min(LONGEST),
            retransmit: false,
        })
    }

    fn may_ask(&self) -> bool {
        true
    }

    fn asks(&self) -> bool {
        self.asked_at.is_some()
    }

    fn counts_from(&self) -> Option<u64> {
        self.asked_at
    }

    fn lets_grow(&mut self, all: bool) -> bool {
        let asked = self.asks();
        if all {
            self.asked_at = None;
        }
        all || !asked
    }
}
