//! One choice ahead of all others, also along a sweep.

use serde::Deserialize;

use super::condition::Condition;
use super::points::{Need, Point, part_of};
use super::{Measure, Part, choices, given, place_label, places, variant};
use crate::claims::error::Fault;
use crate::claims::model::{Along, Data};
use crate::claims::select::{Scalar, View};
use crate::claims::verdict::{Limits, Verdict};
use skywave_lab::experiment::stats::Estimate;

/// Claim that one choice leads all others.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::claims) struct First {
    pub(super) name: Option<String>,
    data: Data,
    /// The parameter whose values compete.
    #[serde(default = "variant")]
    by: String,
    /// Choice that leads.
    #[serde(rename = "first")]
    leader: Scalar,
    /// The competitors; default all values.
    among: Option<Vec<Scalar>>,
    /// At every value of this parameter.
    along: Option<Along>,
    /// The share of those values that is enough; default all of them.
    min_fraction: Option<f64>,
}

impl First {
    /// The smallest lead over a competitor, and how the lead over all of them stands.
    fn point(
        &self,
        view: &View<'_>,
        rivals: &[Option<Scalar>],
        place: Option<&Scalar>,
    ) -> Result<Point, Fault> {
        let along = self.along.as_ref().map(|a| a.parameter.as_str());
        let at = |who: &Scalar| {
            let mut more = given([(along, place)]);
            more.push((&self.by, who));
            view.cell(&self.data, &more)
        };
        let ours = at(&self.leader)?;
        let mut closest: Option<(Estimate, String)> = None;
        let mut verdict = Verdict::Reproduced;
        for rival in rivals.iter().flatten() {
            if rival.to_string() == self.leader.to_string() {
                continue;
            }
            let lead = ours.lead(&at(rival)?);
            verdict = verdict.max(lead.map_or(Verdict::NotRun, |l| Limits::POSITIVE.judge(&l)));
            if let Some(lead) = lead
                && closest.as_ref().is_none_or(|(l, _)| lead.mean < l.mean)
            {
                closest = Some((lead, rival.to_string()));
            }
        }
        let rival = closest.as_ref().map(|(_, name)| format!("over {name}"));
        Ok(Point {
            place: place_label(self.along.as_ref(), place),
            pair: rival.unwrap_or_default(),
            estimate: closest.map(|(lead, _)| lead),
            verdict,
            numbers: Vec::new(),
            limited: true,
        })
    }
}

impl Measure for First {
    fn parts(&self, view: &View<'_>) -> Result<Vec<Part>, Fault> {
        let rivals = choices(view, &self.data, Some(&self.by), self.among.as_deref())?;
        if rivals.len() < 2 {
            return Err(Fault::new(format!("`{}` has no competitor", self.leader)));
        }
        let by = (self.by.as_str(), &self.leader);
        let places = places(view, &self.data, self.along.as_ref(), &[by])?;
        let points: Vec<Point> = places
            .iter()
            .map(|place| self.point(view, &rivals, place.as_ref()))
            .collect::<Result<_, _>>()?;
        let need = Need::Share(self.min_fraction.unwrap_or(1.0));
        let words = format!("{} first", self.leader);
        let condition = Condition::called(Limits::POSITIVE, words);
        Ok(vec![part_of("", &condition, "%", &points, need)])
    }
}
