//! Records of a link, as common tools write them.
//!
//! Whatever the tool, a record is one of a few shapes: [`Probes`] that were sent at known times and answered or not,
//! [`Throughput`] by intervals, [`Rates`] that the link had, what a QUIC stack logged ([`Qlog`]), or the transfers of a
//! capture. [`read`] tells the kinds apart by what is in them, never by a file's name.

mod columns;
#[cfg(test)]
mod fixtures;
mod iperf;
mod irtt;
mod json;
mod mahimahi;
mod mistake;
mod ping;
mod probe;
mod qlog;
mod rates;
mod schedule;
mod table;
#[cfg(test)]
mod tests;
mod text;
mod throughput;

pub use mistake::Mistake;
pub use probe::{Fate, Probe, ProbeTool, Probes, Reading, Way};
pub use qlog::{PacketSpace, Qlog, QuicLoss, QuicMetrics, QuicSent};
pub use rates::{Rates, Span};
pub use text::{GZIP, is_capture};
pub use throughput::{Carried, Interval, Lost, Throughput};

/// Record of a link, as a common tool wrote it: one variant for each kind.
#[derive(Clone, Debug, PartialEq)]
pub enum Record {
    /// Probes of ping, irtt or a table of delays.
    Probes(Probes),
    /// A test of iperf3 in one direction.
    Throughput(Throughput),
    /// A trace of the rates that a link had.
    Rates(Rates),
    /// A log of one QUIC connection (qlog).
    Qlog(Qlog),
    /// A packet capture (pcap or pcapng), which is only recognised here; [`transfer::read`](fn@crate::transfer::read)
    /// reads it.
    Capture,
    /// A scenario file with a link, which is no record: it is only recognised here.
    Link,
}

/// Reads the records in the bytes of one file: several if a log holds several runs, or a run went both ways.
///
/// Text may be UTF-8, UTF-16 with a byte order mark or a Windows code page, and any record may be compressed by gzip.
/// An error says what was expected, where, and what was found.
pub fn read(bytes: &[u8]) -> Result<Vec<Record>, Mistake> {
    let bytes = text::gunzipped(bytes)?;
    if text::is_capture(&bytes) {
        return Ok(vec![Record::Capture]);
    }
    let text = text::decoded(&bytes)?;
    let Some(first) = text::first_line(&text) else {
        return Err(Mistake::Empty);
    };
    if let Some(kind) = json::kind(&text) {
        return match kind {
            json::Kind::Irtt => irtt::read(&text),
            json::Kind::Iperf => iperf::read(&text),
            json::Kind::Qlog => qlog::read(&text),
        };
    }
    if text::is_scenario(&text) {
        return Ok(vec![Record::Link]);
    }
    if ping::is_unix(&text) {
        return ping::unix(&text);
    }
    if ping::is_windows(&text) {
        return ping::windows(&text);
    }
    if iperf::is_words(&text) {
        return Err(Mistake::at(
            "iperf3",
            "line 1",
            "its JSON (iperf3 -J)",
            "its words",
        ));
    }
    if let Some(header) = table::header(&text) {
        return table::read(&text, header);
    }
    match columns::count(first) {
        Some(1) => mahimahi::read(&text),
        Some(_) => columns::read(&text),
        None => Err(Mistake::Unknown),
    }
}
