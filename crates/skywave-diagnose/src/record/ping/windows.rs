//! The ping of Windows, in any language: told by the structure of its lines, not by words.
//!
//! A run is a header that ends in a colon, then a line for each packet, then a blank line. A packet was answered if its
//! line has one time; any other line there is a loss. Packets have no numbers and no times of their own.

use super::super::{Fate, Mistake, Probe, ProbeTool, Probes, Record, Way};
use super::{HEAD, HEADERS, KIND, MAX_PROBES, Printed, leading, times};

/// Time between packets, seconds: the default, which cannot be changed.
const INTERVAL_S: f64 = 1.0;

/// Whether the text is what such a ping printed.
pub(in super::super) fn is(text: &str) -> bool {
    text.lines().take(HEAD).any(|line| reply(line).is_some())
}

/// Reads every run of a text.
pub(in super::super) fn read(text: &str) -> Result<Vec<Record>, Mistake> {
    let lines: Vec<(usize, &str)> = text
        .lines()
        .enumerate()
        .map(|(index, line)| (index + 1, line.trim()))
        .collect();
    let mut runs: Vec<Probes> = Vec::new();
    for block in lines.split(|(_, line)| line.is_empty()) {
        let Some(first) = block.iter().position(|(_, line)| reply(line).is_some()) else {
            continue;
        };
        let header = block[..first]
            .iter()
            .rposition(|(_, line)| line.ends_with(':'));
        let packets = &block[header.map_or(0, |at| at + 1)..];
        if header.is_some() || runs.is_empty() {
            let is_v6 = block[first].1.matches(':').count() > 1;
            runs.push(Probes {
                tool: ProbeTool::Ping,
                probes: Vec::new(),
                bytes: bytes(block[header.unwrap_or(first)].1, is_v6),
                is_timed: false,
            });
        }
        let Some(run) = runs.last_mut() else { continue };
        for &(line_number, line) in packets {
            if run.probes.len() >= MAX_PROBES {
                let expected = format!("at most {MAX_PROBES} packets");
                return Err(Mistake::in_line(KIND, line_number, expected, line));
            }
            let fate = match reply(line) {
                Some(time) if !time.is_likely() => return Err(time.unlikely(line_number)),
                Some(time) => Fate::Answered {
                    rtt: time.cut_off(),
                    up_s: None,
                    down_s: None,
                },
                None => Fate::Lost(Way::Unknown),
            };
            let sent_s = run.probes.len() as f64 * INTERVAL_S;
            run.probes.push(Probe { sent_s, fate });
        }
    }
    Ok(runs.into_iter().map(Record::Probes).collect())
}

/// The time of a reply: it has only one, and a time to live or an address of IPv6, for which that is not printed.
fn reply(line: &str) -> Option<Printed> {
    let mut times = times(line);
    let time = times.next()?;
    let is_reply = line.contains("TTL=") || line.matches(':').count() > 1;
    (is_reply && times.next().is_none()).then_some(time)
}

/// Bytes of a packet from the IP header on: the first whole number of a header after the address, or of a reply.
fn bytes(line: &str, is_v6: bool) -> Option<u32> {
    let words = line.split([' ', '=']).rev();
    let payload = if line.ends_with(':') {
        words.filter(|word| !word.is_empty()).find_map(whole)
    } else {
        line.split(' ')
            .find_map(|word| whole(word.split_once('=')?.1))
    }?;
    payload.checked_add(HEADERS[usize::from(is_v6)])
}

fn whole(word: &str) -> Option<u32> {
    let is_whole = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    leading(word)
        .filter(|_| is_whole)
        .and_then(|bytes| u32::try_from(bytes).ok())
}
