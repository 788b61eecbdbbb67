//! Numbers that decide a part: of which points they are, and between which limits they have to lie. Who wants to know
//! when a run left the limits reads the same numbers of other runs.

use skywave_scenario::Scenario;

use super::model::Data;
use super::reader::Reader;
use super::verdict::Limits;

/// Place of a sweep that decides a part.
#[derive(Clone, Debug)]
pub(crate) struct Deciding {
    /// `parameter = value`; empty for a claim without a sweep.
    pub(crate) place: String,
    /// Numbers that the part's is made of, where they are known.
    pub(crate) numbers: Vec<Number>,
    /// Limits of the only number, or of the two divided; `None` where there are none, or the part's number is made in another way.
    pub(crate) limits: Option<Limits>,
}

/// Parts are told apart by what they measure, not by where it was read.
impl PartialEq for Deciding {
    fn eq(&self, _other: &Self) -> bool {
        true
    }
}

/// A number of each run of one point.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Number {
    pub(super) point: usize,
    pub(super) data: Data,
}

impl Number {
    /// Name of the experiment.
    pub(crate) fn experiment(&self) -> &str {
        &self.data.experiment
    }

    /// Index of the point in the experiment.
    pub(crate) fn point(&self) -> usize {
        self.point
    }

    /// Reads the number of any outcome of the point; `None` where the experiment has no such number.
    pub(crate) fn reader(&self, experiment: &Scenario) -> Option<Reader> {
        Reader::new(experiment, self.point, &self.data).ok()
    }
}
