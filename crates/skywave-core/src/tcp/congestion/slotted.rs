//! Slotted window (Roy et al. 2006; Francis 2012, section 4.2): time is divided into slots, and the window
//! is constant within one. Each slot begins with the connection's share, as the slot before it measured.
//!
//! The text says neither how long a slot is nor what the share is. Here a slot takes `round_trips` smoothed
//! round trips, and the share is `delivered / time · RTTmin`, what the path took without the queue. A window
//! that sends no more than its share can only find a smaller one, so that `probe` segments are added to it.
//!
//! Slow start is as ever. A loss ends the slot, and the window falls to the share.

use super::{CongestionControl, Law};
use crate::parameter::parameters;
use crate::tcp::slot::{Base, BuiltIn, OwnPreset, Setup};
use crate::tcp::window::{
    AckEvent, IdleEvent, LossEvent, Repairing, Response, TimeoutEvent, Window,
};
use crate::time::{Duration, Time};
use crate::units::Segments;

parameters! {
    /// Parameters of slotted windows: the length of a slot in round trips, and the segments added to the share of the
    /// path that the last slot measured.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct SlottedConfig {
        /// Length of a slot in round trips.
        // Smoothed ones. The defaults are our choice: the text has no numbers.
        round_trips: f64 = 10.0, Positive;
        /// Segments by which the window exceeds the measured share.
        probe: f64 = 1.0, Positive;
    }
}

impl BuiltIn for Slotted {
    type Config = SlottedConfig;
    type State = Box<Self>;
    const NAME: &'static str = "slotted";
    const SUMMARY: &'static str = "constant for ten round trips, then the measured share and one";
    const SOURCE: &'static str = "Roy et al. 2006; Francis 2012, section 4.2";
    const PRESETS: &'static [OwnPreset<SlottedConfig>] = &[OwnPreset {
        name: "slotted",
        summary: "a constant window for ten round trips at a time; NewReno recovery",
        source: "Roy et al. 2006; Francis 2012, section 4.2",
        base: Base::NewReno,
        config: SlottedConfig::DEFAULT,
    }];

    fn build(config: &SlottedConfig, _setup: &Setup) -> Box<Self> {
        Box::new(Self {
            config: *config,
            rtt_min: None,
            slot: None,
            is_over: false,
            share: None,
        })
    }
}

impl Law for Slotted {}

/// Congestion control by slotted windows, state of one sender: the window stays constant for some round
/// trips, then follows the share of the path that these measured.
#[derive(Clone, Copy, Debug)]
pub struct Slotted {
    config: SlottedConfig,
    rtt_min: Option<Duration>,
    /// `None` until the first ACK of a slot.
    slot: Option<Slot>,
    /// The slot ends with the present ACK.
    is_over: bool,
    /// Segments in flight that the latest slot with a measurement found to be the share.
    share: Option<Segments>,
}

/// A stretch of time with one window.
#[derive(Clone, Copy, Debug)]
struct Slot {
    began: Time,
    /// Segments acknowledged since then.
    delivered: Segments,
    /// The application filled the window, but for repairs.
    used: bool,
}

impl Slotted {
    /// An ACK of new data: whether the slot ends with it.
    fn measure(&mut self, ack: &AckEvent) -> bool {
        self.rtt_min = self.rtt_min.into_iter().chain(ack.segment_rtt).min();
        let Some(slot) = &mut self.slot else {
            // The ACK that begins a slot is of data sent before it.
            self.slot = Some(Slot {
                began: ack.now,
                delivered: Segments::ZERO,
                used: true,
            });
            return false;
        };
        slot.delivered += ack.acked;
        slot.used &= ack.may_grow || ack.repairing != Repairing::Nothing;
        let Some(srtt) = ack.srtt else {
            return false;
        };
        let elapsed = ack.now.since(slot.began);
        // On a path without any delay a round trip may take no time, and then there is no rate.
        if elapsed < srtt || elapsed.is_zero() {
            return false;
        }
        if let Some(rtt_min) = self.rtt_min {
            let rate = slot.delivered.0 / elapsed.as_secs_f64();
            self.share = Some(Segments(rate * rtt_min.as_secs_f64()));
        }
        elapsed.as_secs_f64() >= self.config.round_trips * srtt.as_secs_f64()
    }

    /// The window of the next slot; `None` while nothing was measured.
    fn next_window(&self) -> Option<Segments> {
        self.share.map(|share| share + Segments(self.config.probe))
    }
}

impl CongestionControl for Slotted {
    fn on_ack(&mut self, ack: &AckEvent) {
        self.is_over = self.measure(ack);
    }

    fn grow(&mut self, ack: &AckEvent, window: &mut Window) {
        let slow_start = window.cwnd < window.ssthresh;
        if slow_start && ack.may_grow {
            window.cwnd += ack.counted;
        }
        if !std::mem::take(&mut self.is_over) {
            return;
        }
        let used = self.slot.take().is_some_and(|slot| slot.used);
        if let Some(next) = self.next_window()
            && used
            && !slow_start
            && ack.repairing != Repairing::Loss
        {
            window.cwnd = next.max(Segments::ONE);
            window.ssthresh = window.cwnd;
        }
    }

    fn on_loss(&mut self, loss: &LossEvent, window: &Window) -> Response {
        self.slot = None;
        let share = self.next_window().unwrap_or(loss.window / 2.0);
        // Above the window the threshold would let slow start raise it within the slot.
        loss.cut_to(share.min(window.cwnd))
    }

    /// A pause is no part of a slot: its rate would be that of the application.
    fn on_resume(&mut self, _idle: &IdleEvent) {
        self.slot = None;
    }

    fn on_timeout(&mut self, timeout: &TimeoutEvent, _window: &Window) -> Response {
        self.slot = None;
        let half = timeout.window / 2.0;
        Response::restart(self.next_window().map_or(half, |share| share.min(half)))
    }
}

#[cfg(test)]
mod tests;
