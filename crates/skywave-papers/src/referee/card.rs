//! How a law stands: set by set, case by case.

use std::collections::BTreeMap;

use serde::Serialize;
use skywave_lab::experiment::Results;
use skywave_scenario::Scenario;

use super::retrace::{Retracing, retrace};
use crate::claims::sender::{Absence, Seated, Sender};
use crate::claims::{self, ClaimsError, Paper, Part, Score, Verdict, measured, stated};

/// Result of a congestion control in a test case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub enum Standing {
    /// The number is within its limits, with its whole 95 % interval.
    #[serde(rename = "pass")]
    Pass,
    /// The number is outside of its limits, with its whole 95 % interval.
    #[serde(rename = "fail")]
    Fail,
    /// The 95 % interval of the number reaches over a limit.
    #[serde(rename = "unsure")]
    Unsure,
    /// The scenario cannot have the congestion control, or no simulation can tell.
    #[serde(rename = "not possible")]
    NotPossible,
    /// The case is about other congestion controls.
    #[serde(rename = "not asked")]
    NotAsked,
}

impl Standing {
    /// Every standing, in the order of counts.
    pub const ALL: [Self; 5] = [
        Self::Pass,
        Self::Fail,
        Self::Unsure,
        Self::NotPossible,
        Self::NotAsked,
    ];

    /// The standing in words.
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

/// A number of a test case: what was measured, and the condition that is asked of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Number {
    /// Name that tells it from the case's other numbers; empty when it is the only one.
    pub name: String,
    /// Condition that the case asks for, with its unit.
    pub asked: String,
    /// Measured number, in `unit`; at the place of a sweep that decides. `None` where there is none.
    pub measured: Option<f64>,
    /// 95 % interval of `measured`.
    pub ci95: Option<[f64; 2]>,
    /// Unit of the numbers; may be empty.
    pub unit: String,
    /// `parameter = value` where it was measured; empty without a sweep.
    pub place: String,
    /// Whether the number meets the condition.
    pub standing: Standing,
    /// `measured` as people read it, with its interval and unit.
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

/// The run of one seed, looked at to see how a test case failed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Wrong {
    /// Name of the number that failed.
    pub number: String,
    /// Scenario of the run.
    pub scenario: String,
    /// `parameter = value` of the run's point; empty without a sweep.
    pub place: String,
    /// Seed of the run.
    pub seed: u64,
    /// Seconds from the start of the run after which the failed number stayed outside of its limits; `None`
    /// where that cannot be told.
    pub moment_s: Option<f64>,
    /// Plots of the run as SVG: goodput, queue, window.
    #[serde(skip)]
    pub plots: Vec<String>,
}

/// A test case, and the result of a congestion control in it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Case {
    /// Name of the case.
    pub case: String,
    /// Result of the congestion control in the case.
    pub standing: Standing,
    /// Source of the case.
    #[serde(rename = "where")]
    pub place: String,
    /// Statement of what the case asks for, in words.
    pub statement: String,
    /// Anything else that should be known.
    pub note: Option<String>,
    /// Reason why the case is not possible; `None` for any other.
    pub why: Option<String>,
    /// Numbers of the case.
    pub numbers: Vec<Number>,
    /// Run that shows how the case failed; `None` if it did not, or no run could be looked at.
    pub wrong: Option<Wrong>,
}

/// Results of a congestion control in the test cases of one set.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SetCard {
    /// Name of the set.
    pub set: String,
    /// Title of the set.
    pub title: String,
    /// Source of the cases.
    pub source: String,
    /// Hash of the set's claims and experiments: of what was asked.
    pub inputs: String,
    /// The cases, in the order of the file.
    pub cases: Vec<Case>,
}

/// Results of a congestion control in all sets of test cases.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Card {
    /// Name of the congestion control.
    pub law: String,
    /// Version of the simulator, or of any other program that made the runs.
    pub engine: String,
    /// Results in each set of cases that the law was tried in.
    pub sets: Vec<SetCard>,
}

impl SetCard {
    /// How many cases have each standing, in the order of [`Standing::ALL`].
    pub fn counts(&self) -> [(Standing, usize); 5] {
        counted(self.cases.iter())
    }

    /// Cases of the set that have this standing.
    pub fn with(&self, standing: Standing) -> impl Iterator<Item = &Case> {
        self.cases
            .iter()
            .filter(move |case| case.standing == standing)
    }
}

impl Card {
    /// A card of this sender, to which results in sets are still to be added.
    pub fn new(sender: &dyn Sender) -> Self {
        Self {
            law: sender.name().to_owned(),
            engine: sender.engine().to_owned(),
            sets: Vec::new(),
        }
    }

    /// How many cases of all sets have each standing, in the order of [`Standing::ALL`].
    pub fn counts(&self) -> [(Standing, usize); 5] {
        counted(self.sets.iter().flat_map(|set| &set.cases))
    }

    /// The failed cases, as `set/case`.
    pub fn failed(&self) -> Vec<String> {
        let of = |set: &SetCard| -> Vec<String> {
            let failed = set.with(Standing::Fail);
            failed
                .map(|case| format!("{}/{}", set.set, case.case))
                .collect()
        };
        self.sets.iter().flat_map(of).collect()
    }

    /// The card as JSON.
    pub fn to_json(&self) -> String {
        // Strings, numbers and maps with string keys: nothing in it can fail.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// The cases as JSON, a line each.
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

/// A set of test cases with the sender that is to be judged in its scenarios.
pub struct Trial<'a> {
    sender: &'a dyn Sender,
    seated: Seated,
}

impl<'a> Trial<'a> {
    /// Puts a sender that is to be judged, such as a congestion control, into the scenarios of a set of test
    /// cases.
    ///
    /// # Errors
    /// When the set has no place for it.
    pub fn new(set: &Paper, sender: &'a dyn Sender) -> Result<Self, ClaimsError> {
        let seated = set.with_sender(sender)?;
        Ok(Self { sender, seated })
    }

    /// Scenarios of the set with the sender in them, to be run by [`Sender::run`].
    pub fn scenarios(&self) -> &[Scenario] {
        self.seated.paper.experiments()
    }

    /// Judges the sender by the results of the scenarios, which have their names as keys. With `retracing`, a
    /// run of each failed case is made again to see when and how it failed.
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
