//! Searches for the paths on which a sender is worst.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use skywave_lab::experiment::{self, Ledger};
use skywave_lab::folder::Folder;
use skywave_lab::report::WriteError;
use skywave_lab::scenario::{CustomMembers, ScenarioError, Space};
use skywave_lab::threads::lock;
use skywave_search::bench::{Making, Simulation};
use skywave_search::findings::{Finding, Findings};
use skywave_search::page::Page;
use skywave_search::request::{Amount, News, Request, leave};
use skywave_search::{Objective, SPACE, SPACE_FILE, SearchError};

use crate::custom::{self, Failure, Member};
use crate::errors::{experiment_error, scenario_error, write_error};
use crate::running::{self, Keep};

/// A search as Python hands it over.
#[derive(FromPyObject)]
pub(crate) struct Asked {
    senders: Vec<String>,
    objective: Option<String>,
    /// Name, text and folder of the space; the built-in one if there is none.
    space: Option<(String, String, PathBuf)>,
    flow: String,
    runs: usize,
    /// In place of `runs`, if it is there.
    seconds: Option<f64>,
    seed: u64,
    islands: u16,
    below: Option<f64>,
    find: usize,
    /// Call that makes the search, for a comment.
    call: String,
}

/// A finding: as a line of JSON, as a scenario, and in words.
type Told = (String, String, String);

/// Name of a search, its findings, those that did not stand by other seeds, and how many runs were given up.
type Answer = (String, Vec<Told>, Vec<Told>, usize);

/// Why there is no answer.
enum Failed {
    Scenario(Box<ScenarioError>),
    Search(SearchError),
    Write(WriteError),
}

impl From<ScenarioError> for Failed {
    fn from(error: ScenarioError) -> Self {
        Self::Scenario(Box::new(error))
    }
}

impl From<SearchError> for Failed {
    fn from(error: SearchError) -> Self {
        Self::Search(error)
    }
}

impl From<experiment::Error> for Failed {
    fn from(error: experiment::Error) -> Self {
        Self::Search(error.into())
    }
}

impl From<WriteError> for Failed {
    fn from(error: WriteError) -> Self {
        Self::Write(error)
    }
}

impl Failed {
    fn raised(&self, py: Python<'_>) -> PyErr {
        match self {
            Self::Scenario(error) => scenario_error(py, error),
            Self::Search(SearchError::Experiment(error)) => experiment_error(error),
            Self::Search(SearchError::Space(why)) => PyValueError::new_err(why.clone()),
            Self::Search(error @ SearchError::Interrupted) => {
                PyRuntimeError::new_err(error.to_string())
            }
            Self::Write(error) => write_error(error),
        }
    }
}

/// How a search is made, and where its runs are kept.
struct How<'a> {
    out: Option<&'a Path>,
    fresh: bool,
    making: Making<'a>,
    failure: &'a Arc<Failure>,
    tell: &'a dyn Fn(News),
    doubts: &'a dyn Fn(String),
}

/// Searches, with the interpreter free; `progress` is called with runs so far and what is known.
#[pyfunction]
#[pyo3(signature = (asked, custom, keep, progress, /))]
pub(crate) fn worst(
    py: Python<'_>,
    asked: Asked,
    custom: Vec<Member>,
    keep: Keep,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Answer> {
    let threads = keep.threads(!custom.is_empty());
    let members = custom::members(custom)?;
    let request = request(&asked)?;
    let failure = Arc::new(Failure::default());
    let latest = Mutex::new((0, String::new()));
    let doubts = Mutex::new(Vec::new());
    let mut told = (0, String::new());
    let tell = || {
        let news = lock(&latest).clone();
        if let Some(progress) = progress
            && news != told
        {
            progress.call1((news.0, news.1.as_str()))?;
            told = news;
        }
        Ok(())
    };
    let answer = running::beside(py, &failure, tell, || {
        let how = How {
            out: keep.out.as_deref(),
            fresh: keep.fresh,
            making: Making {
                threads,
                cancel: &failure.cancel,
                told: &|done, _| lock(&latest).0 = done,
            },
            failure: &failure,
            tell: &|news| {
                lock(&latest).1 = news.to_string();
            },
            doubts: &|doubt| lock(&doubts).push(doubt),
        };
        search(&asked, &request, &members, &how)
    })?;
    running::warn_of(py, &doubts)?;
    answer.map_err(|failed| failed.raised(py))
}

fn request(asked: &Asked) -> PyResult<Request> {
    let compares = asked.senders.len() > 1;
    let objective = Objective::chosen(asked.objective.as_deref(), compares);
    let time = |seconds: f64| {
        let time = Duration::try_from_secs_f64(seconds).ok();
        time.filter(|time| !time.is_zero())
            .ok_or_else(|| PyValueError::new_err("time: expected a number of seconds above 0"))
    };
    Ok(Request {
        senders: asked.senders.clone(),
        seats: asked.senders.clone(),
        objective: objective.map_err(PyValueError::new_err)?,
        flow: asked.flow.clone(),
        amount: match asked.seconds {
            Some(seconds) => Amount::Time(time(seconds)?),
            None => Amount::Runs(asked.runs),
        },
        seed: asked.seed,
        islands: asked.islands,
        below: asked.below,
        find: asked.find,
    })
}

fn search(
    asked: &Asked,
    request: &Request,
    members: &CustomMembers,
    how: &How<'_>,
) -> Result<Answer, Failed> {
    let name = request.name();
    let (file, text, folder) = match &asked.space {
        Some((file, text, base)) => (file.as_str(), text.as_str(), Folder::new(base)),
        None => (SPACE_FILE, SPACE, Folder::of(Path::new(SPACE_FILE))),
    };
    let space = Space::parse(&name, file, text, &folder, members)?;
    let spaces = request.spaces(&space)?;
    request.check(&spaces)?;
    let dir = how.out.map(|out| out.join(&name));
    let ledger = dir.as_deref().map(|dir| {
        Ledger::open(dir, how.fresh, &|doubts| {
            (how.doubts)(doubts.to_string());
        })
    });
    let ledger = ledger.transpose()?;
    let within = |simulation: &Simulation<'_>| how.failure.watch(simulation);
    let bench = request.bench(&spaces, ledger.as_ref(), how.making)?;
    let bench = bench.within(&within);
    let found = request.findings(&bench, None, how.tell);
    if let Some(ledger) = &ledger {
        ledger.arrange()?;
    }
    let findings = found?.unwrap_or_default();
    let page = Page {
        space: &spaces[0],
        flow: &request.flow,
        senders: &request.senders,
        seats: &request.seats,
        objective: request.objective,
        command: &asked.call,
    };
    let files = match &dir {
        Some(dir) => leave(&page, &findings, dir)?,
        None => Vec::new(),
    };
    let (standing, fallen) = told(&page, &findings, &files);
    Ok((name, standing, fallen, bench.given_up()))
}

/// Findings, and those that do not stand.
fn told(page: &Page<'_>, findings: &Findings, files: &[PathBuf]) -> (Vec<Told>, Vec<Told>) {
    let mut files = files.iter().map(|file| file.display().to_string());
    let mut one = |finding: &Finding| {
        let file = files.next().unwrap_or_default();
        let json = page.json(finding, &file).to_string();
        (json, page.file(finding), page.lines(finding).join("\n"))
    };
    let standing = findings.standing.iter().map(&mut one).collect();
    (standing, findings.fallen.iter().map(one).collect())
}
