//! When a proxy hands on what has come: at once, or spread over time.
//!
//! Adaptive rate control: with each segment that arrives, a gap R after the one before, the spacing of departures
//! becomes S = β((1 − α)S + αR). With even arrivals S settles at βα/(1 − β(1 − α)) of the gap, 0.53 with the paper's
//! numbers: the proxy may send nearly twice as fast as it receives, not slightly faster, as the text has it of β
//! alone. And a silence counts as a gap: after one of 10 s each segment waits for a second or more. The text says no
//! more, so nor does this. (Itoh and Yamamoto, "Proxy-Based TCP with Adaptive Rate Control and Intentional Flow
//! Control in Ad Hoc Networks", GLOBECOM 2008, as the thesis' section 3.3.2 has it.)
//!
//! Pacing of what comes in lumps: Shikama, "Mitigation of Bursty Packets by a TCP Proxy Improving TCP Performance in a
//! Wired and Wireless Network", GLOBECOM Workshops 2010, as the thesis' section 3.3.1 has it. The rate is open there
//! and decided here.

use std::collections::VecDeque;

use crate::parameter::parameters;
use crate::time::{Duration, Time};

/// Policy of a TCP-splitting proxy towards the destination: when it hands on the bytes that it has got.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum TowardsDestination {
    /// Hands bytes on as soon as they have come in order.
    #[default]
    AtOnce,
    /// Hands on a segment at a time, spaced by the gaps between arrivals: adaptive rate control.
    Spaced(Spaced),
    /// Hands on bytes that come in bursts, as when a hole is filled, a segment at a time at the mean rate of arrival.
    Paced(Paced),
}

parameters! {
    /// Settings of adaptive rate control, by which a proxy spaces segments by the gaps between their arrivals.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Spaced as "spaced" {
        /// Weight of the latest gap between arrivals against the present spacing.
        // α; the defaults are the paper's.
        alpha: f64 = 0.125, Probability;
        /// Factor from the weighted mean of gap and spacing to the new spacing.
        // β; below 1 the proxy sends faster than it receives.
        beta: f64 = 0.9, Probability;
    }
}

parameters! {
    /// Settings of PEP pacing, by which a proxy spreads bursts at the mean rate of their arrival.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Paced as "paced" {
        /// Smoothed round trips to the destination over which the mean rate is taken.
        // Or longer: since the last arrival before. So a lump that ends a long wait is not its own mean.
        rtts: f64 = 10.0, Positive;
        /// The window towards the source does not open while something waits.
        // So the source hears of the pacing. Otherwise the two connections are independent.
        cooperates: bool = true, Flag;
    }
}

/// Decides how much may be handed on.
#[derive(Clone, Debug)]
pub(super) struct Release {
    policy: TowardsDestination,
    /// Bytes that have come in order, and those of them that may be handed on.
    arrived: u64,
    released: u64,
    last_arrival: Option<Time>,
    /// Time from one segment to the next.
    spacing: Duration,
    /// When the next segment may go.
    next: Time,
    /// The latest arrivals: when, and how many bytes. For [`Paced`].
    recent: VecDeque<(Time, u64)>,
}

impl Release {
    pub(super) fn new(policy: TowardsDestination) -> Self {
        Self {
            policy,
            arrived: 0,
            released: 0,
            last_arrival: None,
            spacing: Duration::ZERO,
            next: Time::ZERO,
            recent: VecDeque::new(),
        }
    }

    /// `arrived` bytes have come in order by `now`. Returns how many may be handed on; `mss` are the bytes
    /// of a full segment, and `srtt` is the smoothed round trip to the destination.
    pub(super) fn allow(
        &mut self,
        now: Time,
        arrived: u64,
        mss: u64,
        srtt: Option<Duration>,
    ) -> u64 {
        let fresh = arrived - self.arrived;
        let waited = self.arrived > self.released;
        self.arrived = arrived;
        match self.policy {
            TowardsDestination::AtOnce => self.released = arrived,
            TowardsDestination::Spaced(spaced) => {
                if fresh > 0 {
                    self.space(spaced, now, fresh.div_ceil(mss));
                }
                self.release(now, mss);
            }
            TowardsDestination::Paced(paced) => {
                if fresh > 0 {
                    self.recent.push_back((now, fresh));
                }
                self.spacing = self.mean_gap(paced, now, mss, srtt);
                if !waited && fresh <= mss {
                    self.released = arrived; // no lump
                    self.next = now;
                } else {
                    self.release(now, mss);
                }
            }
        }
        self.released
    }

    /// `segments` have come at `now`, together.
    fn space(&mut self, spaced: Spaced, now: Time, segments: u64) {
        let last = self.last_arrival.replace(now);
        let mut gap = last.map_or(Duration::ZERO, |last| now.since(last));
        // Of a lump all but the first come without a gap; after a hundred nothing is left of the spacing.
        for _ in 0..segments.min(100) {
            let mean = self.spacing.mul_f64(1.0 - spaced.alpha) + gap.mul_f64(spaced.alpha);
            self.spacing = mean.mul_f64(spaced.beta);
            gap = Duration::ZERO;
        }
    }

    /// Time of a segment at the mean rate of the latest arrivals.
    fn mean_gap(&mut self, paced: Paced, now: Time, mss: u64, srtt: Option<Duration>) -> Duration {
        let Some(span) = srtt.map(|srtt| srtt.mul_f64(paced.rtts)) else {
            return Duration::ZERO;
        };
        // One stays that is older, so that all of the time is covered.
        while self
            .recent
            .get(1)
            .is_some_and(|&(at, _)| now.since(at) >= span)
        {
            self.recent.pop_front();
        }
        let mut recent = self.recent.iter();
        let Some(&(since, _)) = recent.next() else {
            return Duration::ZERO;
        };
        let bytes: u64 = recent.map(|(_, bytes)| bytes).sum();
        if bytes == 0 {
            return Duration::ZERO;
        }
        now.since(since).mul_f64(mss as f64 / bytes as f64)
    }

    fn release(&mut self, now: Time, mss: u64) {
        while self.released < self.arrived && self.next <= now {
            self.released = self.arrived.min(self.released + mss);
            self.next = self.next.max(now) + self.spacing;
        }
    }

    /// Something waits for its time.
    pub(super) fn waits(&self) -> bool {
        self.released < self.arrived
    }

    /// The source is to hear of it.
    pub(super) fn holds_window(&self) -> bool {
        let cooperates =
            matches!(self.policy, TowardsDestination::Paced(paced) if paced.cooperates);
        cooperates && self.waits()
    }

    pub(super) fn next_timer(&self) -> Option<Time> {
        self.waits().then_some(self.next)
    }
}

#[cfg(test)]
mod tests;
