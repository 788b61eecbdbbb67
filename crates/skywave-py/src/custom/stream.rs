//! Random numbers for members written in Python: the simulator's own.

use pyo3::prelude::*;
use skywave_core::rng;

/// A stream of random numbers, the same on every machine.
#[pyclass(module = "skywave")]
pub(crate) struct Stream(rng::Stream);

#[pymethods]
impl Stream {
    #[new]
    fn new(seed: u64, entity: &str, purpose: &str) -> Self {
        Self(rng::Stream::named(seed, entity, purpose))
    }

    /// Uniform on [0, 1).
    fn unit(&mut self) -> f64 {
        self.0.unit()
    }

    /// Uniform on [low, high).
    fn uniform(&mut self, low: f64, high: f64) -> f64 {
        self.0.uniform(low, high)
    }

    /// Uniform on the whole numbers from low to high.
    fn uniform_int(&mut self, low: u64, high: u64) -> u64 {
        self.0.uniform_int(low, high)
    }

    /// True with this probability.
    fn chance(&mut self, probability: f64) -> bool {
        self.0.chance(probability)
    }

    /// Exponential with this mean.
    fn exponential(&mut self, mean: f64) -> f64 {
        self.0.exponential(mean)
    }
}
