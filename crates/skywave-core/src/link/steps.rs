//! Rate and delay that change in steps: a path over satellites at each hand-over, the share of a cell that
//! its scheduler gives to one of several users.
//!
//! Time is divided into steps of equal length from time zero on, and each has a share of the link's rate and
//! an addition to its delay. What is drawn for a step depends on its number only, so that it does not matter
//! which packets ask.

use std::sync::Arc;

use super::config::{LinkConfig, Service, StepValues, Steps};
use crate::rng::{Stream, below, mixed, unit_of};
use crate::time::{Duration, Time};
use crate::units::Rate;

/// The shortest step; a shorter one in a configuration lasts as long as this.
const SHORTEST: Duration = Duration::from_micros(1);

/// A kind of value that steps have.
trait Value: Copy {
    /// The value at a place from 0 to below 1 between two others.
    fn between(low: Self, high: Self, place: f64) -> Self;
}

impl Value for f64 {
    fn between(low: Self, high: Self, place: f64) -> Self {
        low + (high - low) * place
    }
}

impl Value for Duration {
    fn between(low: Self, high: Self, place: f64) -> Self {
        low + high.saturating_sub(low).mul_f64(place)
    }
}

/// The numbers of steps, and a draw for each.
#[derive(Clone, Debug)]
struct Clock {
    every: u64,
    salt: u64,
}

impl Clock {
    fn new(every: Duration, mut stream: Stream) -> Self {
        Self {
            every: every.max(SHORTEST).as_nanos(),
            salt: stream.uniform_int(0, u64::MAX),
        }
    }

    fn number(&self, at: Time) -> u64 {
        at.as_nanos() / self.every
    }

    /// When the step after this one begins.
    fn end(&self, number: u64) -> Time {
        Time::from_nanos((number + 1).saturating_mul(self.every))
    }

    /// The value of a step; `None` if there are none.
    fn value<T: Value>(&self, values: &StepValues<T>, number: u64) -> Option<T> {
        match values {
            StepValues::InTurn(values) => {
                let turn = number.checked_rem(values.len() as u64)?;
                values.get(turn as usize).copied()
            }
            StepValues::AnyOf(values) => {
                let place = below(mixed(self.salt, number), values.len() as u128);
                values.get(place as usize).copied()
            }
            StepValues::Uniform(low, high) => {
                let unit = unit_of(mixed(self.salt, number));
                Some(T::between(*low, *high, unit))
            }
        }
    }
}

/// A rate that changes in steps.
#[derive(Clone, Debug)]
pub(super) struct SteppedRate {
    steps: Arc<Steps>,
    clock: Clock,
    whole: Rate,
    /// The step that was asked for last, when it ends, and its rate in bit/s.
    present: (u64, Time, u64),
    /// Work left over from the packet before, in bits times 10⁹; less than a nanosecond of it.
    carry: u64,
}

impl SteppedRate {
    /// The rate of a link, if it changes in steps.
    pub(super) fn new(config: &LinkConfig, seed: u64, name: &str) -> Option<Self> {
        let (Some(steps), Service::Rate(whole)) = (&config.steps, &config.service) else {
            return None;
        };
        steps.share.as_ref()?;
        let clock = Clock::new(steps.every, Stream::named(seed, name, "steps.share"));
        let mut rate = Self {
            steps: Arc::clone(steps),
            clock,
            whole: *whole,
            present: (0, Time::ZERO, 0),
            carry: 0,
        };
        rate.enter(0);
        Some(rate)
    }

    /// The link was idle: it has sent what was left over.
    pub(super) fn forget(&mut self) {
        self.carry = 0;
    }

    /// When a packet of `size` bytes has left whose transmission starts at `start`.
    pub(super) fn end(&mut self, start: Time, size: u32) -> Time {
        if self.whole.as_bps() == 0 {
            return Time::MAX;
        }
        let mut work = u128::from(size) * 8_000_000_000 + u128::from(self.carry);
        let mut at = start;
        let number = self.clock.number(at);
        if number != self.present.0 {
            self.enter(number);
        }
        loop {
            let (number, end, bps) = self.present;
            let room = u128::from(end.since(at).as_nanos()) * u128::from(bps);
            if work < room || end == Time::MAX {
                let takes = u64::try_from(work / u128::from(bps)).unwrap_or(u64::MAX);
                self.carry = (work % u128::from(bps)) as u64;
                return at + Duration::from_nanos(takes);
            }
            work -= room;
            at = end;
            self.enter(number + 1);
        }
    }

    fn enter(&mut self, number: u64) {
        let share = self.steps.share.as_ref();
        let share = share.and_then(|values| self.clock.value(values, number));
        // At least a bit a second: a packet has to leave some time.
        let bps = (self.whole.as_bps() as f64 * share.unwrap_or(1.0)) as u64;
        self.present = (number, self.clock.end(number), bps.max(1));
    }
}

/// An addition to the delay that changes in steps.
#[derive(Clone, Debug)]
pub(super) struct SteppedDelay {
    steps: Arc<Steps>,
    clock: Clock,
    /// The delay of the link.
    delay: Duration,
    /// The step that was asked for last, and its addition.
    present: Option<(u64, Duration)>,
}

impl SteppedDelay {
    /// The addition to the delay of a link, if there is one.
    pub(super) fn new(config: &LinkConfig, seed: u64, name: &str) -> Option<Self> {
        let steps = config.steps.as_ref()?;
        steps.delay.as_ref()?;
        Some(Self {
            steps: Arc::clone(steps),
            clock: Clock::new(steps.every, Stream::named(seed, name, "steps.delay")),
            delay: config.delay,
            present: None,
        })
    }

    /// The addition for a packet that would arrive at `at` without one: that of the step in which it left the
    /// transmitter.
    pub(super) fn addition(&mut self, at: Time) -> Duration {
        let left = Time::ZERO + at.since(Time::ZERO + self.delay);
        let number = self.clock.number(left);
        if let Some((present, addition)) = self.present
            && present == number
        {
            return addition;
        }
        let values = self.steps.delay.as_ref();
        let addition = values.and_then(|values| self.clock.value(values, number));
        let addition = addition.unwrap_or(Duration::ZERO);
        self.present = Some((number, addition));
        addition
    }
}

#[cfg(test)]
mod tests;
