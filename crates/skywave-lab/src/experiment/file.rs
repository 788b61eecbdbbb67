//! Files that are whole or not there.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Writes a file under a temporary name and renames it when it is complete, so that a reader, a
/// crash or a full disk never sees half of it. Missing directories are created.
pub fn write_atomically(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> io::Result<()> {
    let mut draft = Draft::create(path)?;
    write(&mut draft.out)?;
    draft.finish()
}

/// A file that is being written under a temporary name. Dropped unfinished, it is gone.
#[derive(Debug)]
pub struct Draft {
    path: PathBuf,
    temporary: PathBuf,
    finished: bool,
    out: BufWriter<File>,
}

impl Draft {
    /// Begins a file that will be at `path`. Missing directories are created.
    pub fn create(path: &Path) -> io::Result<Self> {
        let directory = path.parent().filter(|d| !d.as_os_str().is_empty());
        if let Some(directory) = directory {
            fs::create_dir_all(directory)?;
        }
        let temporary = temporary(path);
        Ok(Self {
            path: path.to_owned(),
            out: BufWriter::new(File::create(&temporary)?),
            temporary,
            finished: false,
        })
    }

    /// Gives the file its name, whole and on disk.
    pub fn finish(mut self) -> io::Result<()> {
        self.out.flush()?;
        self.out.get_ref().sync_all()?;
        fs::rename(&self.temporary, &self.path)?;
        self.finished = true;
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
        if !self.finished {
            // Best effort: the error that led here is the one worth telling.
            let _ = fs::remove_file(&self.temporary);
        }
    }
}

fn temporary(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{}.tmp", std::process::id()))
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
}
