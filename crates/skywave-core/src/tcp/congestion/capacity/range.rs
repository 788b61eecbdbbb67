//! The smallest and the largest of some measurements.

/// The smallest and the largest of some measurements.
#[derive(Clone, Copy, Debug)]
pub(super) struct Range {
    /// The smallest one; infinite before the first.
    pub(super) low: f64,
    /// The largest one; minus infinite before the first.
    pub(super) high: f64,
}

impl Default for Range {
    /// A range without measurements.
    fn default() -> Self {
        Self {
            low: f64::INFINITY,
            high: f64::NEG_INFINITY,
        }
    }
}

impl Range {
    /// The range with one measurement more.
    pub(super) fn with(self, measured: f64) -> Self {
        Self {
            low: self.low.min(measured),
            high: self.high.max(measured),
        }
    }

    /// The range of the measurements of both.
    pub(super) fn and(self, other: Self) -> Self {
        Self {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
        }
    }
}
