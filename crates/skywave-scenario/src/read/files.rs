//! The files that a scenario names: traces and movements.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use skywave_core::link::Trace;
use skywave_core::radio::{Movements, parse_setdest};

use crate::read::error::Source;
use crate::read::fault::Fault;
use crate::read::spanned::Spanned;
use crate::read::tree::Span;

/// Largest size of a scenario file, bytes: 1 MiB.
pub const MAX_SCENARIO: u64 = 1 << 20;
/// Largest size of a trace or a file of movements, bytes: 1 GiB, ten minutes of a link of 3 Gbit/s as mahimahi records
/// it.
pub const MAX_FILE: u64 = 1 << 30;

/// Source of the files (traces, movements) that a scenario names by paths relative to itself. Nothing in this crate
/// reads a disk, so that a browser or an editor can bring files of its own.
pub trait Files {
    /// Text of the file at `path`, of at most [`MAX_FILE`] bytes; an error if there is none or it cannot be read.
    fn text(&self, path: &str) -> Result<String, Unreadable>;

    /// Whether there is a file at `path`.
    fn exists(&self, path: &str) -> bool;

    /// Name of the file at `path` in records of what a result depends on, such as its path on the disk.
    fn place(&self, path: &str) -> PathBuf {
        path.into()
    }
}

/// Reason why a file that a scenario names cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unreadable {
    /// No folder: the scenario is a text alone, without files beside it.
    NoFolder,
    /// The operating system's reason, or the mistake in the file.
    Because(String),
}

/// Files for a scenario that names none: there is nothing at any path.
#[derive(Clone, Copy, Debug)]
pub struct NoFiles;

impl Files for NoFiles {
    fn text(&self, _path: &str) -> Result<String, Unreadable> {
        Err(Unreadable::NoFolder)
    }

    fn exists(&self, _path: &str) -> bool {
        false
    }
}

/// Files that are compiled into the program: pairs of path and text.
#[derive(Clone, Copy, Debug)]
pub struct Bundle(pub &'static [(&'static str, &'static str)]);

impl Bundle {
    /// Text of the file whose path in the bundle is exactly `path`; `None` if there is none.
    pub fn get(&self, path: &str) -> Option<&'static str> {
        let found = self.0.iter().find(|(name, _)| *name == path)?;
        Some(found.1)
    }
}

impl Files for Bundle {
    fn text(&self, path: &str) -> Result<String, Unreadable> {
        let text = self.get(path).ok_or(Unreadable::NoFolder)?;
        Ok(text.to_owned())
    }

    fn exists(&self, path: &str) -> bool {
        self.get(path).is_some()
    }
}

/// The path of a setdest file, and how many stations move by it.
type MovedBy = (String, usize);

/// The files of a scenario, and what was read of them: many points of a sweep name the same.
pub(crate) struct Shelf<'a> {
    files: &'a dyn Files,
    traces: RefCell<BTreeMap<String, Arc<Trace>>>,
    movements: RefCell<BTreeMap<MovedBy, Arc<Movements>>>,
}

impl<'a> Shelf<'a> {
    pub(crate) fn new(files: &'a dyn Files) -> Self {
        Self {
            files,
            traces: RefCell::new(BTreeMap::new()),
            movements: RefCell::new(BTreeMap::new()),
        }
    }

    /// Whether there is a file at this path, relative to the scenario.
    pub(crate) fn exists(&self, path: &str) -> bool {
        self.files.exists(path)
    }

    /// The trace at this path, relative to the scenario.
    pub(crate) fn trace(&self, path: &Spanned<String>) -> Result<Arc<Trace>, Fault> {
        let key = &path.value;
        if let Some(trace) = self.traces.borrow().get(key) {
            return Ok(Arc::clone(trace));
        }
        let text = self.text(key, &path.span, "trace")?;
        let trace = Trace::parse(&text).map_err(|error| {
            let wrong = (error.line, error.to_string());
            not_read(key, text, wrong, "this is not a trace").help(
                "a trace has one whole number of milliseconds a line, never decreasing (mahimahi), or two numbers: \
                 seconds and Mbit/s (Pensieve)",
            )
        })?;
        let trace = Arc::new(trace);
        self.traces
            .borrow_mut()
            .insert(key.clone(), Arc::clone(&trace));
        Ok(trace)
    }

    /// The movements of `stations` stations in the setdest file at this path, relative to the
    /// scenario.
    pub(crate) fn setdest(
        &self,
        path: &str,
        span: &Span,
        stations: usize,
    ) -> Result<Arc<Movements>, Fault> {
        let key = (path.to_owned(), stations);
        if let Some(found) = self.movements.borrow().get(&key) {
            return Ok(Arc::clone(found));
        }
        let text = self.text(path, span, "setdest file")?;
        let found = parse_setdest(&text, stations).map_err(|error| {
            let wrong = (error.line, error.to_string());
            not_read(path, text, wrong, "these are not the movements of these stations")
                .help("a setdest file has the starts of nodes 0, 1, …, one for each copy of the station, and commands")
        })?;
        let found = Arc::new(found);
        self.movements.borrow_mut().insert(key, Arc::clone(&found));
        Ok(found)
    }

    /// Commands that were skipped in the setdest file at this path, if it was read.
    pub(crate) fn skipped(&self, path: &str) -> usize {
        let movements = self.movements.borrow();
        let mut found = movements.iter().filter(|((of, _), _)| of == path);
        found.next().map_or(0, |(_, found)| found.skipped)
    }

    /// The text of the file at this path, which the scenario names at `span`.
    fn text(&self, path: &str, span: &Span, what: &str) -> Result<String, Fault> {
        let fault = |label: String| {
            Fault::new(span.clone(), format!("cannot read the {what} `{path}`"))
                .for_name()
                .label(label)
        };
        self.files.text(path).map_err(|reason| match reason {
            Unreadable::NoFolder => fault("this scenario is not in a folder".into()),
            Unreadable::Because(reason) => fault(reason).help(format!(
                "the path of a {what} is relative to the scenario file"
            )),
        })
    }

    /// The paths of all traces and movements that were read.
    pub(crate) fn read_traces(&self) -> Vec<PathBuf> {
        let traces = self.traces.borrow();
        let movements = self.movements.borrow();
        let movements = movements.keys().map(|(path, _)| path);
        let paths: BTreeSet<&String> = traces.keys().chain(movements).collect();
        paths
            .into_iter()
            .map(|path| self.files.place(path))
            .collect()
    }
}

/// The mistake in a line, from 1, of the file `name`, told by the error of whoever read it without the line's number.
fn not_read(name: &str, text: String, (line, error): (usize, String), message: &str) -> Fault {
    let before = line.saturating_sub(1);
    let start: usize = text.split_inclusive('\n').take(before).map(str::len).sum();
    let line = text[start..].lines().next().unwrap_or_default();
    let label = error.split_once(": ").map_or(&*error, |(_, rest)| rest);
    Fault::new(start..start + line.len(), message)
        .label(label)
        .in_file(Source {
            name: name.into(),
            text: text.into(),
        })
}

/// Refuses a scenario text that is too large.
pub(crate) fn check_size(text: &str) -> Result<(), Fault> {
    if text.len() as u64 <= MAX_SCENARIO {
        return Ok(());
    }
    Err(Fault::new(0..1, "this scenario file is too large").label("more than 1 MiB"))
}
