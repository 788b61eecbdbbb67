//! A token bucket (RFC 2697 section 3, with the committed bucket alone): tokens come at a rate, and the bucket holds
//! those of a burst and is full at first. A policer drops what finds too few tokens; a shaper lets it wait for them.

use crate::time::{Duration, Time};
use crate::units::Rate;

/// Tokens that a byte costs. A rate of one bit per second brings one token a nanosecond, so that nothing is
/// rounded.
const TOKENS_A_BYTE: i128 = 8_000_000_000;

/// A bucket of tokens.
#[derive(Clone, Debug)]
pub(super) struct Bucket {
    rate: Rate,
    depth: i128,
    /// Tokens at `filled`; below zero after a packet larger than the burst has passed on credit.
    tokens: i128,
    filled: Time,
}

impl Bucket {
    pub(super) fn new(rate: Rate, burst: u64) -> Self {
        let depth = i128::from(burst) * TOKENS_A_BYTE;
        Self {
            rate,
            depth,
            tokens: depth,
            filled: Time::ZERO,
        }
    }

    /// Time goes on to `now`, which must not decrease.
    fn fill(&mut self, now: Time) {
        let elapsed = now.since(self.filled).as_nanos();
        let came = u128::from(elapsed) * u128::from(self.rate.as_bps());
        let room = (self.depth - self.tokens).unsigned_abs();
        self.tokens += came.min(room).cast_signed();
        self.filled = self.filled.max(now);
    }

    /// Whether a packet of `size` bytes that comes at `now`, which must not decrease, may pass. If so, it takes its
    /// tokens.
    pub(super) fn passes(&mut self, now: Time, size: u32) -> bool {
        self.fill(now);
        let cost = i128::from(size) * TOKENS_A_BYTE;
        let passes = cost <= self.tokens;
        if passes {
            self.tokens -= cost;
        }
        passes
    }

    /// When a packet of `size` bytes may pass that waits from `now` on, which must not be before an earlier one has
    /// passed. It takes its tokens then: all of its bytes, though it only waits for a full bucket if the burst is
    /// smaller. [`Time::MAX`] is never.
    pub(super) fn waits_until(&mut self, now: Time, size: u32) -> Time {
        self.fill(now);
        let cost = i128::from(size) * TOKENS_A_BYTE;
        let lacks = (cost.min(self.depth) - self.tokens).max(0).unsigned_abs();
        if lacks > 0 {
            let wait = match u128::from(self.rate.as_bps()) {
                0 => u64::MAX,
                rate => u64::try_from(lacks.div_ceil(rate)).unwrap_or(u64::MAX),
            };
            self.fill(now + Duration::from_nanos(wait));
        }
        self.tokens -= cost;
        self.filled
    }
}
