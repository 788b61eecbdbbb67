//! A constant rate, whatever is lost: no congestion control.

use std::any::Any;
use std::sync::Arc;
use std::time::{Duration, Instant};

use noq_proto::{RttEstimator, congestion};

use crate::law::SEGMENT;

/// Round trips of the rate that may be in flight: what is lost is known one round trip later, and an ACK may be
/// lost as well.
const ROUND_TRIPS: u32 = 3;
/// The round trip while none is known.
const FIRST_RTT: Duration = Duration::from_millis(333);

/// Factory of controllers of the QUIC library noq that send at a constant rate, whatever is lost, as `hysteria`'s
/// "brutal" does: no congestion control. Other connections over the same bottleneck get only what is left.
#[derive(Clone, Copy, Debug)]
pub struct FixedRate {
    bytes_per_second: u64,
}

impl FixedRate {
    /// Constant rate of `bps` bits a second of UDP payload, rounded down to whole bytes a second; at least one packet
    /// of 1200 bytes a second.
    pub fn from_bps(bps: u64) -> Self {
        Self {
            bytes_per_second: (bps / 8).max(u64::from(SEGMENT)),
        }
    }
}

impl congestion::ControllerFactory for FixedRate {
    fn build(self: Arc<Self>, _now: Instant, mtu: u16) -> Box<dyn congestion::Controller> {
        Box::new(Fixed {
            rate: *self,
            rtt: FIRST_RTT,
            mtu,
        })
    }
}

/// The rate in one connection.
#[derive(Clone, Debug)]
struct Fixed {
    rate: FixedRate,
    rtt: Duration,
    mtu: u16,
}

impl congestion::Controller for Fixed {
    fn on_ack(
        &mut self,
        _now: Instant,
        _sent: Instant,
        _bytes: u64,
        _name: u64,
        _app_limited: bool,
        rtt: &RttEstimator,
    ) {
        self.rtt = rtt.get();
    }

    fn on_congestion_event(
        &mut self,
        _now: Instant,
        _sent: Instant,
        _is_persistent_congestion: bool,
        _is_ecn: bool,
        _lost_bytes: u64,
        _largest_lost_pn: u64,
    ) {
    }

    fn on_mtu_update(&mut self, mtu: u16) {
        self.mtu = mtu;
    }

    fn window(&self) -> u64 {
        let time = self.rtt * ROUND_TRIPS;
        let bytes = u128::from(self.rate.bytes_per_second) * time.as_nanos() / 1_000_000_000;
        let least = 10 * u64::from(self.mtu);
        u64::try_from(bytes).unwrap_or(u64::MAX).max(least)
    }

    fn metrics(&self) -> congestion::ControllerMetrics {
        let mut metrics = congestion::ControllerMetrics::default();
        metrics.congestion_window = self.window();
        metrics.pacing_rate = Some(self.rate.bytes_per_second);
        metrics
    }

    fn clone_box(&self) -> Box<dyn congestion::Controller> {
        Box::new(self.clone())
    }

    fn initial_window(&self) -> u64 {
        self.window()
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}
