//! A study, read and checked: what loads, runs.

use super::compose::Entry;
use super::model::{Delay, Kind, Order};
use skywave_scenario::Scenario;

/// A study of paths: compositions, and the scenarios over which they are ranked.
#[derive(Debug)]
pub struct Study {
    /// Name of the study, and of its folder of results.
    pub name: String,
    /// Question of the study, in one line.
    pub title: String,
    /// More about the study.
    pub description: Option<String>,
    /// The file as it was read.
    pub text: String,
    /// The compositions, published ones first, and mechanisms last; no two are the same.
    pub entries: Vec<Entry>,
    /// Compositions that cannot run on some path, each with the reason.
    pub left_out: Vec<(String, String)>,
    /// Mechanisms that have no place on some path.
    pub refused: Vec<Refused>,
    /// Network paths over which the study compares its entries, in the order of the file.
    pub paths: Vec<StudyPath>,
    /// The scenarios of all paths: for each path one with a point for each composition, and one for each set of
    /// further keys that mechanisms need.
    pub scenarios: Vec<Scenario>,
    /// Index of the composition that the study proposes and judges against published ones; `None` if it
    /// proposes none.
    pub proposed: Option<usize>,
    /// Index of the composition to which the proposed one must leave no less to others; `None` if there is no
    /// such demand.
    pub as_fair_as: Option<usize>,
    /// Index of the composition whose effect on the flows beside it is the measure for all, in a study of
    /// families.
    pub reference: Option<usize>,
    /// Measure that counts as delay.
    pub delay: Delay,
    /// Measure that the table is sorted by.
    pub order: Order,
}

/// A network path of a study, and the runs of each composition over it.
#[derive(Clone, Debug, PartialEq)]
pub struct StudyPath {
    /// Name of the path, and of its folder of results.
    pub name: String,
    /// Use of the path in a ranking.
    pub kind: Kind,
    /// Family that the path belongs to; `None` if the study's paths have no families.
    pub family: Option<Family>,
    /// More about the path, for the report.
    pub about: Option<String>,
    /// For each composition its runs; `None` where it cannot run.
    pub runs: Vec<Option<Runs>>,
    /// Index of the composition against which the goodput of the flows beside the one under test is held: their own,
    /// if it is one for all and among the entries; of a path of a family the study's reference.
    pub baseline: Option<usize>,
}

/// Family and group of a path, in a study whose paths belong to families.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Family {
    /// Name of the path's family.
    pub name: String,
    /// Group of the path, which follows from its scenario.
    pub group: Group,
}

/// Paths that are alike in what can be asked of a sender there. A path belongs to the first of them that it fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// The data of other flows take a link on the way of those under test.
    Shared,
    /// A link on the way is a recorded one.
    Recorded,
    /// The narrowest link on the way has less than [`Group::SLOW`] in the long run.
    Slow,
    /// No other flow shares the way, no link on it is recorded, and the narrowest has at least [`Group::SLOW`].
    Alone,
}

impl Study {
    /// Whether the study's paths belong to families.
    pub fn has_families(&self) -> bool {
        self.paths.iter().any(|path| path.family.is_some())
    }
}

impl Group {
    /// Groups of paths, in the order of tables.
    pub const ALL: [Self; 4] = [Self::Alone, Self::Slow, Self::Shared, Self::Recorded];
    /// Least long-run rate of a path that is not slow, bit/s.
    pub const SLOW: f64 = 0.5e6;

    /// Title of the group for people, such as `recorded links`.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Shared => "beside others",
            Self::Recorded => "recorded links",
            Self::Slow => "nobody beside, below 0.5 Mb/s",
            Self::Alone => "nobody beside, 0.5 Mb/s and more",
        }
    }
}

/// The runs of a composition on a path, a run a seed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Runs {
    /// Index of the scenario among the study's.
    pub scenario: usize,
    /// Index of the point in the scenario.
    pub point: usize,
    /// The flows that are measured.
    pub flows: Flows,
}

/// Flows of a run by the parts that they have in a study, as indices.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Flows {
    /// Flows under test: one, or the copies of one. Of a flow that a proxy splits the half to the destination.
    pub test: Vec<usize>,
    /// Halves, from the source to the proxy, of flows under test that a proxy splits.
    pub near: Vec<usize>,
    /// Flows under test that proxies split, from end to end: indices among the outcome's proxies.
    pub split: Vec<usize>,
    /// Flows beside those under test: all TCP flows; on a path of a family those whose data take a link on their way.
    pub others: Vec<usize>,
}

/// A mechanism that has no place on a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// Index of the mechanism among the entries.
    pub entry: usize,
    /// Index of the path.
    pub path: usize,
    /// Reason in words.
    pub reason: String,
}
