//! Files and directories that are whole or not there.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Writes a file under a temporary name and renames it when it is complete, so that a reader, a
/// crash or a full disk never sees half of it. Missing directories are created. Where there is a device or a pipe the
/// bytes go into that, as they come.
pub fn write_atomically(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> io::Result<()> {
    let mut draft = Draft::create(path)?;
    write(&mut draft.out)?;
    draft.finish()
}

/// The place whose bytes `path` names for who writes.
#[derive(Debug)]
pub enum Place {
    /// A file that is there or not, at this path without links: replaced when the new one is complete.
    Whole(PathBuf),
    /// A device, a pipe, or a file that a process has open (`/dev/stdout`): they cannot be replaced.
    Stream,
}

impl Place {
    /// Follows the links from `path`, also to where nothing is yet.
    ///
    /// # Errors
    /// When a folder is there, or links lead nowhere.
    pub fn of(path: &Path) -> io::Result<Self> {
        match fs::metadata(path) {
            Ok(about) if about.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Ok(about) if !about.is_file() => return Ok(Self::Stream),
            // Nothing there yet, which may be said of the end of a link.
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut path = path.to_owned();
        // The operating system refuses links in circles, above.
        while let Ok(target) = fs::read_link(&path) {
            let folder = path.parent().unwrap_or(Path::new("")).to_owned();
            if folder
                .canonicalize()
                .is_ok_and(|dir| dir.starts_with("/proc"))
            {
                return Ok(Self::Stream);
            }
            path = folder.join(target);
        }
        Ok(Self::Whole(path))
    }
}

/// A file that is being written under a temporary name; dropping it before [`Self::finish`] deletes it.
#[derive(Debug)]
pub struct Draft {
    /// Final path, and the one until then; `None` of a device or a pipe, which is written as it is.
    names: Option<(PathBuf, PathBuf)>,
    out: BufWriter<File>,
}

impl Draft {
    /// Begins a file that will be at `path`, or at the end of a link there, when it is finished. Missing directories are
    /// created.
    pub fn create(path: &Path) -> io::Result<Self> {
        let Place::Whole(path) = Place::of(path)? else {
            return Ok(Self {
                names: None,
                out: BufWriter::new(OpenOptions::new().append(true).open(path)?),
            });
        };
        let directory = path.parent().filter(|d| !d.as_os_str().is_empty());
        if let Some(directory) = directory {
            fs::create_dir_all(directory)?;
        }
        let temporary = temporary(&path);
        Ok(Self {
            out: BufWriter::new(File::create(&temporary)?),
            names: Some((path, temporary)),
        })
    }

    /// Whether a file exists at the final path that has the same bytes as this draft has so far; false also if that
    /// file cannot be opened.
    ///
    /// # Errors
    /// When the draft, or that file once it is open, cannot be read.
    pub fn is_same(&mut self) -> io::Result<bool> {
        self.out.flush()?;
        let Some((path, temporary)) = &self.names else {
            return Ok(false);
        };
        let Ok(before) = File::open(path) else {
            return Ok(false);
        };
        let now = File::open(temporary)?;
        if before.metadata()?.len() != now.metadata()?.len() {
            return Ok(false);
        }
        let (mut before, mut now) = (BufReader::new(before), BufReader::new(now));
        loop {
            let (a, b) = (before.fill_buf()?, now.fill_buf()?);
            let len = a.len().min(b.len());
            if len == 0 || a[..len] != b[..len] {
                return Ok(a.is_empty() && b.is_empty());
            }
            before.consume(len);
            now.consume(len);
        }
    }

    /// Writes the rest of the draft to the disk, and then gives the draft its final name.
    pub fn finish(mut self) -> io::Result<()> {
        self.out.flush()?;
        if let Some((path, temporary)) = &self.names {
            self.out.get_ref().sync_all()?;
            fs::rename(temporary, path)?;
        }
        self.names = None;
        Ok(())
    }
}

impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if let Some((_, temporary)) = &self.names {
            // Best effort: the error that led here is the one worth telling.
            let _ = fs::remove_file(temporary);
        }
    }
}

/// A directory that is being filled under a temporary name; dropping it before [`Self::finish`] deletes it.
#[derive(Debug)]
pub struct DraftDirectory {
    path: PathBuf,
    temporary: PathBuf,
}

impl DraftDirectory {
    /// Begins a directory that will be at `path` when it is finished. Missing directories above are created.
    pub fn create(path: &Path) -> io::Result<Self> {
        if path.is_file() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        let temporary = temporary(path);
        remove(&temporary)?;
        fs::create_dir_all(&temporary)?;
        Ok(Self {
            path: path.to_owned(),
            temporary,
        })
    }

    /// Path of the directory under its temporary name, where it is filled.
    pub fn location(&self) -> &Path {
        &self.temporary
    }

    /// Gives the directory its final name; an earlier directory of that name is removed.
    pub fn finish(self) -> io::Result<()> {
        // No system call replaces a directory that has files.
        let old = hidden(&self.path, "old");
        remove(&old)?;
        match fs::rename(&self.path, &old) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        if let Err(error) = fs::rename(&self.temporary, &self.path) {
            // Best effort: the error that led here is the one worth telling.
            let _ = fs::rename(&old, &self.path);
            return Err(error);
        }
        remove(&old)
    }
}

impl Drop for DraftDirectory {
    fn drop(&mut self) {
        // Best effort, and finished there is nothing.
        let _ = fs::remove_dir_all(&self.temporary);
    }
}

fn remove(dir: &Path) -> io::Result<()> {
    match fs::remove_dir_all(dir) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Removes what killed processes have left in `dir` of the files that they were writing there, of those whose names
/// `is_meant` accepts: nobody else may be writing them. Best effort, it only takes space.
pub(super) fn remove_drafts(dir: &Path, is_meant: impl Fn(&str) -> bool) {
    let is_draft = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str());
        name.and_then(of_hidden).is_some_and(&is_meant)
    };
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    for path in entries.map(|entry| entry.path()).filter(is_draft) {
        let _ = fs::remove_file(path);
    }
}

/// The name of the file that will replace a temporary one.
fn of_hidden(name: &str) -> Option<&str> {
    let name = name.strip_prefix('.')?.strip_suffix(".tmp")?;
    let (name, number) = name.rsplit_once('.')?;
    let (name, process) = name.rsplit_once('.')?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    (is_number(number) && is_number(process)).then_some(name)
}

fn temporary(path: &Path) -> PathBuf {
    hidden(path, "tmp")
}

/// A name beside `path` that no other process and no other call has.
fn hidden(path: &Path, ending: &str) -> PathBuf {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{}.{number}.{ending}", std::process::id()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_write_leaves_the_old_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("deep/file");
        write_atomically(&path, |out| out.write_all(b"one")).unwrap();
        let failed = write_atomically(&path, |out| {
            out.write_all(b"tw")?;
            Err(io::Error::other("disk on fire"))
        });
        assert_eq!(failed.unwrap_err().to_string(), "disk on fire");
        assert_eq!(fs::read(&path).unwrap(), b"one");
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn links_lead_to_the_file_that_is_written_and_pipes_stay() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        let write = |name: &str, text: &str| {
            write_atomically(&at(name), |out| out.write_all(text.as_bytes()))
        };
        std::os::unix::fs::symlink("second", at("first")).unwrap();
        std::os::unix::fs::symlink("deep/file", at("second")).unwrap();
        for text in ["one", "two"] {
            write("first", text).unwrap();
            assert_eq!(fs::read_to_string(at("deep/file")).unwrap(), text);
        }
        assert!(at("first").is_symlink() && at("second").is_symlink());

        let made = std::process::Command::new("mkfifo")
            .arg(at("pipe"))
            .status();
        assert!(made.unwrap().success());
        std::os::unix::fs::symlink("pipe", at("to-pipe")).unwrap();
        for name in ["pipe", "to-pipe"] {
            let pipe = at("pipe");
            let reader = std::thread::spawn(move || fs::read_to_string(pipe).unwrap());
            write(name, "through").unwrap();
            assert_eq!(reader.join().unwrap(), "through");
        }
        assert!(!at("pipe").is_file() && at("to-pipe").is_symlink());

        // A file that a process has open stays the one that it has open.
        fs::write(at("open"), "before ").unwrap();
        let open = File::open(at("open")).unwrap();
        let number = std::os::fd::AsRawFd::as_raw_fd(&open);
        write(&format!("/proc/self/fd/{number}"), "after").unwrap();
        assert_eq!(io::read_to_string(open).unwrap(), "before after");

        std::os::unix::fs::symlink("circle", at("circle")).unwrap();
        assert!(write("circle", "").is_err());
        assert!(write(".", "").is_err());
    }

    #[test]
    fn a_draft_knows_whether_it_changes_anything() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        let same = |bytes: &[u8]| {
            let mut draft = Draft::create(&path).unwrap();
            draft.write_all(bytes).unwrap();
            let same = draft.is_same().unwrap();
            draft.finish().unwrap();
            same
        };
        let mut long = vec![7; 100_000];
        assert!(!same(&long));
        assert!(same(&long));
        long[99_999] = 8;
        assert!(!same(&long));
        assert!(!same(b""));
        assert!(same(b""));
    }

    #[test]
    fn what_a_killed_process_was_writing_is_removed() {
        let dir = tempfile::tempdir().unwrap();
        let draft = Draft::create(&dir.path().join("runs.jsonl")).unwrap();
        std::mem::forget(draft);
        let others = [
            ".mine.1.2.tmp",
            ".runs.jsonl.a.2.tmp",
            ".runs.jsonl",
            "x.1.2.tmp",
        ];
        for name in others {
            fs::write(dir.path().join(name), name).unwrap();
        }
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 5);
        remove_drafts(dir.path(), |name| name == "runs.jsonl");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 4);
        assert!(others.iter().all(|name| dir.path().join(name).exists()));
    }

    #[test]
    fn a_directory_replaces_the_old_one_whole_or_not_at_all() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("deep/files");
        let fill = |name: &str| {
            let draft = DraftDirectory::create(&path).unwrap();
            fs::write(draft.location().join(name), name).unwrap();
            draft
        };
        let names = |dir: &Path| -> Vec<String> {
            let entries = fs::read_dir(dir).unwrap().map(Result::unwrap);
            let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
            names.collect()
        };
        fill("one").finish().unwrap();
        assert_eq!(names(&path), ["one"]);
        drop(fill("two"));
        assert_eq!(names(&path), ["one"]);
        fill("three").finish().unwrap();
        assert_eq!(names(&path), ["three"]);
        assert_eq!(names(path.parent().unwrap()), ["files"]);
    }
}
