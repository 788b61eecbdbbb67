//! From the names in a claim to numbers: which experiment, which points of its sweep, which flow.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Mutex;

use serde::Deserialize;

use super::deciding::Number;
use super::error::Fault;
use super::model::{Along, Data};
use super::reader::Reader;
use super::reading::Reading;
use skywave_lab::experiment::Results;
use skywave_lab::experiment::stats::{Estimate, paired_difference, paired_gain};
use skywave_lab::threads::lock;
use skywave_scenario::{ParamValue, Quantity, Scenario};

/// A value of a swept parameter, as a claim writes it.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(untagged, expecting = "a value of a parameter is a number or a string")]
pub(super) enum Scalar {
    /// A bare number.
    Number(f64),
    /// A name, or a quantity with its unit.
    Text(String),
}

impl Scalar {
    fn of(value: &ParamValue) -> Self {
        match value.number() {
            Some(x) if value.quantity.is_none() => Self::Number(x),
            _ => Self::Text(value.to_string()),
        }
    }

    /// The number, in SI units where it has one.
    pub(super) fn number(&self) -> Option<f64> {
        match self {
            Self::Number(x) => Some(*x),
            Self::Text(text) => Quantity::parse(text).map(|q| q.value),
        }
    }

    fn is(&self, value: &ParamValue) -> bool {
        match (self.number(), value.number()) {
            (Some(a), Some(b)) => (a - b).abs() <= 1e-9 * a.abs().max(b.abs()),
            _ => self.to_string() == value.to_string(),
        }
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(x) => x.fmt(f),
            Self::Text(text) => f.write_str(text),
        }
    }
}

/// The experiments and results against which claims are resolved. Without results every sample is
/// missing, which is enough to find mistakes.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    pub(super) parameters: &'a BTreeMap<String, Vec<String>>,
    pub(super) experiments: &'a [Scenario],
    pub(super) results: Option<&'a BTreeMap<String, Results>>,
    /// Choices that no comparison is to contain.
    pub(super) left_out: &'a [&'a str],
    /// The reading of the text that is meant; the one that the experiments have, unless given.
    pub(super) reading: Option<&'a Reading>,
    /// Results of these experiments alone; of all unless given.
    pub(super) only: Option<&'a BTreeSet<&'a str>>,
    /// Collects the names of the experiments that are asked for.
    pub(super) seen: Option<&'a Mutex<BTreeSet<String>>>,
    /// Collects the names of the measured numbers that are asked for.
    pub(super) read: Option<&'a Mutex<BTreeSet<String>>>,
}

/// Values of parameters beyond those in [`Data::at`].
pub(super) type More<'a> = &'a [(&'a str, &'a Scalar)];

/// One number a seed.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Cell {
    seeds: Vec<u64>,
    samples: Vec<Option<f64>>,
    /// Place of the number, where it is one of a point.
    of: Option<Number>,
}

impl Cell {
    /// A cell with these samples.
    pub(super) fn new(seeds: &[u64], samples: Vec<Option<f64>>) -> Self {
        Self {
            seeds: seeds.to_vec(),
            samples,
            of: None,
        }
    }

    /// Place of the number, where it is one of a point.
    pub(super) fn number(&self) -> Option<&Number> {
        self.of.as_ref()
    }

    /// Mean and interval.
    pub(super) fn estimate(&self) -> Option<Estimate> {
        let samples: Vec<f64> = self.samples.iter().copied().flatten().collect();
        Estimate::of(&samples)
    }

    /// Samples of both for the seeds that both have.
    fn aligned(&self, other: &Self) -> (Vec<Option<f64>>, Vec<Option<f64>>) {
        let theirs: BTreeMap<u64, Option<f64>> = other
            .seeds
            .iter()
            .copied()
            .zip(other.samples.iter().copied())
            .collect();
        let pairs = self.seeds.iter().zip(&self.samples);
        pairs
            .filter_map(|(seed, mine)| Some((*mine, *theirs.get(seed)?)))
            .unzip()
    }

    /// Mean(self) / mean(other), paired by seed.
    pub(super) fn ratio(&self, other: &Self) -> Option<Estimate> {
        let (a, b) = self.aligned(other);
        paired_gain(&a, &b).map(|e| Estimate {
            mean: e.mean + 1.0,
            ..e
        })
    }

    /// Mean(self) / mean(other) − 1, paired by seed.
    pub(super) fn gain(&self, other: &Self) -> Option<Estimate> {
        let (a, b) = self.aligned(other);
        paired_gain(&a, &b)
    }

    /// The paired difference, in percent of the mean of `other`.
    pub(super) fn lead(&self, other: &Self) -> Option<Estimate> {
        let (a, b) = self.aligned(other);
        let difference = paired_difference(&a, &b)?;
        // If the mean of `other` is zero, in percent of our own.
        let means = [other.estimate()?.mean, self.estimate()?.mean];
        let base = means.into_iter().find(|m| *m > 0.0).unwrap_or(1.0);
        Some(scaled(&difference, 100.0 / base))
    }

    /// A number made of the means of several cells of the same experiment, with the jackknife's
    /// interval (Tukey 1958): it follows from how the number changes as each seed in turn is left
    /// out. For numbers that a single run does not have, such as where two noisy curves cross.
    pub(super) fn jackknife(
        cells: &[Self],
        number: impl Fn(&[f64]) -> Option<f64>,
    ) -> Option<Estimate> {
        let seeds = cells.iter().map(|c| c.samples.len()).min()?;
        let runs: Vec<Vec<f64>> = (0..seeds)
            .filter_map(|seed| cells.iter().map(|c| c.samples[seed]).collect())
            .collect();
        let n = runs.len();
        let without = |left_out: usize| {
            let kept = runs.iter().enumerate().filter(|(i, _)| *i != left_out);
            let mut means = vec![0.0; cells.len()];
            for (_, run) in kept {
                means.iter_mut().zip(run).for_each(|(m, x)| *m += x);
            }
            let count = n - usize::from(left_out < n);
            for mean in &mut means {
                *mean /= count as f64;
            }
            number(&means)
        };
        if n == 0 {
            return None;
        }
        let mean = without(n)?;
        let others: Option<Vec<f64>> = (0..n).map(without).collect();
        let Some(others) = others.filter(|_| n > 1) else {
            return Some(Estimate {
                half: None,
                ..Estimate::from_moments(n, mean, 0.0)
            });
        };
        let centre = others.iter().sum::<f64>() / n as f64;
        let squares: f64 = others.iter().map(|x| (x - centre) * (x - centre)).sum();
        // The standard error is √((n − 1)/n Σ); times √n, as of a sample.
        let sd = libm::sqrt((n - 1) as f64 * squares);
        Some(Estimate::from_moments(n, mean, sd))
    }

    /// Whether every cell was run at least once.
    pub(super) fn all_run(cells: &[Self]) -> bool {
        cells.iter().all(|c| c.samples.iter().any(Option::is_some))
    }

    /// A number made of several cells of the same experiment, seed by seed.
    pub(super) fn combine(cells: &[Self], number: impl Fn(&[f64]) -> Option<f64>) -> Self {
        let seeds = cells.first().map(|c| c.seeds.clone()).unwrap_or_default();
        let samples = (0..seeds.len())
            .map(|i| {
                let values: Option<Vec<f64>> = cells
                    .iter()
                    .map(|c| c.samples.get(i).copied().flatten())
                    .collect();
                number(&values?)
            })
            .collect();
        Self::new(&seeds, samples)
    }
}

/// An estimate in another unit.
pub(super) fn scaled(e: &Estimate, factor: f64) -> Estimate {
    Estimate {
        n: e.n,
        mean: e.mean * factor,
        sd: e.sd * factor,
        half: e.half.map(|h| h * factor),
    }
}

impl<'a> View<'a> {
    /// Whether comparisons may contain this choice.
    pub(super) fn has(&self, choice: &Scalar) -> bool {
        !self.left_out.contains(&choice.to_string().as_str())
    }

    /// The choice that this one stands for in the reading of an experiment.
    fn meant(&self, choice: &Scalar, experiment: &str) -> Scalar {
        let choice_name = choice.to_string();
        let other = self
            .reading
            .and_then(|r| r.instead_of(&choice_name, experiment));
        other.map_or_else(|| choice.clone(), |name| Scalar::Text(name.to_owned()))
    }

    /// The experiment of that name, as the reading has it.
    pub(super) fn experiment(&self, name: &str) -> Result<&'a Scenario, Fault> {
        if let Some(seen) = self.seen {
            lock(seen).insert(name.to_owned());
        }
        let found = self.experiments.iter().find(|s| s.name() == name);
        let reread = self.reading.and_then(|reading| reading.experiment(name));
        let found = found.map(|own| reread.unwrap_or(own));
        found.ok_or_else(|| {
            let known = self.experiments.iter().map(Scenario::name);
            Fault::unknown("experiment", name, known)
        })
    }

    /// The swept path that a short name stands for in an experiment.
    fn path(&self, scenario: &Scenario, short: &str) -> Result<&'a str, Fault> {
        let paths = self.parameters.get(short).ok_or_else(|| {
            Fault::unknown(
                "parameter",
                short,
                self.parameters.keys().map(String::as_str),
            )
        })?;
        let swept = |p: &&String| scenario.params().contains(p);
        paths.iter().find(swept).map(String::as_str).ok_or_else(|| {
            Fault::new(format!(
                "experiment `{}` does not sweep `{short}`; it sweeps {}",
                scenario.name(),
                scenario.params().join(", ")
            ))
        })
    }

    /// The points of the experiment where all given parameters have their values.
    fn points(&self, data: &Data, more: More<'_>) -> Result<(&'a Scenario, Vec<usize>), Fault> {
        let scenario = self.experiment(&data.experiment)?;
        let mut points: Vec<usize> = (0..scenario.points().len()).collect();
        let at = data.at.iter().map(|(k, v)| (k.as_str(), v));
        for (short, value) in at.chain(more.iter().copied()) {
            let path = self.path(scenario, short)?;
            let value_at = |p: usize| scenario.points()[p].param(path);
            let meant = self.meant(value, &data.experiment);
            points.retain(|&p| value_at(p).is_some_and(|v| meant.is(v)));
            if points.is_empty() {
                let name = scenario.name();
                let fault = format!("experiment `{name}` has no point with {short} = {value}");
                return Err(Fault::new(fault).about(value.to_string()));
            }
        }
        Ok((scenario, points))
    }

    /// The values that a parameter has, within limits, in the order of the sweep.
    pub(super) fn values(
        &self,
        data: &Data,
        along: &Along,
        more: More<'_>,
    ) -> Result<Vec<Scalar>, Fault> {
        let (scenario, points) = self.points(data, more)?;
        let path = self.path(scenario, &along.parameter)?;
        let limit = |s: &Option<Scalar>, default: f64| match s {
            None => Ok(default),
            Some(s) => s
                .number()
                .ok_or_else(|| Fault::new(format!("`{s}` is no limit: it is not a number"))),
        };
        let (from, to) = (
            limit(&along.from, f64::NEG_INFINITY)?,
            limit(&along.to, f64::INFINITY)?,
        );
        let slack = 1e-9;
        let mut values: Vec<Scalar> = Vec::new();
        for p in points {
            let Some(value) = scenario.points()[p].param(path) else {
                continue;
            };
            let inside = value
                .number()
                .is_none_or(|x| x >= from - slack * from.abs() && x <= to + slack * to.abs());
            let scalar = Scalar::of(value);
            if inside && !values.contains(&scalar) {
                values.push(scalar);
            }
        }
        if values.is_empty() {
            return Err(Fault::new(format!(
                "experiment `{}` has no value of `{}` within these limits",
                scenario.name(),
                along.parameter
            )));
        }
        Ok(values)
    }

    /// The numbers of the one point that `data` and `more` leave.
    pub(super) fn cell(&self, data: &Data, more: More<'_>) -> Result<Cell, Fault> {
        let (scenario, points) = self.points(data, more)?;
        let &[point] = points.as_slice() else {
            return Err(Fault::new(format!(
                "{} points of experiment `{}` are left, and one is needed; it sweeps {}",
                points.len(),
                scenario.name(),
                scenario.params().join(", ")
            )));
        };
        let reader = Reader::new(scenario, point, data)?;
        if let Some(read) = self.read {
            lock(read).extend(data.measures());
        }
        let asked = data.at.values().chain(more.iter().map(|(_, value)| *value));
        if let Some(choice) = asked.into_iter().find(|choice| !self.has(choice)) {
            return Err(Fault::new(format!("{choice} is left out")));
        }
        let name = data.experiment.as_str();
        let wanted = self.only.is_none_or(|only| only.contains(name));
        let results = self.results.filter(|_| wanted);
        let results = results.and_then(|r| r.get(scenario.name()));
        let mut samples = match results {
            Some(results) => results.samples(point, |run| reader.read(&run.outcome)),
            None => Vec::new(),
        };
        samples.resize(scenario.seeds().len(), None);
        Ok(Cell {
            of: Some(Number {
                point,
                data: data.clone(),
            }),
            ..Cell::new(scenario.seeds(), samples)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(samples: &[f64]) -> Cell {
        let seeds: Vec<u64> = (0..samples.len() as u64).collect();
        Cell::new(&seeds, samples.iter().copied().map(Some).collect())
    }

    #[test]
    fn the_jackknife_of_a_mean_is_the_mean_with_its_interval() {
        let samples = [1.0, 4.0, 2.0, 7.0];
        let jackknife = Cell::jackknife(&[cell(&samples)], |xs| Some(xs[0])).unwrap();
        let expected = Estimate::of(&samples).unwrap();
        assert!((jackknife.mean - expected.mean).abs() < 1e-12);
        assert!((jackknife.half.unwrap() - expected.half.unwrap()).abs() < 1e-12);
    }

    #[test]
    fn the_jackknife_of_a_ratio_is_near_the_delta_method() {
        let (a, b) = (cell(&[10.0, 12.0, 11.0, 13.0]), cell(&[5.0, 5.5, 5.2, 6.1]));
        let ratio = Cell::jackknife(&[a.clone(), b.clone()], |xs| Some(xs[0] / xs[1])).unwrap();
        let expected = a.ratio(&b).unwrap();
        assert!((ratio.mean - expected.mean).abs() < 1e-12);
        assert!((ratio.half.unwrap() / expected.half.unwrap() - 1.0).abs() < 0.1);
    }

    #[test]
    fn a_number_that_some_seeds_decide_has_no_interval() {
        let cells = [cell(&[1.0, 3.0])];
        let above = |xs: &[f64]| (xs[0] > 1.5).then_some(xs[0]);
        let estimate = Cell::jackknife(&cells, above).unwrap();
        assert_eq!((estimate.mean, estimate.half), (2.0, None));
        assert_eq!(Cell::jackknife(&cells, |_| None), None);
    }
}
