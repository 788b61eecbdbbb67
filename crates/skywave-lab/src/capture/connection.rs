//! The connections that a capture shows.

use std::collections::BTreeMap;
use std::io::Read;

use skywave_core::seq::SeqNr;

use super::dissect::{Dissected, Endpoint, dissect};
use super::ranges::Ranges;
use super::read::{Frame, ReadError, read};
use super::remark::Remark;

/// Stream positions begin here, so that what was sent before a capture began has one too.
const FIRST_POSITION: u64 = 1 << 32;

/// Contents of a capture: its packets, counted, and its connections.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Packets in the capture.
    pub packets: u64,
    /// Packets that are not TCP or UDP, or of which too few bytes were kept to tell.
    pub other: u64,
    /// Times of the first and the last packet, nanoseconds since the zero of the capture's clock (1970, or the start of
    /// a simulated run); `None` without packets.
    pub span_ns: Option<(u64, u64)>,
    /// Whether the file ends within a packet or another block, as when the capturing was interrupted.
    pub cut_off: bool,
    /// Connections in the order of their first packets.
    pub connections: Vec<Connection>,
    latest: BTreeMap<(Protocol, Endpoint, Endpoint), usize>,
}

/// Transport protocol of a captured packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Protocol {
    /// Transmission Control Protocol (TCP).
    Tcp,
    /// User Datagram Protocol (UDP), which also carries QUIC.
    Udp,
}

/// A TCP connection that a capture shows, or all UDP packets between two addresses with ports.
#[derive(Clone, Debug)]
pub struct Connection {
    /// Transport protocol of the packets.
    pub protocol: Protocol,
    /// End that sent the connection's first packet in the capture.
    pub from: Endpoint,
    /// End that did not send the connection's first packet in the capture.
    pub to: Endpoint,
    /// Times of the connection's first and last packet, nanoseconds since the zero of the capture's clock.
    pub span_ns: (u64, u64),
    /// Counts of the packets that `from` sent.
    pub forward: Direction,
    /// Counts of the packets that `to` sent.
    pub backward: Direction,
}

/// Counts of what one end of a connection sent, as far as the capture shows it.
#[derive(Clone, Debug, Default)]
pub struct Direction {
    /// Number of packets that this end sent.
    pub packets: u64,
    /// Bytes of all packets that this end sent, at their full length even if the capture has fewer, with the link-layer
    /// header if the capture has one.
    pub bytes: u64,
    /// Number of packets with a payload.
    pub data_packets: u64,
    /// Bytes of TCP or UDP payload, retransmissions included.
    pub payload_bytes: u64,
    /// Bytes of TCP or UDP payload in packets that no comment in the capture calls lost or damaged; with TCP, each byte
    /// of the stream counts once.
    pub passed_bytes: u64,
    /// Number of TCP segments that repeat sequence numbers seen earlier in the capture; copies that a link made do not
    /// count.
    pub retransmits: u64,
    /// Number of packets with each remark (lost, damaged, duplicated, …) that a comment in the capture makes.
    pub remarks: BTreeMap<Remark, u64>,
    stream: Option<Stream>,
}

/// One direction's sequence numbers.
#[derive(Clone, Debug)]
struct Stream {
    /// The sequence number of the first segment.
    first: u32,
    highest: u64,
    shown: Ranges,
    passed: Ranges,
}

impl Summary {
    /// Reads a whole pcap or pcapng file, and returns its summary. A file that ends within a packet is no error, but
    /// sets [`Self::cut_off`].
    ///
    /// # Errors
    /// No pcap or pcapng file, a damaged block, or a failed read.
    pub fn read(input: impl Read + Send) -> Result<Self, ReadError> {
        let mut summary = Self::default();
        let complete = read(input, |frame| {
            summary.add(frame);
        })?;
        summary.cut_off = !complete;
        Ok(summary)
    }

    /// Counts a captured packet, and adds it to the counts of its connection; the first packet of a connection adds the
    /// connection to the list. Returns the dissected packet, as [`dissect`] does.
    pub fn add(&mut self, frame: &Frame<'_>) -> Option<Dissected> {
        self.packets += 1;
        let (first, last) = self.span_ns.unwrap_or((frame.at_ns, frame.at_ns));
        self.span_ns = Some((first.min(frame.at_ns), last.max(frame.at_ns)));
        let Some(packet) = dissect(frame) else {
            self.other += 1;
            return None;
        };
        let index = self.connection(&packet, frame.at_ns);
        let connection = &mut self.connections[index];
        let (first, last) = connection.span_ns;
        connection.span_ns = (first.min(frame.at_ns), last.max(frame.at_ns));
        let direction = if packet.from == connection.from {
            &mut connection.forward
        } else {
            &mut connection.backward
        };
        direction.add(&packet, frame);
        Some(packet)
    }

    /// The connection of a packet, a new one if need be.
    fn connection(&mut self, packet: &Dissected, at_ns: u64) -> usize {
        let protocol = match packet.tcp {
            Some(_) => Protocol::Tcp,
            None => Protocol::Udp,
        };
        let (low, high) = (packet.from.min(packet.to), packet.from.max(packet.to));
        let key = (protocol, low, high);
        if let Some(&index) = self.latest.get(&key)
            && !self.connections[index].is_replaced_by(packet)
        {
            return index;
        }
        self.latest.insert(key, self.connections.len());
        self.connections.push(Connection {
            protocol,
            from: packet.from,
            to: packet.to,
            span_ns: (at_ns, at_ns),
            forward: Direction::default(),
            backward: Direction::default(),
        });
        self.connections.len() - 1
    }
}

impl Connection {
    /// A SYN with another sequence number opens another connection between the same ports.
    fn is_replaced_by(&self, packet: &Dissected) -> bool {
        let Some(tcp) = packet.tcp.as_ref().filter(|tcp| tcp.syn && !tcp.ack) else {
            return false;
        };
        let direction = if packet.from == self.from {
            &self.forward
        } else {
            &self.backward
        };
        let stream = direction.stream.as_ref();
        stream.is_some_and(|stream| stream.first != tcp.sequence_number)
    }

    /// Seconds from the connection's first packet to its last.
    pub fn duration_s(&self) -> f64 {
        (self.span_ns.1 - self.span_ns.0) as f64 / 1e9
    }

    /// Goodput of one direction, bit/s: [`Direction::passed_bytes`] over the connection's duration; zero when the
    /// duration is zero, as with a single packet.
    pub fn goodput_bps(&self, direction: &Direction) -> f64 {
        let duration = self.duration_s();
        if duration > 0.0 {
            direction.passed_bytes as f64 * 8.0 / duration
        } else {
            0.0
        }
    }
}

impl Direction {
    fn add(&mut self, packet: &Dissected, frame: &Frame<'_>) {
        self.packets += 1;
        self.bytes += u64::from(frame.length);
        self.payload_bytes += packet.payload;
        self.data_packets += u64::from(packet.payload > 0);
        for remark in &frame.remarks {
            *self.remarks.entry(*remark).or_default() += 1;
        }
        let lost = frame.remarks.iter().any(|remark| remark.is_loss());
        let Some(tcp) = &packet.tcp else {
            self.passed_bytes += if lost { 0 } else { packet.payload };
            return;
        };
        let stream = self.stream.get_or_insert_with(|| Stream {
            first: tcp.sequence_number,
            highest: FIRST_POSITION,
            shown: Ranges::default(),
            passed: Ranges::default(),
        });
        let seq = SeqNr(tcp.sequence_number);
        let Some(start) = seq.expand(stream.first, stream.highest) else {
            return; // from long before the first segment of the capture
        };
        let data = start + u64::from(tcp.syn);
        let end = data + packet.payload + u64::from(tcp.fin);
        stream.highest = stream.highest.max(end);
        let new = stream.shown.insert(start, end);
        // A copy that the network itself made is no retransmission.
        if new < end - start && !frame.remarks.contains(&Remark::Copy) {
            self.retransmits += 1;
        }
        if !lost {
            self.passed_bytes += stream.passed.insert(data, data + packet.payload);
        }
    }
}

#[cfg(test)]
mod tests;
