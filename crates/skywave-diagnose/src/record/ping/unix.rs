//! Pings that number their packets: iputils, BusyBox, BSD, macOS.

use std::collections::BTreeMap;

use super::super::schedule;
use super::super::{Fate, Mistake, Probe, ProbeTool, Probes, Reading, Record, Way};
use super::{HEAD, HEADERS, KIND, MAX_PROBES, leading, times};

/// Time between packets where neither the record nor its reader says another, seconds.
const DEFAULT_INTERVAL_S: f64 = 1.0;
const DAY_S: f64 = 86_400.0;

/// Whether the text is what such a ping printed.
pub(in super::super) fn is(text: &str) -> bool {
    text.lines().take(HEAD).any(|line| {
        let line = line.trim();
        number(line).is_some() && (line.contains("icmp_seq") || line.contains("bytes from"))
            || Header::of(line).is_some()
    })
}

/// Reads every run of a text.
pub(in super::super) fn read(text: &str) -> Result<Vec<Record>, Mistake> {
    let mut runs = vec![Run::default()];
    for (index, line) in text.lines().enumerate() {
        let (line, number) = (line.trim(), index + 1);
        if let Some(header) = Header::of(line) {
            runs.push(Run {
                header: Some(header),
                line: number,
                ..Run::default()
            });
        } else if let Some(run) = runs.last_mut() {
            run.add(number, line)?;
        }
    }
    runs.retain(|run| run.header.is_some() || run.last.is_some());
    let records = runs.iter().map(Run::probes);
    records.map(|probes| probes.map(Record::Probes)).collect()
}

/// The line with which a run begins.
#[derive(Clone, Copy, Debug)]
struct Header {
    /// Number of the first packet.
    base: i64,
    /// Bytes of a packet from the IP header on.
    bytes: Option<u32>,
}

impl Header {
    fn of(line: &str) -> Option<Self> {
        // PING6(56=40+8+8 bytes) ::1 --> ::1
        if let Some(rest) = line.strip_prefix("PING6(") {
            let bytes = leading(rest).and_then(|bytes| u32::try_from(bytes).ok());
            return Some(Self { base: 0, bytes });
        }
        let rest = line.strip_prefix("PING ")?;
        // Both have the address in brackets and then the bytes: `h (a) 56(84) bytes`, `h (a): 56 data bytes`.
        let (address, sizes) = rest.rsplit_once(['(', ')']).map_or((rest, ""), |_| {
            let end = rest.find(')').unwrap_or_default();
            rest.split_at(end)
        });
        let is_numbered_from_one = !sizes.starts_with("):");
        let digits = |c: char| c.is_ascii_digit();
        let after = sizes.find(digits).map(|at| &sizes[at..]);
        let payload = after.and_then(leading);
        let whole = after
            .and_then(|after| after.trim_start_matches(digits).strip_prefix('('))
            .and_then(leading);
        let headers = HEADERS[usize::from(address.contains(':'))];
        let bytes = whole.or_else(|| payload?.checked_add(u64::from(headers)));
        Some(Self {
            base: i64::from(is_numbered_from_one),
            bytes: bytes.and_then(|bytes| u32::try_from(bytes).ok()),
        })
    }
}

/// A reply.
#[derive(Clone, Copy, Debug)]
struct Reply {
    /// The round trip; packets that are too short carry no time.
    rtt: Option<Reading>,
    /// When it came, seconds by the clock of the record.
    stamp_s: Option<f64>,
}

/// A run of ping, as far as it is read.
#[derive(Clone, Debug, Default)]
struct Run {
    header: Option<Header>,
    /// Line on which it begins.
    line: usize,
    /// The first reply of each packet that has one, by number.
    replies: BTreeMap<i64, Reply>,
    /// The highest number, and the one that was mentioned last: 16 bits of them are printed.
    last: Option<(i64, i64)>,
    /// The latest stamp, for those that begin anew at midnight.
    stamp_s: Option<f64>,
    transmitted: Option<u64>,
    /// From the first packet to the last that was sent or came, milliseconds.
    duration_ms: Option<f64>,
}

impl Run {
    fn add(&mut self, line_number: usize, line: &str) -> Result<(), Mistake> {
        let place = format_args!("line {line_number}");
        if self.line == 0 {
            self.line = line_number;
        }
        let Some(found) = number(line) else {
            self.add_summary(line);
            return Ok(());
        };
        let Ok(found) = u16::try_from(found) else {
            return Err(Mistake::at(
                KIND,
                place,
                "a sequence number below 65536",
                found,
            ));
        };
        let number = match self.last {
            None => i64::from(found),
            // Whichever number with these 16 bits is nearest to the one before.
            Some((_, last)) => last + i64::from(found.wrapping_sub(last as u16) as i16),
        };
        let highest = self.last.map_or(number, |(highest, _)| highest.max(number));
        self.last = Some((highest, number));
        let lower = line.to_ascii_lowercase();
        let is_reply = ["ttl=", "hlim=", "bytes from"]
            .iter()
            .any(|word| lower.contains(word));
        if !is_reply {
            return Ok(());
        }
        let rtt = times(line).last();
        if let Some(rtt) = rtt.filter(|rtt| !rtt.is_likely()) {
            return Err(rtt.unlikely(line_number));
        }
        let stamp_s = self.stamp(line);
        let rtt = rtt.map(super::Printed::rounded);
        // A second reply is a duplicate.
        self.replies.entry(number).or_insert(Reply { rtt, stamp_s });
        Ok(())
    }

    /// The time at the start of a line: of a day on macOS, else since 1970.
    fn stamp(&mut self, line: &str) -> Option<f64> {
        let stamp_s = match line.strip_prefix('[') {
            Some(rest) => super::super::text::number(rest.split_once(']')?.0)?,
            None => time_of_day(line.split_whitespace().next()?)?,
        };
        let before = self.stamp_s.unwrap_or(stamp_s);
        let is_next_day = !line.starts_with('[') && stamp_s < before - DAY_S / 2.0;
        let days = if is_next_day {
            libm::ceil((before - stamp_s) / DAY_S - 0.5)
        } else {
            0.0
        };
        let stamp_s = stamp_s + days * DAY_S;
        self.stamp_s = Some(stamp_s);
        Some(stamp_s)
    }

    /// The line that counts the packets begins with their number, and has the share lost.
    fn add_summary(&mut self, line: &str) {
        let counted = leading(line).filter(|_| line.contains('%'));
        if let Some(transmitted) = counted {
            self.transmitted = Some(transmitted);
            let last = line.split_whitespace().next_back().unwrap_or_default();
            self.duration_ms = last.strip_suffix("ms").and_then(super::super::text::number);
        }
    }

    fn probes(&self) -> Result<Probes, Mistake> {
        let wrong = |expected: &str, found: &str| {
            let place = format_args!("the run that begins on line {}", self.line);
            Err(Mistake::at(KIND, place, expected, found))
        };
        let counted = self.header.and(self.transmitted).filter(|count| *count > 0);
        if self.replies.is_empty() && self.last.is_none() && counted.is_none() {
            return wrong("at least one packet", "none");
        }
        let usual = self.header.map_or(1, |header| header.base);
        let first = self
            .replies
            .first_key_value()
            .map_or(usual, |(&first, _)| first);
        if !self.replies.is_empty() && self.replies.values().all(|reply| reply.rtt.is_none()) {
            return wrong(
                "replies with a time, as packets of at least 16 bytes have (-s)",
                "none",
            );
        }
        let base = self.header.map_or(first, |header| header.base.min(first));
        let (highest, _) = self.last.unwrap_or((base, base));
        let count = (highest - base + 1) as u64;
        let count = count.max(self.transmitted.unwrap_or_default());
        let count = match usize::try_from(count) {
            Ok(count) if count <= MAX_PROBES => count,
            _ => return wrong(&format!("at most {MAX_PROBES} packets"), &count.to_string()),
        };
        let replies = || {
            self.replies
                .iter()
                .map(|(number, reply)| ((number - base) as usize, reply))
        };

        let mut known = vec![None; count];
        for (index, reply) in replies() {
            let rtt_s = reply.rtt.map_or(0.0, Reading::middle_s);
            known[index] = reply.stamp_s.map(|stamp_s| stamp_s - rtt_s);
        }
        let regular = self.duration_ms.filter(|ms| *ms > 0.0 && count > 1);
        let regular = regular.map(|ms| ms / 1e3 / (count - 1) as f64);
        let measured = schedule::interval(&known).or(regular);
        let times = schedule::filled(&known, measured.unwrap_or(DEFAULT_INTERVAL_S));

        let mut probes = vec![None; count];
        for (probe, &sent_s) in probes.iter_mut().zip(&times) {
            *probe = Some(Probe {
                sent_s,
                fate: Fate::Lost(Way::Unknown),
            });
        }
        let (mut longest_s, mut end_s) = (0.0_f64, self.duration_ms.unwrap_or_default() / 1e3);
        for (index, reply) in replies() {
            // A reply without a time is neither lost nor measured.
            probes[index] = reply.rtt.map(|rtt| {
                longest_s = longest_s.max(rtt.high_s);
                end_s = end_s.max(times[index] + rtt.high_s);
                Probe {
                    sent_s: times[index],
                    fate: Fate::Answered {
                        rtt,
                        up_s: None,
                        down_s: None,
                    },
                }
            });
        }
        end_s = times.last().map_or(end_s, |&last| end_s.max(last));
        // When ping was stopped, replies to the last packets may have been on their way.
        let is_open = |probe: &Option<Probe>| {
            probe.is_some_and(|probe| {
                matches!(probe.fate, Fate::Lost(_)) && probe.sent_s + longest_s >= end_s
            })
        };
        let kept = probes
            .iter()
            .rposition(|probe| !is_open(probe))
            .map_or(0, |last| last + 1);
        probes.truncate(kept);
        let probes: Vec<Probe> = probes.into_iter().flatten().collect();
        if probes.is_empty() {
            return wrong(
                "a packet whose answer came, or was due before the end",
                "none",
            );
        }
        Ok(Probes {
            tool: ProbeTool::Ping,
            probes,
            bytes: self.header.and_then(|header| header.bytes),
            is_timed: self.replies.values().any(|reply| reply.stamp_s.is_some()),
        })
    }
}

/// The sequence number that a line is about.
fn number(line: &str) -> Option<u64> {
    let names = ["icmp_seq=", "icmp_seq ", " seq="];
    names.iter().find_map(|name| {
        let at = line.find(name)? + name.len();
        let digits = &line[at..];
        // One too long for 64 bits is one that is too high.
        digits
            .starts_with(|c: char| c.is_ascii_digit())
            .then(|| leading(digits).unwrap_or(u64::MAX))
    })
}

/// Seconds since midnight of `12:34:56.789`.
fn time_of_day(text: &str) -> Option<f64> {
    let mut parts = text.split(':').map(super::super::text::number);
    let (hours, minutes, seconds) = (parts.next()??, parts.next()??, parts.next()??);
    let is_time = (0.0..24.0).contains(&hours)
        && (0.0..60.0).contains(&minutes)
        && (0.0..61.0).contains(&seconds);
    (is_time && parts.next().is_none()).then_some(hours * 3600.0 + minutes * 60.0 + seconds)
}
