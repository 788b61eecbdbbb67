//! From a simulated packet to the bytes that hosts would have put on the wire.
//!
//! Node `i` has address 10.0.0.1 + `i`; flow `f` goes from port 50000 + `f` to port 49152 (after 4000
//! flows, to the next port). Payloads are zeros. TCP segments are written by the core's codec
//! ([`wire`]). The simulation's hosts leave out some fields, since nothing there depends on them; they
//! are filled in here as a host would: the receiver's sequence numbers, the sender's window, and the
//! options of a SYN that the two ends agreed upon. A QUIC packet is a datagram of its length, of zeros: on a real
//! wire it would be encrypted.

use std::net::{Ipv4Addr, SocketAddrV4};

use etherparse::{Ipv4Header, TcpHeader, UdpHeader};
use skywave_core::packet::{Body, Flags, Hole, Options, Packet, Segment, SynOptions, Timestamps};
use skywave_core::seq::SeqNr;
use skywave_core::tcp::wire::{self, Endpoints, MAX_PAYLOAD, MAX_SHIFT, TimestampClock, ip};
use skywave_core::tcp::{Handshake, TcpConfig};
use skywave_core::wtcp;
use skywave_core::{Duration, Offset, Time};
use skywave_sim::spec::{FlowSpec, Spec, Transport};

/// Bytes of the longest headers: IPv4's, UDP's and WTCP's with all options.
pub(super) const MAX_HEADERS: usize = Ipv4Header::MIN_LEN + UdpHeader::LEN + wtcp::wire::MAX_HEADER;
// TCP's are shorter.
const _: () = assert!(Ipv4Header::MIN_LEN + TcpHeader::MAX_LEN <= MAX_HEADERS);
static ZEROS: [u8; MAX_PAYLOAD] = [0; MAX_PAYLOAD];

/// Ports: receivers have the first one and those after it, senders the second one and up to
/// [`SENDER_PORTS`] after it.
const RECEIVER_PORT: u16 = 49152;
const SENDER_PORT: u16 = 50000;
const SENDER_PORTS: usize = 4000;
/// Receivers send no data: the only sequence number that they use is that of the SYN-ACK.
const RECEIVER_ISS: u32 = 0;
/// Window that data senders advertise: the simulation has no data for them.
const SENDER_WINDOW: u32 = u16::MAX as u32;

/// The fields that all packets of one flow have in common.
#[derive(Clone, Debug)]
pub(super) struct Framing {
    sender: SocketAddrV4,
    receiver: SocketAddrV4,
    /// `None` for UDP, WTCP and QUIC.
    tcp: Option<Agreement>,
}

/// The options that the two ends of a TCP connection agreed upon.
#[derive(Clone, Debug)]
struct Agreement {
    mss: u16,
    sack: bool,
    handshake: Handshake,
    /// Window scale of the receiver, which may be a proxy: the smallest with which the size of its buffer fits the
    /// window field.
    shift: u8,
}

impl Framing {
    /// Framing of flow `index` of `spec`; `None` when its packets are longer than IPv4 permits.
    pub(super) fn new(index: usize, spec: &Spec) -> Option<Self> {
        let flow = &spec.flows[index];
        let group = (index / SENDER_PORTS).min(usize::from(SENDER_PORT - RECEIVER_PORT) - 1);
        let end = |node: usize, port| {
            let address = 0x0A00_0001_u32.wrapping_add(node as u32);
            SocketAddrV4::new(Ipv4Addr::from_bits(address), port)
        };
        (longest_payload(flow) as usize <= MAX_PAYLOAD).then(|| Self {
            sender: end(flow.from, SENDER_PORT + (index % SENDER_PORTS) as u16),
            receiver: end(flow.to, RECEIVER_PORT + group as u16),
            tcp: match &flow.transport {
                Transport::Tcp(config) => {
                    let proxy = spec.proxies.iter().find(|proxy| proxy.near == index);
                    let buffer = proxy.map_or(config.rwnd, |proxy| proxy.buffer);
                    Some(Agreement::of(config, buffer))
                }
                Transport::Udp { .. } | Transport::Wtcp { .. } | Transport::Quic { .. } => None,
            },
        })
    }

    /// Writes a packet into `out`, the payload only up to `keep` bytes of the whole; gives the whole
    /// packet's length. Checksums are those of the whole packet.
    pub(super) fn write(&self, packet: &Packet, keep: usize, out: &mut Vec<u8>) -> u32 {
        out.clear();
        let (source, destination) = if packet.body.goes_back() {
            (self.receiver, self.sender)
        } else {
            (self.sender, self.receiver)
        };
        let payload = match &packet.body {
            Body::TcpData(segment) | Body::TcpAck(segment) => {
                let is_ack = matches!(packet.body, Body::TcpAck(_));
                let header = wire::Header {
                    endpoints: Endpoints {
                        source: source.into(),
                        destination: destination.into(),
                    },
                    ecn: packet.ecn,
                    window_shift: match &self.tcp {
                        Some(agreement) if is_ack => agreement.shift,
                        _ => 0,
                    },
                    clock: TimestampClock::default(),
                };
                let payload = zeros(segment.len);
                let segment = self.completed(segment, is_ack);
                // It fits: a SYN's options take 24 bytes, timestamps and three SACK blocks 40, four
                // blocks 36, and payloads were checked when the flow's framing was made.
                let written = wire::write_headers(&header, &segment, payload, out);
                debug_assert_eq!(written, Ok(()));
                payload
            }
            Body::Udp(datagram) => {
                let payload = zeros(datagram.len);
                datagram_headers(packet, source, destination, payload, out);
                payload
            }
            // Between two nodes of the way, here with the addresses of its ends.
            Body::Nack(hole) | Body::NackRefused(hole) => {
                let numbers = [hole.start.0.to_be_bytes(), hole.end.0.to_be_bytes()].concat();
                let mut payload = vec![0; Hole::PAYLOAD_BYTES as usize - numbers.len()];
                payload.extend(numbers);
                datagram_headers(packet, source, destination, &payload, out);
                out.extend(payload);
                &[]
            }
            // All of it is encrypted: nobody on the way sees more of it than its length.
            Body::QuicForward(carried) | Body::QuicBack(carried) => {
                let payload = zeros({ carried.0 }.len());
                datagram_headers(packet, source, destination, payload, out);
                payload
            }
            Body::WtcpForward(carried) | Body::WtcpBack(carried) => {
                let carried = { carried.0 };
                let payload = zeros(u32::from(carried.payload_len()));
                // The number of the flow is that of the connection.
                let wtcp = wtcp::wire::header(packet.flow, &carried);
                let udp = udp_header(source, destination, &[&wtcp, payload].concat());
                let length = udp.len() + wtcp.len() + payload.len();
                ip_header(packet, source, destination, length, out);
                out.extend(udp);
                out.extend(wtcp);
                payload
            }
        };
        let whole = out.len() + payload.len();
        out.extend(&payload[..keep.saturating_sub(out.len()).min(payload.len())]);
        whole as u32
    }

    /// `segment` with the fields that the simulation's hosts leave out.
    fn completed(&self, segment: &Segment, is_ack: bool) -> Segment {
        let span = self.tcp.as_ref().map_or(0, |o| o.handshake.span() as u32);
        let mut segment = *segment;
        if segment.len > 0 {
            segment.flags |= Flags::PSH;
        }
        if is_ack {
            let syn = u32::from(segment.is_syn());
            segment.seq = SeqNr(RECEIVER_ISS.wrapping_add(span - syn.min(span)));
        } else {
            segment.ack = SeqNr(RECEIVER_ISS.wrapping_add(span));
            segment.window = SENDER_WINDOW;
        }
        if let Some(agreement) = self.tcp.as_ref().filter(|_| segment.is_syn())
            && segment.options == Options::None
        {
            segment.options = Options::Syn(agreement.offer(segment.is_ack()));
        }
        segment.timestamps = segment.timestamps.map(|timestamps| Timestamps {
            value: after_origin(timestamps.value),
            echo: after_origin(timestamps.echo),
        });
        segment
    }
}

/// A reading of a clock that may be from before its origin, as one of the same value on the wire after it.
fn after_origin(reading: Time) -> Time {
    let cycle = Duration::from_millis(1 << 32);
    if reading.offset_from(Time::ZERO) < Offset::ZERO {
        Time::from_nanos(reading.as_nanos().wrapping_add(cycle.as_nanos()))
    } else {
        reading
    }
}

impl Agreement {
    fn of(config: &TcpConfig, buffer: u32) -> Self {
        let fits = |shift: &u8| u16::try_from(buffer >> shift).is_ok();
        Self {
            mss: config.mss.min(u32::from(u16::MAX)) as u16,
            sack: config.sack,
            handshake: config.handshake,
            shift: (0..MAX_SHIFT).find(fits).unwrap_or(MAX_SHIFT),
        }
    }

    /// The options of the receiver's SYN-ACK, or of the sender's SYN.
    fn offer(&self, is_syn_ack: bool) -> SynOptions {
        SynOptions {
            mss: Some(self.mss),
            // The sender's own window needs no scale, but both ends must name one.
            window_scale: Some(if is_syn_ack { self.shift } else { 0 }),
            sack_permitted: self.sack,
        }
    }
}

fn longest_payload(flow: &FlowSpec) -> u32 {
    use skywave_sim::spec::Traffic;
    match (&flow.transport, &flow.traffic) {
        (Transport::Tcp(config), _) => config.mss,
        (Transport::Wtcp { config, .. }, _) => u32::from(config.mss),
        (Transport::Quic { config, .. }, _) => config.packet_bytes(),
        (_, Traffic::Cbr { packet, .. } | Traffic::OnOff { packet, .. }) => *packet,
        _ => 0,
    }
}

fn zeros(length: u32) -> &'static [u8] {
    &ZEROS[..(length as usize).min(MAX_PAYLOAD)]
}

/// Appends the headers of a UDP packet.
fn datagram_headers(
    packet: &Packet,
    source: SocketAddrV4,
    destination: SocketAddrV4,
    payload: &[u8],
    out: &mut Vec<u8>,
) {
    let udp = udp_header(source, destination, payload);
    ip_header(packet, source, destination, udp.len() + payload.len(), out);
    out.extend(udp);
}

/// Appends the IP header of a UDP packet of `length` bytes.
fn ip_header(
    packet: &Packet,
    source: SocketAddrV4,
    destination: SocketAddrV4,
    length: usize,
    out: &mut Vec<u8>,
) {
    let header = ip::Header {
        addresses: ip::Addresses::V4 {
            source: *source.ip(),
            destination: *destination.ip(),
        },
        ecn: packet.ecn,
        protocol: ip::UDP,
    };
    // A payload of at most `MAX_PAYLOAD` bytes fits, so there is no error to fall back from.
    let written = ip::write(&header, length, out);
    debug_assert_eq!(written, Ok(()));
}

fn udp_header(
    source: SocketAddrV4,
    destination: SocketAddrV4,
    payload: &[u8],
) -> [u8; UdpHeader::LEN] {
    let mut udp = UdpHeader {
        source_port: source.port(),
        destination_port: destination.port(),
        length: (UdpHeader::LEN + payload.len()) as u16,
        checksum: 0,
    };
    let (from, to) = (source.ip().octets(), destination.ip().octets());
    udp.checksum = udp
        .calc_checksum_ipv4_raw(from, to, payload)
        .unwrap_or_default();
    udp.to_bytes()
}

#[cfg(test)]
mod tests;
