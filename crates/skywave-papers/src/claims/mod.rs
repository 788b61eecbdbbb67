//! Claims: the results that a paper's text states, measured again and judged.
//!
//! A paper is a folder of `experiments/` with one scenario a figure and a `claims.toml` that says
//! for each claim how it is measured. [`load`] reads a built-in paper, [`load_dir`] a folder;
//! [`run_all`](skywave_lab::experiment::run_all) simulates what is missing, and [`evaluate`] turns the results into a [`Scorecard`] by the
//! one rule in [`verdict`].
//!
//! ```
//! use skywave_papers::claims;
//!
//! let paper = claims::load("cerl")?;
//! println!("{} claims from {} runs", paper.claims(), paper.runs());
//! # Ok::<(), claims::ClaimsError>(())
//! ```

mod baseline;
pub(crate) mod deciding;
mod digest;
mod error;
mod formulas;
mod html;
mod markdown;
mod measure;
mod model;
mod over_time;
mod picture;
mod reader;
mod reading;
mod register;
mod score;
mod select;
pub mod sender;
mod text;
pub mod verdict;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::file::{FileError, choice, from_toml, read_text};
use crate::maps::Taken;
use skywave_lab::experiment::{Results, hash};
use skywave_lab::folder::{self, Folder};
use skywave_lab::threads::{self, NoThreads};
use skywave_scenario::{Files, NoFiles, Scenario, Spanned};

use crate::embedded::{self, Embedded};
use model::{ClaimModel, File};
use select::View;

pub use baseline::{Baseline, Evidence, Standing};
pub use error::{ClaimsError, Fault};
pub(crate) use html::CSS;
pub use html::page;
pub use markdown::{VERB, in_page, kinds};
pub use measure::{Part, Stated};
pub use model::Kind;
pub(crate) use model::SEAT;
pub(crate) use reader::{Rate, Reader, matches};
pub use reading::Reading;
pub(crate) use reading::with_values;
pub use register::{Decision, Given};
pub use score::{Reread, Score, Scorecard};
pub use text::summary;
pub(crate) use text::{measured, stated};
pub use verdict::Verdict;

/// The file of claims in a paper's folder.
const CLAIMS: &str = "claims.toml";

/// A paper as read from its folder: its experiments (scenarios) and its claims, checked against each other.
#[derive(Debug)]
pub struct Paper {
    name: String,
    text: String,
    file: Arc<File>,
    experiments: Vec<Scenario>,
    readings: Vec<Reading>,
    /// Folder of the traces that the experiments name; none for a built-in paper, which has none.
    folder: Option<PathBuf>,
}

impl Paper {
    /// Short name of the paper: that of its folder.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The title of the paper.
    pub fn title(&self) -> &str {
        &self.file.title
    }

    /// Author and place of publication of the paper.
    pub fn source(&self) -> &str {
        &self.file.source
    }

    /// Experiments of the paper, a scenario each, in the order of their names.
    pub fn experiments(&self) -> &[Scenario] {
        &self.experiments
    }

    /// Keeps only the experiments of these names; claims that need runs of any other experiment are then "not run".
    ///
    /// # Errors
    ///
    /// When there is no experiment of one of the names.
    pub fn keep(&mut self, names: &[String]) -> Result<(), ClaimsError> {
        let known = |name| self.experiments.iter().any(|e| e.name() == name);
        if let Some(name) = names.iter().find(|name| !known(name.as_str())) {
            let all = self.experiments.iter().map(Scenario::name);
            return Err(ClaimsError::UnknownExperiment {
                name: name.clone(),
                known: choice(name, all),
            });
        }
        self.experiments
            .retain(|e| names.iter().any(|name| name == e.name()));
        for reading in &mut self.readings {
            reading.keep(names);
        }
        Ok(())
    }

    /// Doubles the number of seeds of each experiment, to see whether more seeds change a verdict.
    pub fn double_seeds(&mut self) {
        self.experiments.iter_mut().for_each(Scenario::double_seeds);
        self.readings.iter_mut().for_each(Reading::double_seeds);
    }

    /// Number of claims in the paper's file.
    pub fn claims(&self) -> usize {
        self.file.claim.len()
    }

    /// Scenarios that are run for the paper: its experiments, and variants of them for other readings (other values of
    /// what the text leaves open).
    pub fn scenarios(&self) -> impl Iterator<Item = &Scenario> {
        let others = self.readings.iter().flat_map(Reading::scenarios);
        self.experiments.iter().chain(others)
    }

    /// Number of simulations that the paper's scenarios take: the sum over them of sweep points times seeds.
    pub fn runs(&self) -> usize {
        self.scenarios().map(Scenario::runs).sum()
    }

    /// Hash, in hexadecimal digits, of the file of claims and of all experiments: of everything that verdicts depend on
    /// except the simulator, and files that experiments name, such as traces.
    pub fn inputs(&self) -> String {
        let texts = self.experiments.iter().map(Scenario::text);
        let all: Vec<&str> = [self.text.as_str()].into_iter().chain(texts).collect();
        format!("{:032x}", hash(all.join("\0").as_bytes()))
    }

    /// Settings in the experiments' files that the claims file lists neither as given by the paper nor as decided by
    /// us: keys such as `link.radio.delay`, by the experiment's name.
    pub fn unregistered(&self) -> BTreeMap<String, Vec<String>> {
        let settings = register::settings(&self.experiments);
        let open = settings.iter().map(|(name, keys)| {
            let open = register::unregistered(&self.file, name, keys).into_iter();
            (name.clone(), open.map(str::to_owned).collect())
        });
        open.filter(|(_, keys): &(_, Vec<_>)| !keys.is_empty())
            .collect()
    }

    /// The choices that only other readings mean.
    fn choices_of_readings(&self) -> Vec<&str> {
        self.readings
            .iter()
            .flat_map(Reading::own_choices)
            .collect()
    }
}

/// Reproduction of a paper: the paper, the results of its simulations, and the verdicts on its claims.
#[derive(Clone, Copy, Debug)]
pub struct Reproduction<'a> {
    /// Paper that is reproduced, with its experiments and claims.
    pub paper: &'a Paper,
    /// Results of the paper's scenarios, by the scenarios' names.
    pub results: &'a BTreeMap<String, Results>,
    /// Verdicts on the paper's claims.
    pub scorecard: &'a Scorecard,
    /// Maps that show where in a space of network paths the paper's gains are; empty if no map was simulated.
    pub maps: &'a [Taken],
}

/// The names of the built-in papers.
pub fn papers() -> impl Iterator<Item = &'static str> {
    embedded::PAPERS.iter().map(|p| p.name)
}

/// Names of the experiments of all built-in papers.
pub fn experiments() -> impl Iterator<Item = &'static str> {
    let all = embedded::PAPERS.iter().flat_map(|p| p.experiments);
    all.map(|(name, _)| *name)
}

/// The names of the built-in sets of cases for laws.
pub(crate) fn sets() -> impl Iterator<Item = &'static str> {
    embedded::SETS.iter().map(|set| set.name)
}

/// Reads the built-in paper of this name.
///
/// # Errors
/// [`ClaimsError::UnknownPaper`] when no built-in paper has this name; else a mistake in its files.
pub fn load(name: &str) -> Result<Paper, ClaimsError> {
    let found = embedded::PAPERS.iter().find(|p| p.name == name);
    let paper = found.ok_or_else(|| ClaimsError::UnknownPaper {
        name: name.to_owned(),
        known: choice(name, papers()),
    })?;
    unpacked(paper, "experiments")
}

/// A built-in set of cases for laws.
pub(crate) fn load_set(name: &str) -> Result<Paper, ClaimsError> {
    let found = embedded::SETS.iter().find(|set| set.name == name);
    let set = found.ok_or_else(|| ClaimsError::UnknownSet {
        name: name.to_owned(),
        known: choice(name, sets()),
    })?;
    unpacked(set, "experiments/referee")
}

/// A paper of the program, whose folder is in the folder `within`.
fn unpacked(paper: &Embedded, within: &str) -> Result<Paper, ClaimsError> {
    let name = paper.name;
    let experiments = paper
        .experiments
        .iter()
        .map(|(name, text)| Scenario::parse(name, text, &NoFiles))
        .collect::<Result<_, _>>()?;
    let file = format!("{within}/{name}/{CLAIMS}");
    read(name, &file, paper.claims, experiments, &NoFiles)
}

/// Folder of the paper that the user named by `path`: the folder itself, or the one around its `claims.toml`; `None`
/// for any other file.
pub fn folder_of(path: &Path) -> Option<PathBuf> {
    if path.is_dir() {
        return Some(path.to_owned());
    }
    let folder = path.parent().filter(|_| path.ends_with(CLAIMS))?;
    Some(if folder.as_os_str().is_empty() {
        PathBuf::from(".")
    } else {
        folder.to_owned()
    })
}

/// Whether the folder is that of a paper: whether it has a file of claims.
pub fn is_paper(folder: &Path) -> bool {
    folder.join(CLAIMS).is_file()
}

/// Reads the paper in a folder: every `*.toml` is an experiment, but for `claims.toml`. The paper has the folder's
/// name.
///
/// # Errors
/// When a file cannot be read, or is no valid scenario or file of claims.
pub fn load_dir(folder: &Path) -> Result<Paper, ClaimsError> {
    // "." and ".." have no name of their own.
    let folder = match folder.file_name() {
        None => folder.canonicalize().unwrap_or_else(|_| folder.to_owned()),
        Some(_) => folder.to_owned(),
    };
    let failed = FileError::at(&folder);
    let mut files = Vec::new();
    for entry in std::fs::read_dir(&folder).map_err(&failed)? {
        let path = entry.map_err(&failed)?.path();
        let name = path.file_name().unwrap_or_default();
        if path.extension().is_some_and(|e| e == "toml") && name != CLAIMS {
            files.push(path);
        }
    }
    files.sort();
    let experiments = files
        .iter()
        .map(|path| folder::load(path))
        .collect::<Result<_, _>>()?;
    let path = folder.join(CLAIMS);
    let text = read_text(&path)?;
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let file = path.display().to_string();
    let mut paper = read(&name, &file, &text, experiments, &Folder::new(&folder))?;
    paper.folder = Some(folder.clone());
    Ok(paper)
}

/// Reads a file of claims and checks every claim against the experiments, whose traces are in `files`.
pub(crate) fn read(
    name: &str,
    file: &str,
    text: &str,
    experiments: Vec<Scenario>,
    files: &dyn Files,
) -> Result<Paper, ClaimsError> {
    let (document, model) = from_toml::<File>(file, text)?;
    if let Some(place) = document.not_finite() {
        let shown = document.mistake(
            place,
            "`inf` and `nan` state nothing that could be measured",
        );
        return Err(FileError::mistake(file, shown.to_string(), shown).into());
    }
    let mut paper = Paper {
        name: name.to_owned(),
        text: text.to_owned(),
        file: Arc::new(model),
        experiments,
        readings: Vec::new(),
        folder: None,
    };
    let heads: Vec<usize> = paper.file.heads().map(|head| head.span().start).collect();
    // A part of the file ends where another one begins.
    let end = |start| heads.iter().copied().filter(|&head| head > start).min();
    let of_part = |fault: &Fault, kind, head: &Spanned<String>| {
        let end = end(head.span().start).unwrap_or(text.len());
        fault.of_part((file, &document), (kind, head), end)
    };
    for model in &paper.file.reading {
        let reading = Reading::new(model, &paper.experiments, files);
        let reading = reading.map_err(|fault| of_part(&fault, "reading", &model.name))?;
        let known = |name| paper.scenarios().any(|other| other.name() == name);
        let same = paper
            .readings
            .iter()
            .any(|other| other.name == reading.name);
        let twice = same || reading.scenarios().any(|one| known(one.name()));
        if twice {
            let fault = Fault::new("there are two of this name, or an experiment of such a name");
            return Err(of_part(&fault, "reading", &model.name).into());
        }
        paper.readings.push(reading);
    }
    let settings = register::settings(&paper.experiments);
    for given in &paper.file.given {
        let Some(head) = given.keys.first() else {
            let shown = document.mistake(0..0, "a [[given]] has no keys");
            return Err(FileError::mistake(file, shown.to_string(), shown).into());
        };
        register::check_keys(&given.keys, &given.experiments, &settings)
            .map_err(|fault| of_part(&fault, "setting", head))?;
    }
    for decision in &paper.file.decision {
        register::check(decision, &paper.file, &settings)
            .map_err(|fault| of_part(&fault, "decision", &decision.setting))?;
    }
    let left_out = paper.choices_of_readings();
    let view = paper.view(None, &left_out);
    for (index, claim) in paper.file.claim.iter().enumerate() {
        let same = |c: &ClaimModel| c.id.get_ref() == claim.id.get_ref();
        let twice = paper.file.claim[..index].iter().any(same);
        check(&view, claim, twice).map_err(|fault| of_part(&fault, "claim", &claim.id))?;
    }
    for (reading, model) in paper.readings.iter().zip(&paper.file.reading) {
        let view = View {
            reading: Some(reading),
            ..view
        };
        for claim in &paper.file.claim {
            claim.measure.parts(&view).map_err(|fault| {
                let id = claim.id.get_ref();
                let fault = Fault::new(format!("under it `{id}` cannot be measured: {fault}"));
                of_part(&fault, "reading", &model.name)
            })?;
        }
    }
    for model in &paper.file.baseline {
        Baseline::check(model, &paper.view(None, &[]))
            .map_err(|fault| of_part(&fault, "baseline", &model.sender))?;
    }
    if paper.file.sender.is_some() {
        paper.check_seats()?;
    }
    Ok(paper)
}

fn check(view: &View<'_>, claim: &ClaimModel, twice: bool) -> Result<(), Fault> {
    if twice {
        return Err(Fault::new("there are two claims of this id"));
    }
    if let Some(figure) = &claim.figure {
        view.experiment(figure)?;
    }
    let parts = claim.measure.parts(view)?;
    match (&claim.not_testable, parts.is_empty()) {
        (None, true) => {
            return Err(Fault::new(
                "it has no measure; if nothing can measure it, say why in `not_testable`",
            ));
        }
        (Some(_), false) => return Err(Fault::new("it is `not_testable` and has measures")),
        _ => {}
    }
    let circular = claim.circular.keys().map(String::as_str);
    Fault::unless_known("part", circular, || {
        parts.iter().map(|part| part.name.as_str())
    })
}

impl Paper {
    fn view<'a>(
        &'a self,
        results: Option<&'a BTreeMap<String, Results>>,
        left_out: &'a [&'a str],
    ) -> View<'a> {
        View {
            parameters: &self.file.parameters,
            experiments: &self.experiments,
            results,
            left_out,
            reading: None,
            only: None,
            seen: None,
            read: None,
        }
    }
}

/// Judges every claim of the paper by `results`, which has the results of the paper's scenarios by the scenarios'
/// names. A claim with a number of which all runs are missing is "not run"; where only some are missing, the others are
/// judged. Where results have more seeds than an experiment, only the first ones count.
pub fn evaluate(paper: &Paper, results: &BTreeMap<String, Results>) -> Scorecard {
    let left_out = paper.choices_of_readings();
    let view = paper.view(Some(results), &left_out);
    let own = Judge::new(paper, view);
    let readings = paper.readings.iter();
    let others: Vec<(&Reading, Judge<'_>)> = readings
        .map(|reading| {
            let reading_view = View {
                reading: Some(reading),
                ..view
            };
            (reading, Judge::new(paper, reading_view))
        })
        .collect();
    let score = |claim: &ClaimModel| {
        let measured = own.measured(claim);
        let rereads = others.iter().filter_map(|(reading, judge)| {
            let other = judge.measured(claim);
            (other != measured).then(|| Reread::new(reading, judge.judged(claim, other)))
        });
        let rereads = rereads.collect();
        Score::new(claim, own.judged(claim, measured), rereads)
    };
    let claims = &paper.file.claim;
    let scores = threads::each(None, claims.len(), |at| {
        Ok::<_, NoThreads>(score(&claims[at]))
    })
    // Where no threads can be had, one does it.
    .unwrap_or_else(|_| claims.iter().map(score).collect());
    Scorecard {
        left_out: 0,
        paper: paper.name.clone(),
        title: paper.file.title.clone(),
        source: paper.file.source.clone(),
        inputs: paper.inputs(),
        complete: paper
            .scenarios()
            .all(|e| results.get(e.name()).is_some_and(Results::is_complete)),
        scores,
        baselines: own.baselines,
        given: paper.file.given.iter().map(Given::new).collect(),
        decisions: paper.file.decision.iter().map(Decision::new).collect(),
        readings: (paper.readings.iter())
            .map(|reading| (reading.name.clone(), reading.what.clone()))
            .collect(),
    }
}

/// Judges claims by one reading.
struct Judge<'a> {
    view: View<'a>,
    baselines: Vec<Baseline>,
}

impl<'a> Judge<'a> {
    fn new(paper: &Paper, view: View<'a>) -> Self {
        // Claims that resolved when the file was read, without results, resolve with results too: the
        // same names are looked up.
        let replaced = |sender: &str| view.reading.is_some_and(|r| r.replaces(sender));
        let models = paper.file.baseline.iter();
        let models = models.filter(|model| !replaced(model.sender.get_ref()));
        Self {
            baselines: models.map(|model| Baseline::new(model, &view)).collect(),
            view,
        }
    }

    fn measured(&self, claim: &ClaimModel) -> Vec<Part> {
        claim.measure.parts(&self.view).unwrap_or_default()
    }

    /// The parts with the outcomes that more than their numbers decide.
    fn judged(&self, claim: &ClaimModel, mut parts: Vec<Part>) -> Vec<Part> {
        for baseline in &self.baselines {
            baseline.decide(&claim.measure, self.view, &mut parts);
        }
        let measured = parts
            .iter_mut()
            .filter(|part| part.verdict != Verdict::NotRun);
        for part in measured {
            if let Some(why) = claim.circular.get(&part.name) {
                part.verdict = Verdict::Circular;
                part.remark = Some(why.clone());
            }
        }
        parts
    }
}

#[cfg(test)]
mod tests;
