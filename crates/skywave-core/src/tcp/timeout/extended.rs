//! A timer for networks with long delays: it waits once more before it believes in a loss
//! (Francis 2012, chapter 5).

use super::{Extension, TimeoutPolicy};
use crate::parameter::parameters;
use crate::tcp::flight::Flight;
use crate::tcp::rto::RtoEstimator;
use crate::tcp::slot::{Base, BuiltIn, OwnPreset, Setup};
use crate::tcp::window::{Response, TimeoutEvent, Window};

parameters! {
    /// Parameters of the extended retransmission timer: its length in RTOs, and whether it sends the oldest segment
    /// again; by default as published.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct ExtendedConfig {
        /// The timer at the first expiry on a connection, in RTOs.
        first: f64 = 1.5, Positive;
        /// The timer at later expiries, in RTOs.
        later: f64 = 2.0, Positive;
        /// Send the oldest segment again as well.
        // The thesis does not say whether.
        retransmit: bool = false, Flag;
    }
}

impl BuiltIn for Extended {
    type Config = ExtendedConfig;
    type State = Self;
    const NAME: &'static str = "extended";
    const SUMMARY: &'static str =
        "wait once more first, 1.5 RTO, later 2 (first, later, retransmit)";
    const SOURCE: &'static str = "Francis 2012, chapter 5";
    const PRESETS: &'static [OwnPreset<ExtendedConfig>] = &[OwnPreset {
        name: "thesis-newreno",
        summary: "NewReno that waits once more before a timeout, for delayed networks",
        source: Self::SOURCE,
        base: Base::NewReno,
        config: ExtendedConfig::DEFAULT,
    }];

    fn build(config: &ExtendedConfig, _setup: &Setup) -> Self {
        Self::new(*config)
    }
}

/// Timeout policy for long delays: the first expiry since new data was acknowledged restarts the timer with a
/// longer time; the next one is a timeout.
#[derive(Clone, Copy, Debug)]
pub struct Extended {
    config: ExtendedConfig,
    /// The regular timer has expired on this connection (`delayed_connection`).
    delayed: bool,
    /// The extended timer runs, or has expired without an ACK since.
    waited: bool,
}

impl Extended {
    /// Policy of a new connection, on which no timer has expired yet.
    pub fn new(config: ExtendedConfig) -> Self {
        Self {
            config,
            delayed: false,
            waited: false,
        }
    }
}

impl TimeoutPolicy for Extended {
    fn extends(&mut self, rto: &RtoEstimator, _flight: &Flight) -> Option<Extension> {
        if self.waited {
            return None;
        }
        let factor = if self.delayed {
            self.config.later
        } else {
            self.config.first
        };
        self.delayed = true;
        self.waited = true;
        Some(Extension {
            timer: rto.stretched(factor),
            retransmit: self.config.retransmit,
        })
    }

    fn respond(
        &mut self,
        timeout: &TimeoutEvent,
        _response: Response,
        _window: &Window,
    ) -> Response {
        Response::restart(timeout.outstanding / 2.0)
    }

    fn on_new_ack(&mut self) -> bool {
        std::mem::take(&mut self.waited)
    }
}
