//! A study, read and checked: what loads, runs.

use super::compose::Entry;
use super::model::{Delay, Kind, Order};
use skywave_scenario::Scenario;

/// A study, read from its file and checked: senders, and the scenarios (paths) over which they are ranked. Each sender
/// is a composition of policies, such as loss detection and congestion control, or a mechanism with what it needs
/// ([`Entry`]).
#[derive(Debug)]
pub struct Study {
    /// Name of the study, and of its folder of results.
    pub name: String,
    /// Question of the study, in one line.
    pub title: String,
    /// Further text about the study.
    pub description: Option<String>,
    /// Text of the study's file.
    pub text: String,
    /// Sender compositions that are ranked: presets first, then combinations of policies, and mechanisms last; no two
    /// are the same. Other fields name an entry by its index here.
    pub entries: Vec<Entry>,
    /// Labels of sender compositions that are not ranked because they cannot run on some path, each with the reason.
    pub left_out: Vec<(String, String)>,
    /// Mechanisms (transports with whatever else they need, such as a proxy) that cannot run on some path, each with
    /// the path and the reason.
    pub refused: Vec<Refused>,
    /// Network paths over which the study compares its entries, in the order of the file.
    pub paths: Vec<StudyPath>,
    /// Scenarios of all paths. A path has one for all entries that change only the transport, each a sweep point, and
    /// one more for each set of further keys that mechanisms change.
    pub scenarios: Vec<Scenario>,
    /// Index in [`Self::entries`] of the sender that the study proposes and judges against published ones; `None` if it
    /// proposes none.
    pub proposed: Option<usize>,
    /// Index in [`Self::entries`] of the sender that the proposed one must match in fairness: the proposed one must
    /// leave no less goodput to competing flows. `None` if there is no such demand.
    pub as_fair_as: Option<usize>,
    /// Index in [`Self::entries`] of the sender against which the study holds all others in the goodput that they leave
    /// to competing flows. Only a study whose paths belong to families ([`StudyPath::family`]) can name one; `None` if
    /// none is named.
    pub reference: Option<usize>,
    /// Measure that the study takes as delay.
    pub delay: Delay,
    /// Measure that the table of sender compositions is sorted by.
    pub order: Order,
}

/// A network path of a study, and the runs of each of the study's entries over it.
#[derive(Clone, Debug, PartialEq)]
pub struct StudyPath {
    /// Name of the path, and of its folder of results.
    pub name: String,
    /// Use of the path in a ranking: goodput with losses that congestion does not cause, goodput without such losses,
    /// fairness to competing flows, or (on a path of a family) all of these.
    pub kind: Kind,
    /// Family that the path belongs to, a kind of paths that the study names, such as paths with jitter; `None` if the
    /// study's paths have no families.
    pub family: Option<Family>,
    /// Further text about the path, for the report.
    pub about: Option<String>,
    /// Runs of each sender composition on the path, in the order of [`Study::entries`]; `None` for one that cannot run
    /// there.
    pub runs: Vec<Option<Runs>>,
    /// Index, among the study's entries, of the sender composition that sharing of the path is measured against: the
    /// one that all competing flows use or, on a path of a family, the study's reference ([`Study::reference`]). `None`
    /// without competing flows, or if there is no such entry.
    pub baseline: Option<usize>,
}

/// Family and group of a path, in a study whose paths belong to families: the family is a kind of paths that the
/// study's file names, such as paths with jitter; the group follows from the scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Family {
    /// Name of the path's family, as the study's file has it.
    pub name: String,
    /// Group of the path, from its scenario: shared with other flows, over a recorded link, slow, or none of these.
    pub group: Group,
}

/// Group of paths that demand the same of a sender: shared with other flows, over a recorded link, slow, or none of
/// these. A path belongs to the first of these four that it fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Paths on which data of other flows share a link with the flow under test.
    Shared,
    /// Paths with a link whose rate follows a recorded trace.
    Recorded,
    /// Paths whose narrowest link has less than [`Group::SLOW`] in the long run.
    Slow,
    /// All other paths: alone on the way, over no recorded link, and with [`Group::SLOW`] or more at the narrowest
    /// link.
    Alone,
}

impl Study {
    /// Whether the study's paths belong to families, kinds of paths that the study's file names.
    pub fn has_families(&self) -> bool {
        self.paths.iter().any(|path| path.family.is_some())
    }
}

impl Group {
    /// All groups of paths, in the order in which tables of results show them.
    pub const ALL: [Self; 4] = [Self::Alone, Self::Slow, Self::Shared, Self::Recorded];
    /// Least long-run rate, bit/s, of the narrowest link of a path that is not slow.
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

/// Place, among the study's scenarios, of the runs of one entry on a path; there is a run for each seed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Runs {
    /// Index of the scenario among the study's.
    pub scenario: usize,
    /// Index of the sweep point in the scenario.
    pub point: usize,
    /// Indices of the flows that are measured, by their roles (under test, beside it), the same in all these runs.
    pub flows: Flows,
}

/// Flows of a run by the roles that they have in a study, as indices into the run's flows.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Flows {
    /// Flows under test: one, or the copies of one. For a flow that a proxy splits, its half from the proxy to the
    /// destination.
    pub test: Vec<usize>,
    /// Halves, from the source to the proxy, of flows under test that a proxy splits.
    pub near: Vec<usize>,
    /// Flows under test that proxies split, measured from end to end: indices into the outcome's `proxies`.
    pub split: Vec<usize>,
    /// Flows that compete with those under test: all other TCP flows; in studies whose paths belong to families, every
    /// flow whose data share a link with the flows under test.
    pub others: Vec<usize>,
}

/// A mechanism (a transport with whatever else it needs, such as a proxy) that cannot run on a path, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// Index of the mechanism among the study's entries.
    pub entry: usize,
    /// Index of the path among the study's paths.
    pub path: usize,
    /// Reason why the mechanism cannot run on the path, in words.
    pub reason: String,
}
