//! How values over many paths are spread.

use skywave_lab::experiment::stats::quantile;

/// A share below this counts as this much in a geometric mean, which one path without any goodput would make zero.
const FLOOR: f64 = 0.001;

/// The share below which a path counts as one that brings a sender down.
pub(super) const LOW: f64 = 0.8;

/// Spread of a sender's values over some paths: one for each path, such as its goodput as a share of the best sender's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// Number of paths, and so of values.
    pub paths: usize,
    /// Mean of the values.
    pub mean: f64,
    /// Geometric mean of the values, each taken as 0.001 at least.
    pub geometric_mean: f64,
    /// Tenth percentile of the values, interpolated between neighbours.
    pub p10: f64,
    /// Least of the values.
    pub worst: f64,
    /// Number of values below 0.8.
    pub low: usize,
}

impl Spread {
    /// Spread of these values, one for each path; `None` if there are none.
    pub fn of(values: &[f64]) -> Option<Self> {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let paths = sorted.len() as f64;
        let logarithms = sorted.iter().map(|&value| libm::log(value.max(FLOOR)));
        Some(Self {
            paths: sorted.len(),
            mean: sorted.iter().sum::<f64>() / paths,
            geometric_mean: libm::exp(logarithms.sum::<f64>() / paths),
            p10: quantile(&sorted, 0.1)?,
            worst: *sorted.first()?,
            low: sorted.iter().filter(|&&value| value < LOW).count(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_hand_made_numbers() {
        // A tenth of the way through eleven values is the second.
        let shares = [1.0, 0.25, 0.9, 1.0, 0.8, 0.79, 1.0, 1.0, 1.0, 0.5, 1.0];
        let spread = Spread::of(&shares).unwrap();
        assert_eq!((spread.paths, spread.low), (11, 3));
        assert!((spread.mean - 9.24 / 11.0).abs() < 1e-12);
        assert_eq!((spread.p10, spread.worst), (0.5, 0.25));
        let two = Spread::of(&[0.25, 1.0]).unwrap();
        assert!((two.geometric_mean - 0.5).abs() < 1e-12);
        assert!((two.p10 - (0.25 + 0.075)).abs() < 1e-12);
    }

    #[test]
    fn a_path_without_goodput_does_not_hide_the_others() {
        let spread = Spread::of(&[0.0, 1.0]).unwrap();
        assert_eq!(spread.worst, 0.0);
        // The square root of a thousandth.
        assert!((spread.geometric_mean - 0.031_622_776_601_683_79).abs() < 1e-12);
    }

    #[test]
    fn nothing_has_no_spread() {
        assert_eq!(Spread::of(&[]), None);
    }
}
