//! What tests of several disciplines share.

use super::{Arrival, Frame};
use crate::packet::Ecn;
use crate::time::{Duration, Time};

pub(super) fn ms(ms: u64) -> Time {
    Time::ZERO + Duration::from_millis(ms)
}

/// A packet of 1500 bytes of flow 0 that came at `came`.
pub(super) fn frame(id: u32, came: Time) -> Frame {
    Frame {
        id,
        size: 1500,
        flow: 0,
        note: 0,
        came,
        ecn: Ecn::NotEct,
        marked: false,
        transmissions: 0,
        number: 0,
    }
}

/// A packet comes to a queue in which these wait.
pub(super) fn arrival(frame: Frame, waiting: (usize, u64)) -> Arrival {
    Arrival {
        now: frame.came,
        must_wait: true,
        waiting,
        frame,
    }
}
