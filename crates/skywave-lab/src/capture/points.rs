//! Captures of a scenario: the first seed of every point, a file a link.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use skywave_sim::observe::Watch;
use skywave_sim::simulate_watched;

use super::recorder::{Keep, Recorder};
use crate::experiment::file::DraftDirectory;
use crate::scenario::{Point, Scenario};
use crate::threads::{self, NoThreads};

/// Name of the folder of captures within the run directory, which has the results of a scenario.
pub const DIRECTORY: &str = "captures";

/// Files that a call of [`capture`] has written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Captured {
    /// Path of the folder of captures: [`Options::dir`], then [`DIRECTORY`].
    pub dir: PathBuf,
    /// Paths of the pcapng files, which begin with `dir`: point by point of the sweep, one for each captured link.
    pub files: Vec<PathBuf>,
}

/// Settings of a capture: where its files go, which links are captured, how much of each packet is kept.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// Run directory, which has the results of the scenario; captures go to its folder [`DIRECTORY`], and replace
    /// earlier captures there.
    pub dir: &'a Path,
    /// Names of the links to capture; empty for all. The name of a `[[link]]` of the scenario stands for both
    /// directions and all its copies (key `count`); a name such as `radio.2.reverse` for one direction of one copy.
    pub links: &'a [String],
    /// Part of each packet that the capture keeps.
    pub keep: Keep,
    /// Number of threads; `None` for one per core.
    pub threads: Option<usize>,
    /// Flag that the caller sets (as on Ctrl-C) to stop soon.
    pub cancel: &'a AtomicBool,
}

/// Reason why a scenario's links could not be captured.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Name of a link that the scenario does not have.
    #[error("no link is called `{name}`; to capture there are {}", list(known))]
    UnknownLink {
        /// Name that was asked for.
        name: String,
        /// Names of the scenario's links.
        known: Vec<String>,
    },
    /// Scenario without links, as that of a radio network.
    #[error(
        "there is nothing to capture: the scenario has no links, and packets on the air of a radio network are not captured"
    )]
    NoLinks,
    /// A flow has packets longer than the 65535 bytes that an IPv4 header can describe.
    #[error(
        "packets of flow `{flow}` cannot be captured: IPv4 permits 65535 bytes with the headers"
    )]
    TooLong {
        /// Name of the flow.
        flow: String,
    },
    /// A capture could not be written.
    #[error("cannot write {}: {source}{}", path.display(), hint(source))]
    Write {
        /// Path of the file or directory.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// The caller stopped the capture before all files were written.
    #[error("stopped before all captures were written")]
    Cancelled,
    /// The threads could not be started.
    #[error(transparent)]
    Threads(#[from] NoThreads),
}

impl Error {
    pub(super) fn write(path: &Path, source: io::Error) -> Self {
        Self::Write {
            path: path.to_owned(),
            source,
        }
    }
}

/// Links named in an error message.
const MAX_LISTED: usize = 12;

fn list(names: &[String]) -> String {
    let mut shown: Vec<String> = names
        .iter()
        .take(MAX_LISTED)
        .map(|n| format!("`{n}`"))
        .collect();
    if names.len() > MAX_LISTED {
        shown.push(format!("{} more", names.len() - MAX_LISTED));
    }
    shown.join(", ")
}

fn hint(source: &io::Error) -> &'static str {
    // No stable `ErrorKind` says so; it comes as a number of the system's.
    if source.to_string().contains("Too many open files") {
        "; every captured link needs an open file: name fewer links"
    } else {
        ""
    }
}

/// Checks that each of `names` is a link at some point of the scenario's sweep, and that there is a link at all.
///
/// # Errors
/// [`Error::UnknownLink`] with the first name that is no link; [`Error::NoLinks`].
pub fn check_links(scenario: &Scenario, names: &[String]) -> Result<(), Error> {
    let points = scenario.points();
    if points.iter().all(|point| select(point, &[]).is_empty()) {
        return Err(Error::NoLinks);
    }
    for name in names {
        if !points
            .iter()
            .any(|point| !select(point, std::slice::from_ref(name)).is_empty())
        {
            return Err(Error::UnknownLink {
                name: name.clone(),
                known: points.first().map(groups).unwrap_or_default(),
            });
        }
    }
    Ok(())
}

/// Simulates every point of the scenario's sweep with the first seed, and writes a pcapng file for each chosen link
/// with the packets that are offered to the link.
///
/// # Errors
/// An unknown link, packets too long to capture, a file that cannot be written, or a stop by the caller.
pub fn capture(scenario: &Scenario, options: &Options<'_>) -> Result<Captured, Error> {
    check_links(scenario, options.links)?;
    let dir = options.dir.join(DIRECTORY);
    // Earlier captures stay until all of the new ones are there.
    let draft = DraftDirectory::create(&dir).map_err(|source| Error::write(&dir, source))?;
    let points = scenario.points();
    let files = threads::each(options.threads, points.len(), |index| {
        let point = &points[index];
        let name = point_name(index, point);
        let files = capture_point(scenario, point, &draft.location().join(&name), options)?;
        let dir = dir.join(name);
        let files: Vec<PathBuf> = files.into_iter().map(|file| dir.join(file)).collect();
        Ok::<_, Error>(files)
    })?;
    let finished = draft.finish();
    finished.map_err(|source| Error::write(&dir, source))?;
    Ok(Captured {
        dir,
        files: files.concat(),
    })
}

/// Captures a point into `dir`, and gives the names of the files there.
fn capture_point(
    scenario: &Scenario,
    point: &Point,
    dir: &Path,
    options: &Options<'_>,
) -> Result<Vec<String>, Error> {
    if options.cancel.load(Ordering::Relaxed) {
        return Err(Error::Cancelled);
    }
    let seed = scenario.seeds().first().copied().unwrap_or(1);
    let spec = point.spec(seed);
    let names: Vec<&str> = spec.links.iter().map(|l| l.name.as_str()).collect();
    let links = select(point, options.links);
    let files: Vec<String> = links.iter().map(|&l| file_name(l, names[l])).collect();
    let paths = files.iter().map(|file| dir.join(file));
    let links: Vec<(usize, PathBuf)> = links.iter().copied().zip(paths).collect();
    let mut run = vec![format!("scenario {}", scenario.name())];
    run.extend(point.params.iter().map(|(path, v)| format!("{path} = {v}")));
    run.push(format!("seed {seed}"));
    let mut recorder = Recorder::create(&spec, &run.join(", "), &links, options.keep)?;
    let watch = Watch {
        observer: Some(&mut recorder),
        cancel: Some(options.cancel),
    };
    simulate_watched(&spec, watch).ok_or(Error::Cancelled)?;
    recorder.finish()?;
    Ok(files)
}

/// Indices of the links that are asked for: by their own name or that of the `[[link]]`, of which either may be one
/// direction or one copy.
fn select(point: &Point, wanted: &[String]) -> Vec<usize> {
    let links = (0..).map_while(|index| Some((point.link_name(index)?, point.link_group(index)?)));
    let is_wanted = |(name, group): (&str, &str)| {
        wanted.is_empty() || wanted.iter().any(|w| w == name || w == group)
    };
    let wanted = links.enumerate().filter(|&(_, link)| is_wanted(link));
    wanted.map(|(index, _)| index).collect()
}

/// The names of the scenario's links, each once.
fn groups(point: &Point) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for name in (0..).map_while(|index| point.link_group(index)) {
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    names
}

/// Letters of a point's directory that say what it is; the number before them tells it from others.
const MAX_POINT_NAME: usize = 48;

/// The directory of a point: its number, from 1, and its values.
fn point_name(index: usize, point: &Point) -> String {
    let mut name = (index + 1).to_string();
    for (_, value) in &point.params {
        name.push('-');
        name.extend(value.to_string().chars().map(plain));
    }
    name.truncate(MAX_POINT_NAME);
    name.trim_end_matches(['-', '_', '.']).to_owned()
}

/// The name of a link's file: the link's name, or, where that had to be changed, the new name and
/// the link's number after it.
fn file_name(index: usize, link: &str) -> String {
    let name: String = link.chars().map(plain).collect();
    if name == link && !name.starts_with('.') {
        format!("{name}.pcapng")
    } else {
        // No unchanged name contains this sign, so that no two links have the same file.
        format!("link{}~{index}.pcapng", name.trim_matches('.'))
    }
}

/// The letter as it may stand in a file's name on any system.
fn plain(letter: char) -> char {
    if letter.is_ascii_alphanumeric() || ".-_".contains(letter) {
        letter
    } else {
        '_'
    }
}

#[cfg(test)]
mod tests;
