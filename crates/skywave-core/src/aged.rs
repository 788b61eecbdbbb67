//! The smallest value of late.

use crate::time::Time;

/// The smallest value of the last half to whole span of time, if values come at least each half span: what a path once
/// had, it need not have any more.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Aged {
    present: f64,
    before: f64,
    since: Time,
}

impl Default for Aged {
    fn default() -> Self {
        Self::only(Time::ZERO, f64::INFINITY)
    }
}

impl Aged {
    /// A minimum of which `value`, seen at `now`, is the only sample.
    fn only(now: Time, value: f64) -> Self {
        Self {
            present: value,
            before: f64::INFINITY,
            since: now,
        }
    }

    /// A value was seen; those of more than `span` seconds ago are forgotten, but not, after a pause, those from before
    /// the pause: the next change of halves forgets these.
    pub(crate) fn note(&mut self, now: Time, value: f64, span: f64) {
        if now.since(self.since).as_secs_f64() > span / 2.0 {
            *self = Self {
                before: self.present,
                ..Self::only(now, f64::INFINITY)
            };
        }
        self.present = self.present.min(value);
    }

    /// The smallest one, infinite before any was seen.
    pub(crate) fn get(&self) -> f64 {
        self.present.min(self.before)
    }

    /// All values are larger by `step` from now on.
    pub(crate) fn shift(&mut self, now: Time, step: f64) {
        *self = Self::only(now, self.get() + step);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Duration;

    #[test]
    fn a_value_counts_for_half_to_a_whole_span() {
        let at = |s: u64| Time::ZERO + Duration::from_secs(s);
        let mut aged = Aged::default();
        assert!(aged.get().is_infinite());
        aged.note(at(1), 3.0, 10.0);
        aged.note(at(2), 5.0, 10.0);
        assert_eq!(aged.get(), 3.0);
        aged.note(at(7), 5.0, 10.0);
        assert_eq!(aged.get(), 3.0, "the half before");
        aged.note(at(13), 4.0, 10.0);
        assert_eq!(aged.get(), 4.0, "forgotten");
        aged.shift(at(14), 1.5);
        assert_eq!(aged.get(), 5.5);
    }
}
