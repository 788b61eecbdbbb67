//! Conditions that a number has to satisfy to be what the paper says.

use super::Stated;
use crate::claims::error::Fault;
use crate::claims::verdict::{self, Limits, Verdict};
use skywave_lab::experiment::stats::Estimate;

/// A condition on a number, and how the scorecard words it.
#[derive(Clone, Debug)]
pub(super) struct Condition {
    rule: Rule,
    stated: Stated,
}

#[derive(Clone, Copy, Debug)]
enum Rule {
    /// The paper's gain in percent.
    Gain(f64),
    /// The paper's value.
    Value(f64),
    /// Between limits.
    Within(Limits),
}

impl Condition {
    /// The paper's gain, in percent.
    pub(super) const fn gain(paper: f64) -> Self {
        Self {
            rule: Rule::Gain(paper),
            stated: Stated::Number(paper),
        }
    }

    /// The paper's value.
    pub(super) const fn value(paper: f64) -> Self {
        Self {
            rule: Rule::Value(paper),
            stated: Stated::Number(paper),
        }
    }

    /// Between limits, worded as such.
    pub(super) fn within(limits: Limits) -> Self {
        Self::called(limits, limits.to_string())
    }

    /// Between limits, in words of the measure's own.
    pub(super) fn called(limits: Limits, words: impl Into<String>) -> Self {
        Self {
            rule: Rule::Within(limits),
            stated: Stated::Condition(words.into()),
        }
    }

    /// At least `low` and at most `high`, of which either may be missing.
    pub(super) fn between(low: Option<f64>, high: Option<f64>) -> Result<Self, Fault> {
        if low.zip(high).is_some_and(|(low, high)| low > high) {
            return Err(Fault::new(
                "`at_least` is above `at_most`: no number is both",
            ));
        }
        Ok(Self::within(Limits {
            low,
            high,
            strict: false,
        }))
    }

    /// The condition that a file gives: either the paper's value or limits.
    pub(super) fn given(
        paper: Option<f64>,
        low: Option<f64>,
        high: Option<f64>,
    ) -> Result<Self, Fault> {
        match (paper, low.or(high)) {
            (Some(paper), None) => Ok(Self::value(paper)),
            (None, Some(_)) => Self::between(low, high),
            (Some(_), Some(_)) => Err(Fault::new("`paper` and limits exclude each other")),
            (None, None) => Err(Fault::new(
                "this needs `paper`, or `at_least` or `at_most`: what does the paper say?",
            )),
        }
    }

    /// The limits, where it is limits.
    pub(super) fn limits(&self) -> Option<Limits> {
        match self.rule {
            Rule::Within(limits) => Some(limits),
            Rule::Gain(_) | Rule::Value(_) => None,
        }
    }

    /// The paper's statement as the scorecard shows it.
    pub(super) fn stated(&self) -> Stated {
        self.stated.clone()
    }

    /// The verdict on a number.
    pub(super) fn judge(&self, ours: &Estimate) -> Verdict {
        match &self.rule {
            Rule::Gain(paper) => verdict::gain(*paper, ours),
            Rule::Value(paper) => verdict::value(*paper, ours),
            Rule::Within(limits) => limits.judge(ours),
        }
    }

    /// The verdicts that an interval reaches into, best first: what more seeds decide between.
    pub(super) fn reached(&self, ours: &Estimate) -> Vec<Verdict> {
        let (low, high) = ours.bounds();
        let exactly = |x| Estimate {
            half: Some(0.0),
            ..Estimate::from_moments(ours.n, x, 0.0)
        };
        let ends = [low, ours.mean, high].map(|x| self.judge(&exactly(x)));
        let mut all = ends.to_vec();
        // An interval may hold the paper's number, or what lies between two limits, though its ends and the mean do not.
        let inside = match self.rule {
            Rule::Gain(paper) | Rule::Value(paper) => Some(paper),
            Rule::Within(limits) => limits
                .low
                .zip(limits.high)
                .map(|(a, b)| f64::midpoint(a, b)),
        };
        all.extend(inside.map(|x| self.judge(&exactly(x.max(low).min(high)))));
        all.sort_unstable();
        all.dedup();
        all
    }

    /// How far inside the limits a number is, below zero outside. The paper's number is a limit to
    /// both sides.
    pub(super) fn margin(&self, x: f64) -> f64 {
        match &self.rule {
            Rule::Gain(paper) | Rule::Value(paper) => -(x - paper).abs(),
            Rule::Within(limits) => limits.margin(x),
        }
    }
}
