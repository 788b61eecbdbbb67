//! One number as a multiple of another.

use serde::Deserialize;

use super::condition::Condition;
use super::points::{Need, Point, part_of};
use super::{Measure, Part, choices, given, label, place_label, places};
use crate::claims::error::Fault;
use crate::claims::model::{Along, Data};
use crate::claims::select::{Cell, Scalar, View};
use skywave_lab::experiment::stats::Estimate;

/// A ratio between limits, or against the paper's.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::claims) struct Ratio {
    pub(super) name: Option<String>,
    top: Data,
    bottom: Data,
    /// One part for each value of this parameter, on both sides that leave it open.
    by: Option<String>,
    /// Only these values of `by`.
    among: Option<Vec<Scalar>>,
    /// At the values of this parameter that both sides have.
    along: Option<Along>,
    /// Whether one of those values is enough.
    #[serde(default)]
    any: bool,
    paper: Option<f64>,
    at_least: Option<f64>,
    at_most: Option<f64>,
}

impl Measure for Ratio {
    fn parts(&self, view: &View<'_>) -> Result<Vec<Part>, Fault> {
        let condition = Condition::given(self.paper, self.at_least, self.at_most)?;
        let sides = Sides {
            top: &self.top,
            bottom: &self.bottom,
            by: self.by.as_deref(),
            along: self.along.as_ref(),
        };
        let need = if self.any { Need::Any } else { Need::ALL };
        let mut parts = Vec::new();
        for choice in sides.choices(view, self.among.as_deref())? {
            let choice = choice.as_ref();
            let mut points = Vec::new();
            for place in sides.places(view, choice)? {
                let place = place.as_ref();
                let label = place_label(self.along.as_ref(), place);
                let [top, bottom] = sides.cells(view, choice, place)?;
                let ratio = top.ratio(&bottom);
                points.push(Point::new(&condition, label, ratio).of([&top, &bottom]));
            }
            parts.push(part_of(label(choice), &condition, "", &points, need));
        }
        Ok(parts)
    }
}

/// The two sides of a ratio. A parameter that one of them fixes in its `at` is not set by the
/// sweep.
pub(super) struct Sides<'a> {
    pub(super) top: &'a Data,
    pub(super) bottom: &'a Data,
    pub(super) by: Option<&'a str>,
    pub(super) along: Option<&'a Along>,
}

impl Sides<'_> {
    /// A side that leaves a parameter open.
    fn open(&self, parameter: &str) -> Result<&Data, Fault> {
        let both = [self.top, self.bottom];
        let found = both.into_iter().find(|d| !d.at.contains_key(parameter));
        found.ok_or_else(|| Fault::new(format!("both sides of the ratio fix `{parameter}`")))
    }

    pub(super) fn choices(
        &self,
        view: &View<'_>,
        among: Option<&[Scalar]>,
    ) -> Result<Vec<Option<Scalar>>, Fault> {
        let data = self.by.map_or(Ok(self.top), |by| self.open(by))?;
        choices(view, data, self.by, among)
    }

    /// The values of the sweep that both sides have.
    pub(super) fn places(
        &self,
        view: &View<'_>,
        choice: Option<&Scalar>,
    ) -> Result<Vec<Option<Scalar>>, Fault> {
        let Some(along) = self.along else {
            return Ok(vec![None]);
        };
        let data = self.open(&along.parameter)?;
        let mut found = places(view, data, self.along, &self.more(data, choice, None))?;
        if !self.bottom.at.contains_key(&along.parameter) {
            let more = self.more(self.bottom, choice, None);
            let others = view.values(self.bottom, along, &more)?;
            found.retain(|p| {
                let number = p.as_ref().and_then(Scalar::number);
                others.iter().any(|o| o.number() == number)
            });
        }
        if found.is_empty() {
            return Err(Fault::new(format!(
                "the two sides have no value of `{}` in common",
                along.parameter
            )));
        }
        Ok(found)
    }

    fn more<'b>(
        &'b self,
        data: &Data,
        choice: Option<&'b Scalar>,
        place: Option<&'b Scalar>,
    ) -> Vec<(&'b str, &'b Scalar)> {
        let along = self.along.map(|a| a.parameter.as_str());
        let mut more = given([(self.by, choice), (along, place)]);
        more.retain(|(name, _)| !data.at.contains_key(*name));
        more
    }

    fn cell(
        &self,
        view: &View<'_>,
        data: &Data,
        choice: Option<&Scalar>,
        place: Option<&Scalar>,
    ) -> Result<Cell, Fault> {
        view.cell(data, &self.more(data, choice, place))
    }

    fn cells(
        &self,
        view: &View<'_>,
        choice: Option<&Scalar>,
        place: Option<&Scalar>,
    ) -> Result<[Cell; 2], Fault> {
        let top = self.cell(view, self.top, choice, place)?;
        let bottom = self.cell(view, self.bottom, choice, place)?;
        Ok([top, bottom])
    }

    pub(super) fn ratio(
        &self,
        view: &View<'_>,
        choice: Option<&Scalar>,
        place: Option<&Scalar>,
    ) -> Result<Option<Estimate>, Fault> {
        let [top, bottom] = self.cells(view, choice, place)?;
        Ok(top.ratio(&bottom))
    }
}
