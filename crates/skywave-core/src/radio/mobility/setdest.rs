//! The movement files of ns-2: what its `setdest` writes, as do `BonnMotion` and SUMO, and what people write.
//!
//! ```text
//! $node_(3) set X_ 12.3
//! $node_(3) set Y_ 45.6
//! $node_(3) set Z_ 0.0
//! $ns_ at 2.0 "$node_(3) setdest 20.0 18.0 1.0"
//! ```
//! Metres, seconds, metres a second. Z is read and left out. Such a file is a part of a Tcl program. Variables may have
//! other names, as in `$ns at` and `$mobile(3)`; commands may be told apart by `;`, and a comment may follow after `;#`.
//! A command that neither places a node nor moves it (`set god_ …`, `$god_ …`, `$node_(3) off`) is skipped and counted.
//! One that speaks of coordinates or of `setdest` and cannot be read is an error.

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

/// Movements of stations that an ns-2 movement file describes.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Movements {
    /// Tracks of the stations: index 0 for station 0, and so on.
    pub tracks: Vec<Track>,
    /// Number of commands in the file that say nothing of movements, and were skipped.
    pub skipped: usize,
}

/// Reads an ns-2 movement file (`setdest` commands), which must place every station from 0 to `stations` − 1.
pub fn parse_setdest(text: &str, stations: usize) -> Result<Movements, SetdestError> {
    let mut found = vec![Found::default(); stations];
    let mut skipped = 0;
    let mut lines = 0;
    for line in text.lines() {
        lines += 1;
        let error = |kind| SetdestError { line: lines, kind };
        if lines > MAX_LINES {
            return Err(error(SetdestErrorKind::TooLong));
        }
        for command in Commands(line) {
            let moves = read(command, &mut found).map_err(error)?;
            skipped += usize::from(!moves);
        }
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
    let tracks = tracks.collect::<Result<_, _>>()?;
    Ok(Movements { tracks, skipped })
}

/// The parts of a node that have been read so far.
#[derive(Clone, Default)]
struct Found {
    x: Option<f64>,
    y: Option<f64>,
    commands: Vec<Command>,
}

/// The commands of a line, without the space around them: `;` ends one, and `#` where one begins starts a comment.
struct Commands<'a>(&'a str);

impl<'a> Iterator for Commands<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let rest = self
            .0
            .trim_start_matches(|c: char| c.is_whitespace() || c == ';');
        if rest.is_empty() || rest.starts_with('#') {
            return None;
        }
        let (mut quoted, mut escaped, mut depth) = (false, false, 0_usize);
        let end = rest.find(|c| {
            match c {
                _ if escaped => {}
                '"' => quoted = !quoted,
                '{' => depth += 1,
                '}' => depth = depth.saturating_sub(1),
                ';' if !quoted && depth == 0 => return true,
                _ => {}
            }
            escaped = c == '\\' && !escaped;
            false
        });
        let (command, rest) = rest.split_at(end.unwrap_or(rest.len()));
        self.0 = rest;
        Some(command.trim_end())
    }
}

/// Reads one command. Returns whether it says anything of a movement.
fn read(command: &str, found: &mut [Found]) -> Result<bool, SetdestErrorKind> {
    if let Some((time, told)) = timed(command) {
        return read_timed(command, time, told, found);
    }
    let unknown = || SetdestErrorKind::Unknown(excerpt(command));
    if !speaks_of_movement(command) {
        return Ok(false);
    }
    let (node, ["set", axis, value]) = words(command, found.len())?.ok_or_else(unknown)? else {
        return Err(unknown());
    };
    let (place, axis, what) = match axis {
        "X_" => (&mut found[node].x, 'X', "X_ in metres"),
        "Y_" => (&mut found[node].y, 'Y', "Y_ in metres"),
        "Z_" => return metres("Z_ in metres", value).map(|_| true),
        _ => return Err(unknown()),
    };
    match place.replace(metres(what, value)?) {
        None => Ok(true),
        Some(_) => Err(SetdestErrorKind::Twice { node, axis }),
    }
}

/// Reads what `command` tells at a `time`.
fn read_timed(
    command: &str,
    time: &str,
    told: &str,
    found: &mut [Found],
) -> Result<bool, SetdestErrorKind> {
    let mut moves = false;
    for told in Commands(told) {
        match words(told, found.len())? {
            Some((node, ["setdest", x, y, speed])) => {
                let at = number("the time in seconds", time, 0.0, MAX_SECONDS)?;
                found[node].commands.push(Command {
                    at: Time::ZERO + Duration::from_secs_f64(at),
                    to: Position {
                        x: metres("x in metres", x)?,
                        y: metres("y in metres", y)?,
                    },
                    speed: number("the speed in metres a second", speed, 0.0, MAX_SPEED)?,
                });
                moves = true;
            }
            _ if speaks_of_movement(told) => {
                return Err(SetdestErrorKind::Unknown(excerpt(command)));
            }
            _ => {}
        }
    }
    Ok(moves)
}

/// The time of `$ns_ at 2.0 "…"`, and what is told then.
fn timed(command: &str) -> Option<(&str, &str)> {
    let (_, rest) = command.strip_prefix('$')?.split_once(char::is_whitespace)?;
    let (at, rest) = rest.trim_start().split_once(char::is_whitespace)?;
    let rest = (at == "at").then_some(rest)?.trim_start();
    let (time, told) = rest.split_once(char::is_whitespace)?;
    let told = told.trim();
    let between = |open, close| told.strip_prefix(open)?.strip_suffix(close);
    Some((time, between('"', '"').or_else(|| between('{', '}'))?))
}

/// Whether a command names something that places a node or moves it, rightly or nearly so.
fn speaks_of_movement(command: &str) -> bool {
    let of_node = command.trim_start_matches('\\').starts_with('$');
    let mut words = command.split(|c: char| c.is_whitespace() || matches!(c, '"' | '{' | '}'));
    let mut before = "";
    words.any(|word| {
        let is_coordinate = match word {
            "X_" | "Y_" | "Z_" => true,
            "X" | "Y" | "Z" => of_node,
            _ => false,
        };
        word == "setdest" || std::mem::replace(&mut before, word) == "set" && is_coordinate
    })
}

/// The number of `$node_(number)`, whatever the variable is called, and the words after it, if there are `N` of them.
fn words<const N: usize>(
    text: &str,
    nodes: usize,
) -> Result<Option<(usize, [&str; N])>, SetdestErrorKind> {
    let mut words = text.split_ascii_whitespace();
    let node = words
        .next()
        .and_then(|word| word.trim_start_matches('\\').strip_prefix('$'));
    let place = node.and_then(|node| node.strip_suffix(')')?.split_once('('));
    let is_name = |name: &str| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let Some((_, digits)) = place.filter(|(name, _)| !name.is_empty() && is_name(name)) else {
        return Ok(None);
    };
    let after: Vec<&str> = words.take(N + 1).collect();
    let after: Option<[&str; N]> = after.try_into().ok();
    let Some(after) = after.filter(|after| matches!(after[0], "set" | "setdest")) else {
        return Ok(None);
    };
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

/// First mistake in a text that is not a valid ns-2 movement file.
#[derive(Clone, Debug, PartialEq)]
pub struct SetdestError {
    /// Number of the line with the mistake, from 1; the last line if something is missing.
    pub line: usize,
    /// Kind of the mistake in that line.
    pub kind: SetdestErrorKind,
}

/// Kinds of mistakes in an ns-2 movement file.
#[derive(Clone, Debug, PartialEq)]
pub enum SetdestErrorKind {
    /// A command speaks of a place or a movement, but has no form known in such files; the text is its beginning.
    Unknown(String),
    /// A value is not a number within its limits.
    NotInRange {
        /// Description of the number, with its unit.
        what: &'static str,
        /// Least value.
        low: f64,
        /// Greatest value.
        high: f64,
        /// Beginning of the text found.
        found: String,
    },
    /// The file names a node that the scenario does not have.
    NoSuchNode {
        /// Number of nodes that the scenario has.
        nodes: usize,
        /// Beginning of the number found.
        found: String,
    },
    /// A coordinate of a node's start is given twice.
    Twice {
        /// The node's number.
        node: usize,
        /// `'X'` or `'Y'`.
        axis: char,
    },
    /// A coordinate of a node's start is nowhere in the file.
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
                "`$node_(number) set X_ metres` (or Y_, Z_) or `$ns_ at seconds \"$node_(number) \
                 setdest x y speed\"`, found {found:?}"
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
