//! Output of ping: of iputils, BusyBox, BSD and macOS, which number their packets, and of Windows, which does not.

mod unix;
mod windows;

#[cfg(test)]
mod tests;

pub(super) use unix::{is as is_unix, read as unix};
pub(super) use windows::{is as is_windows, read as windows};

use super::{Mistake, Reading};

const KIND: &str = "ping";
/// Most probes of a record: two days at twenty a second.
pub(super) const MAX_PROBES: usize = 4_000_000;
/// Longest round trip, seconds.
pub(super) const MAX_RTT_S: f64 = 3600.0;
/// Lines at the beginning of a file in which a ping shows itself.
const HEAD: usize = 300;
/// Bytes of the headers of ICMP and IPv4, and of ICMP and IPv6.
const HEADERS: [u32; 2] = [28, 48];

/// A time in milliseconds as a ping prints it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Printed {
    ms: f64,
    /// Digits after the point.
    decimals: i32,
    /// The true time is only said to be less.
    is_bound: bool,
}

impl Printed {
    /// Whether a round trip may take so long.
    fn is_likely(self) -> bool {
        (0.0..=MAX_RTT_S * 1e3).contains(&self.ms)
    }

    /// The mistake of a line whose round trip is not likely.
    fn unlikely(self, line: usize) -> Mistake {
        let place = format_args!("line {line}");
        let found = format_args!("{:?} ms", self.ms);
        Mistake::at(KIND, place, "a round trip from 0 to an hour", found)
    }

    /// The true value's bounds if it was rounded to what is printed.
    fn rounded(self) -> Reading {
        let half = 0.5 * libm::pow(10.0, f64::from(-self.decimals));
        Reading {
            low_s: (self.ms - half).max(0.0) / 1e3,
            high_s: (self.ms + half) / 1e3,
        }
    }

    /// The true value's bounds if it was cut off to whole milliseconds.
    fn cut_off(self) -> Reading {
        let (low, high) = if self.is_bound {
            (0.0, self.ms)
        } else {
            (self.ms, self.ms + 1.0)
        };
        Reading {
            low_s: low / 1e3,
            high_s: high / 1e3,
        }
    }
}

/// The times in a line: a number directly after `=` or `<`, with `ms` after it.
fn times(line: &str) -> impl Iterator<Item = Printed> {
    line.match_indices(['=', '<']).filter_map(|(at, sign)| {
        let rest = &line[at + 1..];
        let is_part = |c: char| c.is_ascii_alphanumeric() || ".,+-".contains(c);
        let word = &rest[..rest.find(|c| !is_part(c)).unwrap_or(rest.len())];
        let digits = match word.strip_suffix("ms") {
            Some(digits) => digits,
            None if rest[word.len()..].trim_start().starts_with("ms") => word,
            None => return None,
        };
        let digits = digits.replace(',', ".");
        Some(Printed {
            ms: super::text::number(&digits)?,
            decimals: digits
                .split_once('.')
                .map_or(0, |(_, after)| after.len() as i32),
            is_bound: sign == "<",
        })
    })
}

/// The whole number at the start of a text.
fn leading(text: &str) -> Option<u64> {
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    text[..end].parse().ok()
}
