//! A law of noq that is watched.

use std::any::Any;
use std::sync::Arc;
use std::time::{Duration, Instant};

use noq_proto::RttEstimator;
use noq_proto::congestion::{Controller, ControllerFactory, ControllerMetrics};

use crate::alike;
use crate::tally::Shared;

alike::factory!();

/// A law that is watched: it hears everything, and decides everything.
#[derive(Debug)]
struct Watched {
    law: Box<dyn Controller>,
    tally: Shared,
}

impl Controller for Watched {
    alike::methods!();

    fn on_packet_sent(&mut self, now: Instant, bytes: u16, packet: u64) {
        self.law.on_packet_sent(now, bytes, packet);
    }

    fn on_cwnd_limited(&mut self) {
        self.law.on_cwnd_limited();
    }

    fn on_ack(
        &mut self,
        now: Instant,
        sent: Instant,
        bytes: u64,
        packet: u64,
        app_limited: bool,
        rtt: &RttEstimator,
    ) {
        let under_way = now.saturating_duration_since(sent);
        self.tally.with(|tally| tally.acknowledged(under_way));
        self.law.on_ack(now, sent, bytes, packet, app_limited, rtt);
    }

    fn on_congestion_event(
        &mut self,
        now: Instant,
        sent: Instant,
        is_persistent: bool,
        is_ecn: bool,
        lost: u64,
        largest: u64,
    ) {
        let law = &mut self.law;
        law.on_congestion_event(now, sent, is_persistent, is_ecn, lost, largest);
        let window = law.window();
        self.tally
            .with(|tally| tally.congested(now, is_ecn, window));
    }

    fn on_packet_lost(&mut self, lost: u16, packet: u64, now: Instant) {
        self.law.on_packet_lost(lost, packet, now);
    }

    fn on_spurious_congestion_event(&mut self) {
        self.law.on_spurious_congestion_event();
    }

    fn on_ack_frequency_update(&mut self, threshold: u64, max_ack_delay: Duration) {
        self.law.on_ack_frequency_update(threshold, max_ack_delay);
    }
}
