//! A law of quinn that is watched.

use std::any::Any;
use std::sync::Arc;
use std::time::Instant;

use quinn_proto::RttEstimator;
use quinn_proto::congestion::{Controller, ControllerFactory, ControllerMetrics};

use crate::alike;
use crate::tally::Shared;

alike::factory!();

/// A law that is watched: it hears everything, and decides everything.
struct Watched {
    law: Box<dyn Controller>,
    tally: Shared,
}

impl Controller for Watched {
    alike::methods!();

    fn on_ack(
        &mut self,
        now: Instant,
        sent: Instant,
        bytes: u64,
        app_limited: bool,
        rtt: &RttEstimator,
    ) {
        let under_way = now.saturating_duration_since(sent);
        self.tally.with(|tally| tally.acknowledged(under_way));
        self.law.on_ack(now, sent, bytes, app_limited, rtt);
    }

    fn on_congestion_event(&mut self, now: Instant, sent: Instant, is_persistent: bool, lost: u64) {
        self.law.on_congestion_event(now, sent, is_persistent, lost);
        let window = self.law.window();
        // quinn tells of a mark as of losses of no bytes.
        self.tally
            .with(|tally| tally.congested(now, lost == 0, window));
    }
}
