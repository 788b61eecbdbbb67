//! Bytes that are added and read again: the first ones in memory, further ones in a file without a name.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes that are kept in memory.
const MEMORY: usize = 32 << 20;

/// A growing sequence of bytes.
#[derive(Debug)]
pub(super) struct Spill {
    /// Folder of the file, once one is needed; the system's for temporary files if it is `None`.
    dir: Option<PathBuf>,
    /// The last bytes: those that are not in the file.
    recent: Vec<u8>,
    file: Option<Temporary>,
    /// Bytes in the file.
    filed: u64,
    /// Bytes that are kept in memory.
    memory: usize,
    /// The first error of reading.
    failed: Option<io::Error>,
}

impl Spill {
    /// An empty one, whose file would be in `dir`.
    pub(super) fn new(dir: Option<&Path>) -> Self {
        Self {
            dir: dir.map(Path::to_owned),
            recent: Vec::new(),
            file: None,
            filed: 0,
            memory: MEMORY,
            failed: None,
        }
    }

    /// Adds bytes; gives their place. If they cannot be written to a file, they stay in memory.
    pub(super) fn add(&mut self, bytes: &[u8]) -> u64 {
        if self.recent.len() + bytes.len() > self.memory && self.file_recent().is_err() {
            // It will not be better the next time.
            self.memory = usize::MAX;
        }
        let at = self.filed + self.recent.len() as u64;
        self.recent.extend_from_slice(bytes);
        at
    }

    fn file_recent(&mut self) -> io::Result<()> {
        if self.file.is_none() {
            if cfg!(target_family = "wasm") {
                return Err(io::ErrorKind::Unsupported.into());
            }
            let dir = self.dir.clone().unwrap_or_else(std::env::temp_dir);
            self.file = Some(Temporary::create(&dir)?);
        }
        if let Some(file) = &mut self.file {
            file.write(self.filed, &self.recent)?;
            self.filed += self.recent.len() as u64;
            self.recent.clear();
        }
        Ok(())
    }

    /// `len` bytes from a place; `None` if they cannot be read, which [`Spill::error`] explains.
    pub(super) fn read(&mut self, at: u64, len: usize) -> Option<Vec<u8>> {
        if let Some(from) = at.checked_sub(self.filed) {
            let from = usize::try_from(from).ok()?;
            return self
                .recent
                .get(from..from.checked_add(len)?)
                .map(<[u8]>::to_vec);
        }
        match self.file.as_mut()?.read(at, len) {
            Ok(bytes) => Some(bytes),
            Err(error) => {
                self.fail(error);
                None
            }
        }
    }

    /// Notes an error by which added bytes are not there again as they were; the first one is kept.
    pub(super) fn fail(&mut self, error: io::Error) {
        self.failed.get_or_insert(error);
    }

    /// The first error of reading, if there was one.
    pub(super) fn error(&self) -> Option<&io::Error> {
        self.failed.as_ref()
    }
}

/// A file that is gone when this is.
#[derive(Debug)]
struct Temporary {
    file: File,
    path: PathBuf,
}

impl Temporary {
    fn create(dir: &Path) -> io::Result<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = dir.join(format!(".results.{}.{number}.tmp", std::process::id()));
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create_new(true)
            .open(&path)?;
        // Where the system permits it, the file loses its name at once: nothing is left of a killed process.
        #[cfg(unix)]
        fs::remove_file(&path)?;
        Ok(Self { file, path })
    }

    fn write(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(at))?;
        self.file.write_all(bytes)
    }

    fn read(&mut self, at: u64, len: usize) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; len];
        self.file.seek(SeekFrom::Start(at))?;
        self.file.read_exact(&mut bytes)?;
        Ok(bytes)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // Best effort, and as a rule it is gone already.
        if !cfg!(unix) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_read_again_wherever_they_are() {
        let dir = tempfile::tempdir().unwrap();
        let mut spill = Spill::new(Some(dir.path()));
        spill.memory = 10;
        let pieces: Vec<Vec<u8>> = (0..50).map(|n| vec![n; n as usize % 7]).collect();
        let places: Vec<u64> = pieces.iter().map(|piece| spill.add(piece)).collect();
        assert!(spill.filed > 0 && spill.recent.len() <= 10);
        for (piece, &at) in pieces.iter().zip(&places).rev() {
            assert_eq!(spill.read(at, piece.len()).as_ref(), Some(piece));
        }
        assert_eq!(spill.read(1000, 1), None);
        assert!(spill.error().is_none());
        assert_eq!(
            fs::read_dir(dir.path()).unwrap().count(),
            0,
            "no name is left"
        );
    }

    #[test]
    fn what_cannot_be_written_stays_in_memory() {
        let mut spill = Spill::new(Some(Path::new("/no/such/folder")));
        spill.memory = 10;
        for n in 0..9 {
            assert_eq!(spill.add(&[n; 5]), u64::from(n) * 5);
        }
        assert_eq!(spill.read(40, 5), Some(vec![8; 5]));
        assert!(spill.error().is_none());
    }
}
