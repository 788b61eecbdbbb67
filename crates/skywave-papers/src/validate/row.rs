//! From a row of a reference to a scenario, and to the numbers that it is compared with.

use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, Error, ErrorKind, UndefinedBehavior};
use serde_json::Value;
use skywave_core::link::QueueConfig;
use skywave_sim::Spec;
use skywave_sim::spec::Transport;

use super::model::{Measured, Terms};
use super::table::Cells;
use super::{Quantity, SetError};
use crate::file::inline;
use skywave_lab::experiment::stats::Estimate;
use skywave_scenario::{CustomMembers, NoFiles, Scenario};

/// A row of a comparison: one scenario, and the other simulator's numbers for it.
#[derive(Clone, Debug)]
pub struct Row {
    /// Settings that tell the row from other rows, as pairs of name and value.
    pub labels: Vec<(String, String)>,
    /// Numbers that the other simulator gives for this scenario.
    pub reference: Vec<(Quantity, Estimate)>,
    /// Scenario of the row.
    pub(super) scenario: Scenario,
    /// How our outcome is read.
    pub(super) reading: Reading,
    pub(super) cells: Cells,
}

/// How the reference's quantities are found in an outcome of ours.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Reading {
    /// How many flows, from the first on, are measured together.
    pub(super) measured: usize,
    /// How many flows after these are measured as those beside.
    pub(super) beside: usize,
    /// Factor of our goodput, to count payload as the reference does. Where that sends no header, ours is part of the
    /// payload: packets then have the same size on the wire.
    pub(super) scale: f64,
    /// The part of the wait in our queue that the reference does not count, s.
    pub(super) wait_less: f64,
    /// Length of what is measured, s.
    pub(super) seconds: f64,
    /// The bottleneck's queue drops packets when they leave it, not on arrival.
    pub(super) drops_late: bool,
}

impl Reading {
    /// The link that is the bottleneck, by its name in the scenario.
    pub(super) const BOTTLENECK: &'static str = "bottleneck";
}

impl Row {
    /// Text in the row's cell of the column `name` of the reference table, or that the set's file defines under this
    /// name.
    ///
    /// # Errors
    /// No column or variable has this name, or its text is empty.
    pub fn text(&self, name: &str) -> Result<&str, SetError> {
        self.cells.text(name)
    }

    /// Number in the row's cell of the column `name` of the reference table, or that the set's file defines under this
    /// name.
    ///
    /// # Errors
    /// No column or variable has this name, or its text is no finite number.
    pub fn number(&self, name: &str) -> Result<f64, SetError> {
        self.cells.number(name)
    }

    /// Scenario of the row, of one sweep point, which is run with the set's seeds.
    pub fn scenario(&self) -> &Scenario {
        &self.scenario
    }
}

/// Maker of rows out of cells, by the templates of a set.
pub(super) struct Maker<'a> {
    name: &'a str,
    terms: &'a Terms,
    environment: Environment<'a>,
}

impl<'a> Maker<'a> {
    /// The maker of the rows of a set; `scenario` is the text of its template.
    pub(super) fn new(name: &'a str, terms: &'a Terms, scenario: &'a str) -> Result<Self, Error> {
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        // A line with a block alone leaves no empty line, for those who read what messages show.
        let mut syntax = SyntaxConfig::builder();
        environment.set_syntax(syntax.trim_blocks(true).lstrip_blocks(true).build()?);
        let senders = terms.senders.clone();
        environment.add_filter("sender", move |name: String| {
            let unknown = || {
                let known: Vec<&str> = senders.keys().map(String::as_str).collect();
                let known = known.join(", ");
                let what = format!("there is no sender `{name}`; there are {known}");
                Error::new(ErrorKind::InvalidOperation, what)
            };
            senders.get(&name).map(inline).ok_or_else(unknown)
        });
        environment.add_template(&terms.scenario, scenario)?;
        Ok(Self {
            name,
            terms,
            environment,
        })
    }

    /// The cells with the set's variables, but for those that they have already.
    pub(super) fn complete(&self, mut cells: Cells) -> Result<Cells, SetError> {
        for (name, value) in &self.terms.variables {
            if !cells.has(name) {
                let text = self.text(value, &cells)?;
                cells.set(name, text);
            }
        }
        Ok(cells)
    }

    /// Whether the set compares the row with these cells.
    pub(super) fn takes(&self, cells: &Cells) -> Result<bool, SetError> {
        let Some(rows) = &self.terms.rows else {
            return Ok(true);
        };
        Ok(self.evaluate(rows, cells)?.is_true())
    }

    /// The row with these cells, without the other simulator's numbers.
    pub(super) fn row(&self, cells: Cells) -> Result<Row, SetError> {
        let label = |name: &String| Ok((name.clone(), cells.text(name)?.to_owned()));
        let labels = self.terms.labels.iter().map(label);
        let labels = labels.collect::<Result<_, SetError>>()?;
        let template = self.environment.get_template(&self.terms.scenario);
        let text = template.and_then(|template| template.render(cells.values()));
        let text = text.map_err(|error| cells.wrong(&error))?;
        let scenario = Scenario::parse_with(
            self.name,
            cells.place(),
            &text,
            &NoFiles,
            &CustomMembers::default(),
        )?;
        let [point] = scenario.points() else {
            return Err(cells.wrong(&"its scenario has a [sweep]: expected one point a row"));
        };
        let reading = self.reading(&cells, &point.spec(1))?;
        Ok(Row {
            labels,
            reference: Vec::new(),
            scenario,
            reading,
            cells,
        })
    }

    fn reading(&self, cells: &Cells, spec: &Spec) -> Result<Reading, SetError> {
        let terms = self.terms;
        let number = |value: &Option<Value>, default: f64| {
            let value = value.as_ref();
            value.map_or(Ok(default), |value| self.number(value, cells))
        };
        let segment = spec.flows.first().and_then(|flow| match &flow.transport {
            Transport::Tcp(config) => Some(f64::from(config.mss)),
            Transport::Wtcp { config, .. } => Some(f64::from(config.mss)),
            Transport::Quic { config, .. } => Some(f64::from(config.mss)),
            Transport::Udp { .. } => None,
        });
        let scale = match (&terms.payload, segment) {
            (None, _) => 1.0,
            (Some(payload), Some(segment)) => self.number(payload, cells)? / segment,
            (Some(_), None) => {
                return Err(cells.wrong(&"`payload` is for a first flow with segments"));
            }
        };
        let mut links = spec.links.iter();
        let bottleneck = links.find(|link| link.name == Reading::BOTTLENECK);
        let (from, to) = spec.measure;
        Ok(Reading {
            measured: number(&terms.measured, 1.0)? as usize,
            beside: number(&terms.beside, 0.0)? as usize,
            scale,
            wait_less: number(&terms.wait_less, 0.0)?,
            seconds: to.as_secs_f64() - from.as_secs_f64(),
            drops_late: bottleneck.is_some_and(|link| {
                let queue = &link.config.queue;
                matches!(queue, QueueConfig::CoDel(_) | QueueConfig::FqCoDel(_))
            }),
        })
    }

    /// The arguments for ns-2's script, without the seed.
    pub(super) fn arguments(
        &self,
        arguments: &serde_json::Map<String, Value>,
        cells: &Cells,
    ) -> Result<Vec<String>, SetError> {
        let mut list = Vec::new();
        for (name, value) in arguments {
            list.extend([name.clone(), self.text(value, cells)?]);
        }
        Ok(list)
    }

    /// Text that a template makes of the cells; any other value as it is written.
    fn text(&self, value: &Value, cells: &Cells) -> Result<String, SetError> {
        let Value::String(template) = value else {
            return Ok(value.to_string());
        };
        let text = self.environment.render_str(template, cells.values());
        text.map_err(|error| cells.wrong(&error))
    }

    /// The value of an expression; any other value as it is written.
    fn number(&self, value: &Value, cells: &Cells) -> Result<f64, SetError> {
        let Value::String(expression) = value else {
            let number = value.as_f64();
            return number.ok_or_else(|| cells.wrong(&format!("{value}: a number expected")));
        };
        let number = f64::try_from(self.evaluate(expression, cells)?);
        number.map_err(|_| cells.wrong(&format!("`{expression}`: a number expected")))
    }

    fn evaluate(&self, expression: &str, cells: &Cells) -> Result<minijinja::Value, SetError> {
        let compiled = self.environment.compile_expression(expression);
        let value = compiled.and_then(|compiled| compiled.eval(cells.values()));
        value.map_err(|error| cells.wrong(&format!("`{expression}`: {error}")))
    }
}

impl Measured {
    /// The reference's number in a row; `None` where it has none and it does not decide.
    pub(super) fn of(
        &self,
        row: &Row,
        runs: &str,
    ) -> Result<Option<(Quantity, Estimate)>, SetError> {
        let (cells, reading) = (&row.cells, &row.reading);
        let column = self.column.as_deref().unwrap_or(self.name.name());
        let has_runs = cells.has(column);
        let mean = format!("{column}_mean");
        if !self.decides && cells.text(if has_runs { column } else { &mean }).is_err() {
            return Ok(None);
        }
        let mut estimate = if has_runs {
            let part = self.flows.unwrap_or(super::model::Part::All);
            let samples = cells.samples(column)?;
            let samples: Option<Vec<f64>> = samples.iter().map(|run| part.of(run)).collect();
            let Some(samples) = samples else {
                return Ok(None);
            };
            let estimate = Estimate::of(&samples);
            estimate
                .ok_or_else(|| cells.wrong(&format!("column `{column}` has no finite numbers")))?
        } else {
            cells.moments(column, runs)?
        };
        if self.per_flow {
            let flows = match self.name {
                Quantity::BesideGoodput => reading.beside,
                _ => reading.measured,
            };
            if flows == 0 {
                return Ok(None);
            }
            let flows = flows as f64;
            estimate.mean *= flows;
            estimate.sd *= flows;
            estimate.half = estimate.half.map(|half| half * flows);
        }
        Ok(Some((self.name, estimate)))
    }
}
