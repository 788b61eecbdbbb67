//! The contention indicator of a receiver (Chen et al., as in Francis 2012, section 3.2.4).
//!
//! With EED for the time from the sending of a segment to its arrival, `CI = 7/8·CI + 1/8·(EED − EED before)`: it is
//! positive while delays grow. While something is missing, ACKs say what its loss must be: the air's if CI is not above
//! zero, dubious up to a part of the mean deviation of EED, congestion above. (Open in the text: these two limits.)
//!
//! With TCP's gains for mean and deviation, an eighth and a quarter, EED is always `8·CI` from its mean, so that CI is
//! never more than half of the mean deviation. The limit between the upper two classes is in the middle of that.
//!
//! EED is by the clocks of both hosts. An offset between them changes nothing, as only differences count.

use crate::packet::Marks;
use crate::time::Offset;

/// Follows the delays of one connection, in nanoseconds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Indicator {
    /// The delay before, and the smoothed one.
    delays: Option<(f64, f64)>,
    /// CI.
    value: f64,
    deviation: f64,
    /// Above as many deviations a loss is congestion.
    heavy: f64,
}

impl Indicator {
    /// Nothing has arrived yet.
    pub(super) fn new(heavy: f64) -> Self {
        Self {
            heavy,
            ..Self::default()
        }
    }

    /// A segment arrived this long after it was sent, by both hosts' clocks.
    pub(super) fn on_segment(&mut self, delay: Offset) {
        let delay = delay.as_nanos() as f64;
        let (before, smoothed) = self.delays.unwrap_or((delay, delay));
        self.value = self.value * 0.875 + (delay - before) * 0.125;
        self.deviation = self.deviation * 0.75 + (delay - smoothed).abs() * 0.25;
        self.delays = Some((delay, smoothed * 0.875 + delay * 0.125));
    }

    /// Marks for an ACK, by which the sender judges a loss.
    pub(super) fn marks(&self) -> Marks {
        if self.value <= 0.0 {
            Marks::empty()
        } else if self.value <= self.deviation * self.heavy {
            Marks::DUBIOUS
        } else {
            Marks::CONGESTED
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// After delays of these milliseconds.
    fn after(delays: &[i64]) -> Indicator {
        let mut indicator = Indicator::new(0.25);
        for delay in delays {
            indicator.on_segment(Offset::from_nanos(delay * 1_000_000));
        }
        indicator
    }

    #[test]
    fn constant_and_falling_delays_are_the_airs() {
        assert_eq!(after(&[]).marks(), Marks::empty());
        assert_eq!(after(&[50; 20]).marks(), Marks::empty());
        assert_eq!(after(&[50, 40, 30, 20]).marks(), Marks::empty());
    }

    #[test]
    fn a_sudden_rise_is_congestion_and_then_dubious() {
        // CI is 10/8 ms, the deviation 10/4 ms.
        assert_eq!(after(&[50, 60]).marks(), Marks::CONGESTED);
        assert_eq!(after(&[50, 60, 60, 60, 60]).marks(), Marks::DUBIOUS);
    }

    #[test]
    fn an_even_rise_is_dubious() {
        let rise: Vec<i64> = (50..150).collect();
        assert_eq!(after(&rise).marks(), Marks::DUBIOUS);
    }

    #[test]
    fn no_rise_is_more_than_half_of_the_deviation() {
        let mut all = after(&[50, 60]);
        all.heavy = 0.5;
        assert_eq!(all.marks(), Marks::DUBIOUS);
    }

    #[test]
    fn the_offset_of_the_clocks_does_not_matter() {
        assert_eq!(after(&[-50, -40]).marks(), after(&[50, 60]).marks());
    }
}
