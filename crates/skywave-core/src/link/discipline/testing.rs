//! What tests of several disciplines share.

use super::{Arrival, Frame};
use crate::link::Tag;
use crate::packet::Ecn;
use crate::time::{Duration, Time};
use crate::units::Backlog;

pub(super) fn ms(ms: u64) -> Time {
    Time::ZERO + Duration::from_millis(ms)
}

/// A packet of 1500 bytes of flow 0 that came at `came`.
pub(super) fn frame(id: u32, came: Time) -> Frame {
    Frame::new(came, Tag::new(id, 1500), Ecn::NotEct)
}

/// A packet comes to a queue in which these wait.
pub(super) fn arrival(frame: Frame, waiting: Backlog) -> Arrival {
    Arrival {
        now: frame.came,
        must_wait: true,
        waiting,
        frame,
    }
}
