//! The parts of a sender that a driver with many connections fetches ahead of an ACK.

use std::mem::offset_of;
use std::ops::Range;

use super::{LimitClock, Sender, SenderCounters};
use crate::tcp::congestion::Congestion;
use crate::tcp::flight::Flight;
use crate::time::Time;

impl Sender {
    /// Bytes that an ACK of new data and the segment that answers it touch: from the first field to
    /// the kind of the recovery; from the end of the limit clock to the RTO, which is the estimator's first
    /// field; from the count of segments sent to the kind of the window law.
    pub(crate) const ACK_TOUCHES: [Range<usize>; 3] = [
        0..offset_of!(Sender, recovery) + 2 * size_of::<u64>(),
        offset_of!(Sender, limits) + LimitClock::HOT..offset_of!(Sender, rto) + size_of::<Time>(),
        offset_of!(Sender, counters) + offset_of!(SenderCounters, sent)
            ..offset_of!(Sender, congestion) + size_of::<u64>(),
    ];

    /// Bytes by which the flight finds a segment that arrives in order.
    pub(crate) const FLIGHT_TOUCHES: Range<usize> =
        offset_of!(Sender, flight)..offset_of!(Sender, flight) + size_of::<Flight>();
}

// The kind of a member is at its start.
const _: () = assert!(align_of::<Congestion>() == align_of::<u64>());
