//! Recorded links in the mahimahi format.
//!
//! One integer millisecond a line, non-decreasing. Each line is an opportunity to deliver
//! [`OPPORTUNITY_BYTES`]; a repeated number is several of them in that millisecond. The last
//! timestamp is the period: the file repeats from there for ever, as in mahimahi's `mm-link`.

use std::fmt;

use crate::time::{Duration, Time};
use crate::units::Rate;

/// Bytes that one delivery opportunity carries (mahimahi's `PACKET_SIZE`, less its TUN header).
pub const OPPORTUNITY_BYTES: u64 = 1500;

/// Most lines that a trace may have.
const MAX_LINES: usize = 1 << 31;

const NS_PER_MS: u64 = 1_000_000;

/// A recorded link: when packets of 1500 bytes could leave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// Milliseconds of the opportunities, in order; never empty, and the last one is above 0.
    opportunities: Vec<u32>,
}

impl Trace {
    /// Reads a mahimahi trace.
    pub fn parse(text: &str) -> Result<Self, TraceError> {
        let mut opportunities: Vec<u32> = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let error = |kind| TraceError {
                line: index + 1,
                kind,
            };
            if index >= MAX_LINES {
                return Err(error(TraceErrorKind::TooLong));
            }
            let found: u32 = line
                .trim()
                .parse()
                .map_err(|_| error(TraceErrorKind::NotMilliseconds(excerpt(line))))?;
            if let Some(&previous) = opportunities.last()
                && found < previous
            {
                return Err(error(TraceErrorKind::Decreasing { previous, found }));
            }
            opportunities.push(found);
        }
        match opportunities.last() {
            None => Err(TraceError {
                line: 1,
                kind: TraceErrorKind::Empty,
            }),
            Some(0) => Err(TraceError {
                line: opportunities.len(),
                kind: TraceErrorKind::ZeroPeriod,
            }),
            Some(_) => Ok(Self { opportunities }),
        }
    }

    /// Opportunities in one period.
    pub fn opportunities(&self) -> usize {
        self.opportunities.len()
    }

    /// Time after which the trace repeats: its last timestamp.
    pub fn period(&self) -> Duration {
        Duration::from_nanos(self.period_ms() * NS_PER_MS)
    }

    /// Capacity over whole periods, rounded down to a bit per second.
    pub fn mean_rate(&self) -> Rate {
        // At most 2^31 * 12 * 10^6: no overflow.
        let bits = self.opportunities.len() as u64 * OPPORTUNITY_BYTES * 8;
        Rate::from_bps(bits * 1000 / self.period_ms())
    }

    /// When opportunity `number` comes, counted from 0 through all repetitions.
    pub(super) fn time_of(&self, number: u64) -> Time {
        let n = self.opportunities.len() as u64;
        let within = u64::from(self.opportunities[(number % n) as usize]);
        let ms = (number / n)
            .saturating_mul(self.period_ms())
            .saturating_add(within);
        Time::from_nanos(ms.saturating_mul(NS_PER_MS))
    }

    /// How many opportunities come at or before `t`; so also the number of the first one after it.
    pub(super) fn count_until(&self, t: Time) -> u64 {
        let ms = t.as_nanos() / NS_PER_MS;
        let (cycle, within) = (ms / self.period_ms(), ms % self.period_ms());
        let in_cycle = self
            .opportunities
            .partition_point(|&at| u64::from(at) <= within);
        cycle
            .saturating_mul(self.opportunities.len() as u64)
            .saturating_add(in_cycle as u64)
    }

    fn period_ms(&self) -> u64 {
        // `parse` refuses an empty trace and a period of 0.
        self.opportunities
            .last()
            .map_or(1, |&last| u64::from(last).max(1))
    }
}

/// Enough of a wrong line to recognise it.
fn excerpt(line: &str) -> String {
    line.chars().take(40).collect()
}

/// Why a text is not a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceError {
    /// Line of the mistake, from 1.
    pub line: usize,
    /// The mistake there.
    pub kind: TraceErrorKind,
}

/// Mistakes in a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TraceErrorKind {
    /// There is no line at all.
    Empty,
    /// The line (its beginning) is not a whole number of milliseconds below 2^32.
    NotMilliseconds(String),
    /// The timestamp is before that of the line above.
    Decreasing {
        /// Milliseconds of the line above.
        previous: u32,
        /// Milliseconds of this line.
        found: u32,
    },
    /// The last timestamp, which is the period, is 0.
    ZeroPeriod,
    /// The trace has more than 2^31 lines.
    TooLong,
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: expected ", self.line)?;
        match &self.kind {
            TraceErrorKind::Empty => {
                write!(f, "at least one timestamp in milliseconds, found nothing")
            }
            TraceErrorKind::NotMilliseconds(found) => {
                let max = u32::MAX;
                write!(
                    f,
                    "a whole number of milliseconds from 0 to {max}, found {found:?}"
                )
            }
            TraceErrorKind::Decreasing { previous, found } => {
                write!(
                    f,
                    "{previous} or more (timestamps never decrease), found {found}"
                )
            }
            TraceErrorKind::ZeroPeriod => write!(
                f,
                "the last timestamp, which is the period of the trace, to be above 0, found 0"
            ),
            TraceErrorKind::TooLong => write!(f, "at most {MAX_LINES} lines"),
        }
    }
}

impl std::error::Error for TraceError {}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ms(ms: u64) -> Time {
        Time::ZERO + Duration::from_millis(ms)
    }

    fn error(text: &str) -> String {
        Trace::parse(text).unwrap_err().to_string()
    }

    #[test]
    fn a_trace_has_its_opportunities_and_repeats() {
        let trace = Trace::parse("0\n5\n5\r\n10\n").unwrap();
        assert_eq!(trace.opportunities(), 4);
        assert_eq!(trace.period(), Duration::from_millis(10));
        // 4 * 12,000 bits in 10 ms.
        assert_eq!(trace.mean_rate(), Rate::from_bps(4_800_000));
        let times: Vec<_> = (0..9).map(|k| trace.time_of(k)).collect();
        assert_eq!(times, [0, 5, 5, 10, 10, 15, 15, 20, 20].map(ms));
    }

    #[test]
    fn opportunities_are_counted_across_the_wrap() {
        let trace = Trace::parse("0\n5\n5\n10").unwrap();
        let just_before = |at| ms(at) - Duration::from_nanos(1);
        assert_eq!(trace.count_until(ms(0)), 1);
        assert_eq!(trace.count_until(just_before(5)), 1);
        assert_eq!(trace.count_until(ms(5)), 3);
        assert_eq!(trace.count_until(just_before(10)), 3);
        assert_eq!(trace.count_until(ms(10)), 5);
        assert_eq!(trace.count_until(ms(1_000_000)), 400_001);
    }

    #[test]
    fn errors_name_the_line_and_what_was_expected() {
        assert_eq!(
            error(""),
            "line 1: expected at least one timestamp in milliseconds, found nothing"
        );
        assert_eq!(
            error("1\n2\nx3\n4"),
            "line 3: expected a whole number of milliseconds from 0 to 4294967295, found \"x3\""
        );
        assert_eq!(
            error("1\n\n2").split(", found").next(),
            error("1\n4294967296").split(", found").next()
        );
        assert!(error("-1").contains("line 1"));
        assert_eq!(
            error("7\n9\n8"),
            "line 3: expected 9 or more (timestamps never decrease), found 8"
        );
        assert_eq!(
            error("0\n0\n"),
            "line 2: expected the last timestamp, which is the period of the trace, to be above \
             0, found 0"
        );
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "(?s).{0,200}") {
            let _ = Trace::parse(&text);
        }

        #[test]
        fn counting_inverts_time(
            mut at in prop::collection::vec(0u32..50, 1..20),
            t in 0u64..1_000_000_000_000,
        ) {
            at.sort_unstable();
            at.push(50);
            let text: Vec<_> = at.iter().map(u32::to_string).collect();
            let trace = Trace::parse(&text.join("\n")).unwrap();
            let t = Time::from_nanos(t);
            let first_after = trace.count_until(t);
            prop_assert!(trace.time_of(first_after) > t);
            prop_assert!(first_after == 0 || trace.time_of(first_after - 1) <= t);
        }

        #[test]
        fn no_time_and_no_number_panics(n in any::<u64>(), t in any::<u64>()) {
            let trace = Trace::parse("4294967295").unwrap();
            let _ = (trace.time_of(n), trace.count_until(Time::from_nanos(t)));
        }
    }
}
