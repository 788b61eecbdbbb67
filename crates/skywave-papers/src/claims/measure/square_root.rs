//! The constant of the square-root law.

use serde::Deserialize;

use super::condition::Condition;
use super::points::single;
use super::{Measure, Part};
use crate::claims::error::Fault;
use crate::claims::model::{Along, Data};
use crate::claims::select::{Cell, View};
use crate::claims::verdict::Limits;

/// C of `throughput = MSS/RTT · √(C/q)`, from goodput and mean RTT of each run.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::claims) struct SquareRoot {
    pub(super) name: Option<String>,
    data: Data,
    /// The loss rates q.
    along: Along,
    /// Payload bytes of a segment.
    mss: u32,
    /// The paper's C: "close" is within 25 %.
    paper: f64,
}

impl Measure for SquareRoot {
    fn parts(&self, view: &View<'_>) -> Result<Vec<Part>, Fault> {
        let limits = Limits {
            low: Some(self.paper * 0.75),
            high: Some(self.paper * 1.25),
            strict: false,
        };
        let words = format!("{limits} (about {})", self.paper);
        let condition = Condition::called(limits, words);
        let metric = |name: &str| Data {
            metric: Some(name.into()),
            ..self.data.clone()
        };
        let (goodput, rtt) = (metric("goodput"), metric("rtt_mean"));
        let bits = 8.0 * f64::from(self.mss);
        let mut parts = Vec::new();
        for value in view.values(&self.data, &self.along, &[])? {
            let q = value
                .number()
                .ok_or_else(|| Fault::new(format!("`{value}` is no loss rate")))?;
            let more = [(self.along.parameter.as_str(), &value)];
            let cells = [view.cell(&goodput, &more)?, view.cell(&rtt, &more)?];
            let constant = Cell::combine(&cells, |xs| match xs {
                [rate, rtt] => {
                    let window = rate * rtt / bits;
                    Some(q * window * window)
                }
                _ => None,
            });
            let name = format!("{} = {value}", self.along.parameter);
            parts.push(single(name, &condition, "", constant.estimate()));
        }
        Ok(parts)
    }
}
