//! Recorded links, in one of two formats.
//!
//! That of mahimahi has one integer millisecond a line, non-decreasing. Each line is an opportunity to deliver
//! [`OPPORTUNITY_BYTES`]; a repeated number is several of them in that millisecond. The last
//! timestamp is the period: the file repeats from there for ever, as in mahimahi's `mm-link`.
//!
//! A file of rates, as those of Pensieve (Mao et al., SIGCOMM 2017), has two numbers a line: seconds, increasing, and
//! the rate in Mbit/s since the line before. It begins with the time of its first line, whose rate is not used, and the
//! last one ends the period. Here an opportunity comes as soon as the rates have added up to one.

use std::fmt;

use crate::time::{Duration, Time};
use crate::units::Rate;

/// Bytes that one delivery opportunity carries (mahimahi's `PACKET_SIZE`, less its TUN header).
pub const OPPORTUNITY_BYTES: u64 = 1500;

/// Most lines that a trace may have.
const MAX_LINES: usize = 1 << 31;
/// Most opportunities that rates may add up to.
const MAX_OPPORTUNITIES: usize = 1 << 28;

const NS_PER_MS: u64 = 1_000_000;

/// Recorded capacity of a link: the times at which packets of 1500 bytes could leave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// Milliseconds of the opportunities, in order; never empty, and none is after the period.
    opportunities: Vec<u32>,
    /// Milliseconds after which they repeat; above 0.
    period: u32,
}

impl Trace {
    /// Reads a trace: each line has the milliseconds of one delivery opportunity (mahimahi's format), or, if the
    /// first line has two numbers, a time in seconds and the rate in Mbit/s since the line before (Pensieve's).
    pub fn parse(text: &str) -> Result<Self, TraceError> {
        let first = text.lines().next().unwrap_or_default();
        if first.split_whitespace().count() == 2 {
            return Self::parse_rates(text);
        }
        let mut opportunities: Vec<u32> = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            if number > MAX_LINES {
                return Err(TraceErrorKind::TooLong.at(number));
            }
            let found: u32 = line
                .trim()
                .parse()
                .map_err(|_| TraceErrorKind::NotMilliseconds(excerpt(line)).at(number))?;
            if let Some(&previous) = opportunities.last()
                && found < previous
            {
                return Err(TraceErrorKind::Decreasing { previous, found }.at(number));
            }
            opportunities.push(found);
        }
        match opportunities.last() {
            None => Err(TraceErrorKind::Empty.at(1)),
            Some(0) => Err(TraceErrorKind::ZeroPeriod.at(opportunities.len())),
            Some(&period) => Ok(Self {
                opportunities,
                period,
            }),
        }
    }

    /// Reads a file of rates.
    fn parse_rates(text: &str) -> Result<Self, TraceError> {
        let opportunity = OPPORTUNITY_BYTES as f64 * 8.0;
        let mut opportunities: Vec<u32> = Vec::new();
        let mut start = None;
        let (mut before, mut period, mut number) = (0.0, 0, 0);
        // Bits since the latest opportunity.
        let mut bits = 0.0;
        for line in text.lines() {
            number += 1;
            let (seconds, rate) =
                rate(line).ok_or_else(|| TraceErrorKind::NotRate(excerpt(line)).at(number))?;
            let Some(start) = start else {
                (start, before) = (Some(seconds), seconds);
                continue;
            };
            if seconds <= before {
                return Err(TraceErrorKind::NotLater(excerpt(line)).at(number));
            }
            let (from, to) = (before - start, seconds - start);
            if to > MAX_SECONDS {
                return Err(TraceErrorKind::TooLate.at(number));
            }
            let all = bits + rate * (to - from);
            // A millionth is added, since rounding may leave the sum just below a whole opportunity.
            let whole = (all / opportunity + 1e-6).floor();
            if opportunities.len() as f64 + whole > MAX_OPPORTUNITIES as f64 {
                return Err(TraceErrorKind::TooMany.at(number));
            }
            period = nearest_ms(to);
            for n in 1..=whole as u64 {
                let after = (n as f64 * opportunity - bits) / rate.max(1.0);
                // Rounding may put the last one just after the line's time.
                opportunities.push(nearest_ms(from + after).min(period));
            }
            bits = all - whole * opportunity;
            before = seconds;
        }
        match (period, opportunities.last()) {
            (0, _) => Err(TraceErrorKind::ZeroPeriod.at(number)),
            (_, None) => Err(TraceErrorKind::NoOpportunity.at(number)),
            (_, Some(_)) => Ok(Self {
                opportunities,
                period,
            }),
        }
    }

    /// Number of delivery opportunities, of 1500 bytes each, in one period of the trace.
    pub fn opportunities(&self) -> usize {
        self.opportunities.len()
    }

    /// Time after which the trace repeats.
    pub fn period(&self) -> Duration {
        Duration::from_nanos(self.period_ms() * NS_PER_MS)
    }

    /// Mean capacity over whole periods, rounded down to a bit per second.
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
        self.period.into()
    }
}

/// Latest time of a file of rates after its first line, in seconds: 2^32 milliseconds are a little more.
const MAX_SECONDS: f64 = 4_000_000.0;
/// Highest rate there, in Mbit/s.
const MAX_MBPS: f64 = 1e8;

fn nearest_ms(seconds: f64) -> u32 {
    // A cast of a float saturates.
    (seconds * 1e3 + 0.5) as u32
}

/// Seconds and bits a second of a line of rates.
fn rate(line: &str) -> Option<(f64, f64)> {
    let mut numbers = line.split_whitespace().map(str::parse::<f64>);
    let (seconds, mbps) = (numbers.next()?.ok()?, numbers.next()?.ok()?);
    let ok = seconds.is_finite() && (0.0..=MAX_MBPS).contains(&mbps);
    (ok && numbers.next().is_none()).then_some((seconds, mbps * 1e6))
}

/// Enough of a wrong line to recognise it.
fn excerpt(line: &str) -> String {
    line.chars().take(40).collect()
}

/// Error of [`Trace::parse`]: the reason why a text is not a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceError {
    /// Number of the line with the mistake, counted from 1.
    pub line: usize,
    /// Kind of the mistake.
    pub kind: TraceErrorKind,
}

/// Kinds of mistakes in the text of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TraceErrorKind {
    /// The trace has no line at all.
    Empty,
    /// The line, whose beginning this is, has no whole number of milliseconds below 2^32.
    NotMilliseconds(String),
    /// The timestamp is before that of the line above.
    Decreasing {
        /// Milliseconds of the line above.
        previous: u32,
        /// Milliseconds of this line.
        found: u32,
    },
    /// The period is 0: the last timestamp, or in a file of rates the time from its first line to its last one, rounded
    /// to milliseconds.
    ZeroPeriod,
    /// The trace has more than 2^31 lines.
    TooLong,
    /// The line, whose beginning this is, has no time in seconds and rate in Mbit/s.
    NotRate(String),
    /// The time is not after that of the line above; the text is the line's beginning.
    NotLater(String),
    /// The time is more than 4,000,000 seconds after that of the first line.
    TooLate,
    /// The rates add up to more than 2^28 opportunities.
    TooMany,
    /// The rates do not add up to one opportunity of 1500 bytes.
    NoOpportunity,
}

impl TraceErrorKind {
    fn at(self, line: usize) -> TraceError {
        TraceError { line, kind: self }
    }
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
            TraceErrorKind::NotRate(found) => write!(
                f,
                "a time in seconds and a rate in Mbit/s from 0 to {MAX_MBPS}, found {found:?}"
            ),
            TraceErrorKind::NotLater(found) => {
                write!(f, "a later time than in the line above, found {found:?}")
            }
            TraceErrorKind::TooLate => {
                write!(
                    f,
                    "a time at most {MAX_SECONDS} s after that of the first line"
                )
            }
            TraceErrorKind::TooMany => write!(
                f,
                "rates that add up to {MAX_OPPORTUNITIES} packets of {OPPORTUNITY_BYTES} bytes at most"
            ),
            TraceErrorKind::NoOpportunity => write!(
                f,
                "rates that add up to a packet of {OPPORTUNITY_BYTES} bytes, found less"
            ),
        }
    }
}

impl std::error::Error for TraceError {}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

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

    /// Pensieve's format: a rate holds since the time of the line before.
    #[test]
    fn rates_become_opportunities() {
        // 1.2 Mbit/s are an opportunity in 10 ms; the first rate does not count, and no rate is none.
        let trace = Trace::parse("100.5 99\n100.55 1.2\n100.6\t0\r\n100.625 2.4\n").unwrap();
        assert_eq!(
            trace.opportunities,
            [10, 20, 30, 40, 50, 105, 110, 115, 120, 125]
        );
        assert_eq!(trace.period(), Duration::from_millis(125));
        assert_eq!(trace.mean_rate(), Rate::from_bps(960_000));
        // Bits that one line leaves count in the next line, and the period is the time of the last line.
        let trace = Trace::parse("0 0\n0.015 1.2\n0.03 1.2\n0.034 1.2").unwrap();
        assert_eq!(
            (&trace.opportunities[..], trace.period),
            (&[10, 20, 30][..], 34)
        );
        assert_eq!(trace.time_of(3), ms(44));
        assert_eq!(trace.count_until(ms(43)), 3);
        for (text, expected) in [
            (
                "0 1\n0 1",
                "line 2: expected a later time than in the line above, found \"0 1\"",
            ),
            (
                "0 1\n1",
                "line 2: expected a time in seconds and a rate in Mbit/s",
            ),
            ("0 1\n1 -1", "line 2: expected a time in seconds and a rate"),
            (
                "0 1\n1 nan",
                "line 2: expected a time in seconds and a rate",
            ),
            (
                "0 1\n1 0.001",
                "line 2: expected rates that add up to a packet of 1500 bytes",
            ),
            (
                "0 1\n4e6 1e8",
                "line 2: expected rates that add up to 268435456 packets",
            ),
            (
                "0 1\n4000001 0",
                "line 2: expected a time at most 4000000 s after",
            ),
            (
                "3 1",
                "line 1: expected the last timestamp, which is the period",
            ),
        ] {
            assert!(
                error(text).starts_with(expected),
                "{text:?}: {}",
                error(text)
            );
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "(?s).{0,200}") {
            let _ = Trace::parse(&text);
        }

        #[test]
        fn rates_add_up(
            lines in prop::collection::vec((0.001f64..3.0, 0.0f64..50.0), 1..30),
            start in -1e6f64..1e6,
        ) {
            let mut at = start;
            let mut text = format!("{at} 1\n");
            let mut bits = 0.0;
            for (gap, mbps) in lines {
                let before = at;
                at += gap;
                writeln!(text, "{at} {mbps}").unwrap();
                bits += (at - before) * mbps * 1e6;
            }
            let whole = bits / 12_000.0;
            if let Ok(trace) = Trace::parse(&text) {
                prop_assert!((trace.opportunities() as f64 - whole).abs() < 1.001);
                prop_assert!(trace.opportunities.is_sorted());
                prop_assert!(trace.opportunities.last() <= Some(&trace.period));
            }
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
