//! Where in a space of paths a sender is better than another by so much: a map, learnt from simulations.
//!
//! Points are measured evenly at first, and then where it is least sure on which side of the border they lie
//! ([`Survey`]); between them a Gaussian process says what is likely. Points that took no part in it tell how often the
//! map is right ([`Map::check`]).

mod border;
mod cholesky;
mod figure;
mod gaussian;
mod halton;
mod survey;

use skywave_core::rng::Stream;
use skywave_scenario::Key;

use crate::bench::{Bench, SearchError};
use crate::{Candidate, keys_off};
use gaussian::Gaussian;

pub use survey::Survey;

/// Least and greatest logarithm of a relation that counts: how far it is beyond does not move the border.
const FAR: f64 = 0.7;
/// Relations are not below this, which has a logarithm.
const LEAST: f64 = 1e-3;

/// Question that a [`Map`] answers: where in a space of network paths the objective has at least a given value.
pub struct Question<'a> {
    /// Bench that simulates network paths and measures the objective on them.
    pub bench: &'a Bench<'a>,
    /// Scenario keys that vary, the axes of the map; each has one numeric range and no choices.
    pub keys: &'a [Key],
    /// Bound on the objective's value: a point is inside the region if the value there is at least this.
    pub at_least: f64,
    /// Seeds with which each point is simulated; the mean over them counts.
    pub seeds: &'a [u64],
}

/// Region of a space of network paths where the objective has at least a given value, learnt from simulations of some
/// of the paths. The space has an axis for each key of the [`Question`]; a Gaussian process predicts the value between
/// the simulated paths.
#[derive(Clone, Debug)]
pub struct Map {
    /// Simulated paths that the map was learnt from, with the values measured on them.
    pub survey: Survey,
    process: Gaussian,
}

/// Result of [`Map::check`]: how often a map is right about which side of its region's border a path is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Check {
    /// Number of tested points; none of them took part in making the map.
    pub points: usize,
    /// Number of tested points that the map puts rightly inside or outside its region.
    pub right: usize,
}

impl Question<'_> {
    /// Logarithms of what each point has in relation to the bound: above 0 inside; `None` where nobody gets anything.
    fn measure(&self, places: &[Vec<f64>]) -> Result<Vec<Option<f64>>, SearchError> {
        let candidates: Vec<Candidate> = places.iter().map(|place| self.candidate(place)).collect();
        let values = self.bench.means(&candidates, self.seeds)?;
        let margin = |value: f64| libm::log(value.max(LEAST) / self.at_least).clamp(-FAR, FAR);
        Ok(values.into_iter().map(|value| value.map(margin)).collect())
    }

    fn candidate(&self, place: &[f64]) -> Candidate {
        let both = self.keys.iter().zip(place);
        both.map(|(key, &at)| Some(key.setting(&[0.5, at])))
            .collect()
    }

    fn check_keys(&self) -> Result<(), SearchError> {
        let refuse = |why: String| Err(SearchError::Space(why));
        if !(2..=halton::MOST).contains(&self.keys.len()) {
            let most = halton::MOST;
            return refuse(format!(
                "a map needs 2 to {most} keys, and its space has {}",
                self.keys.len()
            ));
        }
        let middle = vec![0.5; self.keys.len()];
        let candidate = self.candidate(&middle);
        debug_assert_eq!(keys_off(&candidate), self.keys.len());
        for (key, setting) in self.keys.iter().zip(candidate.iter().flatten()) {
            if key.dimensions() != 2 || setting.numbers().len() != 1 {
                return refuse(format!(
                    "a map needs one range a key, without choices: `{}` has others",
                    key.text()
                ));
            }
        }
        Ok(())
    }
}

impl Map {
    /// Map that answers the question, learnt from `count` simulated points, or fewer: points at which the objective has
    /// no value are left out.
    ///
    /// # Errors
    /// Fewer than 2 or more than 8 keys, keys with choices, no point at which the objective has a value, an interrupted
    /// search, runs that cannot be kept, or threads that cannot be started.
    pub fn take(question: &Question<'_>, count: usize) -> Result<Self, SearchError> {
        question.check_keys()?;
        let mut measure = |places: &[Vec<f64>]| question.measure(places);
        let survey = Survey::take(question.keys.len(), count, &mut measure)?;
        if survey.points.is_empty() {
            return Err(SearchError::Space(
                "no point of the map's space says anything".into(),
            ));
        }
        let process = Gaussian::fit(&survey.points, &survey.values);
        Ok(Self { survey, process })
    }

    /// Predicted natural logarithm of the objective's value over the bound, at a point of the unit cube (one coordinate
    /// for each key): above 0 the point is inside the region.
    pub fn margin(&self, place: &[f64]) -> f64 {
        self.process.mean(place)
    }

    /// Share of the space, from 0 to 1, that is inside the map's region.
    pub fn share(&self) -> f64 {
        /// Enough for a percent.
        const PLACES: u64 = 4000;
        let dimensions = self.survey.points.first().map_or(0, Vec::len);
        let inside = (1..=PLACES).filter(|&n| self.margin(&halton::halton(n, dimensions)) > 0.0);
        inside.count() as f64 / PLACES as f64
    }

    /// Test of the map at `count` further points, drawn at random with this seed and simulated: how many of
    /// them it puts rightly inside or outside its region. A point without a value is drawn anew, in at most
    /// ten rounds.
    ///
    /// # Errors
    /// An interrupted search, runs that cannot be kept, or threads that cannot be started.
    pub fn check(
        &self,
        question: &Question<'_>,
        count: usize,
        seed: u64,
    ) -> Result<Check, SearchError> {
        let mut draw = Stream::named(seed, "map", "held out");
        let mut check = Check {
            points: 0,
            right: 0,
        };
        let mut tries = 0;
        // A point of which nothing can be said is drawn anew.
        while check.points < count && tries < 10 {
            let places: Vec<Vec<f64>> = (check.points..count)
                .map(|_| question.keys.iter().map(|_| draw.unit()).collect())
                .collect();
            let values = question.measure(&places)?;
            for (place, value) in places.iter().zip(values) {
                let Some(value) = value else { continue };
                check.points += 1;
                check.right += usize::from((value > 0.0) == (self.margin(place) > 0.0));
            }
            tries += 1;
        }
        Ok(check)
    }
}
