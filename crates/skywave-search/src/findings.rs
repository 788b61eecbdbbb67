//! From what a search found to findings: judged anew, shrunk, and judged by seeds that nothing was chosen by.

use std::collections::BTreeMap;

use skywave_lab::experiment::stats::Estimate;

use crate::bench::{Bench, SearchError};
use crate::evolution::Found;
use crate::shrink::{next_round, shrink};
use crate::{Candidate, kind};
use skywave_scenario::Key;

/// Number of new seeds by which the paths that a search found are judged once more and shrunk: by the search's own
/// seeds, the best of thousands may be the luckiest.
pub const CHECKING: usize = 5;
/// Number of further new seeds by which a path is judged in the end, after it was shrunk (made as simple as it can be).
pub const JUDGING: usize = 10;
/// Candidates that are judged anew before the worst of them is made small.
const AHEAD: usize = 20;
/// Candidates that are judged anew at most, for each finding that is wanted.
const TRIED: usize = 40;

/// A path on which the sender is bad, made simple (shrunk) and judged by seeds that took no part in finding it.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// Path after it was shrunk: for each key of the space its setting, `None` where it is at its default.
    pub candidate: Candidate,
    /// Objective's value on the path before it was shrunk, by the seeds of the search; smaller is worse.
    pub found: f64,
    /// Bound that the objective's value did not exceed while the path was shrunk (made as simple as it can be).
    pub below: f64,
    /// Objective's value on the path by the seeds in `seeds`, with its 95 % interval.
    pub value: Estimate,
    /// Seeds that took no part in the search or in shrinking, by which `value` was measured.
    pub seeds: Vec<u64>,
}

impl Finding {
    /// Verdict on fresh seeds, which took no part in the search: whether the mean of `value` is at most `below`.
    pub fn stands(&self) -> bool {
        self.value.mean <= self.below
    }
}

/// Bad paths that a search ends with: those whose mean value by new seeds is still at most the bound
/// ([`Finding::below`]), and those where it is above.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Findings {
    /// Findings that stand ([`Finding::stands`]), the one with the smallest mean value, the worst for the sender,
    /// first. A path is left out that sets all keys of a finding that was made before it to the same choices, whatever
    /// their numbers are and whichever further keys it sets.
    pub standing: Vec<Finding>,
    /// Findings that do not stand: by the seeds that judge them last, the mean value is above the bound
    /// ([`Finding::below`]).
    pub fallen: Vec<Finding>,
}

/// Makes findings of the paths that a search found: judges the paths by new seeds, shrinks the worst, and judges these
/// by further seeds, until `most` findings stand ([`Finding::stands`]) or no path is left; it judges at most 40 paths
/// for each finding wanted. The new seeds are numbered on from the largest of `searched`, the seeds of the search. A
/// path whose new value is above the bound `below` is left out. Without `below`, the bound of each path is
/// [`next_round`] of its new value; a path where that is 1 or more is left out.
///
/// # Errors
/// An interrupted search, runs that cannot be kept, or threads that cannot be started.
pub fn findings(
    bench: &Bench<'_>,
    keys: &[Key],
    found: &[Found],
    most: usize,
    searched: &[u64],
    below: Option<f64>,
) -> Result<Findings, SearchError> {
    let last = searched.iter().copied().max().unwrap_or_default();
    let after = |from: usize, count: usize| -> Vec<u64> {
        (from + 1..=from + count)
            .map(|n| last.saturating_add(n as u64))
            .collect()
    };
    let (checking, judging) = (after(0, CHECKING), after(CHECKING, JUDGING));
    let mut left: Vec<&Found> = found.iter().collect();
    let mut again: BTreeMap<&Candidate, Option<f64>> = BTreeMap::new();
    let mut all = Findings::default();
    while all.standing.len() < most {
        let is_news = |candidate: &Candidate| {
            let mut before = all.standing.iter();
            !before.any(|earlier| has_choices_of(candidate, &earlier.candidate))
        };
        left.retain(|found| is_news(&found.candidate));
        let ahead = &left[..left.len().min(AHEAD)];
        let new = ahead.iter().map(|found| &found.candidate);
        let new: Vec<&Candidate> = new.filter(|new| !again.contains_key(new)).collect();
        if again.len() + new.len() > most.saturating_mul(TRIED) {
            break;
        }
        let tried: Vec<Candidate> = new.iter().map(|&new| new.clone()).collect();
        again.extend(new.into_iter().zip(bench.means(&tried, &checking)?));
        let values = ahead.iter().map(|found| again[&found.candidate]);
        let values = values.map(|value| value.unwrap_or(f64::INFINITY));
        // Of equal values the one that the search had first.
        let Some((place, value)) = values.enumerate().min_by(|a, b| a.1.total_cmp(&b.1)) else {
            break;
        };
        let found = left.remove(place);
        let round = Some(next_round(value)).filter(|&round| round < 1.0);
        let Some(below) = below.or(round).filter(|&below| value <= below) else {
            continue;
        };
        let judge = |tried: &[Candidate]| bench.means(tried, &checking);
        let candidate = shrink(keys, found.candidate.clone(), below, judge)?;
        let mut fallen = all.fallen.iter();
        if !is_news(&candidate) || fallen.any(|fallen| fallen.candidate == candidate) {
            continue;
        }
        let values = bench.values(std::slice::from_ref(&candidate), &judging)?;
        let values = values.into_iter().next().flatten();
        let Some(value) = values.as_deref().and_then(Estimate::of) else {
            continue;
        };
        let finding = Finding {
            candidate,
            found: found.value,
            below,
            value,
            seeds: judging.clone(),
        };
        if finding.stands() {
            all.standing.push(finding);
        } else {
            all.fallen.push(finding);
        }
    }
    all.standing
        .sort_by(|a, b| a.value.mean.total_cmp(&b.value.mean));
    Ok(all)
}

/// Whether a candidate sets all keys that an earlier one does, by the same choices: it is bad for that one's reason, as far as
/// these tell.
fn has_choices_of(candidate: &Candidate, earlier: &Candidate) -> bool {
    let (own, theirs) = (kind(candidate), kind(earlier));
    let mut both = own.iter().zip(&theirs);
    both.all(|(own, theirs)| theirs.is_none() || own == theirs)
}
