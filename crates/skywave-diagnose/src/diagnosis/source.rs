//! Bytes of a record: of a file, or of a pipe, which gives them only once.

use std::fs::{self, File};
use std::io::{self, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use flate2::read::MultiGzDecoder;

use super::Error;
use crate::record;

/// Bytes by which a capture is known from a text.
const BEGINNING: u64 = 4096;
/// Longest text that is read: a log of days.
const LONGEST_TEXT: u64 = 1 << 30;
/// Longest record that comes through a pipe, which is held in memory.
const LONGEST_PIPED: u64 = 1 << 30;

/// The path that is standard input.
const STANDARD_INPUT: &str = "-";

/// A record that can be read from its beginning as often as wanted.
pub(super) struct Source<'a> {
    pub(super) path: &'a Path,
    /// Name of the file without its folder; its path where another record has that name too.
    pub(super) name: String,
    /// Bytes that came through a pipe; `None` of a file.
    piped: Option<Arc<[u8]>>,
}

impl<'a> Source<'a> {
    /// The record at `path`; a pipe is read to its end.
    pub(super) fn new(path: &'a Path) -> Result<Self, Error> {
        let piped = if is_piped(path)? {
            let pipe: Box<dyn Read> = if is_standard_input(path) {
                Box::new(io::stdin().lock())
            } else {
                Box::new(File::open(path).map_err(io_error(path))?)
            };
            let path = path.to_owned();
            let bytes = limited(pipe, LONGEST_PIPED, &path)?;
            Some(bytes.ok_or(Error::TooLongPiped { path })?.into())
        } else {
            None
        };
        let name = if is_standard_input(path) {
            "standard input".into()
        } else {
            path.file_name()
                .unwrap_or(path.as_os_str())
                .to_string_lossy()
        };
        Ok(Self {
            path,
            name: name.into_owned(),
            piped,
        })
    }

    /// The records at `paths`, each with a name of its own.
    pub(super) fn all(paths: &'a [PathBuf]) -> Result<Vec<Self>, Error> {
        let sources = paths.iter().map(|path| Self::new(path));
        let mut sources: Vec<Self> = sources.collect::<Result<_, _>>()?;
        let named = sources
            .iter()
            .map(|source| (source.name.clone(), source.path));
        let named: Vec<_> = named.collect();
        for source in &mut sources {
            let shares =
                |(name, path): &(String, &Path)| *name == source.name && *path != source.path;
            if named.iter().any(shares) {
                source.name = source.path.display().to_string();
            }
        }
        Ok(sources)
    }

    fn open(&self) -> Result<Box<dyn Read + Send>, Error> {
        Ok(match &self.piped {
            Some(bytes) => Box::new(Cursor::new(Arc::clone(bytes))),
            None => Box::new(File::open(self.path).map_err(io_error(self.path))?),
        })
    }

    /// The packets to be read, decompressed if need be; `None` if this is no capture.
    pub(super) fn capture(&self) -> Result<Option<Box<dyn Read + Send>>, Error> {
        let mut first = Vec::new();
        let read = self.open()?.take(BEGINNING).read_to_end(&mut first);
        read.map_err(io_error(self.path))?;
        if record::is_capture(&first) {
            return self.open().map(Some);
        }
        if !first.starts_with(&record::GZIP) {
            return Ok(None);
        }
        let mut packed = MultiGzDecoder::new(BufReader::new(self.open()?));
        let mut first = Vec::new();
        // What cannot be unpacked is refused where records are read.
        let read = packed.by_ref().take(BEGINNING).read_to_end(&mut first);
        let is_capture = read.is_ok() && record::is_capture(&first);
        Ok(is_capture
            .then(|| -> Box<dyn Read + Send> { Box::new(Cursor::new(first).chain(packed)) }))
    }

    /// First bytes of a capture, decompressed if need be; none if this is no capture.
    pub(super) fn beginning(&self) -> Result<Vec<u8>, Error> {
        let mut first = Vec::new();
        if let Some(packets) = self.capture()? {
            let read = packets.take(BEGINNING).read_to_end(&mut first);
            read.map_err(io_error(self.path))?;
        }
        Ok(first)
    }

    /// All bytes of a text.
    pub(super) fn text(&self) -> Result<Vec<u8>, Error> {
        let path = self.path;
        let bytes = limited(self.open()?, LONGEST_TEXT, path)?;
        bytes.ok_or_else(|| Error::TooLong {
            path: path.to_owned(),
        })
    }
}

/// Whether what is at `path` can be read only once: standard input, a pipe, a device.
pub(super) fn is_piped(path: &Path) -> Result<bool, Error> {
    if is_standard_input(path) {
        return Ok(true);
    }
    let about = fs::metadata(path).map_err(io_error(path))?;
    Ok(!about.is_file())
}

fn is_standard_input(path: &Path) -> bool {
    path.as_os_str() == STANDARD_INPUT
}

/// All bytes, if they are not more than `most`.
fn limited(from: impl Read, most: u64, path: &Path) -> Result<Option<Vec<u8>>, Error> {
    let mut bytes = Vec::new();
    let read = from.take(most + 1).read_to_end(&mut bytes);
    read.map_err(io_error(path))?;
    Ok((bytes.len() as u64 <= most).then_some(bytes))
}

fn io_error(path: &Path) -> impl Fn(io::Error) -> Error {
    move |source| Error::Io {
        path: path.to_owned(),
        source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_bytes_than_the_limit_are_none() {
        let read = |most| limited(&b"12345"[..], most, Path::new("x")).unwrap();
        assert_eq!(read(5).as_deref(), Some(&b"12345"[..]));
        assert_eq!(read(4), None);
    }
}
