//! The outcome *baseline differs*: a part of a claim that fails because of a sender that the paper compares with.
//!
//! A part that is not reproduced has this outcome if all of the following hold for a `[[baseline]]` of
//! the file of claims. No part is chosen by hand.
//!
//! 1. *It rests on the baseline*: it compares with that sender alone, or it is reproduced once that
//!    sender is left out of the comparison.
//! 2. *There is evidence* for each experiment that the part reads, and at every point on record:
//!    1. *Our mechanism stands*: our number of it agrees with that of another program in which it was
//!       written independently, within 5 % or by overlapping intervals.
//!    2. *The paper's baseline is refuted*: the ratio of the baseline to another sender that the paper's
//!       numbers imply is off that program's by more than 10 %, and outside of its interval.
//!    3. *Ours is not*: our ratio is nearer to that program's than the paper's is.

use std::collections::{BTreeMap, BTreeSet};

use skywave_lab::experiment::stats::Estimate;

use super::error::Fault;
use super::measure::{Measures, Part, factor};
use super::model::{BaselineModel, EvidenceModel, Measured};
use super::select::{Scalar, View, scaled};
use super::verdict::{SAME, VALUE_TOLERANCE, Verdict};

/// The parameter whose values are senders.
const SENDER: &str = "variant";

/// Sender that a paper compares its own mechanism with and whose simulated results differ from the paper's, with
/// measurements of it by other programs.
#[derive(Clone, Debug, PartialEq)]
pub struct Baseline {
    /// Name of the sender in the paper's experiments, such as `westwood-nr-ucla`.
    pub sender: String,
    /// Explanation in words: how our sender differs from the paper's, how that is known, and where to read more.
    pub why: String,
    /// Measurements of the sender by other programs, one for each point of an experiment.
    pub evidence: Vec<Evidence>,
}

/// Evidence on a baseline (a sender that a paper compares with) at one point of an experiment: the ratio of its
/// measured number, such as goodput, to another sender's, by the paper, by an independent program and by our runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Evidence {
    /// Name and version of the independent program that measured the ratio, such as "ns-2.35 with UCLA's module".
    pub program: String,
    /// Place where the numbers of [`Self::program`] are recorded, in words: files of Skywave's repository and the point
    /// in them, such as "bench/peers/ns2/reference/westwood.csv, point cerl-q".
    pub source: String,
    /// Name of the experiment that was measured.
    pub experiment: String,
    /// Point of the experiment's sweep, as `loss = 0.01`.
    pub place: String,
    /// Name of the sender whose number is the denominator of the ratios; the baseline's number is the numerator.
    pub over: String,
    /// Ratio of the baseline's number to that of `over` that the paper's numbers imply.
    pub paper: f64,
    /// Ratio of the baseline's number to that of the sender [`Self::over`] as [`Self::program`] measured it, and half
    /// the width of its 95 % interval.
    pub theirs: [f64; 2],
    /// Simulated ratio of the baseline's mean to that of `over`; `None` if runs of either are missing.
    pub ours: Option<f64>,
    /// Whether the evidence refutes the paper's ratio, or why not.
    pub standing: Standing,
}

/// Whether another program's numbers refute those that a paper has of a baseline (a sender that it compares with), or
/// why they do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// The ratio (baseline over the other sender) by the independent program of [`Evidence::program`] is off the paper's
    /// by more than 10 % and nearer to ours, and its number of the paper's own mechanism agrees with ours.
    Refuted,
    /// Our number of the paper's own mechanism does not agree with the independent program's, which therefore shows
    /// nothing.
    OtherMechanism,
    /// The independent program's ratio agrees with the paper's.
    AsThePaper,
    /// Our ratio is farther from the independent program's than the paper's is.
    OursIsFarther,
    /// Our runs for the evidence are missing.
    NotRun,
}

impl Standing {
    /// Words for reports that say whether another program refutes the paper's numbers of its baseline, the sender that it
    /// compares with, or why it does not.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Refuted => "the paper's baseline is refuted",
            Self::OtherMechanism => "our mechanism differs from that program's",
            Self::AsThePaper => "as the paper has it",
            Self::OursIsFarther => "ours is farther from it than the paper's",
            Self::NotRun => "not run",
        }
    }
}

impl Baseline {
    /// A baseline, and how the evidence of it stands, where its experiment is among those of the view.
    pub(super) fn new(model: &BaselineModel, view: &View<'_>) -> Self {
        let sender = model.sender.get_ref();
        let evidence = model.evidence.iter();
        Self {
            sender: sender.clone(),
            why: model.why.clone(),
            evidence: evidence
                .filter_map(|one| evidence_of(sender, one, view).ok())
                .collect(),
        }
    }

    /// Whether all that the evidence names exists.
    pub(super) fn check(model: &BaselineModel, view: &View<'_>) -> Result<(), Fault> {
        for one in &model.evidence {
            evidence_of(model.sender.get_ref(), one, view)?;
        }
        Ok(())
    }

    /// The experiments at which every piece of evidence refutes the paper's.
    fn refuted(&self) -> BTreeSet<&str> {
        let names = self.evidence.iter().map(|one| one.experiment.as_str());
        let refutes = |name: &&str| {
            let mut there = self.evidence.iter().filter(|one| one.experiment == *name);
            there.all(|one| one.standing == Standing::Refuted)
        };
        names.filter(refutes).collect()
    }

    /// Gives the failed parts of a claim that rest on this baseline their outcome.
    pub(super) fn decide(&self, measures: &Measures, view: View<'_>, parts: &mut [Part]) {
        let refuted = self.refuted();
        let failed = |part: &Part| part.verdict == Verdict::NotReproduced;
        if refuted.is_empty() || !parts.iter().any(failed) {
            return;
        }
        let verdicts = |view: View<'_>| -> BTreeMap<String, Verdict> {
            let parts = measures.resolved(&view);
            parts.into_iter().map(|p| (p.name, p.verdict)).collect()
        };
        let mut left_out = view.left_out.to_vec();
        left_out.push(&self.sender);
        let without = verdicts(View {
            left_out: &left_out,
            ..view
        });
        let covered = verdicts(View {
            only: Some(&refuted),
            ..view
        });
        for part in parts.iter_mut().filter(|part| failed(part)) {
            let rests = match without.get(&part.name) {
                Some(verdict) => *verdict == Verdict::Reproduced,
                None => names(part, &self.sender),
            };
            let covers = covered.get(&part.name);
            if rests && covers.is_some_and(|verdict| *verdict != Verdict::NotRun) {
                part.verdict = Verdict::BaselineDiffers;
            }
        }
    }
}

fn evidence_of(sender: &str, model: &EvidenceModel, view: &View<'_>) -> Result<Evidence, Fault> {
    let factor = factor(&model.unit)?;
    let ours = |sender: &str| {
        let name = Scalar::Text(sender.to_owned());
        let cell = view.cell(&model.data, &[(SENDER, &name)])?;
        Ok(cell.estimate().map(|e| scaled(&e, factor)))
    };
    let mechanism = ours(&model.mechanism.sender)?;
    let (baseline, over) = (ours(sender)?, ours(&model.over.sender)?);
    let ratio = baseline.zip(over).map(|(a, b)| a.mean / b.mean);
    let theirs = quotient(model.baseline, model.over.measured)?;
    let standing = match mechanism.zip(ratio) {
        None => Standing::NotRun,
        Some((mechanism, _))
            if !mechanism.agrees(&estimate(model.mechanism.measured), SAME / 100.0) =>
        {
            Standing::OtherMechanism
        }
        Some(_) if is_near(model.paper, theirs) => Standing::AsThePaper,
        Some((_, ratio)) if distance(ratio, theirs) >= distance(model.paper, theirs) => {
            Standing::OursIsFarther
        }
        Some(_) => Standing::Refuted,
    };
    let at = model.data.at.iter();
    let place: Vec<String> = at
        .map(|(name, value)| format!("{name} = {value}"))
        .collect();
    Ok(Evidence {
        program: model.program.clone(),
        source: model.source.clone(),
        experiment: model.data.experiment.clone(),
        place: place.join(", "),
        over: model.over.sender.clone(),
        paper: model.paper,
        theirs,
        ours: ratio,
        standing,
    })
}

/// The ratio of two independent measurements, with half of its interval (delta method).
fn quotient(a: Measured, b: Measured) -> Result<Measured, Fault> {
    let usable = |[mean, half]: &Measured| *mean > 0.0 && *half >= 0.0 && mean.is_finite();
    if ![a, b].iter().all(usable) {
        return Err(Fault::new(
            "a measured number is [mean, half of the interval], the mean above 0",
        ));
    }
    let ratio = a[0] / b[0];
    Ok([ratio, ratio * libm::hypot(a[1] / a[0], b[1] / b[0])])
}

/// Within the tolerance of a value, or in its interval.
fn is_near(paper: f64, [mean, half]: Measured) -> bool {
    (paper - mean).abs() <= half.max(VALUE_TOLERANCE * mean)
}

/// How far two ratios are apart, whichever is the larger.
fn distance(ratio: f64, [mean, _]: Measured) -> f64 {
    libm::log(ratio / mean).abs()
}

fn estimate([mean, half]: Measured) -> Estimate {
    Estimate {
        half: Some(half),
        ..Estimate::from_moments(1, mean, 0.0)
    }
}

/// A part's name, or the remark on what decides it, has this sender's name in it.
pub(super) fn names(part: &Part, sender: &str) -> bool {
    let texts = [Some(part.name.as_str()), part.remark.as_deref()];
    let mut words = texts
        .into_iter()
        .flatten()
        .flat_map(|text| text.split([' ', ',', ':', ';', '(', ')']));
    words.any(|word| word == sender)
}
