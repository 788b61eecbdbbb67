//! Laws judged by sets of cases.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use skywave_lab::experiment::{self, Progress, Results, RunOptions};
use skywave_lab::scenario::{Files, Scenario};
use skywave_lab::threads::lock;
use skywave_papers::claims::ClaimsError;
use skywave_papers::referee::{self, Law, Retracing, Sender, Trial};
use skywave_sim::{Outcome, Spec};

use crate::custom::{self, Failure, Member};
use crate::errors::{experiment_error, scenario_error};
use crate::papers::claims_error;
use crate::running::{self, Keep};

/// A law that may have members written in Python.
struct Own {
    law: Law,
    failure: Arc<Failure>,
}

impl Sender for Own {
    fn name(&self) -> &str {
        self.law.name()
    }

    fn is_meant_by(&self, pattern: &str) -> bool {
        self.law.is_meant_by(pattern)
    }

    fn take(
        &self,
        scenario: &Scenario,
        seats: &[&str],
        files: &dyn Files,
    ) -> Result<Scenario, String> {
        self.law.take(scenario, seats, files)
    }

    fn run(&self, spec: &Spec, cancel: &AtomicBool) -> Option<Outcome> {
        if spec.has_custom() {
            self.failure.watch(|| experiment::simulate(spec, cancel))
        } else {
            experiment::simulate(spec, cancel)
        }
    }
}

/// How a law stands in sets of cases.
#[pyclass(frozen, module = "skywave._skywave")]
pub(crate) struct Card(referee::Card);

#[pymethods]
impl Card {
    /// Name of the law.
    #[getter]
    fn law(&self) -> &str {
        &self.0.law
    }

    /// Folder of the card in the folder of results.
    #[getter]
    fn folder(&self) -> PathBuf {
        referee::folder(&self.0.law)
    }

    /// The cases as lines of JSON.
    fn lines(&self) -> String {
        self.0.to_json_lines()
    }

    /// The card as JSON.
    fn json(&self) -> String {
        self.0.to_json()
    }

    /// The card in lines of at most so many columns, with all cases or the failed and unsure ones.
    #[pyo3(signature = (width, all, /))]
    fn text(&self, width: usize, all: bool) -> String {
        self.0.table(width, all)
    }

    /// The card as an HTML page.
    fn page(&self) -> PyResult<String> {
        referee::page(&self.0).map_err(|error| PyOSError::new_err(error.to_string()))
    }
}

/// Names of the built-in sets.
#[pyfunction]
pub(crate) fn sets() -> Vec<&'static str> {
    referee::sets().collect()
}

/// Runs a law through sets of cases, with the interpreter free; `progress` is called with runs done, found and wanted.
#[pyfunction]
#[pyo3(signature = (law, custom, sets, keep, progress, /))]
pub(crate) fn judge(
    py: Python<'_>,
    law: &str,
    custom: Vec<Member>,
    sets: Vec<String>,
    keep: Keep,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Card> {
    let threads = keep.threads(!custom.is_empty());
    let members = custom::members(custom)?;
    let law = py.detach(|| Law::with_members(law, &members));
    let law = law.map_err(|error| scenario_error(py, &error))?;
    let failure = Arc::new(Failure::default());
    let own = Own {
        law,
        failure: Arc::clone(&failure),
    };
    let trials = py.detach(|| {
        let trial = |set: &String| {
            let set = referee::named(set)?;
            Ok((set.name().to_owned(), Trial::new(&set, &own)?))
        };
        let trials = sets.iter().map(trial);
        trials.collect::<Result<Vec<_>, ClaimsError>>()
    });
    let trials = trials.map_err(|error| claims_error(py, &error))?;
    let latest = Mutex::new(None);
    let doubts = Mutex::new(Vec::new());
    let tell = || running::tell(progress, &latest);
    let dir = keep.out.map(|out| out.join(referee::folder(own.name())));
    let judged = running::beside(py, &failure, tell, || {
        let mut card = referee::Card::new(&own);
        let all = |trial: &Trial<'_>| trial.scenarios().iter().map(Scenario::runs).sum::<usize>();
        let total = trials.iter().map(|(_, trial)| all(trial)).sum();
        let (mut done, mut reused) = (0, 0);
        for (set, trial) in &trials {
            let found = Mutex::new(0);
            let place = dir.as_ref().map(|dir| dir.join(set));
            let options = RunOptions {
                dir: place.as_deref(),
                fresh: keep.fresh,
                threads,
                engine: own.engine(),
                cancel: &failure.cancel,
                progress: &|progress| {
                    *lock(&found) = progress.all.reused;
                    *lock(&latest) = Some(Progress {
                        done: done + progress.all.done,
                        reused: reused + progress.all.reused,
                        total,
                    });
                },
                doubts: &|found| lock(&doubts).push(found.to_string()),
            };
            let results = experiment::run_all(trial.scenarios(), &options, |spec, cancel| {
                own.run(spec, cancel)
            })?;
            let retracing = Retracing {
                threads,
                cancel: &failure.cancel,
            };
            card.sets.push(trial.judge(&results, Some(&retracing)));
            done += results.values().map(Results::finished).sum::<usize>();
            reused += *lock(&found);
        }
        Ok::<_, experiment::Error>(card)
    })?;
    running::warn_of(py, &doubts)?;
    judged.map(Card).map_err(|error| experiment_error(&error))
}
