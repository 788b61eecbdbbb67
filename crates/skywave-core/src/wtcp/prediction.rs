//! Was a loss random, or due to congestion? (section 3.1, item 3)
//!
//! Everything here is in units of the sender's separation, so that a change of rate alone is no
//! deviation from the average.

use super::config::PredictionConfig;

/// Average and mean deviation of inter-packet separations at the receiver.
#[derive(Clone, Debug)]
pub(super) struct LossPredictor {
    config: PredictionConfig,
    average: Option<f64>,
    deviation: f64,
}

impl LossPredictor {
    pub(super) fn new(config: PredictionConfig) -> Self {
        Self {
            config,
            average: None,
            deviation: 0.0,
        }
    }

    /// Two packets in sequence arrived `separation` apart.
    pub(super) fn sample(&mut self, separation: f64) {
        let weight = self.config.weight;
        let Some(average) = self.average else {
            self.average = Some(separation);
            return;
        };
        let off = separation - average;
        self.average = Some(average + weight * off);
        self.deviation += weight * (off.abs() - self.deviation);
    }

    /// Whether packets were lost at random, given the time between their neighbours shared among
    /// them. Losses are, until there is an average to compare with.
    pub(super) fn is_random(&self, per_pktsep: f64) -> bool {
        self.average.is_none_or(|average| {
            let deviation = self.deviation.max(self.config.floor * average);
            (per_pktsep - average).abs() <= self.config.k * deviation
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wtcp::Config;

    fn predictor() -> LossPredictor {
        LossPredictor::new(Config::default().prediction)
    }

    #[test]
    fn losses_are_random_until_there_is_an_average() {
        assert!(predictor().is_random(100.0));
    }

    #[test]
    fn a_steady_path_allows_two_tenths() {
        let mut p = predictor();
        (0..100).for_each(|_| p.sample(1.0));
        for (separation, random) in [(0.79, false), (0.81, true), (1.19, true), (1.21, false)] {
            assert_eq!(p.is_random(separation), random, "{separation}");
        }
    }

    #[test]
    fn the_band_is_k_mean_deviations_wide() {
        let mut p = predictor();
        // Average 1, then 1 + 1/8; deviation 0, then 1/8.
        p.sample(1.0);
        p.sample(2.0);
        for (separation, random) in [(0.874, false), (0.876, true), (1.374, true), (1.376, false)] {
            assert_eq!(p.is_random(separation), random, "{separation}");
        }
        // Average 1.125 - 0.125/8 = 1.109375; deviation (7/8)/8 + 0.125/8 = 0.125.
        p.sample(1.0);
        assert!(p.is_random(1.109_375 + 0.249));
        assert!(!p.is_random(1.109_375 + 0.251));
    }
}
