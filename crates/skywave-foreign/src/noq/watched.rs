//! A law of noq that is watched.

use std::any::Any;
use std::sync::Arc;
use std::time::{Duration, Instant};

use noq_proto::RttEstimator;
use noq_proto::congestion::{Controller, ControllerFactory, ControllerMetrics};

use crate::tally::Shared;

/// Makes laws that are watched.
pub(super) struct WatchedFactory {
    pub(super) laws: Arc<dyn ControllerFactory + Send + Sync>,
    pub(super) tally: Shared,
}

impl ControllerFactory for WatchedFactory {
    fn build(self: Arc<Self>, now: Instant, mtu: u16) -> Box<dyn Controller> {
        let law = Arc::clone(&self.laws).build(now, mtu);
        self.tally.with(|tally| tally.window(now, law.window()));
        let tally = self.tally.clone();
        Box::new(Watched { law, tally })
    }
}

/// A law that is watched: it hears everything, and decides everything.
#[derive(Debug)]
struct Watched {
    law: Box<dyn Controller>,
    tally: Shared,
}

impl Controller for Watched {
    fn on_sent(&mut self, now: Instant, bytes: u64, largest: u64) {
        self.law.on_sent(now, bytes, largest);
    }

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

    fn on_end_acks(&mut self, now: Instant, flight: u64, app_limited: bool, largest: Option<u64>) {
        self.law.on_end_acks(now, flight, app_limited, largest);
        let window = self.law.window();
        self.tally.with(|tally| {
            tally.end_of_ack(now);
            tally.window(now, window);
        });
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

    fn on_mtu_update(&mut self, mtu: u16) {
        self.law.on_mtu_update(mtu);
    }

    fn on_ack_frequency_update(&mut self, threshold: u64, max_ack_delay: Duration) {
        self.law.on_ack_frequency_update(threshold, max_ack_delay);
    }

    fn window(&self) -> u64 {
        self.law.window()
    }

    fn metrics(&self) -> ControllerMetrics {
        self.law.metrics()
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(Self {
            law: self.law.clone_box(),
            tally: self.tally.clone(),
        })
    }

    fn initial_window(&self) -> u64 {
        self.law.initial_window()
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self.law.into_any()
    }
}
