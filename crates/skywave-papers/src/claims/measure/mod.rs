//! Ways to measure a claim, one a file. Each is an estimator (a number with its interval from the
//! samples, [`Cell`](super::select::Cell)), a condition on that number (`condition.rs`, by the rule in
//! [`super::verdict`]) and how many points of a sweep must satisfy it (`points.rs`).
//!
//! An estimator is a mean, a ratio, a lead, a fit, a crossing; a condition is the paper's gain, the paper's
//! value, or limits. The condition divides the line into zones, by which the one rule of `verdict.rs` judges the
//! whole interval. A claims file names none of the three: it says `order`, `first`, `plateau`, `spread`, as
//! papers do. There are eighteen such words, each a file of about 60 lines that puts the three parts together. A
//! file that spelled out estimator, condition and number of points would need one reader instead of eighteen, but
//! a claim of three lines would take ten, and each author would have to know which estimator "levels off" is made
//! of.

mod bound;
mod condition;
mod contrast;
mod correlation;
mod crossing;
mod curve;
mod difference;
mod evenness;
mod exponential;
mod first;
mod gain;
mod linear;
mod model;
mod order;
mod plateau;
mod points;
mod ratio;
mod spread;
mod square_root;
mod trend;
mod value;

use serde::{Deserialize, Serialize};

use super::deciding::Deciding;
use super::error::Fault;
use super::model::{Along, Data};
use super::select::{Scalar, View};
use super::verdict::{Limits, Verdict};
pub(super) use value::factor;

/// Part of a claim: one number, ours beside the paper's, with its verdict.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Name that tells the part from the claim's other parts; empty when it is the only one.
    pub name: String,
    /// Number or condition that the paper states.
    pub paper: Stated,
    /// Number that our runs give, in `unit`. Of several points of a sweep, the number at the point that decides: among
    /// those with the part's verdict, the worst by the paper's number or condition, or the best if one point is enough.
    /// `None` when runs are missing or give no such number, as curves that do not cross.
    pub ours: Option<f64>,
    /// Lower and upper end of the 95 % interval of `ours`; `None` without runs, or with one seed.
    pub ci95: Option<[f64; 2]>,
    /// Unit of `ours` and of the paper's number; may be empty.
    pub unit: String,
    /// Verdict on how our number agrees with the paper's.
    pub verdict: Verdict,
    /// Remark in words, such as which point of the sweep decides and how many agree.
    pub remark: Option<String>,
    /// Numbers that decide the verdict, where they are known.
    pub(crate) deciding: Option<Deciding>,
}

impl Part {
    /// Name of the part after that of its claim.
    pub(super) fn of(&self, claim: &str) -> String {
        match self.name.as_str() {
            "" => claim.to_owned(),
            name => format!("{claim} {name}"),
        }
    }

    /// Half the width of our number's 95 % interval, as a share (0.1 is 10 %) of the paper's number. Where the paper
    /// states a condition instead, a share of our number, or of 100 % if our number is in percent. `None` without an
    /// interval, or if the number to divide by is 0.
    pub fn half_width(&self) -> Option<f64> {
        let [low, high] = self.ci95?;
        let number = match self.paper {
            Stated::Number(paper) => paper,
            Stated::Condition(_) if self.unit == "%" => 100.0,
            Stated::Condition(_) => self.ours?,
        };
        (number != 0.0).then(|| (high - low) / 2.0 / number.abs())
    }
}

/// Statement of a paper about a part of a claim: a number, or a condition in words.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Stated {
    /// A number in the part's unit.
    Number(f64),
    /// A condition in words.
    Condition(String),
}

/// A way to measure. Each has a `name` too, which tells its parts from those of the claim's other measures.
trait Measure {
    /// The parts, named within this measure.
    fn parts(&self, view: &View<'_>) -> Result<Vec<Part>, Fault>;
}

macro_rules! measures {
    ($($(#[$doc:meta])* $key:ident: $module:ident::$measure:ident,)*) => {
        /// Everything that a claim measures, by kind.
        #[derive(Debug, Default, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(super) struct Measures {
            $($(#[$doc])* #[serde(default)] $key: Vec<$module::$measure>,)*
        }

        impl Measures {
            /// All parts, each with a name of its own.
            pub(super) fn parts(&self, view: &View<'_>) -> Result<Vec<Part>, Fault> {
                let mut all = Vec::new();
                $(for measure in &self.$key {
                    all.extend(named(measure.name.as_deref(), measure.parts(view)?));
                })*
                check_names(&all)?;
                Ok(all)
            }

            /// The parts of the measures that a view which leaves something out still has.
            pub(super) fn resolved(&self, view: &View<'_>) -> Vec<Part> {
                let mut all = Vec::new();
                $(for measure in &self.$key {
                    let parts = measure.parts(view).unwrap_or_default();
                    all.extend(named(measure.name.as_deref(), parts));
                })*
                all
            }
        }
    };
}

measures! {
    /// How many percent one choice is above others.
    gain: gain::Gain,
    /// A measured number against the paper's.
    value: value::Value,
    /// Order of choices: who is ahead of whom.
    order: order::Order,
    /// One choice ahead of all others, also along a sweep.
    first: first::First,
    /// Falling or rising at every step of a sweep.
    trend: trend::Trend,
    /// One number as a multiple of another.
    ratio: ratio::Ratio,
    /// A number between limits.
    bound: bound::Bound,
    /// One ratio smaller than another.
    contrast: contrast::Contrast,
    /// The best of several choices against the worst.
    spread: spread::Spread,
    /// The fastest flow of a run against the slowest.
    evenness: evenness::Evenness,
    /// Rising, then flat.
    plateau: plateau::Plateau,
    /// Falling or rising on the whole, if not at every step.
    correlation: correlation::Correlation,
    /// The constant of the square-root law.
    square_root: square_root::SquareRoot,
    /// Where one curve crosses another, or a level.
    crossing: crossing::Crossing,
    /// A straight line through a curve.
    linear: linear::Linear,
    /// A curve that falls like a negative exponential.
    exponential: exponential::Exponential,
    /// One number less another.
    difference: difference::Difference,
    /// A closed form of the paper's analysis.
    model: model::Model,
}

/// Parts of a measure, with the name before theirs that tells them from those of the claim's other measures.
fn named(name: Option<&str>, mut parts: Vec<Part>) -> Vec<Part> {
    if let Some(name) = name {
        for part in &mut parts {
            part.name = match part.name.as_str() {
                "" => name.to_owned(),
                inner => format!("{name}: {inner}"),
            };
        }
    }
    parts
}

fn check_names(parts: &[Part]) -> Result<(), Fault> {
    for (i, part) in parts.iter().enumerate() {
        if parts.len() > 1 && part.name.is_empty() {
            return Err(Fault::new(
                "a claim with several numbers needs a `name` in each measure",
            ));
        }
        if parts[..i].iter().any(|p| p.name == part.name) {
            return Err(Fault::new(format!(
                "two of its numbers are called `{}`; give their measures different names",
                part.name
            )));
        }
    }
    Ok(())
}

/// The swept parameter that tells variants apart, unless a measure names another one.
fn variant() -> String {
    "variant".into()
}

/// Falling or rising.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Direction {
    Falling,
    Rising,
}

impl Direction {
    const fn limits(self) -> Limits {
        match self {
            Self::Falling => Limits::NEGATIVE,
            Self::Rising => Limits::POSITIVE,
        }
    }

    const fn as_str(self) -> &'static str {
        match self {
            Self::Falling => "falling",
            Self::Rising => "rising",
        }
    }
}

/// The choices that something holds for, each a part of its own: the values of `by`, or those in
/// `among`; one choice without a name when there is no `by`.
fn choices(
    view: &View<'_>,
    data: &Data,
    by: Option<&str>,
    among: Option<&[Scalar]>,
) -> Result<Vec<Option<Scalar>>, Fault> {
    let choose = |all: Vec<Scalar>| -> Vec<Option<Scalar>> {
        let chosen = all.into_iter().filter(|choice| view.has(choice));
        chosen.map(Some).collect()
    };
    match (by, among) {
        (None, None) => Ok(vec![None]),
        (None, Some(_)) => Err(Fault::new("`among` needs `by`: values of which parameter?")),
        (Some(_), Some(among)) => Ok(choose(among.to_vec())),
        (Some(by), None) => {
            let along = Along {
                parameter: by.to_owned(),
                from: None,
                to: None,
            };
            Ok(choose(view.values(data, &along, &[])?))
        }
    }
}

/// The values of a sweep that count; one without a value when there is no sweep.
fn places(
    view: &View<'_>,
    data: &Data,
    along: Option<&Along>,
    more: super::select::More<'_>,
) -> Result<Vec<Option<Scalar>>, Fault> {
    match along {
        None => Ok(vec![None]),
        Some(along) => {
            let values = view.values(data, along, more)?;
            Ok(values.into_iter().map(Some).collect())
        }
    }
}

/// The pairs of short names and values that are there.
fn given<'a>(
    pairs: impl IntoIterator<Item = (Option<&'a str>, Option<&'a Scalar>)>,
) -> Vec<(&'a str, &'a Scalar)> {
    pairs
        .into_iter()
        .filter_map(|(name, value)| Some((name?, value?)))
        .collect()
}

/// The name of a choice.
fn label(choice: Option<&Scalar>) -> String {
    choice.map(ToString::to_string).unwrap_or_default()
}

/// The name of one of several numbers of a choice.
fn label_of(choice: Option<&Scalar>, number: &str) -> String {
    match label(choice).as_str() {
        "" => number.to_owned(),
        choice => format!("{choice} {number}"),
    }
}

/// `parameter = value`, or nothing.
fn place_label(along: Option<&Along>, place: Option<&Scalar>) -> String {
    match (along, place) {
        (Some(along), Some(place)) => format!("{} = {place}", along.parameter),
        _ => String::new(),
    }
}
