//! Candidates for what a link does as JSON: names and numbers.

use serde_json::{Value, json as object};

use crate::fit::hidden::LossModel;
use crate::fit::path::QueueModel;
use crate::fit::probes::JitterModel;
use crate::fit::{Candidate, Choice, Known};
use crate::link::{Link, Property};

/// A model that has a name and parameters.
trait Named {
    fn name(&self) -> &'static str;
    /// Parameters by their names, which end in the unit.
    fn parameters(&self) -> Value;
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
        object!({
            "model": candidate.model.name(),
            "parameters": candidate.model.parameters(),
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

    fn parameters(&self) -> Value {
        match self {
            Self::None => object!({}),
            Self::DropTail { bytes } => object!({ "limit_bytes": bytes }),
            Self::CoDel {
                target_s,
                interval_s,
            } => object!({ "target_s": target_s, "interval_s": interval_s }),
            Self::Pie { target_s } => object!({ "target_s": target_s }),
            Self::Red { min, max, max_p } => {
                object!({ "min_bytes": min, "max_bytes": max, "max_p": max_p })
            }
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

    fn parameters(&self) -> Value {
        match self {
            Self::None => object!({}),
            Self::Independent { p } => object!({ "p": p }),
            Self::Bursts { to_bad, to_good } => {
                object!({ "to_bad": to_bad, "to_good": to_good })
            }
            Self::BurstsInTime { good_s, bad_s } => {
                object!({ "good_s": good_s, "bad_s": bad_s })
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

    fn parameters(&self) -> Value {
        match self {
            Self::None => object!({}),
            Self::Uniform { width_s } | Self::UniformEachWay { width_s } => {
                object!({ "width_s": width_s })
            }
            Self::Exponential { mean_s } | Self::ExponentialEachWay { mean_s } => {
                object!({ "mean_s": mean_s })
            }
            Self::Gamma { shape, scale_s } => {
                object!({ "shape": shape, "scale_s": scale_s })
            }
        }
    }
}
