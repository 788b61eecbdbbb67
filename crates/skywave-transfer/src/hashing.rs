//! Hashes of files that may be long: a slice at a time, so that nobody waits for long.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use crate::folder::Stamp;

/// Bytes of a slice.
const SLICE: u64 = 8 << 20;
/// Bytes that are read at once.
const CHUNK: usize = 1 << 17;

/// The hash of the first bytes of a file, as far as they are read.
pub(crate) struct Hashing {
    file: Arc<File>,
    pub(crate) hasher: Box<blake3::Hasher>,
    pub(crate) done: u64,
    limit: u64,
}

impl Hashing {
    /// Hash of at most `limit` bytes, of which none is read yet.
    pub(crate) fn new(file: Arc<File>, limit: u64) -> Self {
        Self {
            file,
            hasher: Box::default(),
            done: 0,
            limit,
        }
    }

    /// Reads one more slice. True at the limit, or at the end of the file.
    pub(crate) fn step(&mut self) -> io::Result<bool> {
        let until = self.limit.min(self.done.saturating_add(SLICE));
        let mut buffer = vec![0; CHUNK.min((until - self.done) as usize)];
        while self.done < until {
            let most = (until - self.done).min(CHUNK as u64) as usize;
            match self.file.read_at(&mut buffer[..most], self.done) {
                Ok(0) => return Ok(true),
                Ok(n) => {
                    self.hasher.update(&buffer[..n]);
                    self.done += n as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(self.done == self.limit)
    }

    /// The file, as it is now.
    pub(crate) fn stamp(&self) -> io::Result<Stamp> {
        Ok(Stamp::of(&self.file.metadata()?))
    }

    pub(crate) fn hash(&self) -> blake3::Hash {
        self.hasher.finalize()
    }
}
