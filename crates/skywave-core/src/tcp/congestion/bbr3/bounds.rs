//! Bounds that losses teach, on two time scales (the draft's "Updating the Model Upon Packet
//! Loss").

use super::{Bbr3, Gain, NO_RATE};
use crate::units::{Rate, Segments};

/// Least part of a bound that remains after a round trip with losses (BBR.Beta).
pub(super) const BETA: Gain = Gain(0.7);
/// The part of the long-term bound that is left to others (BBR.Headroom).
const HEADROOM: Gain = Gain(0.15);

/// Bounds of rate and data in flight; `None` where there is none.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Bounds {
    /// BBR.bw_shortterm.
    pub(super) bandwidth: Option<Rate>,
    /// BBR.inflight_shortterm.
    pub(super) short_term: Option<Segments>,
    /// BBR.inflight_longterm.
    pub(super) long_term: Option<Segments>,
}

impl Bounds {
    /// A probe forgets what losses between probes have taught (`ResetShortTermModel`).
    pub(super) fn forget_short_term(&mut self) {
        self.bandwidth = None;
        self.short_term = None;
    }

    /// Long-term bound less the headroom for other flows (`InflightWithHeadroom`); `None` without a
    /// bound.
    pub(super) fn with_headroom(&self) -> Option<Segments> {
        self.long_term.map(|bound| {
            let headroom = (bound * HEADROOM).max(Segments::ONE);
            (bound - headroom).max(super::FEWEST)
        })
    }

    /// Each bound as wide as here or there.
    pub(super) fn wider(&self, other: &Self) -> Self {
        fn larger<T: PartialOrd>(a: Option<T>, b: Option<T>) -> Option<T> {
            let (a, b) = (a?, b?);
            Some(if a > b { a } else { b })
        }
        Self {
            bandwidth: larger(self.bandwidth, other.bandwidth),
            short_term: larger(self.short_term, other.short_term),
            long_term: larger(self.long_term, other.long_term),
        }
    }
}

/// The most that a sample of the present round trip has shown.
#[derive(Clone, Copy, Debug)]
pub(super) struct Latest {
    /// BBR.bw_latest.
    rate: Rate,
    /// BBR.inflight_latest, in bytes.
    delivered: u64,
}

impl Default for Latest {
    fn default() -> Self {
        Self {
            rate: NO_RATE,
            delivered: 0,
        }
    }
}

impl Latest {
    pub(super) fn on_ack(&mut self, rate: Rate, delivered: u64) {
        self.rate = self.rate.max(rate);
        self.delivered = self.delivered.max(delivered);
    }

    /// A round trip is over, whose last ACK showed this (`AdvanceLatestDeliverySignals`).
    pub(super) fn begin_again(&mut self, rate: Option<Rate>, delivered: u64) {
        self.rate = rate.unwrap_or(NO_RATE);
        self.delivered = delivered;
    }

    pub(super) fn delivered(&self) -> u64 {
        self.delivered
    }
}

impl Bbr3 {
    /// A round trip is over since the first loss in it. Unless the sender was asking for more, it comes
    /// closer to what was delivered (`AdaptLowerBoundsFromCongestion`).
    pub(super) fn adapt_short_term(&mut self, cwnd: Segments) {
        if !self.losses.is_loss || self.phase.is_probing() {
            return;
        }
        let bandwidth = self.bounds.bandwidth.unwrap_or(self.max_bandwidth.get());
        let in_flight = self.bounds.short_term.unwrap_or(cwnd);
        let delivered = self.in_segments(self.latest.delivered());
        self.bounds.bandwidth = Some((bandwidth * BETA).max(self.latest.rate));
        self.bounds.short_term = Some((in_flight * BETA).max(delivered));
    }
}
