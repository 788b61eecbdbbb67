//! Columns of numbers without a header: Pensieve's seconds and Mbit/s, and the logs of 3G networks by Riiser et al.

use super::text::{lines, number};
use super::{Mistake, Rates, Record, Span};

const KIND: &str = "lines of seconds and Mbit/s";
const LOG: &str = "log of bytes by milliseconds";
/// Highest rate, bits a second.
pub(super) const MAX_BPS: f64 = 1e14;
/// Longest record, seconds: a year.
pub(super) const MAX_S: f64 = 3.2e7;

/// Number of columns of a line that has only numbers, blanks between them.
pub(super) fn count(line: &str) -> Option<usize> {
    let mut columns = line.split_whitespace();
    let all = columns.clone().count();
    (all > 0 && columns.all(|column| number(column).is_some())).then_some(all)
}

/// Reads lines of two columns, or of six.
pub(super) fn read(text: &str) -> Result<Vec<Record>, Mistake> {
    let mut spans: Vec<Span> = Vec::new();
    let mut start = None;
    let mut before = 0.0;
    for (line, found) in lines(text) {
        let wrong = |kind, expected: &str| Mistake::in_line(kind, line, expected, found);
        let numbers: Option<Vec<f64>> = found.split_whitespace().map(number).collect();
        // When the rate ended, and the rate, whose beginning is the line before.
        let (at, bps) = match numbers.as_deref() {
            Some([seconds, mbps]) => (*seconds, mbps * 1e6),
            Some([_, ms, _, _, bytes, elapsed_ms]) if *elapsed_ms > 0.0 => {
                start.get_or_insert(ms / 1e3 - elapsed_ms / 1e3);
                (ms / 1e3, bytes * 8.0 / (elapsed_ms / 1e3))
            }
            Some([_, _, _, _, _, _]) => return Err(wrong(LOG, "milliseconds above 0 at the end")),
            _ => {
                return Err(wrong(
                    KIND,
                    "two numbers, or the six of a log: seconds, milliseconds, latitude, longitude, bytes, milliseconds",
                ));
            }
        };
        if !(0.0..=MAX_BPS).contains(&bps) {
            return Err(wrong(KIND, "a rate from 0 to 1e8 Mbit/s"));
        }
        let Some(start) = start else {
            // The first line only tells when its record begins.
            (start, before) = (Some(at), 0.0);
            continue;
        };
        let to_s = at - start;
        if to_s <= before {
            return Err(wrong(KIND, "a time after that of the line above"));
        }
        if to_s > MAX_S {
            return Err(wrong(KIND, "a time within a year of the first"));
        }
        let from_s = before;
        spans.push(Span {
            from_s,
            to_s,
            bps: Some(bps),
        });
        before = to_s;
    }
    if spans.is_empty() {
        let expected = "at least two lines";
        return Err(Mistake::at(
            KIND,
            "last line",
            expected,
            "only the first time",
        ));
    }
    Ok(vec![Record::Rates(Rates {
        spans,
        opportunities_ms: None,
        opportunity_bytes: 0,
    })])
}
