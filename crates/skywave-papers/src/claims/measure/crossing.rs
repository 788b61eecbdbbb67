//! Where one curve crosses another, or a level.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::condition::Condition;
use super::curve::Curve;
use super::points::{Point, part};
use super::value::factor;
use super::{Measure, Part, label};
use crate::claims::error::Fault;
use crate::claims::model::{Along, Data};
use crate::claims::select::{Cell, Scalar, View, scaled};
use crate::claims::verdict::Verdict;

/// The first value of a swept parameter at which the means are equal, interpolated between points.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::claims) struct Crossing {
    pub(super) name: Option<String>,
    data: Data,
    /// The other curve.
    with: Option<Data>,
    /// The level, when there is no other curve.
    level: Option<f64>,
    along: Along,
    /// The parameter whose values are the keys of `paper`, when that is a table.
    by: Option<String>,
    /// Where the paper's curves cross.
    paper: Papers,
    /// Unit of the paper's numbers; the swept ones are converted from SI units.
    #[serde(default)]
    unit: String,
}

#[derive(Debug, Deserialize)]
#[serde(
    untagged,
    expecting = "must be a number, or a table of numbers by choice"
)]
enum Papers {
    One(f64),
    Each(BTreeMap<String, f64>),
}

impl Crossing {
    fn part(&self, view: &View<'_>, choice: Option<&Scalar>, paper: f64) -> Result<Part, Fault> {
        let choice = (self.by.as_deref(), choice);
        let curve = Curve::new(view, &self.data, None, &self.along, choice)?;
        let mut cells = curve.cells;
        if let Some(with) = &self.with {
            let other = Curve::new(view, with, None, &self.along, choice)?;
            if other.xs != curve.xs {
                return Err(Fault::new("the two curves have different points"));
            }
            cells.extend(other.cells);
        }
        let xs = &curve.xs;
        let level = self.level.unwrap_or_default();
        let ours = Cell::jackknife(&cells, |means| {
            let (ys, others) = means.split_at(xs.len());
            let difference = |(i, y): (usize, &f64)| y - others.get(i).unwrap_or(&level);
            let differences: Vec<f64> = ys.iter().enumerate().map(difference).collect();
            crossing(xs, &differences)
        });
        let ours = match factor(&self.unit)? {
            1.0 => ours,
            factor => ours.map(|e| scaled(&e, factor)),
        };
        let condition = Condition::value(paper);
        let mut point = Point::new(&condition, "", ours);
        if ours.is_none() && Cell::all_run(&cells) {
            // The curves do not cross.
            point.verdict = Verdict::NotReproduced;
        }
        Ok(part(label(choice.1), &condition, &self.unit, &[point]))
    }
}

impl Measure for Crossing {
    fn parts(&self, view: &View<'_>) -> Result<Vec<Part>, Fault> {
        if self.with.is_some() == self.level.is_some() {
            return Err(Fault::new("a crossing needs either `with` or `level`"));
        }
        match (&self.paper, &self.by) {
            (Papers::One(paper), None) => Ok(vec![self.part(view, None, *paper)?]),
            (Papers::Each(papers), Some(_)) => {
                let each = papers.iter();
                each.map(|(choice, paper)| {
                    self.part(view, Some(&Scalar::Text(choice.clone())), *paper)
                })
                .collect()
            }
            _ => Err(Fault::new(
                "`by` needs a table of the paper's numbers, and a table needs `by`",
            )),
        }
    }
}

/// Where the curve through these points first meets zero.
fn crossing(xs: &[f64], ys: &[f64]) -> Option<f64> {
    let points: Vec<(f64, f64)> = xs.iter().copied().zip(ys.iter().copied()).collect();
    if points.first()?.1 == 0.0 {
        return Some(points[0].0);
    }
    points.windows(2).find_map(|two| {
        let ((x0, y0), (x1, y1)) = (two[0], two[1]);
        ((y0 < 0.0) != (y1 < 0.0) || y1 == 0.0).then(|| x0 + (x1 - x0) * y0 / (y0 - y1))
    })
}

#[cfg(test)]
mod tests {
    use super::crossing;

    #[test]
    fn the_first_crossing_lies_between_its_points() {
        let xs = [1.0, 2.0, 4.0, 8.0];
        assert_eq!(crossing(&xs, &[-1.0, -1.0, 3.0, -1.0]), Some(2.5));
        assert_eq!(crossing(&xs, &[1.0, 0.5, 0.25, 0.0]), Some(8.0));
        assert_eq!(crossing(&xs, &[0.0, 1.0, 1.0, 1.0]), Some(1.0));
        assert_eq!(crossing(&xs, &[1.0, 1.0, 1.0, 1.0]), None);
    }
}
