//! Order of choices: who is ahead of whom.

use serde::Deserialize;

use super::condition::Condition;
use super::points::{Point, part};
use super::{Measure, Part, given, place_label, places, variant};
use crate::claims::error::Fault;
use crate::claims::model::{Along, Data};
use crate::claims::select::{Cell, Scalar, View};
use crate::claims::verdict::Limits;

/// A ranking, best first: each is ahead of the next.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::claims) struct Order {
    pub(super) name: Option<String>,
    data: Data,
    /// The parameter whose values are ranked, or `flow`.
    #[serde(default = "variant")]
    by: String,
    /// The ranking. Several in one place are each ahead of each in the next place.
    #[serde(rename = "order")]
    ranking: Vec<Rank>,
    /// Compare the means of several in one place instead of each with each.
    #[serde(default)]
    pool: bool,
    /// At every value of this parameter.
    along: Option<Along>,
}

/// One place of a ranking.
#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "must be a value, or an array of values")]
enum Rank {
    One(Scalar),
    Many(Vec<Scalar>),
}

impl Rank {
    fn members(&self) -> &[Scalar] {
        match self {
            Self::One(one) => std::slice::from_ref(one),
            Self::Many(many) => many,
        }
    }
}

impl Order {
    fn cell(&self, view: &View<'_>, who: &Scalar, place: Option<&Scalar>) -> Result<Cell, Fault> {
        let along = self.along.as_ref().map(|a| a.parameter.as_str());
        let mut more = given([(along, place)]);
        if self.by == "flow" {
            let data = Data {
                flow: Some(who.to_string()),
                ..self.data.clone()
            };
            return view.cell(&data, &more);
        }
        more.push((&self.by, who));
        view.cell(&self.data, &more)
    }

    /// The cells of one place of the ranking, with their names.
    fn cells(
        &self,
        view: &View<'_>,
        rank: &Rank,
        place: Option<&Scalar>,
    ) -> Result<Vec<(String, Cell)>, Fault> {
        let members = rank.members();
        if members.is_empty() {
            return Err(Fault::new("a place of this order is empty"));
        }
        let present = members.iter().filter(|who| view.has(who));
        let named: Vec<(String, Cell)> = present
            .map(|who| Ok((who.to_string(), self.cell(view, who, place)?)))
            .collect::<Result<_, Fault>>()?;
        if !self.pool || named.len() == 1 {
            return Ok(named);
        }
        let (names, cells): (Vec<String>, Vec<Cell>) = named.into_iter().unzip();
        let mean = |xs: &[f64]| Some(xs.iter().sum::<f64>() / xs.len() as f64);
        Ok(vec![(names.join(" and "), Cell::combine(&cells, mean))])
    }
}

impl Measure for Order {
    fn parts(&self, view: &View<'_>) -> Result<Vec<Part>, Fault> {
        if self.ranking.len() < 2 {
            return Err(Fault::new("an order needs two places or more"));
        }
        let fixed = self.ranking.first().and_then(|r| r.members().first());
        let more: Vec<(&str, &Scalar)> = match fixed {
            Some(first) if self.by != "flow" => vec![(&self.by, first)],
            _ => Vec::new(),
        };
        let places = places(view, &self.data, self.along.as_ref(), &more)?;
        let condition = Condition::called(Limits::POSITIVE, "ahead");
        // One list of points for each pair, in the order of the ranking.
        let mut pairs: Vec<(String, Vec<Point>)> = Vec::new();
        for place in &places {
            let place = place.as_ref();
            let mut at = 0;
            for two in self.ranking.windows(2) {
                let ahead = self.cells(view, &two[0], place)?;
                let behind = self.cells(view, &two[1], place)?;
                for (a, cell) in &ahead {
                    for (b, other) in &behind {
                        let label = place_label(self.along.as_ref(), place);
                        let point = Point::new(&condition, label, cell.lead(other));
                        if at == pairs.len() {
                            pairs.push((format!("{a} over {b}"), Vec::new()));
                        }
                        pairs[at].1.push(point);
                        at += 1;
                    }
                }
            }
        }
        Ok(pairs
            .into_iter()
            .map(|(name, points)| part(name, &condition, "%", &points))
            .collect())
    }
}
