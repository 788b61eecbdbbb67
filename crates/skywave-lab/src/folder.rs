//! Scenarios on the disk, and the traces and movements beside them.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::scenario::{
    CustomMembers, Files, MAX_FILE, MAX_SCENARIO, Scenario, ScenarioError, Unreadable, nearest,
};

/// Folder of a scenario: the paths of the files that the scenario names (traces, movements) are relative to it.
#[derive(Clone, Debug)]
pub struct Folder(PathBuf);

impl Folder {
    /// Folder at `path`, as the folder of a scenario.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self(path.into())
    }

    /// Folder that contains the scenario's file at `path`.
    pub fn of(path: &Path) -> Self {
        Self::new(path.parent().unwrap_or(Path::new("")))
    }
}

impl Files for Folder {
    fn text(&self, path: &str) -> Result<String, Unreadable> {
        // Comments of files of the time of ns-2 may be in Latin-1, whose bytes are the first 256 characters.
        let bytes = read_bytes(&self.0.join(path), MAX_FILE).map_err(Unreadable::Because)?;
        let text = String::from_utf8(bytes);
        Ok(text.unwrap_or_else(|other| other.as_bytes().iter().copied().map(char::from).collect()))
    }

    fn exists(&self, path: &str) -> bool {
        self.0.join(path).exists()
    }

    fn place(&self, path: &str) -> PathBuf {
        self.0.join(path)
    }
}

/// Folder name made of `text`: ASCII letters, digits, dots, plus signs and underscores stay, and each stretch of other
/// characters between them becomes one hyphen.
pub fn plain_name(text: &str) -> String {
    let stays = |c: char| c.is_ascii_alphanumeric() || "._+".contains(c);
    let words: Vec<&str> = text
        .split(|c: char| !stays(c))
        .filter(|word| !word.is_empty())
        .collect();
    words.join("-")
}

/// Reads the scenario file at `path`; the scenario's name is the file's, without the extension.
///
/// # Errors
/// The file cannot be read, or is no scenario that can be used.
pub fn load(path: &Path) -> Result<Scenario, ScenarioError> {
    load_with(path, &CustomMembers::default())
}

/// Reads the scenario file at `path`, which may also name the congestion controls and loss detectors of the user's own
/// code in `custom`; the scenario's name is the file's, without the extension.
///
/// # Errors
/// The file cannot be read, or is no scenario that can be used.
pub fn load_with(path: &Path, custom: &CustomMembers) -> Result<Scenario, ScenarioError> {
    read_scenario(path, |name, file, text, files| {
        Scenario::parse_with(name, file, text, files, custom)
    })
}

/// Reads the scenario file at `path` for runs that record time series, even if the file does not ask for them; the
/// scenario's name is the file's, without the extension.
///
/// # Errors
/// The file cannot be read, or is no scenario that can be used.
pub fn load_recorded(path: &Path) -> Result<Scenario, ScenarioError> {
    read_scenario(path, |name, file, text, files| {
        Scenario::parse_recorded(name, file, text, files, &CustomMembers::default())
    })
}

/// Reads the file at `path`, and has it parsed: name, file, text, and the files around it.
fn read_scenario(
    path: &Path,
    parse: impl FnOnce(&str, &str, &str, &Folder) -> Result<Scenario, ScenarioError>,
) -> Result<Scenario, ScenarioError> {
    let text = text(path)?;
    let name = path.file_stem().map_or_else(
        || "scenario".into(),
        |stem| stem.to_string_lossy().into_owned(),
    );
    let file = path.display().to_string();
    parse(&name, &file, &text, &Folder::of(path))
}

/// Text of the scenario file at `path`.
///
/// # Errors
/// The file cannot be read.
pub fn text(path: &Path) -> Result<String, ScenarioError> {
    read(path, MAX_SCENARIO).map_err(|why| {
        let error = ScenarioError::unreadable(path, &why);
        let meant = || with_ending(path).or_else(|| neighbour(path));
        match (!path.exists()).then(meant).flatten() {
            Some(there) => error.with_help(format!("did you mean {}?", there.display())),
            None => error,
        }
    })
}

/// The scenario file of that name, if its ending was left out.
fn with_ending(path: &Path) -> Option<PathBuf> {
    let mut name = path.file_name()?.to_owned();
    name.push(".toml");
    Some(path.with_file_name(name)).filter(|there| there.is_file())
}

/// The scenario file beside `path` that it is a typing mistake away from.
fn neighbour(path: &Path) -> Option<PathBuf> {
    let beside = std::fs::read_dir(Folder::of(path).place(".")).ok()?;
    let mut names: Vec<String> = beside
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| Path::new(name).extension().is_some_and(|end| end == "toml"))
        .collect();
    names.sort_unstable();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    nearest(path.file_name()?.to_str()?, &names).map(|name| path.with_file_name(name))
}

/// The text of a file of at most `limit` bytes; otherwise why it cannot be had.
fn read(path: &Path, limit: u64) -> Result<String, String> {
    let bytes = read_bytes(path, limit)?;
    String::from_utf8(bytes).map_err(|_| "it is not UTF-8 text".to_owned())
}

/// The bytes of a file of at most `limit` bytes, whatever is in it; otherwise why it cannot be had.
fn read_bytes(path: &Path, limit: u64) -> Result<Vec<u8>, String> {
    let text_of = |e: &std::io::Error| match e.kind() {
        std::io::ErrorKind::NotFound => "there is no such file".to_owned(),
        std::io::ErrorKind::PermissionDenied => "it may not be read".to_owned(),
        kind => kind.to_string(),
    };
    // A device or a pipe may never end, or block on opening.
    let about = std::fs::metadata(path).map_err(|e| text_of(&e))?;
    if !about.is_file() {
        return Err("it is not a file".into());
    }
    let file = File::open(path).map_err(|e| text_of(&e))?;
    let mut bytes = Vec::new();
    file.take(limit + 1)
        .read_to_end(&mut bytes)
        .map_err(|e| text_of(&e))?;
    if bytes.len() as u64 > limit {
        return Err(format!("it is larger than {} MiB", limit >> 20));
    }
    Ok(bytes)
}
