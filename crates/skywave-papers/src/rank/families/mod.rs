//! Studies whose paths belong to families: how each sender fares over many paths, in all, where others are beside it or
//! not, and family by family.
//!
//! Such a study asks where a sender fails, and so looks at the worst paths as much as at the mean.

mod curve;
mod grids;
mod json;
mod page;
mod spread;

pub(super) use curve::curve;
pub(super) use grids::{markdown_grids, text_grids, words};
pub(super) use json::json_lines;
pub(super) use page::html;
pub use spread::Spread;

use super::Ranked;
use super::ranking::{OnPath, Row};
use super::study::{Group, Study};
use skywave_lab::experiment::stats::Estimate;

/// Paths that are named as a sender's worst.
const WORST: usize = 5;

/// Results of a study whose paths belong to families, kinds of paths that its file names, such as paths with jitter or
/// behind a policer: how each sender fares over all paths, and over sets of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Families {
    /// Sets of paths with results of their own: first all paths; then the paths of each [`Group`] that has some; then
    /// those of each family that the study's file names, in order of appearance.
    pub sets: Vec<Set>,
    /// Results of each sender, sorted by its mean share of the best sender's goodput over all paths, highest first.
    pub standings: Vec<Standing>,
}

/// Set of paths over which results are summed up together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Set {
    /// Property that the paths have in common.
    pub of: Together,
    /// Indices of the paths among the study's.
    pub paths: Vec<usize>,
}

/// Property that the paths of a [`Set`] have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Together {
    /// All paths of the study.
    All,
    /// Paths of one [`Group`]: shared with other flows, over a recorded link, slow, or none of these.
    Group(Group),
    /// Paths of the family, a kind of paths, that has this name in the study's file.
    Family(String),
}

impl Together {
    /// Title of the set of paths for people, such as `all paths`.
    pub fn title(&self) -> &str {
        match self {
            Self::All => "all paths",
            Self::Group(group) => group.title(),
            Self::Family(name) => name,
        }
    }
}

/// Results of one sender over the sets of paths of a study.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    /// Index of the sender among the study's entries.
    pub entry: usize,
    /// Figures over each set of paths, in the order of [`Families::sets`].
    pub over: Vec<Figures>,
    /// Goodput on each path as a share of the best sender's there, at most 1, with the index of the path; lowest first.
    pub shares: Vec<(f64, usize)>,
}

/// Figures of one sender over a set of paths; `None` where no path has the number.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Figures {
    /// Goodput as a share of the best sender's on each path, at most 1.
    pub share: Option<Spread>,
    /// Goodput as a share of what each path can carry, at most 1.
    pub channel: Option<Spread>,
    /// Geometric mean over the paths of the delay that the study measures ([`Study::delay`]: mean RTT or 95th
    /// percentile of the delivery time), in multiples of the smallest RTT of any sender on the path.
    pub delay: Option<f64>,
    /// Mean over the paths of the retransmitted share of all sent packets, 0 to 1.
    pub resent: Option<f64>,
    /// Goodput of the other flows on the paths, as a multiple of what they get beside the study's reference sender.
    pub left: Option<Spread>,
}

impl Figures {
    fn of(row: &Row, paths: &[usize]) -> Self {
        let values = |of: fn(&OnPath) -> Option<Estimate>| -> Vec<f64> {
            let on = paths.iter().filter_map(|&path| of(&row.on[path]));
            on.map(|estimate| estimate.mean).collect()
        };
        Self {
            share: Spread::of(&capped(values(|on| on.share))),
            channel: Spread::of(&capped(values(|on| on.channel))),
            // Where a packet takes longer than the way, a multiple is large: it must not outweigh the others.
            delay: Spread::of(&values(|on| on.delay)).map(|spread| spread.geometric_mean),
            resent: Spread::of(&values(|on| on.resent)).map(|spread| spread.mean),
            left: Spread::of(&values(|on| on.beside.left)),
        }
    }
}

/// Shares, none above the whole: what one sender has too much on a path must not hide what it lacks on another.
fn capped(shares: Vec<f64>) -> Vec<f64> {
    shares.into_iter().map(|share| share.min(1.0)).collect()
}

impl Families {
    /// Sums up a ranking of the study's senders, for each set of its paths.
    pub fn of(study: &Study, ranked: &Ranked) -> Self {
        let sets = sets(study);
        let standing = |row: &Row| {
            let on = row.on.iter().enumerate();
            let mut shares: Vec<(f64, usize)> = on
                .filter_map(|(path, on)| Some((on.share?.mean.min(1.0), path)))
                .collect();
            shares.sort_by(|a, b| a.0.total_cmp(&b.0));
            Standing {
                entry: row.entry,
                over: sets
                    .iter()
                    .map(|set| Figures::of(row, &set.paths))
                    .collect(),
                shares,
            }
        };
        let mut standings: Vec<Standing> = ranked.ranking.rows.iter().map(standing).collect();
        let mean = |standing: &Standing| {
            let all = standing.over[0].share.as_ref();
            all.map_or(f64::NEG_INFINITY, |share| share.mean)
        };
        standings.sort_by(|a, b| mean(b).total_cmp(&mean(a)));
        Self { sets, standings }
    }
}

impl Standing {
    /// Paths on which the sender does worst, five at most, worst first: goodput as a share of the best sender's, and
    /// index of the path.
    pub fn worst(&self) -> &[(f64, usize)] {
        &self.shares[..self.shares.len().min(WORST)]
    }
}

/// All paths, those of each group that has some, and those of each family in order of appearance.
fn sets(study: &Study) -> Vec<Set> {
    let families = || study.paths.iter().filter_map(|path| path.family.as_ref());
    let mut together = vec![Together::All];
    let groups = Group::ALL.into_iter();
    together.extend(
        groups
            .filter(|&group| families().any(|f| f.group == group))
            .map(Together::Group),
    );
    for family in families() {
        let of = Together::Family(family.name.clone());
        if !together.contains(&of) {
            together.push(of);
        }
    }
    let has = |of: &Together, path: usize| {
        let family = study.paths[path].family.as_ref();
        family.is_some_and(|family| match of {
            Together::All => true,
            Together::Group(group) => family.group == *group,
            Together::Family(name) => family.name == *name,
        })
    };
    let paths = 0..study.paths.len();
    let set = |of: Together| Set {
        paths: paths.clone().filter(|&path| has(&of, path)).collect(),
        of,
    };
    together.into_iter().map(set).collect()
}
