//! One number of an outcome: of which flows or which link, which measured numbers, and how they are
//! put together.

use skywave_core::link::Service;
use skywave_sim::outcome::{Column, FLOW, FlowOutcome, LINK, LinkOutcome, Outcome, Pooling};
use skywave_sim::spec::Spec;

use super::error::Fault;
use super::model::{Data, Names, Per, Pool};
use super::over_time::{OverTime, seconds};
use skywave_lab::experiment::stats::jain;
use skywave_scenario::{GOODPUT, Point, Scenario};

/// Reads one number of an outcome.
pub(crate) struct Reader {
    what: What,
    divisor: f64,
}

enum What {
    Flows {
        indices: Vec<usize>,
        number: Fraction<FlowOutcome>,
        pool: Pool,
    },
    Link {
        index: usize,
        number: Fraction<LinkOutcome>,
    },
    OverTime(OverTime),
}

/// Measured numbers added up, and what they are divided by.
struct Fraction<T: 'static> {
    top: Vec<&'static Column<T>>,
    per: Vec<&'static Column<T>>,
}

impl<T> Fraction<T> {
    fn new(data: &Data, default: &str, columns: &'static [Column<T>]) -> Result<Self, Fault> {
        let find = |name: &String| {
            let column = columns.iter().find(|column| column.is_called(name));
            column.ok_or_else(|| {
                let described = columns.iter().filter(|column| !column.about.is_empty());
                Fault::unknown("measured number", name, described.map(|c| c.short))
            })
        };
        let all = |names: &Names| -> Result<Vec<_>, Fault> {
            names.as_slice().iter().map(find).collect()
        };
        let top = match &data.metric {
            Some(names) => all(names)?,
            None => vec![find(&default.to_owned())?],
        };
        let per = match &data.per {
            Some(Per::Metric(names)) => all(names)?,
            _ => Vec::new(),
        };
        Ok(Self { top, per })
    }

    fn top(&self, outcome: &T) -> Option<f64> {
        sum(&self.top, outcome)
    }

    fn per(&self, outcome: &T) -> Option<f64> {
        if self.per.is_empty() {
            return Some(1.0);
        }
        sum(&self.per, outcome)
    }

    fn value(&self, outcome: &T) -> Option<f64> {
        quotient(self.top(outcome)?, self.per(outcome)?)
    }
}

/// Sum of these columns; `None` when one is missing, and infinite when one is later than the end of the run.
fn sum<T>(columns: &[&Column<T>], outcome: &T) -> Option<f64> {
    columns.iter().map(|c| (c.get)(outcome).sample()).sum()
}

fn quotient(top: f64, bottom: f64) -> Option<f64> {
    (bottom != 0.0).then(|| top / bottom)
}

impl Reader {
    pub(super) fn new(scenario: &Scenario, point: usize, data: &Data) -> Result<Self, Fault> {
        let seed = scenario.seeds().first().copied().unwrap_or_default();
        let point = &scenario.points()[point];
        let spec = point.spec(seed);
        let rate = |name: &str| match &spec.links[link_index(&spec, name)?].config.service {
            Service::Rate(rate) => Ok(rate.as_bps() as f64),
            Service::Trace(_) => Err(Fault::new(format!("link `{name}` has no constant rate"))),
        };
        let number = match data.per {
            Some(Per::Number(0.0)) => return Err(Fault::new("`per` cannot be 0")),
            Some(Per::Number(n)) => n,
            _ => 1.0,
        };
        let divisor = data.share_of.as_deref().map_or(Ok(1.0), rate)? * number;
        let flows = |name: &str| flow_indices(point, &spec, name);
        let what = if let Some(takeover) = &data.takeover {
            only(data, "takeover")?;
            let (falls, rises) = (flows(&takeover.falls)?, flows(&takeover.rises)?);
            let capacity = rate(&takeover.of)?;
            What::OverTime(OverTime::takeover(&spec, takeover, falls, rises, capacity)?)
        } else if let Some((from, to)) = &data.during {
            only(data, "during")?;
            let indices = data.flow.as_deref().map_or(Ok(vec![0]), flows)?;
            let window = (seconds(from)?, seconds(to)?);
            let pool = data.pool.unwrap_or(Pool::Sum);
            What::OverTime(OverTime::during(&spec, indices, window, pool)?)
        } else if let Some(link) = &data.link {
            if data.flow.is_some() {
                return Err(Fault::new("`flow` and `link` exclude each other"));
            }
            What::Link {
                index: link_index(&spec, link)?,
                number: Fraction::new(data, "utilisation", LINK)?,
            }
        } else {
            let number = Fraction::new(data, "goodput", FLOW)?;
            let adds_up = number.top.iter().all(|c| c.pooling != Pooling::Mean);
            let default = if adds_up { Pool::Sum } else { Pool::Mean };
            What::Flows {
                indices: data.flow.as_deref().map_or(Ok(vec![0]), flows)?,
                pool: data.pool.unwrap_or(default),
                number,
            }
        };
        Ok(Self { what, divisor })
    }

    /// The number of an outcome; `None` where it has none.
    pub(crate) fn read(&self, outcome: &Outcome) -> Option<f64> {
        let value = match &self.what {
            What::Flows {
                indices,
                number,
                pool,
            } => {
                let flows = indices.iter().filter_map(|&i| outcome.flows.get(i));
                if *pool == Pool::Sum {
                    let (mut top, mut per) = (None, 0.0);
                    for flow in flows {
                        if let Some(x) = number.top(flow) {
                            *top.get_or_insert(0.0) += x;
                            per += number.per(flow).unwrap_or_default();
                        }
                    }
                    let per = if number.per.is_empty() { 1.0 } else { per };
                    quotient(top?, per)?
                } else {
                    let values: Vec<f64> = flows.filter_map(|f| number.value(f)).collect();
                    pool.of(&values)?
                }
            }
            What::Link { index, number } => number.value(outcome.links.get(*index)?)?,
            What::OverTime(over_time) => over_time.read(outcome)?,
        };
        Some(value / self.divisor)
    }
}

/// Goodput of flows, added up and divided by a constant.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Rate {
    /// Indices of the flows.
    pub(crate) flows: Vec<usize>,
    /// Divisor of the sum in bit/s.
    pub(crate) divisor: f64,
    /// Start and end in seconds; the measured window of the run when there is none.
    pub(crate) window: Option<(f64, f64)>,
}

impl Reader {
    /// The rate that the number is, if it is one.
    pub(crate) fn rate(&self) -> Option<Rate> {
        let (flows, pool, window) = match &self.what {
            What::Flows {
                indices,
                number,
                pool,
            } => {
                let is_goodput =
                    matches!(number.top.as_slice(), [one] if one.name == GOODPUT.field);
                (is_goodput && number.per.is_empty()).then_some((indices, *pool, None))?
            }
            What::OverTime(over_time) => {
                let (flows, pool, window) = over_time.window()?;
                (flows, pool, Some(window))
            }
            What::Link { .. } => return None,
        };
        let shares = match pool {
            Pool::Sum => 1.0,
            Pool::Mean => flows.len() as f64,
            Pool::Jain | Pool::Min | Pool::Max => return None,
        };
        Some(Rate {
            flows: flows.clone(),
            divisor: self.divisor * shares,
            window,
        })
    }

    /// Whether the number is a time until something that may not come.
    pub(crate) fn is_until(&self) -> bool {
        match &self.what {
            What::Flows { number, .. } => number.top.iter().any(|column| column.until),
            What::Link { .. } => false,
            What::OverTime(over_time) => over_time.window().is_none(),
        }
    }
}

impl Pool {
    /// One number for several flows.
    pub(super) fn of(self, values: &[f64]) -> Option<f64> {
        if values.is_empty() {
            return None;
        }
        let sum: f64 = values.iter().sum();
        match self {
            Self::Sum => Some(sum),
            Self::Mean => Some(sum / values.len() as f64),
            Self::Jain => jain(values),
            Self::Min => values.iter().copied().reduce(f64::min),
            Self::Max => values.iter().copied().reduce(f64::max),
        }
    }
}

/// Checks that data which is read over time names no measured number and no link.
fn only(data: &Data, what: &str) -> Result<(), Fault> {
    let other = None
        .or(data.metric.as_ref().map(|_| "metric"))
        .or(data.link.as_ref().map(|_| "link"));
    match other {
        Some(key) => Err(Fault::new(format!(
            "`{what}` and `{key}` exclude each other"
        ))),
        None => Ok(()),
    }
}

fn link_index(spec: &Spec, name: &str) -> Result<usize, Fault> {
    let found = spec.links.iter().position(|l| l.name == name);
    found.ok_or_else(|| Fault::unknown("link", name, spec.links.iter().map(|l| l.name.as_str())))
}

/// The flow of that name, all copies of a `[[flow]]` of that name, or all that a pattern with `*`
/// matches.
fn flow_indices(point: &Point, spec: &Spec, name: &str) -> Result<Vec<usize>, Fault> {
    if let Some(index) = spec.flows.iter().position(|f| f.name == name) {
        return Ok(vec![index]);
    }
    let found: Vec<usize> = (0..spec.flows.len())
        .filter(|&i| point.flow_group(i) == Some(name) || matches(name, &spec.flows[i].name))
        .collect();
    if found.is_empty() {
        let known = spec.flows.iter().map(|f| f.name.as_str());
        return Err(Fault::unknown("flow", name, known.take(30)));
    }
    Ok(found)
}

/// Whether `name` is `pattern` with something in place of each `*`.
pub(crate) fn matches(pattern: &str, name: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else {
        return pattern == name;
    };
    let Some(mut name) = name.strip_prefix(start) else {
        return false;
    };
    loop {
        if matches(rest, name) {
            return true;
        }
        let mut chars = name.chars();
        if chars.next().is_none() {
            return false;
        }
        name = chars.as_str();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_anything() {
        for (pattern, name, is) in [
            ("*", "", true),
            ("*", "dcr.1", true),
            ("dcr*", "dcr.1", true),
            ("dcr*", "long-dcr.1", false),
            ("*.1", "dcr.1", true),
            ("*.1", "dcr.11", false),
            ("l*-*.2", "long-dcr.2", true),
            ("dcr", "dcr.1", false),
        ] {
            assert_eq!(matches(pattern, name), is, "{pattern} {name}");
        }
    }

    #[test]
    fn pools_by_hand() {
        let values = [1.0, 2.0, 3.0];
        let of = |pool: Pool| pool.of(&values).unwrap();
        assert_eq!((of(Pool::Sum), of(Pool::Mean)), (6.0, 2.0));
        assert_eq!((of(Pool::Min), of(Pool::Max)), (1.0, 3.0));
        assert_eq!(of(Pool::Jain), 36.0 / 42.0);
        assert_eq!(Pool::Mean.of(&[]), None);
    }
}
