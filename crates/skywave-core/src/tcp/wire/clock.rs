//! The clock of the timestamp option: nanoseconds inside, 32-bit ticks on the wire.

use crate::time::{Duration, Time};

/// Number of ticks after which timestamps repeat.
const CYCLE: i128 = 1 << 32;

/// Clock of RFC 7323's timestamp option: converts [`Time`] to its ticks and back.
///
/// A timestamp is a time in whole ticks, rounded down, modulo 2^32. Two things are lost on the wire: the fraction of a
/// tick, and how often the 32 bits have wrapped (with ticks of 1 ms every 49.7 days). A round-trip time computed from
/// an echo is therefore longer than it was, by less than a tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimestampClock {
    tick: Duration,
}

impl TimestampClock {
    /// Longest tick that RFC 7323 section 5.4 permits.
    pub const MAX_TICK: Duration = Duration::from_secs(1);

    /// A clock of this tick; `None` when that is zero or longer than [`Self::MAX_TICK`].
    ///
    /// Ticks below RFC 7323's 1 ms are possible, for paths on which nothing lives longer than half of
    /// 2^32 ticks.
    pub fn new(tick: Duration) -> Option<Self> {
        (!tick.is_zero() && tick <= Self::MAX_TICK).then_some(Self { tick })
    }

    /// Length of a tick: the time between two timestamp values.
    pub const fn tick(self) -> Duration {
        self.tick
    }

    /// Timestamp of `time` on the wire: in whole ticks, rounded down, modulo 2^32.
    pub const fn to_wire(self, time: Time) -> u32 {
        self.ticks(time) as u32
    }

    /// The time meant by the timestamp `ticks`: of those that [`Self::to_wire`] turns into `ticks`, the one nearest to
    /// `near`. It is a whole number of ticks, so that it becomes the same value when echoed.
    ///
    /// A time that would lie before zero or after [`Time::MAX`] is taken a cycle of 2^32 ticks later or earlier: a
    /// peer's clock may begin anywhere.
    pub fn expand(self, ticks: u32, near: Time) -> Time {
        let known = self.ticks(near);
        let distance = ticks.wrapping_sub(known as u32).cast_signed();
        let nearest = i128::from(known) + i128::from(distance);
        // A tick is at most a second, so that a whole cycle fits between both ends.
        let position = if nearest < 0 {
            nearest + CYCLE
        } else if nearest > i128::from(self.ticks(Time::MAX)) {
            nearest - CYCLE
        } else {
            nearest
        };
        Time::from_nanos(position as u64 * self.tick.as_nanos())
    }

    const fn ticks(self, time: Time) -> u64 {
        time.as_nanos() / self.tick.as_nanos()
    }
}

impl Default for TimestampClock {
    /// A millisecond, as most hosts have.
    fn default() -> Self {
        Self {
            tick: Duration::from_millis(1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MS: u64 = 1_000_000;

    fn clock() -> impl Strategy<Value = TimestampClock> {
        let tick = prop_oneof![
            Just(1),
            Just(1_000),
            Just(MS),
            1..=TimestampClock::MAX_TICK.as_nanos()
        ];
        tick.prop_map(|ns| TimestampClock::new(Duration::from_nanos(ns)).unwrap())
    }

    proptest! {
        #[test]
        fn a_time_near_a_known_one_is_found_again_to_the_tick(
            clock in clock(),
            time: u64,
            ticks in -(1i64 << 31) + 1..1 << 31,
        ) {
            let tick = clock.tick().as_nanos();
            let distance = i128::from(ticks) * i128::from(tick);
            let near = (i128::from(time) + distance).clamp(0, i128::from(u64::MAX)) as u64;
            let (time, near) = (Time::from_nanos(time), Time::from_nanos(near));
            let found = clock.expand(clock.to_wire(time), near);
            prop_assert!(found <= time && time.since(found) < clock.tick());
        }

        #[test]
        fn any_value_is_echoed_unchanged(clock in clock(), ticks: u32, near: u64) {
            let near = Time::from_nanos(near);
            let time = clock.expand(ticks, near);
            prop_assert_eq!(clock.to_wire(time), ticks);
            let away = time.since(near).as_nanos().max(near.since(time).as_nanos());
            let cycle = 1u128 << 32;
            prop_assert!(u128::from(away) <= cycle * u128::from(clock.tick().as_nanos()));
        }
    }

    #[test]
    fn timestamps_wrap_after_49_7_days() {
        let clock = TimestampClock::default();
        let wrap = Time::from_nanos((1 << 32) * MS);
        let before = wrap - Duration::from_millis(1);
        assert_eq!((clock.to_wire(before), clock.to_wire(wrap)), (u32::MAX, 0));
        assert_eq!(clock.expand(0, before), wrap);
        assert_eq!(clock.expand(u32::MAX, wrap), before);
        let days = (wrap.as_secs_f64() / 86_400.0 * 10.0).round();
        assert_eq!(days, 497.0);
    }

    #[test]
    fn a_value_before_the_origin_is_one_a_cycle_later() {
        let clock = TimestampClock::default();
        let found = clock.expand(u32::MAX, Time::ZERO);
        assert_eq!(found, Time::from_nanos(((1 << 32) - 1) * MS));
        assert_eq!(
            clock.expand(3, found),
            Time::from_nanos(((1 << 32) + 3) * MS)
        );
        let last = clock.to_wire(Time::MAX);
        let next = clock.expand(last.wrapping_add(1), Time::MAX);
        assert_eq!(clock.to_wire(next), last.wrapping_add(1));
        assert!(next < Time::MAX);
    }

    #[test]
    fn a_tick_is_above_zero_and_at_most_a_second() {
        let new = |ns| TimestampClock::new(Duration::from_nanos(ns));
        assert_eq!((new(0), new(1_000_000_001)), (None, None));
        assert_eq!(new(MS), Some(TimestampClock::default()));
        assert!(new(1).is_some() && new(1_000_000_000).is_some());
    }
}
