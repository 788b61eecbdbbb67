//! Results of a sender (congestion control) in test cases: set by set, case by case.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};
use skywave_lab::experiment::Results;
use skywave_scenario::Scenario;

use super::retrace::{Retracing, retrace};
use crate::claims::sender::{Absence, Seated, Sender};
use crate::claims::{self, ClaimsError, Paper, Part, Score, Verdict, measured, stated};

/// Result of a congestion control in a test case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// Number within its limits, with its whole 95 % interval.
    Pass,
    /// Number outside of its limits, with its whole 95 % interval.
    Fail,
    /// Number whose 95 % interval reaches over a limit.
    Unsure,
    /// No result: the scenario cannot have the congestion control, its runs are missing, or no simulation can tell.
    NotPossible,
    /// No result: the case is about other congestion controls.
    NotAsked,
}

impl Standing {
    /// All results that a case can have, in the order of counts.
    pub const ALL: [Self; 5] = [
        Self::Pass,
        Self::Fail,
        Self::Unsure,
        Self::NotPossible,
        Self::NotAsked,
    ];

    /// Word or words for the result, as in tables: `not possible`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Unsure => "unsure",
            Self::NotPossible => "not possible",
            Self::NotAsked => "not asked",
        }
    }

    const fn of(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Reproduced => Self::Pass,
            Verdict::DirectionOnly | Verdict::NotReproduced | Verdict::BaselineDiffers => {
                Self::Fail
            }
            Verdict::TooFewSeeds => Self::Unsure,
            Verdict::Circular | Verdict::NotTestable | Verdict::NotRun => Self::NotPossible,
        }
    }
}

impl Serialize for Standing {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// Number of a test case: what was measured, and the condition that it must meet.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Number {
    /// Name that tells the number from the case's other numbers; empty when it is the only one.
    pub name: String,
    /// Condition that the number must meet, with its unit, in words.
    pub asked: String,
    /// Measured number, in `unit`; of a sweep, the number at the point that decides ([`Self::place`]), usually
    /// the worst one. `None` if it was not measured.
    pub measured: Option<f64>,
    /// Lower and upper end of the 95 % interval of `measured`; `None` if there is no interval, as with one seed.
    pub ci95: Option<[f64; 2]>,
    /// Unit of `measured`; may be empty.
    pub unit: String,
    /// Point of the sweep where the number was measured, as `parameter = value`; empty without a sweep.
    pub place: String,
    /// Result of the number: whether it meets the condition.
    pub standing: Standing,
    /// Text of `measured` for people, with its interval and unit.
    #[serde(skip)]
    pub shown: String,
}

impl Number {
    fn of(part: &Part) -> Self {
        Self {
            name: part.name.clone(),
            asked: stated(part),
            measured: part.ours,
            ci95: part.ci95,
            unit: part.unit.clone(),
            place: part
                .deciding
                .as_ref()
                .map_or_else(String::new, |d| d.place.clone()),
            standing: Standing::of(part.verdict),
            shown: measured(part),
        }
    }
}

/// Run with one seed, made again to see when and how a test case failed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Wrong {
    /// Name of the number that failed, as [`Number::name`].
    pub number: String,
    /// Name of the run's scenario.
    pub scenario: String,
    /// Point of the sweep that the run is at, as `parameter = value`; empty without a sweep.
    pub place: String,
    /// Seed of the run.
    pub seed: u64,
    /// Time, in seconds from the start of the run, after which the failed number stayed outside of its limits; `None`
    /// where that cannot be told.
    pub moment_s: Option<f64>,
    /// Plots of the run over time as SVG: goodput, queue, window.
    #[serde(skip)]
    pub plots: Vec<String>,
}

/// A test case, and the result of a congestion control in it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Case {
    /// Name (id) of the case in its set.
    pub case: String,
    /// Result of the congestion control in the case.
    pub standing: Standing,
    /// Source of the case, such as a document and its section.
    #[serde(rename = "where")]
    pub place: String,
    /// Statement of what the case asks for, in words.
    pub statement: String,
    /// Note in words about how the case is measured.
    pub note: Option<String>,
    /// Reason, in words, why the case has no result ([`Standing::NotPossible`]), as when its scenario cannot have the
    /// congestion control; `None` for any other result, and where only runs are missing.
    pub why: Option<String>,
    /// Numbers that decide the case; empty if it was not judged.
    pub numbers: Vec<Number>,
    /// Run that shows how the case failed; `None` if it did not fail, or if no run was made again.
    pub wrong: Option<Wrong>,
}

/// Results of a congestion control in the test cases of one set.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SetCard {
    /// Name of the set of test cases.
    pub set: String,
    /// Title of the set of test cases.
    pub title: String,
    /// Source of the set's cases, such as a document.
    pub source: String,
    /// Hash, in hexadecimal digits, of the set's claims and of its scenarios with the congestion control in them.
    pub inputs: String,
    /// Results case by case, in the order of the set's file.
    pub cases: Vec<Case>,
}

/// Results of a congestion control in all sets of test cases.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Card {
    /// Name of the congestion control.
    pub law: String,
    /// Version of the simulator, or of any other program, that made the runs.
    pub engine: String,
    /// Results in each set of test cases in which the congestion control was tried.
    pub sets: Vec<SetCard>,
}

impl SetCard {
    /// Number of cases of the set with each result, in the order of [`Standing::ALL`].
    pub fn counts(&self) -> [(Standing, usize); 5] {
        counted(self.cases.iter())
    }

    /// Test cases of this set that have the result `standing`.
    pub fn with(&self, standing: Standing) -> impl Iterator<Item = &Case> {
        self.cases
            .iter()
            .filter(move |case| case.standing == standing)
    }
}

impl Card {
    /// An empty card of this sender, for results in sets of test cases ([`Self::sets`]) to be added.
    pub fn new(sender: &dyn Sender) -> Self {
        Self {
            law: sender.name().to_owned(),
            engine: sender.engine().to_owned(),
            sets: Vec::new(),
        }
    }

    /// Number of cases of all sets together with each result, in the order of [`Standing::ALL`].
    pub fn counts(&self) -> [(Standing, usize); 5] {
        counted(self.sets.iter().flat_map(|set| &set.cases))
    }

    /// Names of the failed cases, as `set/case`.
    pub fn failed(&self) -> Vec<String> {
        let of = |set: &SetCard| -> Vec<String> {
            let failed = set.with(Standing::Fail);
            failed
                .map(|case| format!("{}/{}", set.set, case.case))
                .collect()
        };
        self.sets.iter().flat_map(of).collect()
    }

    /// The sender's results in sets of test cases as a JSON object, over several lines.
    pub fn to_json(&self) -> String {
        // Strings, numbers and maps with string keys: nothing in it can fail.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// Results case by case as JSON, a line for each.
    pub fn to_json_lines(&self) -> String {
        #[derive(Serialize)]
        struct Line<'a> {
            law: &'a str,
            set: &'a str,
            #[serde(flatten)]
            case: &'a Case,
        }
        let lines = self.sets.iter().flat_map(|set| {
            set.cases.iter().map(|case| Line {
                law: &self.law,
                set: &set.set,
                case,
            })
        });
        lines
            .map(|line| serde_json::to_string(&line).unwrap_or_default() + "\n")
            .collect()
    }
}

fn counted<'a>(cases: impl Iterator<Item = &'a Case>) -> [(Standing, usize); 5] {
    let mut counts = Standing::ALL.map(|standing| (standing, 0));
    for case in cases {
        for (standing, count) in &mut counts {
            *count += usize::from(case.standing == *standing);
        }
    }
    counts
}

/// Trial of a sender: a set of test cases, after the sender to be judged was put into its scenarios.
pub struct Trial<'a> {
    sender: &'a dyn Sender,
    seated: Seated,
}

impl<'a> Trial<'a> {
    /// Puts a sender that is to be judged, such as a congestion control, into the scenarios of a set of test cases.
    ///
    /// # Errors
    /// Those of [`Paper::with_sender`], as when no scenario of the set has a place for a sender.
    pub fn new(set: &Paper, sender: &'a dyn Sender) -> Result<Self, ClaimsError> {
        let seated = set.with_sender(sender)?;
        Ok(Self { sender, seated })
    }

    /// Scenarios that the judged cases of the set need, with the sender in those that have a place for it; to be run by
    /// [`Sender::run`].
    pub fn scenarios(&self) -> &[Scenario] {
        self.seated.paper.experiments()
    }

    /// Judges the sender by `results`, which has the results of [`Self::scenarios`] by the scenarios' names. With
    /// `retracing`, a run of each failed case is made again to see when and how it failed.
    pub fn judge(
        &self,
        results: &BTreeMap<String, Results>,
        retracing: Option<&Retracing<'_>>,
    ) -> SetCard {
        let paper = &self.seated.paper;
        let scorecard = claims::evaluate(paper, results);
        let cases = scorecard.scores.iter().map(|score| {
            let mut case = self.case(score);
            if case.standing == Standing::Fail {
                let worst = score
                    .parts
                    .iter()
                    .find(|part| part.verdict == score.verdict);
                let found = worst.zip(retracing);
                case.wrong = found.and_then(|(part, how)| retrace(paper, self.sender, part, how));
            }
            case
        });
        let cases = cases.collect();
        SetCard {
            set: scorecard.paper,
            title: scorecard.title,
            source: scorecard.source,
            inputs: scorecard.inputs,
            cases,
        }
    }

    fn case(&self, score: &Score) -> Case {
        let (standing, why) = match self.seated.absent.get(&score.claim) {
            Some(Absence::NotAsked) => (Standing::NotAsked, None),
            Some(Absence::NotPossible(why)) => (Standing::NotPossible, Some(why.clone())),
            None => {
                let standing = Standing::of(score.verdict);
                let mut remarks = score.parts.iter().filter_map(|part| part.remark.clone());
                let why = remarks.next().filter(|_| standing == Standing::NotPossible);
                (standing, why)
            }
        };
        let judged = !matches!(standing, Standing::NotAsked | Standing::NotPossible);
        Case {
            case: score.claim.clone(),
            standing,
            place: score.place.clone(),
            statement: score.statement.clone(),
            note: score.note.clone(),
            why,
            numbers: score
                .parts
                .iter()
                .filter(|_| judged)
                .map(Number::of)
                .collect(),
            wrong: None,
        }
    }
}
