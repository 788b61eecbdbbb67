//! A file of the disk.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use bytes::Bytes;
use rustix::fs::OFlags;
use skywave_wire::transfer::hash_into;
use tokio::sync::mpsc;

use super::{AHEAD, CHUNK, Piece, Pieces, Reading};
use crate::error::Why;
use crate::wire::message::Time;

/// A file as it was when it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Regular {
    path: PathBuf,
    pub(crate) size: u64,
    pub(crate) modified: Time,
    pub(crate) mode: u32,
}

/// Opens a file, without waiting for the other end of a pipe.
fn open(path: &Path) -> Result<File, Why> {
    let flags = OFlags::NONBLOCK.bits() as i32;
    Ok(OpenOptions::new()
        .read(true)
        .custom_flags(flags)
        .open(path)?)
}

impl Regular {
    /// The file at a path, which is no folder.
    pub(crate) fn find(path: &Path) -> Result<Self, Why> {
        let metadata = open(path)?.metadata()?;
        if !metadata.is_file() {
            return Err(Why::Special);
        }
        let modified = Time {
            seconds: metadata.mtime(),
            nanoseconds: metadata.mtime_nsec() as u32,
        };
        let path = path.to_owned();
        Ok(Self {
            path,
            size: metadata.len(),
            modified,
            mode: metadata.mode(),
        })
    }

    /// The file, if it is still the one that was found.
    fn reopen(&self) -> Result<File, Why> {
        if Self::find(&self.path)? == *self {
            open(&self.path)
        } else {
            Err(Why::Changed)
        }
    }

    /// The hash of its first bytes; the file is read from the start. Nothing if told to stop.
    pub(crate) fn prefix(
        &self,
        bytes: u64,
        go_on: &Reading,
    ) -> Result<Option<blake3::Hasher>, Why> {
        let mut hasher = blake3::Hasher::new();
        match hash_into(&mut hasher, self.reopen()?, bytes, go_on)? {
            None => Ok(None),
            Some(read) if read < bytes => Err(Why::Changed),
            Some(_) => Ok(Some(hasher)),
        }
    }

    /// Its pieces after the first bytes, of which `hasher` knows.
    pub(crate) fn pieces(&self, from: u64, hasher: blake3::Hasher) -> Pieces {
        let (sender, receiver) = mpsc::channel(AHEAD);
        let this = self.clone();
        tokio::task::spawn_blocking(move || {
            let last = match this.read(from, hasher, &sender) {
                Ok(Some(hash)) => Piece::End {
                    size: this.size,
                    hash,
                },
                Ok(None) => return,
                Err(why) => Piece::Failed(why),
            };
            // Nobody wants it any more.
            let _ = sender.blocking_send(last);
        });
        receiver
    }

    /// Reads to the end; nothing if nobody takes the pieces any more.
    fn read(
        &self,
        from: u64,
        mut hasher: blake3::Hasher,
        out: &mpsc::Sender<Piece>,
    ) -> Result<Option<blake3::Hash>, Why> {
        let mut file = self.reopen()?;
        file.seek(SeekFrom::Start(from))?;
        let mut left = self.size - from;
        // One byte more than there should be: files of the kernel say that they are empty.
        loop {
            let mut buffer = vec![0; CHUNK];
            let n = file.read(&mut buffer)?;
            if n as u64 > left || (n == 0 && left > 0) {
                return Err(Why::Changed);
            }
            if n == 0 {
                break;
            }
            buffer.truncate(n);
            hasher.update(&buffer);
            left -= n as u64;
            if out.blocking_send(Piece::Data(Bytes::from(buffer))).is_err() {
                return Ok(None);
            }
        }
        // Somebody may have written what was read already.
        self.reopen()?;
        Ok(Some(hasher.finalize()))
    }
}
