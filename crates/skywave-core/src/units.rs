//! Rates, windows and sizes of queues as types of their own, so that bytes, packets, segments and bits per second do not
//! mix.

use std::fmt;
use std::ops::{Add, AddAssign, Div, Mul, Sub};

use crate::time::Duration;

/// A data rate in bits per second.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Rate(u64);

impl Rate {
    /// A rate of `bps` bits per second.
    pub const fn from_bps(bps: u64) -> Self {
        Self(bps)
    }

    /// Mean rate of `bytes` that took `d`, rounded down; `None` if they took no time.
    pub(crate) fn of(bytes: u64, d: Duration) -> Option<Self> {
        let ns = u128::from(d.as_nanos());
        let bps = (u128::from(bytes) * 8_000_000_000).checked_div(ns)?;
        Some(Self(u64::try_from(bps).unwrap_or(u64::MAX)))
    }

    /// The rate in bits per second.
    pub const fn as_bps(self) -> u64 {
        self.0
    }

    /// Bits per second as a floating-point number.
    #[inline]
    pub(crate) fn as_bps_f64(self) -> f64 {
        // Of a signed number in one instruction, which processors lack for others.
        i64::try_from(self.0).map_or(self.0 as f64, |bps| bps as f64)
    }

    /// Bytes sent in `d` at this rate, rounded down; `u64::MAX` if they are more than that.
    pub fn bytes_in(self, d: Duration) -> u64 {
        // Bursts fit 64 bits, where a division by a constant is none.
        if let Some(work) = self.0.checked_mul(d.as_nanos()) {
            return work / 8_000_000_000;
        }
        let bytes = u128::from(self.0) * u128::from(d.as_nanos()) / 8_000_000_000;
        u64::try_from(bytes).unwrap_or(u64::MAX)
    }

    /// Time to send `bytes`, in whole nanoseconds, and the remainder in units of 1/rate ns: pass it as `carry` for the
    /// next packet, so that a busy link's long-run rate is exact. At a rate of zero the time is [`Duration::MAX`].
    pub fn transmission_time(self, bytes: u64, carry: u64) -> (Duration, u64) {
        if self.0 == 0 {
            return (Duration::MAX, 0);
        }
        // Packets fit 64 bits, where a division costs a tenth.
        if let Some(work) = bytes
            .checked_mul(8_000_000_000)
            .and_then(|work| work.checked_add(carry))
        {
            return (Duration::from_nanos(work / self.0), work % self.0);
        }
        let work = u128::from(bytes) * 8_000_000_000 + u128::from(carry);
        let rate = u128::from(self.0);
        let ns = u64::try_from(work / rate).unwrap_or(u64::MAX);
        (Duration::from_nanos(ns), (work % rate) as u64)
    }
}

/// A congestion window, or part of one, in segments of one MSS; may be fractional, as congestion controls need.
///
/// Only `+ - * /` and comparisons touch the number, whose results IEEE 754 makes the same on every machine.
#[derive(Clone, Copy, PartialEq, PartialOrd, Default)]
pub struct Segments(pub f64);

impl Segments {
    /// Zero segments.
    pub const ZERO: Self = Self(0.0);
    /// One segment.
    pub const ONE: Self = Self(1.0);

    /// Converts `bytes` to segments of `mss` bytes, with the fraction: 150 bytes are 1.5 segments of 100. `bytes` must
    /// be below 2^63: a debug build panics at more, and other builds return a negative number. An `mss` of 0 gives
    /// infinity, or NaN for 0 bytes.
    #[inline]
    pub fn from_bytes(bytes: u64, mss: u32) -> Self {
        debug_assert!(bytes.cast_signed() >= 0, "{bytes}");
        // From a signed number, as processors know no other.
        Self(bytes.cast_signed() as f64 / f64::from(mss))
    }

    /// Whole bytes in this window, rounded down; capped at 2^63 − 1, more than any sender sends.
    #[inline]
    pub fn to_bytes(self, mss: u32) -> u64 {
        // To a signed number, as processors know no other.
        ((self.0 * f64::from(mss)) as i64).max(0) as u64
    }

    /// Whether `bytes` bytes, one or more, fit into this window: equals `bytes <= self.to_bytes(mss)`, but is faster.
    #[inline]
    pub fn holds(self, bytes: u64, mss: u32) -> bool {
        // Whole numbers below 2^53 are exact, and so is what lies between two of them.
        bytes.cast_signed() as f64 <= self.0 * f64::from(mss)
    }

    /// The window rounded up to whole segments.
    #[must_use]
    #[inline]
    pub fn ceil(self) -> Self {
        // From 2^52 on every number is whole. Below that a signed number holds it, which takes a tenth of what
        // a function for all numbers does.
        if self.0.abs() >= (1_u64 << 52) as f64 {
            return self;
        }
        let whole = (self.0 as i64) as f64;
        Self(if whole < self.0 { whole + 1.0 } else { whole })
    }

    /// The larger of two windows.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        Self(self.0.max(other.0))
    }

    /// The smaller of two windows.
    #[must_use]
    pub fn min(self, other: Self) -> Self {
        Self(self.0.min(other.0))
    }
}

impl fmt::Debug for Segments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} seg", self.0)
    }
}

impl Add for Segments {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Self(self.0 + o.0)
    }
}

impl AddAssign for Segments {
    fn add_assign(&mut self, o: Self) {
        self.0 += o.0;
    }
}

impl Sub for Segments {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        Self(self.0 - o.0)
    }
}

impl Mul<f64> for Segments {
    type Output = Self;
    fn mul(self, k: f64) -> Self {
        Self(self.0 * k)
    }
}

impl Div<f64> for Segments {
    type Output = Self;
    fn div(self, k: f64) -> Self {
        Self(self.0 / k)
    }
}

/// Number and bytes of packets that wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Backlog {
    pub(crate) packets: usize,
    pub(crate) bytes: u64,
}

impl Backlog {
    pub(crate) const fn new(packets: usize, bytes: u64) -> Self {
        Self { packets, bytes }
    }
}

impl Add for Backlog {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self::new(self.packets + other.packets, self.bytes + other.bytes)
    }
}

/// Capacity of a queue, in packets or in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Number of packets, whatever their sizes.
    Packets(u32),
    /// Number of bytes.
    Bytes(u64),
}

impl Limit {
    /// A packet of `size` bytes may join what waits.
    #[inline]
    pub(crate) fn has_room(self, waiting: Backlog, size: u32) -> bool {
        match self {
            Self::Packets(limit) => waiting.packets < limit as usize,
            Self::Bytes(limit) => waiting.bytes + u64::from(size) <= limit,
        }
    }

    /// Amount of what waits, in the limit's unit.
    #[inline]
    pub(crate) fn level(self, waiting: Backlog) -> u64 {
        match self {
            Self::Packets(_) => waiting.packets as u64,
            Self::Bytes(_) => waiting.bytes,
        }
    }

    /// A length of the queue in the limit's unit; `None` if it has another unit.
    pub(crate) fn measures(self, level: Level) -> Option<f64> {
        match (level, self) {
            (Level::Packets(n), Self::Packets(_)) | (Level::Bytes(n), Self::Bytes(_)) => Some(n),
            _ => None,
        }
    }

    /// A number in the limit's unit as a length of the queue.
    pub(crate) fn length(self, number: f64) -> Level {
        match self {
            Self::Packets(_) => Level::Packets(number),
            Self::Bytes(_) => Level::Bytes(number),
        }
    }
}

/// Length of a queue, in packets or in bytes; may be an average and so a fraction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Level {
    /// Number of packets, whatever their sizes.
    Packets(f64),
    /// Number of bytes.
    Bytes(f64),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_busy_link_keeps_its_rate_exactly() {
        // 3 Mb/s: 1500 bytes take 4 ms; 1000 bytes take 2666666.67 ns, three of them 8 ms.
        let rate = Rate::from_bps(3_000_000);
        let (mut total, mut carry) = (Duration::ZERO, 0);
        for _ in 0..3 {
            let (t, c) = rate.transmission_time(1000, carry);
            total += t;
            carry = c;
        }
        assert_eq!(total, Duration::from_millis(8));
        assert_eq!(carry, 0);
    }

    #[test]
    fn more_bytes_than_can_be_counted_are_not_few() {
        let rate = Rate::from_bps(1_000_000_000_000);
        assert_eq!(rate.bytes_in(Duration::MAX), u64::MAX);
        assert_eq!(rate.bytes_in(Duration::from_secs(8)), 1_000_000_000_000);
    }

    #[test]
    fn large_transfers_are_as_exact_as_small_ones() {
        let rate = Rate::from_bps(8_000_000_000_000);
        let bytes = u64::MAX / 2;
        assert_eq!(
            rate.transmission_time(bytes, 0),
            (
                Duration::from_nanos(bytes / 1000),
                bytes % 1000 * 8_000_000_000
            )
        );
    }

    #[test]
    fn a_window_holds_the_whole_bytes_in_it() {
        let windows = [0.0, 0.3, 1.0, 7.999_999, 8.0, 65.25, 1e9, f64::INFINITY];
        for (window, mss) in windows.map(|w| [(w, 1), (w, 536), (w, 1460)]).concat() {
            let window = Segments(window);
            let whole = window.to_bytes(mss).min(1 << 50);
            for bytes in [1, 535, 536, 537, whole.max(2) - 1, whole.max(1), whole + 1] {
                let fits = bytes <= window.to_bytes(mss);
                assert_eq!(window.holds(bytes, mss), fits, "{window:?} {bytes}");
            }
        }
    }

    #[test]
    fn whole_segments_are_rounded_up_to() {
        let large = (1_u64 << 52) as f64;
        let whole = [0.0, 1.0, 7.0, large - 1.0, large, 1e300, f64::INFINITY];
        for window in whole
            .map(|w: f64| [w.next_down(), w, w.next_up(), w + 0.5])
            .concat()
        {
            for window in [window, -window] {
                assert_eq!(Segments(window).ceil().0, window.ceil(), "{window}");
            }
        }
    }

    #[test]
    fn a_rate_of_zero_never_ends() {
        assert_eq!(
            Rate::from_bps(0).transmission_time(1, 0),
            (Duration::MAX, 0)
        );
    }
}
