//! Candidates for what a link does as JSON: names and numbers.

use serde_json::{Map, Value, json as object};

use super::json::estimate;
use crate::fit::hidden::LossModel;
use crate::fit::path::QueueModel;
use crate::fit::probes::JitterModel;
use crate::fit::{Candidate, Choice, Known};
use crate::link::{Link, Property};

/// Parameters with their names, which end in the unit.
type Parameters = Vec<(&'static str, Value)>;

/// A model that has a name and parameters.
trait Named {
    fn name(&self) -> &'static str;
    fn parameters(&self) -> Parameters;
}

/// The candidates for the link's queue, losses and jitter, the best of each first; null of what is unknown.
pub(super) fn models(link: &Link) -> Value {
    object!({
        "queue": candidates(&link.queue),
        "losses": candidates(&link.losses),
        "jitter": candidates(&link.jitter),
    })
}

fn candidates<M: Named>(property: &Property<Choice<M>>) -> Value {
    let Known::Told(choice) = &property.known else {
        return Value::Null;
    };
    let one = |candidate: &Candidate<M>| {
        let parameters = candidate.model.parameters().into_iter();
        let parameters = parameters.map(|(name, value)| (name.to_owned(), value));
        object!({
            "model": candidate.model.name(),
            "parameters": parameters.collect::<Map<String, Value>>(),
            "log_likelihood": candidate.log_likelihood,
            "bic": candidate.bic(choice.observations),
        })
    };
    choice.candidates.iter().map(one).collect()
}

impl Named for QueueModel {
    fn name(&self) -> &'static str {
        self.name()
    }

    fn parameters(&self) -> Parameters {
        match self {
            Self::None => Vec::new(),
            Self::DropTail { bytes } => vec![("limit_bytes", estimate(bytes))],
            Self::CoDel {
                target_s,
                interval_s,
            } => vec![
                ("target_s", (*target_s).into()),
                ("interval_s", (*interval_s).into()),
            ],
            Self::Pie { target_s } => vec![("target_s", (*target_s).into())],
            Self::Red { min, max, max_p } => vec![
                ("min_bytes", estimate(min)),
                ("max_bytes", estimate(max)),
                ("max_p", estimate(max_p)),
            ],
        }
    }
}

impl Named for LossModel {
    fn name(&self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Independent { .. } => "iid",
            Self::Bursts { .. } => "gilbert-elliott",
            Self::BurstsInTime { .. } => "gilbert-elliott-time",
        }
    }

    fn parameters(&self) -> Parameters {
        match self {
            Self::None => Vec::new(),
            Self::Independent { p } => vec![("p", estimate(p))],
            Self::Bursts { to_bad, to_good } => {
                vec![("to_bad", estimate(to_bad)), ("to_good", estimate(to_good))]
            }
            Self::BurstsInTime { good_s, bad_s } => {
                vec![("good_s", estimate(good_s)), ("bad_s", estimate(bad_s))]
            }
        }
    }
}

impl Named for JitterModel {
    fn name(&self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Uniform { .. } => "uniform",
            Self::UniformEachWay { .. } => "uniform each way",
            Self::Exponential { .. } => "exponential",
            Self::ExponentialEachWay { .. } => "exponential each way",
            Self::Gamma { .. } => "gamma",
        }
    }

    fn parameters(&self) -> Parameters {
        match self {
            Self::None => Vec::new(),
            Self::Uniform { width_s } | Self::UniformEachWay { width_s } => {
                vec![("width_s", estimate(width_s))]
            }
            Self::Exponential { mean_s } | Self::ExponentialEachWay { mean_s } => {
                vec![("mean_s", estimate(mean_s))]
            }
            Self::Gamma { shape, scale_s } => {
                vec![("shape", estimate(shape)), ("scale_s", estimate(scale_s))]
            }
        }
    }
}
