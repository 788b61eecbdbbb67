//! The journal of a run directory: a file of lines that grows by whole lines, and of which each line's
//! place is known.
//!
//! The journal is the only record of finished runs: a line a run, with a hash of itself, in the order of the plan
//! once all are there. A shard is a journal of every n-th run of the plan, and merging is to copy lines; so no
//! second format can disagree with the first.

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use super::file::write_atomically;

/// Where a line is; its end belongs to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    at: u64,
    len: NonZeroU32,
}

impl Place {
    fn new(at: u64, len: usize) -> io::Result<Self> {
        let len = u32::try_from(len).ok().and_then(NonZeroU32::new);
        let len = len.ok_or(ErrorKind::FileTooLarge)?;
        Ok(Self { at, len })
    }

    fn end(self) -> u64 {
        self.at + u64::from(self.len.get())
    }
}

/// Report on the untrusted lines of a run directory's journal: lines that are damaged or have no checksum. The runs of
/// these lines are made again.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Doubts {
    /// Path of the journal.
    pub path: PathBuf,
    /// Line numbers, from 1, of the first damaged lines, at most [`Doubts::NAMED`] of them.
    pub first: Vec<usize>,
    /// Number of damaged lines: lines that cannot be read or do not match their checksum.
    pub damaged: usize,
    /// Number of lines without a checksum, which old versions of this program wrote.
    pub unchecked: usize,
}

impl Doubts {
    /// Largest number of damaged lines whose line numbers are kept for a message.
    pub const NAMED: usize = 10;

    /// Notes a damaged line.
    pub(super) fn damage(&mut self, number: usize) {
        self.damaged += 1;
        if self.first.len() < Self::NAMED {
            self.first.push(number);
        }
    }

    /// Whether the journal has any lines that are damaged or have no checksum, so that their runs are made again.
    pub fn any(&self) -> bool {
        self.damaged > 0 || self.unchecked > 0
    }

    /// The damaged lines in words.
    fn named(&self) -> String {
        let mut numbers: Vec<String> = self.first.iter().map(ToString::to_string).collect();
        match self.damaged - self.first.len() {
            0 => {}
            more => numbers.push(format!("{more} more")),
        }
        let last = numbers.pop().unwrap_or_default();
        match numbers.as_slice() {
            [] => format!("line {last} is"),
            _ => format!("lines {} and {last} are", numbers.join(", ")),
        }
    }
}

impl fmt::Display for Doubts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.path.display())?;
        if self.damaged > 0 {
            write!(f, "{} not as written", self.named())?;
        }
        match self.unchecked {
            0 => {}
            n => {
                let and = if self.damaged > 0 { ", and " } else { "" };
                let (lines, have) = if n == 1 {
                    ("line", "has")
                } else {
                    ("lines", "have")
                };
                write!(f, "{and}{n} {lines} of an older version {have} no check")?;
            }
        }
        let runs = if self.damaged + self.unchecked == 1 {
            "its run is"
        } else {
            "their runs are"
        };
        write!(f, "; {runs} made again")
    }
}

/// A journal that is open for more lines.
#[derive(Debug)]
pub(super) struct Journal {
    path: PathBuf,
    file: File,
    end: u64,
}

impl Journal {
    /// Opens the journal at `path`, a new one if there is none.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .open(path)?;
        let end = file.metadata()?.len();
        Ok(Self {
            path: path.to_owned(),
            file,
            end,
        })
    }

    /// Appends a line, which has its end. One write a line: appends of a whole line do not mix.
    pub(super) fn append(&mut self, line: &[u8]) -> io::Result<Place> {
        let place = Place::new(self.end, line.len())?;
        if let Err(error) = self.file.write_all(line) {
            // Best effort: half a line of a full disk must not become the beginning of the next one.
            let _ = self.file.set_len(self.end);
            return Err(error);
        }
        self.end = place.end();
        Ok(place)
    }

    /// Gives a last line the end that it lacks.
    pub(super) fn end_line(&mut self, line: Place) -> io::Result<Place> {
        self.append(b"\n")?;
        Place::new(line.at, line.len.get() as usize + 1)
    }

    /// Whether the file consists of these lines, in this order.
    pub(super) fn is<'a>(&self, lines: impl Iterator<Item = &'a Place>) -> bool {
        let mut at = 0;
        for line in lines {
            if line.at != at {
                return false;
            }
            at = line.end();
        }
        at == self.end
    }

    /// Reads the lines at these places, in order.
    pub(super) fn read(&self, lines: &[Place]) -> io::Result<Vec<Vec<u8>>> {
        let mut from = BufReader::with_capacity(1 << 16, File::open(&self.path)?);
        let mut position = 0;
        let read = lines.iter().map(|place| {
            let mut line = Vec::new();
            read_line(&mut from, &mut position, *place, &mut line)?;
            Ok(line)
        });
        read.collect()
    }

    /// Makes the file consist of these lines, in this order; gives their new places.
    pub(super) fn rewrite<'a>(
        &mut self,
        lines: impl Iterator<Item = &'a Place>,
    ) -> io::Result<Vec<Place>> {
        let mut places = Vec::new();
        let mut to = 0;
        let mut from = BufReader::with_capacity(1 << 16, File::open(&self.path)?);
        let mut position = 0;
        let mut line = Vec::new();
        write_atomically(&self.path, |out| {
            for place in lines {
                read_line(&mut from, &mut position, *place, &mut line)?;
                out.write_all(&line)?;
                let moved = Place { at: to, ..*place };
                to = moved.end();
                places.push(moved);
            }
            Ok(())
        })?;
        *self = Self::open(&self.path)?;
        Ok(places)
    }
}

/// Reads a line of a file into `line`; `position` is where the reader stands. It keeps what it has read ahead where
/// lines follow each other.
fn read_line(
    from: &mut BufReader<File>,
    position: &mut i64,
    place: Place,
    line: &mut Vec<u8>,
) -> io::Result<()> {
    from.seek_relative(place.at.cast_signed() - *position)?;
    line.resize(place.len.get() as usize, 0);
    from.read_exact(line)?;
    *position = place.end().cast_signed();
    Ok(())
}

/// The lines of a journal, one at a time.
#[derive(Debug)]
pub(super) struct Lines {
    input: BufReader<File>,
    line: Vec<u8>,
    at: u64,
    number: usize,
}

/// A line as it is read.
#[derive(Debug)]
pub(super) struct Line<'a> {
    /// Number of the line, from 1.
    pub(super) number: usize,
    pub(super) place: Place,
    /// Bytes of the line, with its end if it has one: what a crash leaves of the last line has none.
    pub(super) bytes: &'a [u8],
}

impl Line<'_> {
    /// The line without its end; `None` if it has none.
    pub(super) fn content(&self) -> Option<&[u8]> {
        self.bytes.strip_suffix(b"\n")
    }
}

impl Lines {
    /// The lines of the journal at `path`; none if there is no such file.
    pub(super) fn of(path: &Path) -> io::Result<Option<Self>> {
        let file = match File::open(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            file => file?,
        };
        Ok(Some(Self {
            input: BufReader::with_capacity(1 << 16, file),
            line: Vec::new(),
            at: 0,
            number: 0,
        }))
    }

    /// The next line.
    pub(super) fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        self.line.clear();
        // A longer line is none of ours, and must not take all memory.
        let most = 1 << 30;
        let read = self
            .input
            .by_ref()
            .take(most)
            .read_until(b'\n', &mut self.line)?;
        if read == 0 {
            return Ok(None);
        }
        let place = Place::new(self.at, read)?;
        self.at = place.end();
        self.number += 1;
        Ok(Some(Line {
            number: self.number,
            place,
            bytes: &self.line,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_put_into_another_order() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lines");
        let mut journal = Journal::open(&path).unwrap();
        let places: Vec<Place> = ["one\n", "three\n", "two\n"]
            .iter()
            .map(|line| journal.append(line.as_bytes()).unwrap())
            .collect();
        assert!(journal.is(places.iter()));
        let order = [places[0], places[2], places[2], places[1]];
        assert!(!journal.is(order.iter()));
        let moved = journal.rewrite(order.iter()).unwrap();
        assert!(journal.is(moved.iter()));
        journal.append(b"four\n").unwrap();
        assert_eq!(
            std::fs::read_to_string(&path).unwrap(),
            "one\ntwo\ntwo\nthree\nfour\n"
        );
    }

    #[test]
    fn doubts_name_the_lines() {
        let mut doubts = Doubts {
            path: "runs.jsonl".into(),
            ..Doubts::default()
        };
        doubts.damage(17);
        assert_eq!(
            doubts.to_string(),
            "runs.jsonl: line 17 is not as written; its run is made again"
        );
        for number in 20..32 {
            doubts.damage(number);
        }
        doubts.unchecked = 1;
        assert_eq!(
            doubts.to_string(),
            "runs.jsonl: lines 17, 20, 21, 22, 23, 24, 25, 26, 27, 28 and 3 more are not as written, \
             and 1 line of an older version has no check; their runs are made again"
        );
    }
}
