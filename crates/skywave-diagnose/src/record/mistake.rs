//! Mistakes in records that cannot be read.

use std::fmt;

/// Kinds of records that are accepted.
const KINDS: &str = "what ping printed, irtt's or iperf3's JSON, qlog, a trace of mahimahi, lines of seconds and Mbit/s, \
    a table with a header such as time_s,rate_mbps, a capture (pcap, pcapng) or a scenario with [[link]]";

/// Reason why a file could not be read as a record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Mistake {
    /// The record has nothing in it.
    #[error("the record is empty; expected {KINDS}")]
    Empty,
    /// The record is of no known kind.
    #[error("the record is of no known kind; expected {KINDS}")]
    Unknown,
    /// The record is of a known kind, and something in it is wrong.
    #[error("{kind}, {place}: expected {expected}, found {found}")]
    Wrong {
        /// Kind of the record ("ping").
        kind: &'static str,
        /// Place in the record ("line 3").
        place: String,
        /// Expectation at that place.
        expected: String,
        /// Words or numbers that stand there instead.
        found: String,
    },
}

impl Mistake {
    /// A mistake at a place.
    pub(super) fn at(
        kind: &'static str,
        place: impl fmt::Display,
        expected: impl fmt::Display,
        found: impl fmt::Display,
    ) -> Self {
        Self::Wrong {
            kind,
            place: place.to_string(),
            expected: expected.to_string(),
            found: found.to_string(),
        }
    }

    /// A mistake in a line, counted from 1, of which an excerpt is shown.
    pub(super) fn in_line(
        kind: &'static str,
        line: usize,
        expected: impl fmt::Display,
        found: &str,
    ) -> Self {
        Self::at(kind, format_args!("line {line}"), expected, excerpt(found))
    }
}

/// Enough of a text to recognise it, in quotes.
pub(super) fn excerpt(text: &str) -> String {
    let start: String = text.trim().chars().take(40).collect();
    format!("{start:?}")
}
