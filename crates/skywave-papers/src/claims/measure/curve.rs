//! Curves along a sweep, and straight lines through them.

use super::given;
use crate::claims::error::Fault;
use crate::claims::model::{Along, Data};
use crate::claims::select::{Cell, More, Scalar, View};

/// The cells at each value of a numeric sweep, in rising order.
pub(super) struct Curve {
    pub(super) xs: Vec<f64>,
    pub(super) cells: Vec<Cell>,
}

impl Curve {
    /// `data` along the sweep, or its ratio to other data, seed by seed.
    pub(super) fn new(
        view: &View<'_>,
        data: &Data,
        over: Option<&Data>,
        along: &Along,
        choice: (Option<&str>, Option<&Scalar>),
    ) -> Result<Self, Fault> {
        let more = given([choice]);
        let mut values: Vec<(f64, Scalar)> = Vec::new();
        for value in view.values(data, along, &more)? {
            let x = value.number().ok_or_else(|| {
                Fault::new(format!("`{}` is not swept over numbers", along.parameter))
            })?;
            values.push((x, value));
        }
        values.sort_by(|a, b| a.0.total_cmp(&b.0));
        if values.len() < 2 {
            return Err(Fault::new(format!(
                "`{}` has one value only: no curve",
                along.parameter
            )));
        }
        let cells = values.iter().map(|(_, value)| {
            let mut more = more.clone();
            more.push((&along.parameter, value));
            quotient(view, data, over, &more)
        });
        Ok(Self {
            cells: cells.collect::<Result<_, _>>()?,
            xs: values.into_iter().map(|(x, _)| x).collect(),
        })
    }
}

/// `data`, or its ratio to other data, seed by seed. A parameter that `over` fixes keeps that
/// value.
pub(super) fn quotient(
    view: &View<'_>,
    data: &Data,
    over: Option<&Data>,
    more: More<'_>,
) -> Result<Cell, Fault> {
    let top = view.cell(data, more)?;
    let Some(over) = over else {
        return Ok(top);
    };
    let open: Vec<_> = more
        .iter()
        .copied()
        .filter(|(name, _)| !over.at.contains_key(*name))
        .collect();
    let cells = [top, view.cell(over, &open)?];
    Ok(Cell::combine(&cells, |xs| match xs {
        [top, bottom] if *bottom != 0.0 => Some(top / bottom),
        _ => None,
    }))
}

/// Slope and intercept of the line of least squares; `None` when x does not vary.
pub(super) fn line(xs: &[f64], ys: &[f64]) -> Option<(f64, f64)> {
    let n = xs.len() as f64;
    let (mx, my) = (xs.iter().sum::<f64>() / n, ys.iter().sum::<f64>() / n);
    let pairs = || xs.iter().zip(ys);
    let xx: f64 = xs.iter().map(|x| (x - mx) * (x - mx)).sum();
    let xy: f64 = pairs().map(|(x, y)| (x - mx) * (y - my)).sum();
    (xx > 0.0).then(|| {
        let slope = xy / xx;
        (slope, my - slope * mx)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_by_hand() {
        assert_eq!(line(&[0.0, 1.0, 2.0], &[1.0, 3.0, 5.0]), Some((2.0, 1.0)));
        // Least squares of 0, 0, 3 at 0, 1, 2: slope 3/2, mean 1 at 1.
        assert_eq!(line(&[0.0, 1.0, 2.0], &[0.0, 0.0, 3.0]), Some((1.5, -0.5)));
        assert_eq!(line(&[1.0, 1.0], &[0.0, 3.0]), None);
    }
}
