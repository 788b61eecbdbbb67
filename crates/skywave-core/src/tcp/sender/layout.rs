//! What of a sender a driver with many connections fetches ahead of an ACK.

use std::mem::offset_of;
use std::ops::Range;

use super::{LimitClock, Sender, SenderCounters};
use crate::tcp::congestion::Congestion;
use crate::tcp::flight::Flight;
use crate::time::Time;

impl Sender {
    /// What an ACK of new data and the segment that answers it touch: the fields before the RTO, which is the
    /// first of the estimator's, and it; the end of the clock of limits and the kind of the timeout response;
    /// the count of segments sent and the kind of the congestion control.
    pub(crate) const ACK_TOUCHES: [Range<usize>; 3] = [
        0..offset_of!(Sender, rto) + size_of::<Time>(),
        offset_of!(Sender, limits) + LimitClock::HOT
            ..offset_of!(Sender, timeout) + size_of::<u64>(),
        offset_of!(Sender, counters) + offset_of!(SenderCounters, sent)
            ..offset_of!(Sender, congestion) + size_of::<u64>(),
    ];

    /// By what the flight finds a segment in order.
    pub(crate) const FLIGHT_TOUCHES: Range<usize> =
        offset_of!(Sender, flight)..offset_of!(Sender, flight) + size_of::<Flight>();
}

// The kind of a member is at its start.
const _: () = assert!(align_of::<Congestion>() == align_of::<u64>());
