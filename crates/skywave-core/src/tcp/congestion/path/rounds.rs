//! Round trips by count, and samples that say nothing of the path.

use crate::tcp::flight::RateSample;

/// Round trips counted by packets: one is over when a segment is acknowledged that was sent after its
/// start (draft-cardwell-iccrg-bbr-00 section 4.1.1.3; draft-ietf-ccwg-bbr, "BBR.round_count").
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Rounds {
    count: u64,
    /// Bytes delivered when the present one began (BBR.next_round_delivered).
    start: u64,
}

impl Rounds {
    /// An ACK came with this sample; whether a round trip is over.
    pub(crate) fn on_ack(&mut self, sample: &RateSample) -> bool {
        let over = sample.prior_delivered >= self.start;
        if over {
            self.count += 1;
            self.start = sample.total_delivered;
        }
        over
    }

    /// The present one begins anew, when `delivered` bytes have been.
    pub(crate) fn begin_again(&mut self, delivered: u64) {
        self.start = delivered;
    }

    pub(crate) fn count(&self) -> u64 {
        self.count
    }
}

/// Bytes delivered when the law last began to send less than the path may carry, on purpose, and
/// when all data sent in that time has arrived: rate samples in between tell how little was sent,
/// not what the path carries.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Starved {
    from: u64,
    to: u64,
}

impl Default for Starved {
    fn default() -> Self {
        Self {
            from: u64::MAX,
            to: 0,
        }
    }
}

impl Starved {
    /// From now on less is sent.
    pub(crate) fn begin(&mut self, sample: &RateSample) {
        self.from = sample.total_delivered;
    }

    /// Notes that less is still sent, on purpose, as of this ACK.
    pub(crate) fn go_on(&mut self, sample: &RateSample) {
        self.to = sample.total_delivered + sample.flight_now;
    }

    /// The sample is of a segment sent in that time, or when the application had too little to send.
    pub(crate) fn limits(&self, sample: &RateSample) -> bool {
        sample.app_limited || (self.from..=self.to).contains(&sample.prior_delivered)
    }
}
