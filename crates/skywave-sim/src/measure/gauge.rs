//! The mean and the largest value of a number of bytes over the measured window.

use skywave_core::Time;

/// Follows a number over time. It holds its value until the next one is given.
#[derive(Clone, Debug, Default)]
pub(crate) struct Gauge {
    window: (Time, Time),
    value: u64,
    since: Time,
    /// Integral over the window, byte-nanoseconds.
    area: u128,
    max: u64,
}

impl Gauge {
    /// Zero from the start on.
    pub(crate) fn new(window: (Time, Time)) -> Self {
        Self {
            window,
            ..Self::default()
        }
    }

    /// The number is `value` from `now` on.
    pub(crate) fn set(&mut self, now: Time, value: u64) {
        let held = now.min(self.window.1).since(self.since.max(self.window.0));
        self.area += u128::from(self.value) * u128::from(held.as_nanos());
        if !held.is_zero() {
            self.max = self.max.max(self.value);
        }
        (self.value, self.since) = (value, now);
    }

    /// Time average of the value over the window, when the run has ended at `now`.
    pub(crate) fn mean(&mut self, now: Time) -> f64 {
        self.set(now, self.value);
        let length = now.min(self.window.1).since(self.window.0);
        self.area as f64 / length.as_nanos() as f64
    }

    /// The largest value that it has held in the window for any time, as of the last [`Self::set`].
    pub(crate) fn max(&self) -> u64 {
        self.max
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use skywave_core::Duration;

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_millis(ms)
    }

    #[test]
    fn only_the_window_counts() {
        let mut gauge = Gauge::new((at(10), at(30)));
        gauge.set(at(0), 100); // for all of it, and half of that in the window
        gauge.set(at(20), 40);
        gauge.set(at(30), 900); // after the window
        assert!((gauge.mean(at(50)) - 70.0).abs() < 1e-9);
        assert_eq!(gauge.max(), 100);
    }

    #[test]
    fn a_value_of_no_duration_is_no_maximum() {
        let mut gauge = Gauge::new((at(0), at(10)));
        gauge.set(at(5), 7);
        gauge.set(at(5), 3);
        assert!((gauge.mean(at(10)) - 1.5).abs() < 1e-9);
        assert_eq!(gauge.max(), 3);
    }
}
