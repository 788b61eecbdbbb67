//! JSON of `irtt client -o`: each round trip with both ways.

use serde::Deserialize;

use super::ping::{MAX_PROBES, MAX_RTT_S};
use super::schedule;
use super::{Fate, Mistake, Probe, ProbeTool, Probes, Reading, Record, Way, json};

#[cfg(test)]
mod tests;

const KIND: &str = "irtt";
/// Bytes of the headers of UDP and IPv4, and of UDP and IPv6.
const HEADERS: [u32; 2] = [28, 48];

/// Parts of a file that are used.
#[derive(Deserialize)]
struct File {
    #[serde(default)]
    config: Config,
    round_trips: Vec<Trip>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Config {
    ip_version: Option<String>,
    params: Params,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Params {
    /// Nanoseconds.
    interval: Option<f64>,
    /// Payload bytes.
    length: Option<u32>,
}

#[derive(Deserialize)]
struct Trip {
    seqno: u64,
    lost: Loss,
    #[serde(default)]
    timestamps: Timestamps,
    #[serde(default)]
    delay: Delay,
}

/// Versions before 0.9 only say whether.
#[derive(Deserialize)]
#[serde(untagged)]
enum Loss {
    Whether(bool),
    Way(String),
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Timestamps {
    client: Client,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Client {
    send: Clocks,
}

/// Nanoseconds of both clocks.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Clocks {
    monotonic: Option<f64>,
    wall: Option<f64>,
}

/// Nanoseconds.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Delay {
    rtt: Option<f64>,
    send: Option<f64>,
    receive: Option<f64>,
}

/// Reads a file.
pub(super) fn read(text: &str) -> Result<Vec<Record>, Mistake> {
    let file: File =
        serde_json::from_str(text).map_err(|error| json::mistake(KIND, 1, text, &error))?;
    let wrong = |place: &str, expected: &str, found: &dyn std::fmt::Display| {
        Err(Mistake::at(KIND, place, expected, found))
    };
    let mut trips = file.round_trips;
    trips.sort_by_key(|trip| trip.seqno);
    trips.dedup_by_key(|trip| trip.seqno);
    let (Some(first), Some(last)) = (trips.first(), trips.last()) else {
        return wrong("round_trips", "at least one", &"none");
    };
    let (first, last) = (first.seqno, last.seqno);
    if last - first >= MAX_PROBES as u64 {
        return wrong("seqno", &format!("at most {MAX_PROBES} numbers"), &last);
    }
    let count = (last - first) as usize + 1;
    let mut known = vec![None; count];
    // Wall clocks may step: they serve only where no packet has the other time.
    let has_monotonic = trips
        .iter()
        .any(|trip| trip.timestamps.client.send.monotonic.is_some());
    let mut probes = Vec::with_capacity(trips.len());
    for trip in &trips {
        let index = (trip.seqno - first) as usize;
        let clocks = &trip.timestamps.client.send;
        let sent = if has_monotonic {
            clocks.monotonic
        } else {
            clocks.wall
        };
        known[index] = sent.map(|ns| ns / 1e9);
        let fate = fate(trip).map_err(|(expected, found)| {
            Mistake::at(KIND, format_args!("seqno {}", trip.seqno), expected, found)
        })?;
        probes.push((index, fate));
    }
    let Config { ip_version, params } = file.config;
    let stated = params
        .interval
        .filter(|ns| (1.0..=1e15).contains(ns))
        .map(|ns| ns / 1e9);
    let is_timed = known.iter().any(Option::is_some);
    let interval_s = schedule::interval(&known).or(stated);
    if !is_timed && interval_s.is_none() {
        return wrong(
            "config.params.interval",
            "nanoseconds, as no packet has a time",
            &"none",
        );
    }
    let times = schedule::filled(&known, interval_s.unwrap_or(1.0));
    let headers = HEADERS[usize::from(ip_version.as_deref() == Some("IPv6"))];
    let probe = |(index, fate): (usize, Fate)| Probe {
        sent_s: times[index],
        fate,
    };
    Ok(vec![Record::Probes(Probes {
        tool: ProbeTool::Irtt,
        probes: probes.into_iter().map(probe).collect(),
        bytes: params.length.and_then(|length| length.checked_add(headers)),
        is_timed,
    })])
}

/// Fate of a packet, or what was expected and found instead.
fn fate(trip: &Trip) -> Result<Fate, (&'static str, String)> {
    match &trip.lost {
        Loss::Whether(true) => return Ok(Fate::Lost(Way::Unknown)),
        Loss::Whether(false) => {}
        Loss::Way(way) => match way.as_str() {
            "false" => {}
            "true" => return Ok(Fate::Lost(Way::Unknown)),
            "true_up" => return Ok(Fate::Lost(Way::Up)),
            "true_down" => return Ok(Fate::Lost(Way::Down)),
            other => {
                let expected = "`lost` to be false, true, true_up or true_down";
                return Err((expected, super::mistake::excerpt(other)));
            }
        },
    }
    let rtt_s = trip.delay.rtt.map(|ns| ns / 1e9);
    let Some(rtt_s) = rtt_s.filter(|rtt_s| (0.0..=MAX_RTT_S).contains(rtt_s)) else {
        let found = trip
            .delay
            .rtt
            .map_or("none".to_owned(), |ns| ns.to_string());
        return Err(("a `delay.rtt` from 0 to an hour of nanoseconds", found));
    };
    Ok(Fate::Answered {
        rtt: Reading {
            low_s: rtt_s,
            high_s: rtt_s,
        },
        up_s: trip.delay.send.map(|ns| ns / 1e9),
        down_s: trip.delay.receive.map(|ns| ns / 1e9),
    })
}
