//! A Gaussian process over the unit cube: what a quantity that was measured at some points is elsewhere, and how
//! sure that is.
//!
//! Rasmussen and Williams, "Gaussian Processes for Machine Learning" (2006), algorithm 2.1, with a Matérn 5/2
//! covariance. Own code and plain loops, because libraries for matrices choose their instructions by the machine,
//! which changes the last bits, and with them which points are measured next.

use super::cholesky::Factor;

/// Length scales that are tried for each dimension: from a tenth of the cube to a dimension that hardly matters.
const SCALES: [f64; 7] = [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4];
/// Shares of the variance that are noise, of which one is taken: seeds are few.
const NOISE: [f64; 5] = [1e-4, 1e-3, 1e-2, 0.05, 0.2];
/// Passes over all scales. A third one has never changed a choice.
const PASSES: usize = 2;

/// A Gaussian process that has seen some points.
#[derive(Clone, Debug)]
pub(super) struct Gaussian {
    points: Vec<Vec<f64>>,
    mean: f64,
    variance: f64,
    shape: Shape,
    factor: Factor,
    /// The inverse of the covariance times the deviations from the mean.
    weights: Vec<f64>,
}

/// How far points resemble each other.
#[derive(Clone, Debug, PartialEq)]
struct Shape {
    scales: Vec<f64>,
    noise: f64,
}

impl Shape {
    /// Covariance of two places as a share of the variance.
    fn between(&self, a: &[f64], b: &[f64]) -> f64 {
        let squares = a.iter().zip(b).zip(&self.scales);
        let r2: f64 = squares
            .map(|((a, b), scale)| (a - b) * (a - b) / (scale * scale))
            .sum();
        let r = libm::sqrt(5.0 * r2);
        (1.0 + r + r * r / 3.0) * libm::exp(-r)
    }

    fn factor(&self, points: &[Vec<f64>]) -> Factor {
        Factor::of(points.len(), |row, column| {
            let noise = if row == column { self.noise } else { 0.0 };
            self.between(&points[row], &points[column]) + noise
        })
    }
}

impl Gaussian {
    /// The process that makes the values at these points, at least one, most likely.
    pub(super) fn fit(points: &[Vec<f64>], values: &[f64]) -> Self {
        let dimensions = points.first().map_or(0, Vec::len);
        let mut best = Self::of(
            points,
            values,
            Shape {
                scales: vec![0.8; dimensions],
                noise: 1e-2,
            },
        );
        for _ in 0..PASSES {
            for place in 0..=dimensions {
                let choices: &[f64] = if place < dimensions { &SCALES } else { &NOISE };
                for &choice in choices {
                    let mut shape = best.shape.clone();
                    match shape.scales.get_mut(place) {
                        Some(scale) => *scale = choice,
                        None => shape.noise = choice,
                    }
                    if shape != best.shape {
                        let other = Self::of(points, values, shape);
                        if other.unlikelihood() < best.unlikelihood() {
                            best = other;
                        }
                    }
                }
            }
        }
        best
    }

    /// The same process after more points, at the scales that it has.
    pub(super) fn with(&self, points: &[Vec<f64>], values: &[f64]) -> Self {
        Self::of(points, values, self.shape.clone())
    }

    fn of(points: &[Vec<f64>], values: &[f64], shape: Shape) -> Self {
        let count = values.len().max(1) as f64;
        let mean = values.iter().sum::<f64>() / count;
        let deviations: Vec<f64> = values.iter().map(|value| value - mean).collect();
        let factor = shape.factor(points);
        let weights = factor.solve(&deviations);
        let squares: f64 = deviations.iter().zip(&weights).map(|(d, w)| d * w).sum();
        Self {
            points: points.to_vec(),
            mean,
            // Of values that are all the same nothing is unsure.
            variance: (squares / count).max(1e-12),
            shape,
            factor,
            weights,
        }
    }

    /// Negative logarithm of the likelihood, less what is the same for all shapes.
    fn unlikelihood(&self) -> f64 {
        self.points.len() as f64 * libm::log(self.variance) + self.factor.log_determinant()
    }

    /// Mean at a place.
    pub(super) fn mean(&self, place: &[f64]) -> f64 {
        self.mean_of(&self.shared(place))
    }

    /// Covariance of a place with each point.
    fn shared(&self, place: &[f64]) -> Vec<f64> {
        let points = self.points.iter();
        points
            .map(|point| self.shape.between(point, place))
            .collect()
    }

    fn mean_of(&self, shared: &[f64]) -> f64 {
        let parts = shared.iter().zip(&self.weights).map(|(s, w)| s * w);
        self.mean + parts.sum::<f64>()
    }

    /// Mean and standard deviation at a place.
    pub(super) fn at(&self, place: &[f64]) -> (f64, f64) {
        let shared = self.shared(place);
        let half = self.factor.forward(&shared);
        let known: f64 = half.iter().map(|part| part * part).sum();
        let variance = self.variance * (1.0 - known).max(0.0);
        (self.mean_of(&shared), libm::sqrt(variance))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::map::halton::halton;

    fn bump(place: &[f64]) -> f64 {
        libm::sin(6.0 * place[0]) + place[1]
    }

    #[test]
    fn a_smooth_function_is_found_between_its_points() {
        let points: Vec<_> = (1..=60).map(|n| halton(n, 2)).collect();
        let values: Vec<f64> = points.iter().map(|p| bump(p)).collect();
        let process = Gaussian::fit(&points, &values);
        for n in 100..140 {
            let place = halton(n, 2);
            let (mean, deviation) = process.at(&place);
            assert!(
                (mean - bump(&place)).abs() < 0.05,
                "{mean} {}",
                bump(&place)
            );
            assert!(deviation < 0.1);
        }
    }

    #[test]
    fn far_from_all_points_it_is_unsure() {
        let points = vec![
            vec![0.0, 0.0],
            vec![0.05, 0.0],
            vec![0.0, 0.05],
            vec![0.1, 0.1],
        ];
        let process = Gaussian::of(
            &points,
            &[0.0, 1.0, 0.0, 1.0],
            Shape {
                scales: vec![0.1, 0.1],
                noise: 1e-4,
            },
        );
        assert!(process.at(&[0.05, 0.0]).1 < 0.1 * process.at(&[1.0, 1.0]).1);
    }
}
