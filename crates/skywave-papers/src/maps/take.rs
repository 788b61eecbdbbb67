//! Taking a map (simulating its points and learning from them), and what is told of it.

use serde::Serialize;
use serde_json::json;
use skywave_lab::experiment::Ledger;
use skywave_lab::report::plot::Plot;
use skywave_search::Bench;
use skywave_search::bench::Making;
use skywave_search::map::{Check, Map, Question};

use super::{MapError, PaperMap};

/// Points that are drawn to see how often a map is right, and the seed that they are drawn with.
const HELD_OUT: usize = 50;
const HELD_OUT_SEED: u64 = 1;

/// Settings for the simulation of maps, which show where in a space of network paths a sender gains over another.
#[derive(Clone, Copy)]
pub struct Taking<'a> {
    /// Number of points that are simulated for each map to be learnt from (points at which the objective has no value
    /// are then left out); the points that test the map are additional.
    pub points: usize,
    /// Journal of finished runs, which are not simulated again.
    pub ledger: &'a Ledger,
    /// Number of threads, flag to cancel and report of progress for the runs.
    pub making: Making<'a>,
}

/// A map of where in a space of network paths a sender gains over another, in words and plots, after simulation of its
/// points.
#[derive(Clone, Debug, Serialize)]
pub struct Taken {
    /// Name of the map.
    pub name: String,
    /// Text with the statement that holds inside the map's region, the region's share of the space, and at how many
    /// test points the map is right.
    pub words: String,
    /// Plots over the first two keys of the space as SVG elements for an HTML page: one for each combination of three
    /// levels of the other keys.
    pub plots: Vec<String>,
    #[serde(skip)]
    pub(super) share: f64,
    #[serde(skip)]
    points: usize,
    #[serde(skip)]
    pub(super) check: Check,
}

impl PaperMap {
    /// Number of simulations that [`Self::take`] needs if the map is learnt from `points` points, test points included.
    pub fn runs(&self, points: usize) -> usize {
        let seeds = self
            .spaces()
            .ok()
            .and_then(|spaces| Some(spaces.first()?.scenario().seeds().len()));
        2 * seeds.unwrap_or(1) * (points + HELD_OUT)
    }

    /// Takes the map: simulates its points, learns from them where the gain is, and tests this at 50 other points.
    ///
    /// # Errors
    /// When the map's search space cannot be used, or its points cannot be simulated.
    pub fn take(&self, taking: &Taking<'_>) -> Result<Taken, MapError> {
        let spaces = self.spaces()?;
        let failed = |error| MapError::Search {
            name: self.name().to_owned(),
            error,
        };
        let flow = &self.model.flow;
        let bench = Bench::new(
            &spaces,
            flow,
            &self.objective,
            Some(taking.ledger),
            taking.making,
        );
        let bench = bench.map_err(failed)?;
        let first = bench.space();
        let question = Question {
            bench: &bench,
            keys: first.keys(),
            at_least: self.model.at_least,
            seeds: first.scenario().seeds(),
        };
        let map = Map::take(&question, taking.points).map_err(failed)?;
        let check = map
            .check(&question, HELD_OUT, HELD_OUT_SEED)
            .map_err(failed)?;
        let points = map.survey.points.len();
        let share = map.share();
        Ok(Taken {
            name: self.name().to_owned(),
            words: format!(
                "{}: so it is in {:.0} % of the space. Of {} points that took no part in it the map, of {points} points, is right at {}.",
                self.model.statement,
                100.0 * share,
                check.points,
                check.right,
            ),
            plots: map
                .plots(first.keys())
                .iter()
                .map(Plot::to_inline_svg)
                .collect(),
            share,
            points,
            check,
        })
    }
}

impl Taken {
    /// Line of JSON, without a line break, about this map of the paper called `paper`: share (0 to 1) of the space
    /// inside the map's region, and numbers of points that the map was learnt from, of test points, and of test points
    /// at which it is right.
    pub fn json(&self, paper: &str) -> String {
        let object = json!({
            "map": self.name, "paper": paper, "share": self.share, "points": self.points,
            "held_out": self.check.points, "right": self.check.right,
        });
        object.to_string()
    }
}
