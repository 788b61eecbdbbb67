//! Time as an integer number of nanoseconds.
//!
//! [`Time`] is a point since the start of a run (or of a real driver), [`Duration`] a distance.
//! Both are plain `u64`s: 584 years, exact, the same on every machine.

use std::fmt;
use std::ops::{Add, AddAssign, Div, Mul, Sub};

const NS_PER_SEC: u64 = 1_000_000_000;

/// A point in time, in nanoseconds since an origin that the driver sets: the start of a simulation or of a program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Time(u64);

/// A length of time in nanoseconds, never negative.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Duration(u64);

/// Difference of two clocks' readings in nanoseconds: positive if the first is ahead, negative if it is behind.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Offset(i64);

impl Offset {
    /// The difference of zero.
    pub const ZERO: Self = Self(0);

    /// A difference of `ns` nanoseconds.
    pub const fn from_nanos(ns: i64) -> Self {
        Self(ns)
    }

    /// The difference in seconds, for output and formulas.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / NS_PER_SEC as f64
    }

    /// The difference in nanoseconds.
    pub const fn as_nanos(self) -> i64 {
        self.0
    }
}

impl fmt::Debug for Offset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}ns", self.0)
    }
}

impl Time {
    /// The origin of time, where the driver starts.
    pub const ZERO: Self = Self(0);
    /// The last point in time, later than any event: "never".
    pub const MAX: Self = Self(u64::MAX);

    /// The point `ns` nanoseconds after the origin.
    pub const fn from_nanos(ns: u64) -> Self {
        Self(ns)
    }

    /// Nanoseconds since the origin.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Seconds since the origin, for output and formulas; not for keeping time.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / NS_PER_SEC as f64
    }

    /// Difference of this clock reading from `other`, which may be another clock's; negative if `other` is later.
    pub const fn offset_from(self, other: Self) -> Offset {
        Offset(self.0.wrapping_sub(other.0).cast_signed())
    }

    /// Time passed since `earlier`; zero when `earlier` is not earlier.
    pub const fn since(self, earlier: Self) -> Duration {
        Duration(self.0.saturating_sub(earlier.0))
    }
}

impl Duration {
    /// The duration of zero.
    pub const ZERO: Self = Self(0);
    /// The longest duration, longer than any run.
    pub const MAX: Self = Self(u64::MAX);

    /// A duration of `ns` nanoseconds.
    pub const fn from_nanos(ns: u64) -> Self {
        Self(ns)
    }

    /// A duration of `us` microseconds.
    pub const fn from_micros(us: u64) -> Self {
        Self(us * 1_000)
    }

    /// A duration of `ms` milliseconds.
    pub const fn from_millis(ms: u64) -> Self {
        Self(ms * 1_000_000)
    }

    /// A duration of `s` seconds.
    pub const fn from_secs(s: u64) -> Self {
        Self(s * NS_PER_SEC)
    }

    /// A duration of `s` seconds, rounded to the nearest nanosecond; negative and NaN give zero, too large saturates.
    pub fn from_secs_f64(s: f64) -> Self {
        // A float-to-integer cast saturates and maps NaN to 0.
        Self((s * NS_PER_SEC as f64 + 0.5) as u64)
    }

    /// Length in nanoseconds.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Length in seconds, for output and formulas.
    #[inline]
    pub fn as_secs_f64(self) -> f64 {
        // Of a signed number in one instruction, which processors lack for others.
        let ns = i64::try_from(self.0).map_or(self.0 as f64, |ns| ns as f64);
        ns / NS_PER_SEC as f64
    }

    /// True for a length of zero.
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// `self - other`, or zero when `other` is longer.
    #[must_use]
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// `self * factor`, rounded to the nearest nanosecond; negative and NaN give zero, too large saturates.
    #[must_use]
    pub fn mul_f64(self, factor: f64) -> Self {
        Self((self.0 as f64 * factor + 0.5) as u64)
    }
}

impl Add<Duration> for Time {
    type Output = Self;
    fn add(self, d: Duration) -> Self {
        Self(self.0.saturating_add(d.0))
    }
}

impl AddAssign<Duration> for Time {
    fn add_assign(&mut self, d: Duration) {
        *self = *self + d;
    }
}

impl Sub<Duration> for Time {
    type Output = Self;
    fn sub(self, d: Duration) -> Self {
        Self(self.0.saturating_sub(d.0))
    }
}

impl Add for Duration {
    type Output = Self;
    fn add(self, d: Self) -> Self {
        Self(self.0.saturating_add(d.0))
    }
}

impl AddAssign for Duration {
    fn add_assign(&mut self, d: Self) {
        *self = *self + d;
    }
}

impl Mul<u64> for Duration {
    type Output = Self;
    fn mul(self, n: u64) -> Self {
        Self(self.0.saturating_mul(n))
    }
}

impl Div<u64> for Duration {
    type Output = Self;
    fn div(self, n: u64) -> Self {
        Self(self.0 / n)
    }
}

impl fmt::Debug for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}s", self.as_secs_f64())
    }
}

impl fmt::Debug for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}s", self.as_secs_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_round_to_the_nearest_nanosecond() {
        assert_eq!(Duration::from_secs_f64(0.1).as_nanos(), 100_000_000);
        assert_eq!(Duration::from_secs_f64(1e-9 * 0.6).as_nanos(), 1);
        assert_eq!(Duration::from_secs_f64(-1.0), Duration::ZERO);
        assert_eq!(Duration::from_secs_f64(f64::NAN), Duration::ZERO);
    }

    #[test]
    fn arithmetic_saturates_instead_of_wrapping() {
        assert_eq!(Time::MAX + Duration::from_secs(1), Time::MAX);
        assert_eq!(Time::ZERO - Duration::from_secs(1), Time::ZERO);
        assert_eq!(
            Time::from_nanos(1).since(Time::from_nanos(2)),
            Duration::ZERO
        );
    }
}
