//! Values drawn from the intervals of a link.

use skywave_core::rng::Stream;

use super::Values;
use crate::fit::Estimate;

/// Choice of values drawn uniformly from the 95 % intervals of estimates: each set of draws is another link that the
/// records allow.
#[derive(Clone, Debug)]
pub struct Drawn(Stream);

impl Drawn {
    /// Draws with `number` as their seed: each number gives other values.
    pub fn new(number: u64) -> Self {
        Self(Stream::named(number, "link", "draw"))
    }
}

impl Values for Drawn {
    fn of(&mut self, estimate: Estimate) -> f64 {
        if estimate.low < estimate.high {
            self.0.uniform(estimate.low, estimate.high)
        } else {
            estimate.value
        }
    }
}

/// Choice of the likeliest value of each estimate, for the scenario of the likeliest link.
#[derive(Clone, Copy, Debug)]
pub struct Likeliest;

impl Values for Likeliest {
    fn of(&mut self, estimate: Estimate) -> f64 {
        estimate.value
    }
}
