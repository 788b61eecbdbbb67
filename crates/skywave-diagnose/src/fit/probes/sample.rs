//! Measured delays and what does not mind outliers among them.

use std::collections::BTreeMap;

use super::jitter::Cell;

/// A delay as it was measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sample {
    /// Number of the probe.
    pub(super) index: usize,
    /// When the probe was sent.
    pub(super) sent_s: f64,
    /// The least that the delay may be.
    pub(super) low_s: f64,
    /// The most that the delay may be.
    pub(super) high_s: f64,
}

impl Sample {
    pub(super) fn middle_s(&self) -> f64 {
        f64::midpoint(self.low_s, self.high_s)
    }
}

/// The middle value, of an even number the mean of both.
pub(super) fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    let upper = *values.get(middle)?;
    Some(if values.len().is_multiple_of(2) {
        f64::midpoint(values[middle - 1], upper)
    } else {
        upper
    })
}

/// Median and the median of absolute deviations from it.
pub(super) fn spread(values: &[f64]) -> Option<(f64, f64)> {
    let centre = median(values.to_vec())?;
    let deviation = median(values.iter().map(|x| (x - centre).abs()).collect())?;
    Some((centre, deviation))
}

/// Standard deviation of a normal distribution, in median absolute deviations.
pub(super) const NORMAL: f64 = 1.482_602;

/// Delays that a host itself adds and takes away: below this nothing is told of a link.
pub(super) const HOST_S: f64 = 0.000_3;

/// The values, none farther from the median than five median deviations.
pub(super) fn winsorised(values: &[f64]) -> Vec<f64> {
    let (centre, deviation) = spread(values).unwrap_or_default();
    let farthest = 5.0 * deviation.max(HOST_S);
    let inside = |x: &f64| x.min(centre + farthest).max(centre - farthest);
    values.iter().map(inside).collect()
}

/// Half of a cell's least width.
const HALF_CELL_S: f64 = 0.000_05;

/// Delays counted by the bounds between which they are, in halves of 0.1 ms; no bounds are closer than 0.1 ms, so that
/// neither a tool's rounding nor a host's noise is taken for the shape of a distribution.
#[derive(Clone, Debug, Default)]
pub(super) struct Cells(BTreeMap<(i64, i64), u32>);

impl Cells {
    /// Counts a delay less what it would be without jitter.
    pub(super) fn add(&mut self, sample: &Sample, base_s: f64) {
        let cell = |x: f64| libm::round((x - base_s) / HALF_CELL_S) as i64;
        let bounds = if sample.high_s - sample.low_s > 2.1 * HALF_CELL_S {
            (cell(sample.low_s), cell(sample.high_s))
        } else {
            let middle = libm::round((sample.middle_s() - base_s) / (2.0 * HALF_CELL_S)) as i64;
            (2 * middle - 1, 2 * middle + 1)
        };
        *self.0.entry(bounds).or_default() += 1;
    }

    /// The cells in order.
    pub(super) fn in_ms(&self) -> Vec<Cell> {
        let ms = |cell: i64| cell as f64 * HALF_CELL_S * 1e3;
        let cell = |(&(low, high), &count): (&(i64, i64), &u32)| Cell {
            low: ms(low),
            high: ms(high),
            count: f64::from(count),
        };
        self.0.iter().map(cell).collect()
    }
}
