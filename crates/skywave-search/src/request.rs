//! A search as the command and Python ask for it: from its arguments to findings, and to the files of these.

use std::cell::Cell;
use std::fmt::{self, Display, Formatter};
use std::io::Write;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use skywave_lab::experiment::{Ledger, Shard};
use skywave_lab::folder::plain_name;
use skywave_lab::report::{WriteError, remove_file, write_file};
use skywave_scenario::{ScenarioError, Space};

use crate::bench::{Bench, Making, SearchError};
use crate::evolution::{self, Plan};
use crate::findings::{self, Findings};
use crate::page::{Page, percent};
use crate::{Candidate, Objective};

/// Default number of simulations that a search makes to find paths; shrinking and judging them take more.
pub const RUNS: usize = 20_000;
/// Default number of islands: searches side by side that know nothing of each other.
pub const ISLANDS: u16 = 4;
/// Range of the number of islands (independent searches) that a search can have.
pub const ISLANDS_THERE_MAY_BE: RangeInclusive<u16> = 1..=1000;
/// Default number of findings that stand, bad paths, with which a search ends; fewer if no more are found.
pub const FIND: usize = 5;
/// Default name of the flow whose sender is judged.
pub const FLOW: &str = "test";

/// Settings of a search for the network paths on which a sender is worst.
#[derive(Clone, Debug)]
pub struct Request {
    /// The judged sender, then those that it is compared with, by the names that the caller gave.
    pub senders: Vec<String>,
    /// Names of [`Self::senders`] for a scenario file, in their order. For a sender of another library, which the
    /// simulator does not have, the name of a simulated one that stands in its place.
    pub seats: Vec<String>,
    /// Measure that paths are judged by; a smaller value is worse for the sender.
    pub objective: &'static Objective,
    /// Name of the flow whose sender is judged.
    pub flow: String,
    /// Limit of the search: a number of simulations, or a time.
    pub amount: Amount,
    /// Seed of the random draws of candidate paths; simulations have seeds of their own.
    pub seed: u64,
    /// Number of islands: searches side by side that know nothing of each other.
    pub islands: u16,
    /// Bound that the objective's value may not exceed while a found path is shrunk, that is made as simple as it can
    /// be; `None` for [`next_round`](crate::shrink::next_round) of the path's value by new seeds.
    pub below: Option<f64>,
    /// Number of findings that stand ([`Finding::stands`](crate::findings::Finding::stands)) with which the search
    /// ends; fewer if no more are found. Those that fall by new seeds are in
    /// [`fallen`](crate::findings::Findings::fallen).
    pub find: usize,
}

/// Limit at which a search ends; shrinking the paths that were found, and judging them, comes on top.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Amount {
    /// Most simulations of candidates that have a value of the objective; simulations of others come on top. Each
    /// island has an equal part of them, and ends before the generation that would exceed it.
    Runs(usize),
    /// Time to search for; the generation of candidates under way is then finished.
    Time(Duration),
}

/// News of a running search, for its caller to show.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum News {
    /// Smallest value of the objective so far, the worst for the sender.
    Worst(f64),
    /// End of the search: the paths that were found are now shrunk.
    Shrinking,
}

impl Display for News {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Worst(value) => write!(f, "worst so far {}", percent(*value)),
            Self::Shrinking => f.write_str("making paths small"),
        }
    }
}

impl Request {
    /// Name of the search and of its folder, after its sender: `worst-cubic`.
    pub fn name(&self) -> String {
        let law = self.senders.first().map_or("", String::as_str);
        format!("worst-{}", plain_name(law))
    }

    /// Search spaces, one for each of the senders ([`Self::seats`], in their order): `space` with that sender in the
    /// judged flow.
    ///
    /// # Errors
    /// There is no flow with the name [`Self::flow`], or it cannot have one of the senders.
    pub fn spaces<'f>(&self, space: &Space<'f>) -> Result<Vec<Space<'f>>, ScenarioError> {
        space.with_senders(&self.flow, &self.seats)
    }

    /// Checks the request before the search is made; `spaces` has one for each sender, as [`Self::spaces`] makes them.
    ///
    /// # Errors
    /// [`SearchError::Space`]: the bound [`Self::below`] is no share above 0, [`Self::find`] is 0, the number of
    /// islands is not in [`ISLANDS_THERE_MAY_BE`], or [`Self::amount`] has too few runs for the first generation of
    /// each island.
    pub fn check(&self, spaces: &[Space<'_>]) -> Result<(), SearchError> {
        let refuse = |why: &str| Err(SearchError::Space(why.to_owned()));
        if !self.below.is_none_or(|below| below > 0.0 && below <= 1.0) {
            return refuse("the bound `below`: expected a share above 0, at most 1, such as 0.5");
        }
        if self.find == 0 {
            return refuse("0 findings to make (`find`): expected 1 or more");
        }
        if !ISLANDS_THERE_MAY_BE.contains(&self.islands) {
            let (least, most) = ISLANDS_THERE_MAY_BE.into_inner();
            let islands = self.islands;
            return refuse(&format!("{islands} islands: expected {least} to {most}"));
        }
        let seeds = spaces
            .first()
            .map_or(0, |space| space.scenario().seeds().len());
        self.each(self.compared(spaces).len() * seeds).map(drop)
    }

    /// The spaces of those senders that the objective looks at.
    fn compared<'a>(&self, spaces: &'a [Space<'a>]) -> &'a [Space<'a>] {
        if self.objective.compares {
            spaces
        } else {
            &spaces[..spaces.len().min(1)]
        }
    }

    /// Candidates of an island, each of which takes so many runs.
    fn each(&self, runs_each: usize) -> Result<usize, SearchError> {
        let Amount::Runs(runs) = self.amount else {
            return Ok(usize::MAX);
        };
        let count = usize::from(self.islands);
        let runs_each = runs_each.max(1);
        let each = runs / count.max(1) / runs_each;
        if each < evolution::FIRST {
            return Err(SearchError::Space(format!(
                "{runs} runs are too few; expected at least {} for {count} islands of {} candidates with {runs_each} runs each",
                evolution::FIRST * count * runs_each,
                evolution::FIRST,
            )));
        }
        Ok(each)
    }

    /// Bench, which judges paths by simulations, for the judged sender, and for the others if the objective compares
    /// with them. `ledger` is the journal that keeps runs, `None` for none; `making` says how runs are made.
    ///
    /// # Errors
    /// Those of [`Bench::new`].
    pub fn bench<'a>(
        &'a self,
        spaces: &'a [Space<'a>],
        ledger: Option<&'a Ledger>,
        making: Making<'a>,
    ) -> Result<Bench<'a>, SearchError> {
        Bench::new(
            self.compared(spaces),
            &self.flow,
            self.objective,
            ledger,
            making,
        )
    }

    /// Searches for bad paths with this bench, then shrinks and judges the worst. With a `shard` (number k of n parts
    /// of the search) only searches, on every n-th island from the k-th on, for the bench's journal to keep the runs,
    /// and returns `None`. `tell` is called with news on the way.
    ///
    /// # Errors
    /// Too few runs, an interrupted search, runs that cannot be kept, or threads that cannot be started.
    pub fn findings(
        &self,
        bench: &Bench<'_>,
        shard: Option<Shard>,
        tell: &dyn Fn(News),
    ) -> Result<Option<Findings>, SearchError> {
        let (keys, seeds) = (bench.space().keys(), bench.space().scenario().seeds());
        let each = self.each(bench.senders() * seeds.len())?;
        let count = usize::from(self.islands);
        let until = match self.amount {
            Amount::Runs(_) => None,
            Amount::Time(time) => Instant::now().checked_add(time),
        };
        let islands: Vec<usize> = match shard {
            None => (0..count).collect(),
            Some(shard) => {
                let own = (0..count).skip(shard.number() - 1);
                own.step_by(shard.count()).collect()
            }
        };
        let plan = Plan {
            keys,
            seed: self.seed,
            islands: &islands,
            each,
            go_on: &|| until.is_none_or(|until| Instant::now() < until),
        };
        let worst = Cell::new(f64::INFINITY);
        let judge = |candidates: &[Candidate]| {
            let values = bench.means(candidates, seeds)?;
            let least = values.iter().flatten().fold(worst.get(), |a, b| a.min(*b));
            if least < worst.get() {
                tell(News::Worst(least));
                worst.set(least);
            }
            Ok::<_, SearchError>(values)
        };
        let found = evolution::search(&plan, judge)?;
        if shard.is_some() {
            return Ok(None);
        }
        tell(News::Shrinking);
        findings::findings(bench, keys, &found, self.find, seeds, self.below).map(Some)
    }
}

/// Writes each of [`Findings::standing`], the bad paths whose mean value by seeds that took no part in the search is at
/// most their bound ([`Finding::stands`](findings::Finding::stands)), as a scenario file into the folder `dir`:
/// `1.toml` the worst, `2.toml` the next, and so on. `page` makes the text of each file ([`Page::file`]) from the
/// search's space, senders, objective and command. Files of an earlier search with the numbers after these are removed.
/// Returns the paths of the files, in order.
///
/// # Errors
/// A file cannot be written or removed.
pub fn leave(page: &Page<'_>, findings: &Findings, dir: &Path) -> Result<Vec<PathBuf>, WriteError> {
    let place = |number: usize| dir.join(format!("{number}.toml"));
    let mut files = Vec::with_capacity(findings.standing.len());
    for (finding, number) in findings.standing.iter().zip(1..) {
        let text = page.file(finding);
        write_file(&place(number), |out| out.write_all(text.as_bytes()))?;
        files.push(place(number));
    }
    let before = (files.len() + 1..).map(place);
    for file in before.take_while(|file| file.exists()) {
        remove_file(&file)?;
    }
    Ok(files)
}
