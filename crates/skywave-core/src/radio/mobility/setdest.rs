//! The movement files of ns-2: what its `setdest` writes, as do `BonnMotion` and SUMO.
//!
//! ```text
//! $node_(3) set X_ 12.3
//! $node_(3) set Y_ 45.6
//! $node_(3) set Z_ 0.0
//! $ns_ at 2.0 "$node_(3) setdest 20.0 18.0 1.0"
//! ```
//! Metres, seconds, metres a second. Z is read and left out. Comments (`#`) and what is told to
//! `$god_`, who knows the shortest ways, are skipped; anything else is an error.

use std::fmt;

use super::{Command, Position, Track};
use crate::time::{Duration, Time};

/// Most lines that a file may have.
const MAX_LINES: usize = 1 << 24;
/// Farthest from the origin along an axis, in metres.
const MAX_METRES: f64 = 1e9;
/// Latest time, in seconds.
const MAX_SECONDS: f64 = 1e9;
/// Greatest speed, in metres a second.
const MAX_SPEED: f64 = 3e8;

/// Reads the movements of stations 0 to `stations` − 1.
pub fn parse_setdest(text: &str, stations: usize) -> Result<Vec<Track>, SetdestError> {
    let mut found = vec![Found::default(); stations];
    let mut lines = 0;
    for line in text.lines() {
        lines += 1;
        let error = |kind| SetdestError { line: lines, kind };
        if lines > MAX_LINES {
            return Err(error(SetdestErrorKind::TooLong));
        }
        read(line.trim(), &mut found).map_err(error)?;
    }
    let tracks = found.into_iter().enumerate().map(|(node, found)| {
        let [x, y] = [(found.x, 'X'), (found.y, 'Y')].map(|(value, axis)| {
            value.ok_or(SetdestError {
                line: lines.max(1),
                kind: SetdestErrorKind::NoStart { node, axis },
            })
        });
        let start = Position { x: x?, y: y? };
        let mut commands = found.commands;
        commands.sort_by_key(|command| command.at);
        Ok(Track { start, commands })
    });
    tracks.collect()
}

/// The parts of a node that have been read so far.
#[derive(Clone, Default)]
struct Found {
    x: Option<f64>,
    y: Option<f64>,
    commands: Vec<Command>,
}

/// Reads one line, without space around it.
fn read(line: &str, found: &mut [Found]) -> Result<(), SetdestErrorKind> {
    let unknown = || SetdestErrorKind::Unknown(excerpt(line));
    if line.is_empty() || line.starts_with('#') || line.starts_with("$god_") {
        return Ok(());
    }
    if let Some(rest) = line.strip_prefix("$ns_ at ") {
        let (at, quoted) = rest.trim_start().split_once(' ').ok_or_else(unknown)?;
        let inner = quoted.trim_start().strip_prefix('"');
        let inner = inner.and_then(|inner| inner.strip_suffix('"'));
        let inner = inner.ok_or_else(unknown)?.trim();
        if inner.starts_with("$god_") {
            return Ok(());
        }
        let at = number("the time in seconds", at, 0.0, MAX_SECONDS)?;
        let (node, ["setdest", x, y, speed]) = words(inner, found.len())?.ok_or_else(unknown)?
        else {
            return Err(unknown());
        };
        found[node].commands.push(Command {
            at: Time::ZERO + Duration::from_secs_f64(at),
            to: Position {
                x: metres("x in metres", x)?,
                y: metres("y in metres", y)?,
            },
            speed: number("the speed in metres a second", speed, 0.0, MAX_SPEED)?,
        });
        return Ok(());
    }
    let (node, ["set", axis, value]) = words(line, found.len())?.ok_or_else(unknown)? else {
        return Err(unknown());
    };
    let (place, axis, what) = match axis {
        "X_" => (&mut found[node].x, 'X', "X_ in metres"),
        "Y_" => (&mut found[node].y, 'Y', "Y_ in metres"),
        "Z_" => return metres("Z_ in metres", value).map(|_| ()),
        _ => return Err(unknown()),
    };
    match place.replace(metres(what, value)?) {
        None => Ok(()),
        Some(_) => Err(SetdestErrorKind::Twice { node, axis }),
    }
}

/// The number of `$node_(number)` and the words after it, if there are `N` of them.
fn words<const N: usize>(
    text: &str,
    nodes: usize,
) -> Result<Option<(usize, [&str; N])>, SetdestErrorKind> {
    let mut words = text.split_ascii_whitespace();
    let node = words.next().and_then(|word| word.strip_prefix("$node_("));
    let Some(digits) = node.and_then(|node| node.strip_suffix(')')) else {
        return Ok(None);
    };
    let mut after = [""; N];
    for place in &mut after {
        let Some(word) = words.next() else {
            return Ok(None);
        };
        *place = word;
    }
    if words.next().is_some() {
        return Ok(None);
    }
    match digits.parse() {
        Ok(node) if node < nodes => Ok(Some((node, after))),
        _ => Err(SetdestErrorKind::NoSuchNode {
            nodes,
            found: excerpt(digits),
        }),
    }
}

fn metres(what: &'static str, found: &str) -> Result<f64, SetdestErrorKind> {
    number(what, found, -MAX_METRES, MAX_METRES)
}

fn number(what: &'static str, found: &str, low: f64, high: f64) -> Result<f64, SetdestErrorKind> {
    match found.parse() {
        Ok(value) if low <= value && value <= high => Ok(value),
        _ => Err(SetdestErrorKind::NotInRange {
            what,
            low,
            high,
            found: excerpt(found),
        }),
    }
}

/// Enough of a wrong text to recognise it.
fn excerpt(text: &str) -> String {
    text.chars().take(40).collect()
}

/// Why a text is not a movement file.
#[derive(Clone, Debug, PartialEq)]
pub struct SetdestError {
    /// Line of the mistake, from 1; the last one for what is missing.
    pub line: usize,
    /// The mistake there.
    pub kind: SetdestErrorKind,
}

/// Mistakes in a movement file.
#[derive(Clone, Debug, PartialEq)]
pub enum SetdestErrorKind {
    /// The line (its beginning) is nothing that such a file has.
    Unknown(String),
    /// Something is not a number within limits.
    NotInRange {
        /// Description of the number, with its unit.
        what: &'static str,
        /// Least value.
        low: f64,
        /// Greatest value.
        high: f64,
        /// Its beginning.
        found: String,
    },
    /// A node that the scenario does not have.
    NoSuchNode {
        /// How many there are.
        nodes: usize,
        /// Beginning of the number found.
        found: String,
    },
    /// A coordinate of a start is there twice.
    Twice {
        /// The node's number.
        node: usize,
        /// `'X'` or `'Y'`.
        axis: char,
    },
    /// A coordinate of a start is nowhere in the file.
    NoStart {
        /// The node's number.
        node: usize,
        /// `'X'` or `'Y'`.
        axis: char,
    },
    /// The file has more than 2^24 lines.
    TooLong,
}

impl fmt::Display for SetdestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: expected ", self.line)?;
        match &self.kind {
            SetdestErrorKind::Unknown(found) => write!(
                f,
                "`$node_(number) set X_ metres` (or Y_, Z_), `$ns_ at seconds \"$node_(number) \
                 setdest x y speed\"`, a comment or a line for `$god_`, found {found:?}"
            ),
            SetdestErrorKind::NotInRange {
                what,
                low,
                high,
                found,
            } => write!(f, "{what}, from {low} to {high}, found {found:?}"),
            SetdestErrorKind::NoSuchNode { nodes: 0, found } => {
                write!(f, "no node, as there is none, found {found:?}")
            }
            SetdestErrorKind::NoSuchNode { nodes, found } => {
                write!(f, "a node from 0 to {}, found {found:?}", nodes - 1)
            }
            SetdestErrorKind::Twice { node, axis } => {
                write!(f, "{axis}_ of node {node} once, found it again")
            }
            SetdestErrorKind::NoStart { node, axis } => write!(
                f,
                "`$node_({node}) set {axis}_ metres` before the end, found none"
            ),
            SetdestErrorKind::TooLong => write!(f, "at most {MAX_LINES} lines"),
        }
    }
}

impl std::error::Error for SetdestError {}

#[cfg(test)]
mod tests;
