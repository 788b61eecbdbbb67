//! Data of a stream on their way: how much has reached the receiving application, and when the rest was
//! first sent.

use std::collections::VecDeque;

use skywave_core::Time;

use crate::measure::FlowMeter;

/// Pieces of a stream that were sent and are not delivered, for transports whose senders do not tell.
#[derive(Default)]
pub(super) struct Undelivered {
    pieces: VecDeque<Piece>,
    /// Bytes that the receiver has delivered.
    delivered: u64,
}

struct Piece {
    end: u64,
    first_sent: Time,
}

impl Undelivered {
    /// A new piece, which ends at `end` and follows all others, leaves.
    pub(super) fn push(&mut self, end: u64, first_sent: Time) {
        self.pieces.push_back(Piece { end, first_sent });
    }

    /// When the piece that ends at `end` was first sent, if it is not delivered.
    pub(super) fn first_sent(&self, end: u64) -> Option<Time> {
        let place = self.pieces.partition_point(|piece| piece.end < end);
        self.pieces.get(place).map(|piece| piece.first_sent)
    }

    /// The receiver has delivered `delivered` bytes by now; `counts` as the meter says of this time.
    pub(super) fn deliver(
        &mut self,
        now: Time,
        counts: bool,
        delivered: u64,
        meter: &mut FlowMeter,
    ) {
        if delivered == self.delivered {
            return;
        }
        meter.delivered(now, counts, delivered - self.delivered);
        self.delivered = delivered;
        while let Some(piece) = self.pieces.front()
            && piece.end <= delivered
        {
            if counts {
                meter.delay(now.since(piece.first_sent));
            }
            self.pieces.pop_front();
        }
    }
}
