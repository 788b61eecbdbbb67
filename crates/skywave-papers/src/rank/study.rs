//! A study, read and checked: what loads, runs.

use super::compose::Entry;
use super::model::{Delay, Kind, Order};
use skywave_scenario::Scenario;

/// A study of paths: compositions, and the scenarios over which they are ranked.
#[derive(Debug)]
pub struct Study {
    /// Name, of its folder of results.
    pub name: String,
    /// What it asks, in one line.
    pub title: String,
    /// More about it.
    pub description: Option<String>,
    /// The file as it was read.
    pub text: String,
    /// The compositions, published ones first; no two are the same.
    pub entries: Vec<Entry>,
    /// Compositions that cannot run on some path, each with the reason.
    pub left_out: Vec<(String, String)>,
    /// The paths.
    pub paths: Vec<StudyPath>,
    /// For each path its scenario; point `i` of its sweep is composition `i`.
    pub scenarios: Vec<Scenario>,
    /// Index of the composition that is proposed.
    pub proposed: Option<usize>,
    /// Index of the one whose fairness it is held to.
    pub as_fair_as: Option<usize>,
    /// What counts as delay.
    pub delay: Delay,
    /// What the table is sorted by.
    pub order: Order,
}

/// A path of a study.
#[derive(Clone, Debug, PartialEq)]
pub struct StudyPath {
    /// Name, of its folder of results.
    pub name: String,
    /// What it is for.
    pub kind: Kind,
    /// More about it.
    pub about: Option<String>,
    /// Index of the flow under test.
    pub flow: usize,
    /// Indices of the TCP flows beside it.
    pub others: Vec<usize>,
    /// The composition of these flows, if it is one for all and among the entries.
    pub baseline: Option<usize>,
}
