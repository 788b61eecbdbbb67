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
    let directory = path.parent().filter(|d| !d.as_os_str().is_empty());
    if let Some(directory) = directory {
        fs::create_dir_all(directory)?;
    }
    let temporary = temporary(path);
    let result = File::create(&temporary).and_then(|file| {
        let mut out = BufWriter::new(file);
        write(&mut out)?;
        out.flush()?;
        out.get_ref().sync_all()?;
        fs::rename(&temporary, path)
    });
    if result.is_err() {
        // Best effort: the first error is the one worth telling.
        let _ = fs::remove_file(&temporary);
    }
    result
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
