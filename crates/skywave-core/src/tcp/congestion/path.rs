//! Measurements of the path for laws that do not follow losses alone (both versions of BBR, Copa
//! and capacity), and the rate of ACKs, which Westwood, Yongmei and Jersey follow.
//!
//! Shared are round trips by count, windowed maxima, whether the rate still grows, lumps of ACKs, and the pace.
//! Each law has a state machine of its own. The rate filters of Westwood and of WTCP are not shared: the 2002
//! paper counts a duplicate ACK as one segment whatever it reports, and WTCP measures at the receiver, so neither
//! takes samples of the delivery rate.

mod ack_count;
mod ack_rate;
mod burst;
mod dwell;
mod full_pipe;
mod largest;
mod late;
mod lumps;
mod pace;
mod rounds;
#[cfg(test)]
pub(super) mod testing;
mod window;

use std::ops::Mul;

use crate::time::Duration;
use crate::units::{Rate, Segments};

pub(super) use ack_count::AckCount;
pub(super) use ack_rate::AckRate;
pub(super) use dwell::Dwell;
pub(super) use full_pipe::FullPipe;
pub(super) use largest::Largest;
pub(super) use late::OfLate;
pub(super) use lumps::Lumps;
pub(super) use pace::Pace;
pub(super) use rounds::{Rounds, Starved};
pub(super) use window::{FEWEST, Saved, Target};

/// Round trips for which a rate counts (BtlBwFilterLen): a cycle of BBR's gains and two more.
const RATE_ROUNDS: usize = 10;

/// The largest rate of delivery (BBR.BtlBw, draft-cardwell-iccrg-bbr-00 section 4.1.1.5), of the round trip in
/// which it was seen and those for which it then counts.
pub(super) type MaxRate = Largest<Rate, { RATE_ROUNDS + 1 }>;

/// Before anything was delivered.
pub(super) const NO_RATE: Rate = Rate::from_bps(0);

/// By how much a rate or a window is multiplied.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub(super) struct Gain(pub(super) f64);

impl Gain {
    pub(super) const ONE: Self = Self(1.0);
}

impl Mul<Gain> for Rate {
    type Output = Self;
    fn mul(self, gain: Gain) -> Self {
        // A cast of a float saturates.
        Self::from_bps((self.as_bps_f64() * gain.0) as u64)
    }
}

impl Mul<Gain> for Segments {
    type Output = Self;
    fn mul(self, gain: Gain) -> Self {
        self * gain.0
    }
}

/// Segments that a path of this rate delivers in `time`.
pub(super) fn delivered_in(time: Duration, bandwidth: Rate, mss: u32) -> Segments {
    Segments(bandwidth.as_bps_f64() * time.as_secs_f64() / 8.0 / f64::from(mss))
}
