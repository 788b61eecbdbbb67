//! The arithmetic: shares of the best, ranks, wins and losses, fairness, delay.
//!
//! Every comparison is paired by seed (common random numbers), every interval is the 95% one of
//! [`skywave_lab::experiment::stats`].

use super::compose::Entry;
use super::model::{Kind, Order};
use super::samples::{PathSamples, Samples};
use skywave_lab::experiment::stats::{Estimate, mean_ratio, paired_gain};

/// Ranking of senders over a study's paths: a row for each sender composition ([`Entry`]), and each path's winners.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranking {
    /// Paths of the ranking, in the order of the study.
    pub paths: Vec<RankedPath>,
    /// Results of each sender composition, sorted by the study's [`Order`]: by [`Row::lossy`] and then [`Row::clean`],
    /// highest first, or by [`Row::mean_rank`], lowest first.
    pub rows: Vec<Row>,
}

/// A path of a ranking: its use, and which senders do best on it.
#[derive(Clone, Debug, PartialEq)]
pub struct RankedPath {
    /// Name of the path.
    pub name: String,
    /// Use of the path: goodput with losses that congestion does not cause, goodput without such losses, fairness to
    /// competing flows, or (on a path of a family, a kind of paths that the study names) all of these.
    pub kind: Kind,
    /// Index, among the study's entries, of the sender with the highest mean goodput on the path; `None` without
    /// results.
    pub best: Option<usize>,
    /// Index, among the study's entries, of the published sender with the highest mean goodput on the path; `None`
    /// without results.
    pub best_published: Option<usize>,
    /// Index, among the study's entries, of the sender composition that sharing of the path is measured against: the
    /// one that all competing flows use or, on a path of a family, the study's reference
    /// ([`Study::reference`](super::Study::reference)). `None` without competing flows, or if there is no such entry.
    pub baseline: Option<usize>,
}

/// Results of one sender composition in a ranking, over all paths and on each.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Index of the sender composition among the study's entries.
    pub entry: usize,
    /// Mean over the lossy paths ([`Kind::Lossy`]) of the sender's goodput as a share of the best sender's; `None`
    /// without such paths or if results are missing.
    pub lossy: Option<Estimate>,
    /// Mean over the clean paths ([`Kind::Clean`]) of the sender's goodput as a share of the best sender's; `None`
    /// without such paths or if results are missing.
    pub clean: Option<Estimate>,
    /// Mean rank by goodput over all paths but those for fairness, 1 for the best; senders with equal goodput get the
    /// mean of their ranks. `None` without such paths or if a rank is missing.
    pub mean_rank: Option<f64>,
    /// Number of lossy paths on which the sender's goodput is above that of every other published sender, as
    /// [`OnPath::beats_published`] says.
    pub wins: usize,
    /// Number of clean paths on which the sender's goodput is below that of the best other published sender, as
    /// [`OnPath::is_below_published`] says.
    pub losses: usize,
    /// Mean over all paths but those for fairness of the delay that the study measures (mean RTT or 95th percentile of
    /// the delivery time), in multiples of the smallest RTT of any sender on the path; `None` if a path lacks it.
    pub delay: Option<f64>,
    /// Sharing with competing flows, as a mean over the paths for fairness: for each sender composition that competing
    /// flows use ([`Ranking::baselines`]), its index among the study's entries and the mean over its paths.
    pub beside: Vec<(usize, Beside)>,
    /// Results on each path, in the order of [`Ranking::paths`].
    pub on: Vec<OnPath>,
}

/// Sharing of a path, or of several, between the flow under test and the competing flows; a number is `None` without
/// competitors or results.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Beside {
    /// Goodput of the flow under test, as a multiple of what the path's baseline ([`RankedPath::baseline`]) gets in its
    /// sender's place.
    pub taken: Option<Estimate>,
    /// Competing flows' goodput, as a multiple of what they get beside the path's baseline ([`RankedPath::baseline`]).
    pub left: Option<Estimate>,
    /// Jain's fairness index of the goodput of the flow under test and all competing flows, 1 for equal shares.
    pub jain: Option<Estimate>,
}

/// Results of one sender composition on one path; an estimate is `None` where runs are missing or have no such number.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct OnPath {
    /// Goodput of the flow under test, bit/s.
    pub goodput: Option<Estimate>,
    /// Goodput as a share of that of the best sender on this path ([`RankedPath::best`]).
    pub share: Option<Estimate>,
    /// Rank by mean goodput, 1 for the best; senders with equal goodput get the mean of their ranks.
    pub rank: Option<f64>,
    /// Relative gain in goodput over the best other published sender on the path: 0.1 is 10 % more; `None` if no other
    /// one ran there, or the best of them carried nothing.
    pub gain: Option<Estimate>,
    /// Relative gain in goodput over the entry that a mechanism is compared with ([`Entry::base`]): 0.1 is 10 % more;
    /// `None` without one.
    pub over_base: Option<Estimate>,
    /// Number of retransmission timeouts of the flow under test, of both its halves if a proxy splits it.
    pub timeouts: Option<Estimate>,
    /// Number of segments that the flow under test sent again, of both its halves if a proxy splits it.
    pub retransmits: Option<Estimate>,
    /// Retransmitted segments as a share (0 to 1) of all segments that the flow under test sent.
    pub resent: Option<Estimate>,
    /// Goodput as a share of what the path can carry; `None` on a path without a family
    /// ([`StudyPath::family`](super::StudyPath::family)).
    pub channel: Option<Estimate>,
    /// Whether the goodput is above that of every other published sender: the whole 95 % interval of the gain over
    /// each is above 0. False without such a sender, with one seed, or if all seeds give the same goodputs.
    pub beats_published: bool,
    /// Whether the goodput is below that of the best other published sender: the whole 95 % interval of the gain
    /// over it is below 0. False without such a sender, with one seed, or if all seeds give the same goodputs.
    pub is_below_published: bool,
    /// Delay that the study measures (mean RTT, or 95th percentile of the time from a segment's first transmission to
    /// its in-order delivery), in multiples of the smallest RTT that any sender saw on the path.
    pub delay: Option<Estimate>,
    /// Sharing of this path with the competing flows; its numbers are `None` without competing flows or without a
    /// [baseline](RankedPath::baseline).
    pub beside: Beside,
}

/// Role of a sender composition in a ranking: whether it is published, and which composition it is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Contestant {
    /// Whether the composition is a published sender, such as CUBIC, against which all contestants are judged.
    pub published: bool,
    /// Index, among the contestants, of the one that this one, a mechanism, is compared with; `None` if it is no
    /// mechanism or names none.
    pub base: Option<usize>,
}

impl Contestant {
    pub(super) fn of(entry: &Entry) -> Self {
        Self {
            published: entry.published,
            base: entry.base,
        }
    }
}

/// Ranks all sender compositions by their samples on each path; `contestants` has the role of each, in the order of the
/// samples, and `order` says how rows are sorted.
pub fn rank(paths: &[PathSamples], contestants: &[Contestant], order: Order) -> Ranking {
    let goodputs: Vec<Goodputs> = paths.iter().map(Goodputs::of).collect();
    let both = || paths.iter().zip(&goodputs);
    let heads: Vec<RankedPath> = both()
        .map(|(path, goodputs)| head(path, goodputs, contestants))
        .collect();
    let mut rows: Vec<Row> = (0..contestants.len())
        .map(|entry| {
            let on = both().zip(&heads);
            let on = on.map(|((path, goodputs), head)| {
                on_path(path, goodputs, head.best, entry, contestants)
            });
            row(paths, &heads, entry, on.collect())
        })
        .collect();
    let mean = |e: Option<Estimate>| e.map_or(f64::NEG_INFINITY, |e| e.mean);
    rows.sort_by(|a, b| match order {
        Order::Share => mean(b.lossy)
            .total_cmp(&mean(a.lossy))
            .then(mean(b.clean).total_cmp(&mean(a.clean))),
        Order::Rank => {
            let of = |row: &Row| row.mean_rank.unwrap_or(f64::INFINITY);
            of(a).total_cmp(&of(b))
        }
    });
    Ranking { paths: heads, rows }
}

impl Ranking {
    /// Row of the sender composition with this index among the study's entries; `None` if there is none.
    pub fn row(&self, entry: usize) -> Option<&Row> {
        self.rows.iter().find(|row| row.entry == entry)
    }

    /// Indices, among the study's entries, of the sender compositions that competing flows use on the paths for
    /// fairness, each once, in order of appearance.
    pub fn baselines(&self) -> Vec<usize> {
        baselines(&self.paths)
    }
}

fn baselines(paths: &[RankedPath]) -> Vec<usize> {
    let mut found = Vec::new();
    for path in paths.iter().filter(|p| p.kind == Kind::Fairness) {
        if let Some(baseline) = path.baseline
            && !found.contains(&baseline)
        {
            found.push(baseline);
        }
    }
    found
}

fn estimate(samples: &Samples) -> Option<Estimate> {
    Estimate::of(&samples.iter().copied().flatten().collect::<Vec<_>>())
}

/// The index of the largest value that `wanted` takes; the first of equals.
fn largest(values: &[Option<f64>], wanted: impl Fn(usize) -> bool) -> Option<usize> {
    let mut best: Option<(usize, f64)> = None;
    for (index, value) in values.iter().enumerate() {
        if let Some(value) = value.filter(|_| wanted(index))
            && best.is_none_or(|(_, b)| value > b)
        {
            best = Some((index, value));
        }
    }
    best.map(|(index, _)| index)
}

/// Ranks from 1 by descending value; equals share the mean of their ranks.
fn ranks(values: &[Option<f64>]) -> Vec<Option<f64>> {
    let rank = |value: f64| {
        let there = || values.iter().flatten();
        let above = there().filter(|v| **v > value).count() as f64;
        let equal = there().filter(|v| **v == value).count() as f64;
        above + f64::midpoint(equal, 1.0)
    };
    values.iter().map(|value| value.map(rank)).collect()
}

/// How the compositions' mean goodputs on a path compare.
struct Goodputs {
    means: Vec<Option<f64>>,
    ranks: Vec<Option<f64>>,
}

impl Goodputs {
    fn of(path: &PathSamples) -> Self {
        let mean = |samples| estimate(samples).map(|e| e.mean);
        let means: Vec<Option<f64>> = path.goodput.iter().map(mean).collect();
        let ranks = ranks(&means);
        Self { means, ranks }
    }
}

fn head(path: &PathSamples, goodputs: &Goodputs, contestants: &[Contestant]) -> RankedPath {
    let means = &goodputs.means;
    RankedPath {
        name: path.name.clone(),
        kind: path.kind,
        best: largest(means, |_| true),
        best_published: largest(means, |i| contestants[i].published),
        baseline: path.baseline,
    }
}

fn on_path(
    path: &PathSamples,
    goodputs: &Goodputs,
    best: Option<usize>,
    entry: usize,
    contestants: &[Contestant],
) -> OnPath {
    let own = &path.goodput[entry];
    // What has no place on the path is nobody's rival there.
    let is_rival = |i: usize| contestants[i].published && i != entry && goodputs.means[i].is_some();
    let rival = largest(&goodputs.means, is_rival);
    let mut rivals = (0..contestants.len()).filter(|&i| is_rival(i)).peekable();
    let proven = |other: usize| proven_gain(own, &path.goodput[other]);
    let above = |other| proven(other).is_some_and(|gain| gain.bounds().0 > 0.0);
    let below = |other| proven(other).is_some_and(|gain| gain.bounds().1 < 0.0);
    OnPath {
        goodput: estimate(own),
        share: best.and_then(|b| mean_ratio(&[(own, &path.goodput[b])])),
        rank: goodputs.ranks.get(entry).copied().flatten(),
        gain: rival.and_then(|r| paired_gain(own, &path.goodput[r])),
        over_base: contestants[entry]
            .base
            .and_then(|base| paired_gain(own, &path.goodput[base])),
        timeouts: estimate(&path.timeouts[entry]),
        retransmits: estimate(&path.retransmits[entry]),
        resent: estimate(&path.resent[entry]),
        channel: mean_ratio(&[(own, &path.carried)]),
        beats_published: rivals.peek().is_some() && rivals.all(above),
        is_below_published: rival.is_some_and(below),
        delay: estimate(&path.delay[entry]),
        beside: beside(&[path], entry),
    }
}

/// The gain of `a` over `b` where its interval says how sure it is: not of one seed, nor where nothing
/// random happens, so that all seeds give both the same.
fn proven_gain(a: &Samples, b: &Samples) -> Option<Estimate> {
    let differ = |samples: &Samples| {
        let mut there = samples.iter().flatten();
        let first = there.next();
        there.any(|value| Some(value) != first)
    };
    paired_gain(a, b).filter(|gain| gain.half.is_some() && (differ(a) || differ(b)))
}

/// Means over paths with the same competitors; nothing when there are none.
fn beside(paths: &[&PathSamples], entry: usize) -> Beside {
    let mut taken = Vec::new();
    let mut left = Vec::new();
    let mut jain: Vec<&Samples> = Vec::new();
    for path in paths {
        let Some(baseline) = path.baseline.filter(|_| !path.others.is_empty()) else {
            continue;
        };
        taken.push((&*path.goodput[entry], &*path.goodput[baseline]));
        left.push((&*path.others[entry], &*path.others[baseline]));
        jain.push(&path.jain[entry]);
    }
    Beside {
        taken: mean_ratio(&taken),
        left: mean_ratio(&left),
        jain: estimate(&mean_by_seed(&jain)),
    }
}

/// The mean of several samples seed by seed; `None` where one has none.
fn mean_by_seed(all: &[&Samples]) -> Samples {
    let seeds = all.iter().map(|s| s.len()).min().unwrap_or(0);
    let mean = |seed: usize| {
        let sum: Option<f64> = all.iter().map(|s| s[seed]).sum();
        sum.map(|sum| sum / all.len() as f64)
    };
    (0..seeds).map(mean).collect()
}

fn row(paths: &[PathSamples], heads: &[RankedPath], entry: usize, on: Vec<OnPath>) -> Row {
    let share = |kind: Kind| {
        let of_kind = paths.iter().zip(heads).filter(|(p, _)| p.kind == kind);
        let pairs: Option<Vec<_>> = of_kind
            .map(|(p, h)| Some((&*p.goodput[entry], &*p.goodput[h.best?])))
            .collect();
        mean_ratio(&pairs?)
    };
    let counted = || {
        heads
            .iter()
            .zip(&on)
            .filter(|(h, _)| h.kind != Kind::Fairness)
    };
    let count = counted().count().max(1) as f64;
    let ranks: Option<Vec<f64>> = counted().map(|(_, o)| o.rank).collect();
    let delays: Option<Vec<f64>> = counted().map(|(_, o)| Some(o.delay?.mean)).collect();
    let average = |values: Vec<f64>| {
        let any = !values.is_empty();
        any.then(|| values.iter().sum::<f64>() / count)
    };
    let how_many = |kind: Kind, wanted: fn(&OnPath) -> bool| {
        let all = heads.iter().zip(&on);
        all.filter(|(h, o)| h.kind == kind && wanted(o)).count()
    };
    let beside = baselines(heads).into_iter().map(|baseline| {
        let with = |p: &&PathSamples| p.kind == Kind::Fairness && p.baseline == Some(baseline);
        let those: Vec<&PathSamples> = paths.iter().filter(with).collect();
        (baseline, beside(&those, entry))
    });
    Row {
        entry,
        lossy: share(Kind::Lossy),
        clean: share(Kind::Clean),
        mean_rank: ranks.and_then(average),
        wins: how_many(Kind::Lossy, |o| o.beats_published),
        losses: how_many(Kind::Clean, |o| o.is_below_published),
        delay: delays.and_then(average),
        beside: beside.collect(),
        on,
    }
}
