//! Output that all verbs that simulate have in common.

use std::fs;
use std::io::{self, IsTerminal, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

use skywave_lab::experiment::Doubts;
use skywave_lab::experiment::file::Place;
use skywave_lab::report::{WriteError, write_file};
use skywave_lab::scenario::Scenario;
use skywave_papers::page::{self, PageError};

use crate::failure::Failure;

/// Columns of the terminal, or 100 where there is none.
pub(crate) fn width() -> usize {
    terminal_size::terminal_size().map_or(100, |(w, _)| usize::from(w.0))
}

/// Writes a text, whole or not at all.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), WriteError> {
    write_file(path, |out| out.write_all(text.as_bytes()))
}

/// Whether the files that a command writes are others than those that it reads, by whatever path or link, and than one
/// another: said before any work.
pub(crate) fn check_apart(read: &[&Path], written: &[&Path]) -> Result<(), Failure> {
    let read: Vec<_> = read.iter().filter_map(|path| identity(path)).collect();
    let mut before = Vec::new();
    for path in written {
        let Some(file) = identity(path) else { continue };
        if read.contains(&file) {
            let why = "this command reads it, and it stays as it is; choose another name for what is written";
            return Err(Failure::file(path, why));
        }
        if before.contains(&file) {
            return Err(Failure::file(path, "two files cannot have one name"));
        }
        before.push(file);
    }
    Ok(())
}

/// Whether a file can be written whole: said before work whose result would be lost.
pub(crate) fn check_writable(path: &Path) -> Result<(), WriteError> {
    let failed = WriteError::at(path);
    let path = match Place::of(path).map_err(&failed)? {
        Place::Whole(path) => path,
        // To open a pipe would wait for its reader.
        Place::Stream => return Ok(()),
    };
    // Folders that are missing will be made.
    let folder = path.ancestors().skip(1).find(|folder| folder.exists());
    let folder = folder.unwrap_or(Path::new("."));
    tempfile::tempfile_in(folder).map(drop).map_err(failed)
}

/// Sameness of files, whatever the paths and links that lead to them.
#[derive(PartialEq)]
enum Identity {
    /// Device and number of a file that is there.
    There(u64, u64),
    /// Path, without links, of one that is not.
    New(PathBuf),
}

/// The identity of a file; `None` of devices and pipes, in which nothing is lost, and of what cannot be written.
fn identity(path: &Path) -> Option<Identity> {
    // A link may lead to where nothing is yet, and what is written will be there.
    let end = match Place::of(path) {
        Ok(Place::Whole(end)) if !path.exists() => end,
        _ => path.to_owned(),
    };
    let path = std::path::absolute(end).ok()?;
    let there = path.ancestors().find(|place| place.exists())?;
    let mut place = there.canonicalize().ok()?;
    // Folders that are missing will be made, so that `..` leads out of them again.
    for part in path.strip_prefix(there).ok()?.components() {
        match part {
            Component::ParentDir => drop(place.pop()),
            part => place.push(part),
        }
    }
    match fs::metadata(&place) {
        Ok(about) => about
            .is_file()
            .then(|| Identity::There(about.dev(), about.ino())),
        Err(_) => Some(Identity::New(place)),
    }
}

/// Whether pages of Markdown can be read, and have blocks of a verb that `new` can replace: said before long work.
pub(crate) fn check_pages(
    pages: &[PathBuf],
    verb: &str,
    new: impl Fn(&str) -> Result<String, PageError>,
) -> Result<(), Failure> {
    for page in pages {
        let text = text_of(page)?;
        new(&text).map_err(|error| Failure::file(page, error))?;
        if page::blocks(&text, verb).is_empty() {
            let why = format!("there is no `<!-- {verb} NAME: KIND -->` in it");
            return Err(Failure::file(page, why));
        }
    }
    Ok(())
}

/// Replaces parts of pages of Markdown: of all or none, as far as their texts go.
pub(crate) fn replace(
    pages: &[PathBuf],
    new: impl Fn(&str) -> Result<String, PageError>,
) -> Result<(), Failure> {
    let replaced = |page: &PathBuf| new(&text_of(page)?).map_err(|e| Failure::file(page, e));
    let texts: Vec<String> = pages.iter().map(replaced).collect::<Result<_, _>>()?;
    for (page, text) in pages.iter().zip(&texts) {
        write(page, text)?;
    }
    Ok(())
}

fn text_of(page: &Path) -> Result<String, Failure> {
    fs::read_to_string(page).map_err(|error| Failure::file(page, error))
}

/// Tells what is probably not meant in a scenario, though it can be run.
pub(crate) fn warn(scenario: &Scenario) {
    let mut err = io::stderr().lock();
    let colours = err.is_terminal();
    for warning in scenario.warnings() {
        // A terminal that is gone is no reason not to run.
        let _ = write!(err, "{}", warning.render(colours));
    }
}

/// Tells what is worth knowing and stops nothing: a terminal that is gone neither.
pub(crate) fn note(text: &str) {
    let _ = writeln!(io::stderr(), "note: {text}");
}

/// Tells of lines of a journal that are not believed.
pub(crate) fn doubts(doubts: &Doubts) {
    note(&doubts.to_string());
}

/// A path as an argument of a command that can be copied.
pub(crate) fn for_shell(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |c: char| c.is_alphanumeric() || "._-/+=@%,".contains(c);
    if text.chars().all(plain) {
        return text;
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_regular_file_can_be_written() {
        let dir = tempfile::tempdir().unwrap();
        let pipe = dir.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
        check_writable(&pipe).unwrap();
        let (_reader, writer) = io::pipe().unwrap();
        let number = std::os::fd::AsRawFd::as_raw_fd(&writer);
        check_writable(Path::new(&format!("/dev/fd/{number}"))).unwrap();
        check_writable(&dir.path().join("new")).unwrap();
        assert!(check_writable(dir.path()).is_err());
    }

    #[test]
    fn a_link_to_a_file_that_is_not_there_yet_is_that_file() {
        let dir = tempfile::tempdir().unwrap();
        let (new, link) = (dir.path().join("new"), dir.path().join("link"));
        std::os::unix::fs::symlink("new", &link).unwrap();
        assert!(check_apart(&[], &[&new, &link]).is_err());
        assert!(check_apart(&[], &[&new, &dir.path().join("other")]).is_ok());
        fs::write(&new, "").unwrap();
        assert!(check_apart(&[&new], &[&link]).is_err());
    }
}
