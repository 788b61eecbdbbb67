//! Clocks of hosts, which differ from the time.
//!
//! A one-way delay is a difference of two hosts' readings. Real clocks tick coarsely (Linux's TCP timestamps each
//! millisecond), were not set together, and drift: some 10 to 100 µs a second.

use crate::time::{Duration, Offset, Time};

/// Clock of a host, whose readings may differ from the true time (the driver's) by rounding, offset and
/// drift.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clock {
    /// Resolution of the readings, which are rounded down to whole multiples of it; zero for no rounding.
    pub tick: Duration,
    /// Lead of the clock over the true time at time zero; negative if the clock is behind.
    pub offset: Offset,
    /// Seconds that the clock gains in a second of true time; negative if it is slow.
    pub drift: f64,
}

impl Clock {
    /// Clock that shows the true time: no rounding, offset or drift.
    pub const EXACT: Self = Self {
        tick: Duration::ZERO,
        offset: Offset::ZERO,
        drift: 0.0,
    };

    /// Reading of the clock at the true time `now`. A negative reading wraps around, to just below [`Time::MAX`];
    /// [`Time::offset_from`] compares readings across zero.
    pub fn read(&self, now: Time) -> Time {
        let elapsed = now.as_nanos();
        // Rounded toward zero, as the cast does: readings never go backwards for drifts above −1.
        let gained = (elapsed as f64 * self.drift) as i64;
        let shown = elapsed
            .wrapping_add_signed(self.offset.as_nanos())
            .wrapping_add_signed(gained);
        rounded_down(Time::from_nanos(shown), self.tick)
    }
}

/// Clocks of both ends of a flow; the sender's shows the true time, but for the rounding of its timestamps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clocks {
    /// Clock of the receiver.
    pub receiver: Clock,
    /// Step to whose whole multiples the sender's timestamps are rounded down; zero if they are exact.
    pub sender_tick: Duration,
}

impl Clocks {
    /// One-way delay as the timestamps of both hosts show it: from the true time `sent` to `came`, a reading of the
    /// receiver's clock. Negative if that clock is behind by more than the delay.
    pub fn one_way(&self, sent: Time, came: Time) -> Offset {
        came.offset_from(rounded_down(sent, self.sender_tick))
    }
}

/// The latest whole multiple of `tick` that is not after `reading`, which may be from before the origin.
fn rounded_down(reading: Time, tick: Duration) -> Time {
    let signed = reading.as_nanos().cast_signed();
    let tick = i64::try_from(tick.as_nanos()).unwrap_or(0);
    let beyond = signed.checked_rem_euclid(tick).unwrap_or(0); // nothing by a tick of zero
    Time::from_nanos(signed.wrapping_sub(beyond).cast_unsigned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ms(ms: i64) -> Offset {
        Offset::from_nanos(ms * 1_000_000)
    }

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_millis(ms)
    }

    #[test]
    fn an_exact_clock_shows_the_time() {
        for now in [Time::ZERO, at(1234), Time::from_nanos(987_654_321_987)] {
            assert_eq!(Clock::EXACT.read(now), now);
        }
    }

    #[test]
    fn a_clock_behind_shows_times_before_the_origin() {
        let behind = Clock {
            tick: Duration::from_millis(4),
            offset: ms(-3001),
            ..Clock::EXACT
        };
        // −3001 and −2001 in ticks of 4: −3004, −2004; at the origin, 2.999 s later, 0.
        assert_eq!(behind.read(at(0)).offset_from(at(0)), ms(-3004));
        assert_eq!(behind.read(at(1000)).offset_from(at(0)), ms(-2004));
        assert_eq!(behind.read(at(3000)).offset_from(at(0)), ms(-4));
        assert_eq!(behind.read(at(3001)), at(0));
        assert_eq!(behind.read(at(3009)), at(8));
    }

    #[test]
    fn a_drift_adds_up() {
        let fast = Clock {
            drift: 1e-4,
            ..Clock::EXACT
        };
        let slow = Clock {
            drift: -1e-4,
            ..Clock::EXACT
        };
        let hour = at(3_600_000);
        assert_eq!(fast.read(hour).offset_from(hour), ms(360));
        assert_eq!(slow.read(hour).offset_from(hour), ms(-360));
    }

    #[test]
    fn both_ticks_are_in_a_one_way_delay() {
        let clocks = Clocks {
            receiver: Clock {
                tick: Duration::from_millis(10),
                ..Clock::EXACT
            },
            sender_tick: Duration::from_millis(4),
        };
        let came = clocks.receiver.read(at(59));
        assert_eq!(clocks.one_way(at(7), came), ms(50 - 4));
    }

    proptest! {
        #[test]
        fn readings_never_go_backwards_and_stay_within_a_tick(
            tick in 0..=20_000_000_u64,
            offset in -10_000_000_000_i64..10_000_000_000,
            drift in -1e-2..1e-2,
            now in 0..1_000_000_000_000_u64,
            later in 0..1_000_000_000_u64,
        ) {
            let exact = Clock { tick: Duration::ZERO, offset: Offset::from_nanos(offset), drift };
            let clock = Clock { tick: Duration::from_nanos(tick), ..exact };
            let (now, then) = (Time::from_nanos(now), Time::from_nanos(now + later));
            let shown = clock.read(now);
            prop_assert!(clock.read(then).offset_from(shown) >= Offset::ZERO);
            let lag = exact.read(now).offset_from(shown).as_nanos();
            prop_assert!((0..tick.max(1).cast_signed()).contains(&lag));
        }
    }
}
