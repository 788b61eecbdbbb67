//! qlog: what a QUIC stack logged of a connection, from the first drafts to those of 2025.

use serde_json::Value;

use super::json::{count, each};
use super::{Mistake, Record};

#[cfg(test)]
mod tests;

const KIND: &str = "qlog";
/// Longest time or round trip from the first event, seconds: a year.
const MAX_S: f64 = super::columns::MAX_S;
/// Highest packet number (RFC 9000, section 12.3).
const MAX_NUMBER: u64 = (1 << 62) - 1;

/// Log of one QUIC connection, as a QUIC stack wrote it (qlog).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Qlog {
    /// Packets sent, in the order of time.
    pub sent: Vec<QuicSent>,
    /// Packets that the QUIC stack declared lost, in the order of time; some may have arrived all the same.
    pub lost: Vec<QuicLoss>,
    /// Measurements of the sender (round trips, congestion window, bytes in flight), in the order of time.
    pub metrics: Vec<QuicMetrics>,
}

/// QUIC packet that was sent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QuicSent {
    /// Time of sending, seconds from the first packet, loss or measurement of the log.
    pub at_s: f64,
    /// Packet number space of the packet.
    pub space: PacketSpace,
    /// Packet number, if the log has it.
    pub number: Option<u64>,
    /// Bytes of the packet within its UDP datagram, if the log has them.
    pub bytes: Option<u32>,
}

/// QUIC packet that the sender's stack declared lost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QuicLoss {
    /// Time at which the packet was declared lost, seconds from the first packet, loss or measurement of the log.
    pub at_s: f64,
    /// Packet number space of the packet.
    pub space: PacketSpace,
    /// Packet number, if the log has it.
    pub number: Option<u64>,
}

/// QUIC packet number space (RFC 9000, section 12.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PacketSpace {
    /// Initial packets.
    Initial,
    /// Handshake packets.
    Handshake,
    /// 0-RTT and 1-RTT packets, and any of another type.
    Application,
}

/// Measurements of a QUIC sender at one time, from a log event; `None` for values that the event does not have.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct QuicMetrics {
    /// Time of the measurements, seconds from the first packet, loss or measurement of the log.
    pub at_s: f64,
    /// Latest round trip, seconds.
    pub latest_rtt_s: Option<f64>,
    /// Least round trip that the sender has measured so far, seconds.
    pub min_rtt_s: Option<f64>,
    /// Smoothed round trip, seconds.
    pub smoothed_rtt_s: Option<f64>,
    /// Congestion window, bytes; `None` if the event does not have it, as where it has not changed.
    pub cwnd: Option<u64>,
    /// Bytes in flight.
    pub in_flight: Option<u64>,
}

/// Reads a log: each of its traces becomes a record.
pub(super) fn read(text: &str) -> Result<Vec<Record>, Mistake> {
    let mut traces: Vec<Trace> = Vec::new();
    each(KIND, text, |line, object| {
        let place = |index: usize| format!("event {} of the object on line {line}", index + 1);
        if let Some(contained) = object["traces"].as_array() {
            for trace in contained {
                let mut found = Trace::begin(trace);
                for (index, event) in trace["events"].as_array().into_iter().flatten().enumerate() {
                    found.add(event).map_err(|wrong| wrong.at(&place(index)))?;
                }
                traces.push(found);
            }
        } else if object["trace"].is_object() || traces.is_empty() {
            traces.push(Trace::begin(&object["trace"]));
        } else if let Some(trace) = traces.last_mut() {
            trace
                .add(&object)
                .map_err(|wrong| wrong.at(&format!("line {line}")))?;
        }
        Ok(())
    })?;
    let logs = traces.into_iter().map(Trace::end);
    let records: Vec<Record> = logs
        .filter(|log| !log.sent.is_empty() || !log.metrics.is_empty())
        .map(Record::Qlog)
        .collect();
    if records.is_empty() {
        let expected = "an event packet_sent or recovery_metrics_updated";
        return Err(Mistake::at(KIND, "the whole", expected, "none"));
    }
    Ok(records)
}

/// Expectation of an event, and what was found.
struct Wrong(&'static str, String);

impl Wrong {
    fn at(self, place: &str) -> Mistake {
        Mistake::at(KIND, place, self.0, self.1)
    }
}

/// A text in small letters; an empty one of what is no text.
fn lower(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_ascii_lowercase()
}

/// A trace as far as it is read.
struct Trace {
    /// Seconds of a unit of its times.
    unit_s: f64,
    /// Each time is since the event before.
    is_delta: bool,
    /// Names of the columns, where events are rows of an array.
    columns: Vec<String>,
    /// The time of the latest event.
    at_s: f64,
    log: Qlog,
}

impl Trace {
    fn begin(trace: &Value) -> Self {
        let columns = trace["event_fields"].as_array().into_iter().flatten();
        let columns: Vec<String> = columns.map(lower).collect();
        let format = lower(&trace["common_fields"]["time_format"]);
        Self {
            unit_s: match lower(&trace["configuration"]["time_units"]).as_str() {
                "us" => 1e-6,
                _ => 1e-3,
            },
            is_delta: ["delta", "relative_to_previous_event"].contains(&format.as_str())
                || columns.iter().any(|column| column == "delta_time"),
            columns,
            at_s: 0.0,
            log: Qlog::default(),
        }
    }

    /// The value of an event by the names that it had in the drafts.
    fn field<'a>(&self, event: &'a Value, names: &[&str]) -> &'a Value {
        let found = |name: &&str| match event {
            Value::Array(row) => {
                let index = self.columns.iter().position(|column| column == name);
                index.and_then(|index| row.get(index))
            }
            _ => event.get(name),
        };
        names.iter().find_map(found).unwrap_or(&Value::Null)
    }

    fn add(&mut self, event: &Value) -> Result<(), Wrong> {
        // Converters from other formats end a list with an empty event.
        let is_empty = event.as_array().is_some_and(Vec::is_empty)
            || event.as_object().is_some_and(serde_json::Map::is_empty);
        if is_empty {
            return Ok(());
        }
        let time = self.field(event, &["time", "relative_time", "delta_time"]);
        // Early drafts had times as text.
        let number = time
            .as_f64()
            .or_else(|| super::text::number(time.as_str()?));
        let Some(at_s) = number.map(|time| time * self.unit_s) else {
            return Err(Wrong("a time", time.to_string()));
        };
        self.at_s = if self.is_delta {
            self.at_s + at_s
        } else {
            at_s
        };
        let at_s = self.at_s;
        if !(-1e12..=1e12).contains(&at_s) {
            return Err(Wrong("a time below 1e12 seconds", time.to_string()));
        }
        let name = lower(self.field(event, &["name", "event", "event_type"]));
        let data = self.field(event, &["data"]);
        match name.rsplit(':').next().unwrap_or_default() {
            "packet_sent" => {
                let packet = packet(data)?;
                self.log.sent.push(QuicSent { at_s, ..packet });
            }
            "packet_lost" => {
                let QuicSent { space, number, .. } = packet(data)?;
                self.log.lost.push(QuicLoss {
                    at_s,
                    space,
                    number,
                });
            }
            "metrics_updated" | "recovery_metrics_updated" | "metrics_update" | "metric_update" => {
                self.log.metrics.extend(metrics(data, at_s, self.unit_s)?);
            }
            _ => {}
        }
        Ok(())
    }

    /// The log, its times from its first event on.
    fn end(self) -> Qlog {
        let mut log = self.log;
        log.sent.sort_by(|a, b| a.at_s.total_cmp(&b.at_s));
        log.lost.sort_by(|a, b| a.at_s.total_cmp(&b.at_s));
        log.metrics.sort_by(|a, b| a.at_s.total_cmp(&b.at_s));
        let sent = log.sent.iter_mut().map(|it| &mut it.at_s);
        let lost = log.lost.iter_mut().map(|it| &mut it.at_s);
        let metrics = log.metrics.iter_mut().map(|it| &mut it.at_s);
        let times: Vec<&mut f64> = sent.chain(lost).chain(metrics).collect();
        let first = times
            .iter()
            .map(|at| **at)
            .min_by(f64::total_cmp)
            .unwrap_or_default();
        for at in times {
            *at -= first;
        }
        log
    }
}

/// The packet that an event is about, its time left open.
fn packet(data: &Value) -> Result<QuicSent, Wrong> {
    let header = &data["header"];
    let of = |name: &str| match &header[name] {
        Value::Null => &data[name],
        value => value,
    };
    let number = of("packet_number");
    let parsed = number.as_u64().or_else(|| number.as_str()?.parse().ok());
    let number = match parsed {
        Some(parsed) if parsed <= MAX_NUMBER => Some(parsed),
        None if number.is_null() => None,
        _ => return Err(Wrong("a packet number below 2^62", number.to_string())),
    };
    let sizes = [&data["raw"]["length"], of("packet_size"), &header["length"]];
    let bytes = sizes
        .into_iter()
        .find_map(count)
        .and_then(|bytes| u32::try_from(bytes).ok());
    let space = match lower(of("packet_type")).as_str() {
        "initial" => PacketSpace::Initial,
        "handshake" => PacketSpace::Handshake,
        _ => PacketSpace::Application,
    };
    Ok(QuicSent {
        at_s: 0.0,
        space,
        number,
        bytes,
    })
}

/// The measurements of an event, if it has any that are kept.
fn metrics(data: &Value, at_s: f64, unit_s: f64) -> Result<Option<QuicMetrics>, Wrong> {
    let rtt = |name: &str| match data[name].as_f64() {
        None => Ok(None),
        Some(rtt) if (0.0..=MAX_S).contains(&(rtt * unit_s)) => Ok(Some(rtt * unit_s)),
        Some(rtt) => Err(Wrong("a round trip from 0 to a year", rtt.to_string())),
    };
    let bytes = |names: [&str; 2]| names.iter().find_map(|name| count(&data[*name]));
    let found = QuicMetrics {
        at_s,
        latest_rtt_s: rtt("latest_rtt")?,
        min_rtt_s: rtt("min_rtt")?,
        smoothed_rtt_s: rtt("smoothed_rtt")?,
        cwnd: bytes(["congestion_window", "cwnd"]),
        in_flight: bytes(["bytes_in_flight", "in_flight"]),
    };
    let nothing = QuicMetrics {
        at_s,
        ..QuicMetrics::default()
    };
    Ok((found != nothing).then_some(found))
}
