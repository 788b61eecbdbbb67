//! The page as JSON.

use serde_json::{Value, json as object};

use super::rows;
use crate::diagnosis::Diagnosis;
use crate::fit::{Candidate, Choice, Estimate, Known};
use crate::link::Property;

/// The page as a JSON object: `link` (a row a property), `models` (the candidates with their information criteria), `notes`.
pub fn json(diagnosis: &Diagnosis) -> Value {
    let link = &diagnosis.link;
    let rows: Vec<Value> = rows(link)
        .into_iter()
        .map(|row| {
            let from = row.is_known.then_some(row.from);
            object!({ "name": row.name, "value": row.value, "from": from, "known": row.is_known })
        })
        .collect();
    object!({
        "link": rows,
        "base_s": link.base_s.known.told().map(estimate),
        "models": {
            "queue": candidates(&link.queue),
            "losses": candidates(&link.losses),
            "jitter": candidates(&link.jitter),
        },
        "notes": diagnosis.notes,
    })
}

fn estimate(estimate: &Estimate) -> Value {
    object!({ "value": estimate.value, "low": estimate.low, "high": estimate.high })
}

fn candidates<M: std::fmt::Debug>(property: &Property<Choice<M>>) -> Value {
    let Known::Told(choice) = &property.known else {
        return Value::Null;
    };
    let one = |candidate: &Candidate<M>| {
        object!({
            "model": format!("{:?}", candidate.model),
            "log_likelihood": candidate.log_likelihood,
            "bic": candidate.bic(choice.observations),
        })
    };
    choice.candidates.iter().map(one).collect()
}
