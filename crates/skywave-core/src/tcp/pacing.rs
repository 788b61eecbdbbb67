//! Pacing: segments leave at a rate instead of in the bursts that ACKs let out.
//!
//! The rate is the window law's own, or what Linux derives from the window (`tcp_update_pacing_rate`):
//! cwnd/srtt times 2 below half of the slow start threshold, times 1.2 from there on. A burst of a quantum leaves
//! at once: the law's, or 1 ms of the rate and at least two segments.
//!
//! A segment that fits the windows waits for its send time. The spacing itself (`pacing.rs` of the crate) is
//! shared with WTCP.

use crate::pacing::Spacing;
use crate::parameter::names;
use crate::time::{Duration, Time};
use crate::units::{Rate, Segments};

use super::window::Window;

names! {
    /// Source of the pace at which segments leave.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
    pub enum PacingConfig {
        /// No pacing of TCP's own: segments leave as ACKs let them out, unless the congestion control sets a
        /// rate itself, as BBR does.
        Off = "off" default,
        /// The window, as in Linux: cwnd/srtt times 2 below half of ssthresh and times 1.2 from there on, in bursts of
        /// 1 ms or two segments, whichever is more. A rate that the congestion control sets itself goes before it.
        Window = "window",
    }
}

/// How much faster than a window in a round trip a sender is paced: in slow start, where the next round
/// trip's window is twice as large, and after it.
pub(super) const SLOW_START_GAIN: f64 = 2.0;
pub(super) const AVOIDANCE_GAIN: f64 = 1.2;
/// A burst is what takes this long at the rate, ...
const BURST: Duration = Duration::from_millis(1);
/// ... and at least this many segments.
const FEWEST_SEGMENTS: u64 = 2;

/// Round trip that the first pace of a law assumes while none was measured (draft-cardwell-iccrg-bbr-00
/// section 4.2.1; draft-ietf-ccwg-bbr, `InitPacingRate`).
pub(super) const NOMINAL_RTT: Duration = Duration::from_millis(1);

/// The rate of `gain` windows in a round trip.
pub(super) fn rate_of_window(window: Segments, rtt: Duration, mss: u32, gain: f64) -> Rate {
    let bits = window.0 * f64::from(mss) * 8.0 * gain;
    // A cast of a float saturates.
    Rate::from_bps(((bits / rtt.as_secs_f64()) as u64).max(1))
}

/// Pacing rate of Linux: `cwnd` per smoothed RTT, times 2.0 in slow start (`cwnd < ssthresh / 2`) and 1.2 otherwise,
/// but at least 1 bit/s. `None` if `srtt` is unknown or zero. `mss` is the payload of a full segment in bytes.
pub fn rate_of(window: &Window, srtt: Option<Duration>, mss: u32) -> Option<Rate> {
    let srtt = srtt.filter(|srtt| !srtt.is_zero())?;
    let slow_start = window.cwnd < window.ssthresh / 2.0;
    let gain = if slow_start {
        SLOW_START_GAIN
    } else {
        AVOIDANCE_GAIN
    };
    Some(rate_of_window(window.cwnd, srtt, mss, gain))
}

/// The pace of one connection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pacing {
    config: PacingConfig,
    spacing: Spacing,
    /// Bytes that may still leave in the present burst.
    room: u64,
    /// Bytes of the present burst that have left.
    burst: u64,
    /// Rate of the last of them, by which the wait after the burst was reckoned last.
    rate: Rate,
    /// When the sender may send what it has to send; [`Time::MAX`] while pacing does not hold it
    /// back.
    pub(super) held_until: Time,
}

impl Pacing {
    /// The pacing of a connection that has sent nothing.
    pub(crate) fn new(config: PacingConfig) -> Self {
        Self {
            config,
            spacing: Spacing::new(Duration::ZERO),
            room: 0,
            burst: 0,
            rate: Rate::from_bps(0),
            held_until: Time::MAX,
        }
    }

    /// A segment may leave now.
    pub(crate) fn allows(&self, now: Time) -> bool {
        self.room > 0 || now >= self.spacing.slot()
    }

    /// When the next burst may begin.
    pub(crate) fn slot(&self) -> Time {
        self.spacing.slot()
    }

    /// The rate that the window asks for; `None` if the connection is not paced by its window, or
    /// while no round trip is known.
    pub(crate) fn rate_of(
        &self,
        window: &Window,
        srtt: Option<Duration>,
        mss: u32,
    ) -> Option<Rate> {
        if self.config == PacingConfig::Off {
            return None;
        }
        rate_of(window, srtt, mss)
    }

    /// The pace is `rate` now: if that is more than when the last segment left, the wait after the burst is reckoned anew, as
    /// if all of it had left at this rate. What was a second at the rate of an outage would otherwise keep a sender still when the
    /// path is back.
    #[inline]
    pub(crate) fn follow(&mut self, rate: Option<Rate>) {
        if let Some(rate) = rate
            && rate > self.rate
            && self.burst > 0
        {
            self.rate = rate;
            self.spacing
                .set_gap(rate.transmission_time(self.burst, 0).0);
        }
    }

    /// A segment of `bytes` bytes leaves, in bursts of `quantum` at `rate`, which is asked when one
    /// begins; without a rate it delays none after it.
    pub(crate) fn sent(
        &mut self,
        now: Time,
        bytes: u64,
        rate: Option<Rate>,
        quantum: impl FnOnce() -> Quantum,
    ) {
        let Some(rate) = rate else {
            return;
        };
        if now >= self.spacing.slot() {
            self.spacing.sent(now);
            self.spacing.set_gap(Duration::ZERO);
            self.room = quantum().bytes(rate);
            self.burst = 0;
        }
        let (time, _) = rate.transmission_time(bytes, 0);
        self.spacing.widen(time);
        self.burst += bytes;
        self.rate = rate;
        self.room = self.room.saturating_sub(bytes);
    }
}

/// How much may leave at once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Quantum {
    /// The law's own quantum in bytes, if it has one.
    pub(crate) own: Option<u64>,
    /// Payload bytes of a full segment.
    pub(crate) mss: u32,
}

impl Quantum {
    fn bytes(self, rate: Rate) -> u64 {
        let mss = u64::from(self.mss);
        let usual = || rate.bytes_in(BURST).max(FEWEST_SEGMENTS * mss);
        self.own.unwrap_or_else(usual).max(mss)
    }
}
