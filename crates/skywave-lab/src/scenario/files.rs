//! The files around a scenario: the scenario itself, and the traces and movements that it names.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use skywave_core::link::Trace;
use skywave_core::radio::{SetdestError, Track, parse_setdest};

use super::error::{Fault, ScenarioError, Source};
use super::spanned::Spanned;
use super::tree::Span;

/// Largest scenario file.
const MAX_SCENARIO: u64 = 1 << 20;
/// Largest trace, and largest file of movements.
const MAX_TRACE: u64 = 1 << 26;

/// Paths of files and their texts, compiled into the program.
pub type Bundle = [(&'static str, &'static str)];

/// The path of a setdest file, and how many stations move by it.
type Movements = (String, usize);

/// Where traces and movements are looked for, and those already read.
pub(crate) struct Files<'a> {
    base: Option<&'a Path>,
    bundle: &'a Bundle,
    traces: RefCell<BTreeMap<String, Arc<Trace>>>,
    movements: RefCell<BTreeMap<Movements, Arc<[Track]>>>,
}

impl<'a> Files<'a> {
    pub(crate) fn new(base: Option<&'a Path>, bundle: &'a Bundle) -> Self {
        Self {
            base,
            bundle,
            traces: RefCell::new(BTreeMap::new()),
            movements: RefCell::new(BTreeMap::new()),
        }
    }

    /// There is a file at this path, relative to the scenario.
    pub(crate) fn exists(&self, path: &str) -> bool {
        self.bundled(path).is_some() || self.base.is_some_and(|base| base.join(path).exists())
    }

    fn bundled(&self, path: &str) -> Option<&'static str> {
        let found = self.bundle.iter().find(|(name, _)| *name == path)?;
        Some(found.1)
    }

    /// The trace at this path, relative to the scenario.
    pub(crate) fn trace(&self, path: &Spanned<String>) -> Result<Arc<Trace>, Fault> {
        let key = &path.value;
        if let Some(trace) = self.traces.borrow().get(key) {
            return Ok(Arc::clone(trace));
        }
        let text = self.text(key, &path.span, "trace")?;
        let trace = Arc::new(parse_trace(key, text)?);
        self.traces
            .borrow_mut()
            .insert(key.clone(), Arc::clone(&trace));
        Ok(trace)
    }

    /// The movements of so many stations in the setdest file at this path, relative to the scenario.
    pub(crate) fn setdest(
        &self,
        path: &str,
        span: &Span,
        stations: usize,
    ) -> Result<Arc<[Track]>, Fault> {
        let key = (path.to_owned(), stations);
        if let Some(tracks) = self.movements.borrow().get(&key) {
            return Ok(Arc::clone(tracks));
        }
        let text = self.text(path, span, "setdest file")?;
        let tracks =
            parse_setdest(&text, stations).map_err(|error| not_setdest(path, text, &error))?;
        let tracks: Arc<[Track]> = tracks.into();
        self.movements.borrow_mut().insert(key, Arc::clone(&tracks));
        Ok(tracks)
    }

    /// The text of the file at this path, which the scenario names at `span`.
    fn text(&self, path: &str, span: &Span, what: &str) -> Result<String, Fault> {
        let fault = |label: String| {
            Fault::new(span.clone(), format!("cannot read the {what} `{path}`")).label(label)
        };
        match (self.bundled(path), self.base) {
            (Some(text), _) => Ok(text.to_owned()),
            (None, None) => Err(fault("this scenario is not in a folder".into())),
            (None, Some(base)) => read(&base.join(path), MAX_TRACE).map_err(|reason| {
                fault(reason).help(format!(
                    "the path of a {what} is relative to the scenario file"
                ))
            }),
        }
    }

    /// The paths of all traces and movements that were read.
    pub(crate) fn read_traces(&self) -> Vec<PathBuf> {
        let base = self.base.unwrap_or(Path::new(""));
        let traces = self.traces.borrow();
        let movements = self.movements.borrow();
        let movements = movements.keys().map(|(path, _)| path);
        let paths: BTreeSet<&String> = traces.keys().chain(movements).collect();
        paths.into_iter().map(|path| base.join(path)).collect()
    }
}

fn parse_trace(name: &str, text: String) -> Result<Trace, Fault> {
    Trace::parse(&text).map_err(|error| {
        let message = error.to_string();
        let (place, label) = place_in(&text, error.line, &message);
        Fault::new(place, "this is not a trace")
            .label(label)
            .help(
                "a trace has one whole number of milliseconds a line, never decreasing (mahimahi)",
            )
            .in_file(Source {
                name: name.into(),
                text: text.into(),
            })
    })
}

fn not_setdest(name: &str, text: String, error: &SetdestError) -> Fault {
    let message = error.to_string();
    let (place, label) = place_in(&text, error.line, &message);
    Fault::new(place, "these are not the movements of these stations")
        .label(label)
        .help("a setdest file has the starts of nodes 0, 1, …, one for each copy of the station, and commands")
        .in_file(Source {
            name: name.into(),
            text: text.into(),
        })
}

/// The place of a line from 1, and a message about it without its number.
fn place_in<'m>(text: &str, line: usize, message: &'m str) -> (Span, &'m str) {
    let before = line.saturating_sub(1);
    let start: usize = text.split_inclusive('\n').take(before).map(str::len).sum();
    let line = text[start..].lines().next().unwrap_or_default();
    let label = message.split_once(": ").map_or(message, |(_, rest)| rest);
    (start..start + line.len(), label)
}

/// The text of the scenario at `path`.
pub(crate) fn read_scenario(path: &Path) -> Result<String, ScenarioError> {
    read(path, MAX_SCENARIO).map_err(|reason| ScenarioError::unreadable(path, &reason))
}

/// Refuses a scenario text that is too large.
pub(crate) fn check_size(text: &str) -> Result<(), Fault> {
    if text.len() as u64 <= MAX_SCENARIO {
        return Ok(());
    }
    Err(Fault::new(0..1, "this scenario file is too large").label("more than 1 MiB"))
}

fn read(path: &Path, limit: u64) -> Result<String, String> {
    let text_of = |e: &std::io::Error| match e.kind() {
        std::io::ErrorKind::NotFound => "there is no such file".to_owned(),
        std::io::ErrorKind::PermissionDenied => "it may not be read".to_owned(),
        std::io::ErrorKind::InvalidData => "it is not UTF-8 text".to_owned(),
        kind => kind.to_string(),
    };
    // A device or a pipe may never end, or block on opening.
    let about = std::fs::metadata(path).map_err(|e| text_of(&e))?;
    if !about.is_file() {
        return Err("it is not a file".into());
    }
    let file = File::open(path).map_err(|e| text_of(&e))?;
    let mut text = String::new();
    file.take(limit + 1)
        .read_to_string(&mut text)
        .map_err(|e| text_of(&e))?;
    if text.len() as u64 > limit {
        return Err(format!("it is larger than {} MiB", limit >> 20));
    }
    Ok(text)
}
