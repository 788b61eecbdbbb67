//! Falling or rising on the whole, if not at every step.

use serde::Deserialize;

use super::condition::Condition;
use super::curve::quotient;
use super::points::single;
use super::{Direction, Measure, Part};
use crate::claims::error::Fault;
use crate::claims::model::{Along, Data};
use crate::claims::select::{Cell, Scalar, View};

/// Spearman's rank correlation of a number with a swept parameter, run by run.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::claims) struct Correlation {
    pub(super) name: Option<String>,
    data: Data,
    /// Judge `data` over this, seed by seed.
    over: Option<Data>,
    along: Along,
    direction: Direction,
}

impl Measure for Correlation {
    fn parts(&self, view: &View<'_>) -> Result<Vec<Part>, Fault> {
        let condition = Condition::called(self.direction.limits(), self.direction.as_str());
        let values = view.values(&self.data, &self.along, &[])?;
        let cells: Vec<Cell> = values
            .iter()
            .map(|value| {
                let more = [(self.along.parameter.as_str(), value)];
                quotient(view, &self.data, self.over.as_ref(), &more)
            })
            .collect::<Result<_, _>>()?;
        let places: Option<Vec<f64>> = values.iter().map(Scalar::number).collect();
        let places = places.ok_or_else(|| {
            Fault::new(format!(
                "`{}` is not swept over numbers",
                self.along.parameter
            ))
        })?;
        let estimate = Cell::combine(&cells, |ys| spearman(&places, ys)).estimate();
        Ok(vec![single("", &condition, "", estimate)])
    }
}

/// Spearman's rank correlation; `None` when one side does not vary.
fn spearman(xs: &[f64], ys: &[f64]) -> Option<f64> {
    let (a, b) = (ranks(xs), ranks(ys));
    let mean = f64::midpoint(xs.len() as f64, 1.0);
    let sum = |f: &dyn Fn(f64, f64) -> f64| -> f64 {
        a.iter().zip(&b).map(|(x, y)| f(x - mean, y - mean)).sum()
    };
    let (xx, yy) = (sum(&|x, _| x * x), sum(&|_, y| y * y));
    (xx > 0.0 && yy > 0.0).then(|| sum(&|x, y| x * y) / libm::sqrt(xx * yy))
}

/// Ranks from 1; equal values share their mean rank.
fn ranks(xs: &[f64]) -> Vec<f64> {
    xs.iter()
        .map(|x| {
            let below = xs.iter().filter(|y| *y < x).count() as f64;
            let equal = xs.iter().filter(|y| *y == x).count() as f64;
            below + f64::midpoint(1.0, equal)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_of_equal_values_are_shared() {
        assert_eq!(ranks(&[3.0, 1.0, 3.0, 2.0]), [3.5, 1.0, 3.5, 2.0]);
    }

    #[test]
    fn rank_correlation_sees_order_only() {
        assert_eq!(spearman(&[1.0, 2.0, 3.0], &[1.0, 10.0, 11.0]), Some(1.0));
        assert_eq!(spearman(&[1.0, 2.0, 3.0], &[5.0, 4.0, -9.0]), Some(-1.0));
        assert_eq!(spearman(&[1.0, 2.0], &[4.0, 4.0]), None);
        // 1 − 6 Σd² / (n (n² − 1)) with d = 0, 1, 1.
        assert_eq!(spearman(&[1.0, 2.0, 3.0], &[1.0, 3.0, 2.0]), Some(0.5));
    }
}
