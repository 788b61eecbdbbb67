//! A timer for networks with long delays: it waits once more before it believes in a loss
//! (Francis 2012, chapter 5).

use super::{Extension, TimeoutPolicy};
use crate::tcp::config::ExtendedConfig;
use crate::tcp::rto::RtoEstimator;
use crate::tcp::window::{Response, TimeoutEvent};

/// The first expiry since new data was acknowledged restarts the timer with a longer time; the next
/// one is a timeout.
#[derive(Clone, Copy, Debug)]
pub struct Extended {
    config: ExtendedConfig,
    /// The regular timer has expired on this connection (`delayed_connection`).
    delayed: bool,
    /// The extended timer runs, or has expired without an ACK since.
    waited: bool,
}

impl Extended {
    /// The regular timer of a connection not known to be delayed.
    pub fn new(config: ExtendedConfig) -> Self {
        Self {
            config,
            delayed: false,
            waited: false,
        }
    }
}

impl TimeoutPolicy for Extended {
    fn extends(&mut self, rto: &RtoEstimator) -> Option<Extension> {
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

    fn respond(&mut self, timeout: &TimeoutEvent, _response: Response) -> Response {
        Response::restart(timeout.outstanding / 2.0)
    }

    fn on_new_ack(&mut self) -> bool {
        std::mem::take(&mut self.waited)
    }
}
