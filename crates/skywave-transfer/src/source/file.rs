//! A file of the disk.

use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use rustix::fs::OFlags;

use super::Piece;
use crate::error::Why;
use crate::folder::Stamp;
use crate::hashing::Hashing;
use crate::wire::message::Time;

/// Bytes of a file read at once.
const CHUNK: u64 = 1 << 19;
/// How often a small file is read that changes meanwhile.
const TRIES: usize = 3;

/// A file as it was when it was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Regular {
    pub(crate) size: u64,
    /// Time of the last change, in parts: there may be many files, and so they are smaller.
    seconds: i64,
    nanoseconds: u32,
    pub(crate) mode: u32,
}

/// Opens a file, without waiting for the other end of a pipe.
fn open(path: &Path) -> io::Result<File> {
    let flags = OFlags::NONBLOCK.bits() as i32;
    OpenOptions::new().read(true).custom_flags(flags).open(path)
}

impl Regular {
    /// The file of which this was found.
    pub(crate) fn of(found: &Metadata) -> Result<Self, Why> {
        if !found.is_file() {
            return Err(Why::Special);
        }
        let stamp = Stamp::of(found);
        Ok(Self {
            size: stamp.size,
            seconds: stamp.modified.seconds,
            nanoseconds: stamp.modified.nanoseconds,
            mode: found.mode(),
        })
    }

    /// When it was modified last.
    pub(crate) fn modified(&self) -> Time {
        Time {
            seconds: self.seconds,
            nanoseconds: self.nanoseconds,
        }
    }

    /// The file at a path, which is no folder and can be read.
    pub(crate) fn find(path: &Path) -> Result<Self, Why> {
        Self::of(&open(path)?.metadata()?)
    }

    /// Opens the file, if it is still the one that was found.
    fn reopen(&self, path: &Path) -> io::Result<Result<(File, Stamp), Why>> {
        let file = open(path)?;
        let found = file.metadata()?;
        let same = Self::of(&found).and_then(|now| {
            let is_same = (now.size, now.modified()) == (self.size, self.modified());
            is_same.then_some(()).ok_or(Why::Changed)
        });
        Ok(same.map(|()| (file, Stamp::of(&found))))
    }

    /// Reads all of a small file, and hashes it.
    pub(crate) fn read(&self, path: &Path) -> io::Result<Result<(Vec<u8>, blake3::Hash), Why>> {
        for _ in 0..TRIES {
            let (file, before) = match self.reopen(path)? {
                Ok(opened) => opened,
                Err(why) => return Ok(Err(why)),
            };
            // One byte more than there should be: files of the kernel say that they are empty.
            let mut bytes = vec![0; self.size as usize + 1];
            let read = read_at(&file, &mut bytes, 0)?;
            bytes.truncate(read);
            let after = Stamp::of(&file.metadata()?);
            if read as u64 != self.size || !after.looks_like(&before) {
                return Ok(Err(Why::Changed));
            }
            if after == before {
                let hash = blake3::hash(&bytes);
                return Ok(Ok((bytes, hash)));
            }
        }
        Ok(Err(Why::Changed))
    }
}

/// Fills the buffer, or reads to the end of the file.
fn read_at(file: &File, buffer: &mut [u8], from: u64) -> io::Result<usize> {
    let mut done = 0;
    while done < buffer.len() {
        match file.read_at(&mut buffer[done..], from + done as u64) {
            Ok(0) => break,
            Ok(n) => done += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(done)
}

/// A file that is open, of which the next bytes are read.
pub(crate) struct Reader {
    regular: Regular,
    file: Arc<File>,
    /// As it was when it was opened.
    stamp: Stamp,
    hasher: Box<blake3::Hasher>,
    at: u64,
}

impl Reader {
    /// Opens the file, if it is still the one that was found.
    pub(crate) fn open(regular: Regular, path: &Path) -> io::Result<Result<Self, Why>> {
        Ok(regular.reopen(path)?.map(|(file, stamp)| Self {
            regular,
            file: Arc::new(file),
            stamp,
            hasher: Box::default(),
            at: 0,
        }))
    }

    /// The hash of its first bytes, yet to be read.
    pub(crate) fn hashing(&self, bytes: u64) -> Hashing {
        Hashing::new(self.file.clone(), bytes)
    }

    /// Begins after what was hashed.
    pub(crate) fn go_on(&mut self, hashing: Hashing) {
        self.at = hashing.done;
        self.hasher = hashing.hasher;
    }

    /// The next bytes; none at the end.
    pub(crate) fn next(&mut self) -> Result<Bytes, Why> {
        let left = self.regular.size - self.at;
        // One byte more than there should be, at the end.
        let mut buffer = vec![0; (left + 1).min(CHUNK) as usize];
        let read = read_at(&self.file, &mut buffer, self.at)?;
        if read as u64 > left || (read == 0 && left > 0) {
            return Err(Why::Changed);
        }
        buffer.truncate(read);
        self.hasher.update(&buffer);
        self.at += read as u64;
        Ok(Bytes::from(buffer))
    }

    /// Whether it is as it was, as are its times. Nothing if only something else of it was changed, or its bytes and its
    /// time put back: its bytes tell which.
    pub(crate) fn is_as_it_was(&self, path: &Path) -> Result<Option<()>, Why> {
        let now = Stamp::of(&self.file.metadata()?);
        let there = Stamp::of(&std::fs::metadata(path)?);
        if !now.looks_like(&self.stamp) || !there.looks_like(&self.stamp) {
            return Err(Why::Changed);
        }
        Ok((now == self.stamp).then_some(()))
    }

    /// Last piece: size and hash of the file, as far as it is read.
    pub(crate) fn end(&self) -> Piece {
        Piece::End {
            size: self.at,
            hash: self.hasher.finalize(),
        }
    }
}
