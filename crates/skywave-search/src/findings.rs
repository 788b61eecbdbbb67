//! From what a search found to findings: judged anew, shrunk, and judged by seeds that nothing was chosen by.

use skywave_lab::experiment::stats::Estimate;

use crate::Candidate;
use crate::bench::{Bench, SearchError};
use crate::evolution::Found;
use crate::shrink::{next_round, shrink};
use skywave_scenario::Key;

/// Seeds by which candidates are chosen once more and shrunk, and seeds by which findings are judged: of the first, a candidate
/// of the search may be the luckiest of thousands.
pub const CHECKING: usize = 5;
/// Seeds by which a finding is judged in the end.
pub const JUDGING: usize = 10;
/// Candidates that are judged anew for each finding that is wanted.
const TRIED: usize = 20;

/// A path on which the sender is bad.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The path.
    pub candidate: Candidate,
    /// Value of the candidate that it was shrunk from, by the seeds of the search.
    pub found: f64,
    /// Bound below which its value stayed while it was shrunk.
    pub below: f64,
    /// Value by the last seeds, with its 95 % interval.
    pub value: Estimate,
    /// Seeds of this value.
    pub seeds: Vec<u64>,
}

impl Finding {
    /// Whether the mean of the last seeds is within the bound.
    pub fn stands(&self) -> bool {
        self.value.mean <= self.below
    }
}

/// Outcome for the best candidates.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Findings {
    /// Findings whose verdict stands, worst for the sender first; none sets all the keys of one that was found before.
    pub standing: Vec<Finding>,
    /// Findings whose verdict did not stand by the last seeds.
    pub fallen: Vec<Finding>,
}

/// Makes findings of candidates: at most `most`. `searched` are the seeds of the search; a bound that is not given is the next
/// round number at or above the value of a candidate when it is judged anew.
///
/// # Errors
/// Those of the bench.
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
    let tried = &found[..found.len().min(most.saturating_mul(TRIED))];
    let candidates: Vec<Candidate> = tried.iter().map(|found| found.candidate.clone()).collect();
    let again = bench.means(&candidates, &checking)?;
    let mut ranked: Vec<(f64, &Found)> = again
        .into_iter()
        .zip(tried)
        .filter_map(|(value, found)| Some((value?, found)))
        .collect();
    // Stable: of equal values the one that the search had first.
    ranked.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut all = Findings::default();
    for (value, found) in ranked {
        if all.standing.len() >= most {
            break;
        }
        let below = below.unwrap_or_else(|| next_round(value));
        let mut before = all.standing.iter();
        if value > below || before.any(|other| has_keys_of(&found.candidate, &other.candidate)) {
            continue;
        }
        let judge = |tried: &[Candidate]| bench.means(tried, &checking);
        let candidate = shrink(keys, found.candidate.clone(), below, judge)?;
        let mut before = all.standing.iter();
        if before.any(|other| has_keys_of(&candidate, &other.candidate)) {
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

/// Whether a candidate sets all keys that an earlier one does: it is bad for that one's reason, as far as keys tell.
fn has_keys_of(candidate: &Candidate, earlier: &Candidate) -> bool {
    let mut both = candidate.iter().zip(earlier);
    both.all(|(own, theirs)| own.is_some() || theirs.is_none())
}
