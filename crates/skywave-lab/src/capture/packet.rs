//! From a simulated packet to the bytes that hosts would have put on the wire.
//!
//! Node `i` has address 10.0.0.1 + `i`; flow `f` goes from port 50000 + `f` to port 49152 (after 4000
//! flows, to the next port). Payloads are zeros. What machines leave out is added as a host would: the
//! receiver's sequence numbers, and options on SYN that the two ends agreed upon.

use etherparse::{IpNumber, Ipv4Header, TcpHeader, TcpOptionElement, UdpHeader};
use skywave_core::Time;
use skywave_core::packet::{Body, Packet, SackBlock, Segment};
use skywave_core::tcp::{Handshake, TcpConfig};
use skywave_core::wtcp::{Packet as WtcpPacket, wire};
use skywave_sim::spec::{FlowSpec, Spec, Transport};

/// Bytes of the longest headers behind IPv4's: UDP's and WTCP's with all options.
const MAX_TRANSPORT: usize = UdpHeader::LEN + wire::MAX_HEADER;
/// Bytes of the longest headers.
pub(super) const MAX_HEADERS: usize = Ipv4Header::MIN_LEN + MAX_TRANSPORT;
/// Payload that an IPv4 packet has room for whatever TCP's options are.
const MAX_PAYLOAD: u32 = u16::MAX as u32 - (Ipv4Header::MIN_LEN + TcpHeader::MAX_LEN) as u32;
static ZEROS: [u8; MAX_PAYLOAD as usize] = [0; MAX_PAYLOAD as usize];

const TIME_TO_LIVE: u8 = 64;
/// Ports: of data receivers from the first on, of data senders within so many of the second.
const RECEIVER_PORT: u16 = 49152;
const SENDER_PORT: u16 = 50000;
const SENDER_PORTS: usize = 4000;
/// Receivers send nothing of their own: their one sequence number is what the SYN-ACK takes.
const RECEIVER_ISS: u32 = 0;
/// What the data sender advertises: the simulation has no data for it.
const SENDER_WINDOW: u32 = u16::MAX as u32;
/// RFC 7323 section 2.3.
const MAX_SHIFT: u8 = 14;
const NS_PER_TIMESTAMP: u64 = 1_000_000;

/// One end of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct End {
    address: [u8; 4],
    port: u16,
}

/// What the packets of one flow have in common.
#[derive(Clone, Debug)]
pub(super) struct Framing {
    sender: End,
    receiver: End,
    /// `None` for UDP and WTCP.
    tcp: Option<Options>,
}

/// What the two ends of a connection agreed upon.
#[derive(Clone, Debug)]
struct Options {
    mss: u16,
    sack: bool,
    handshake: Handshake,
    /// Window scale of the receiver: the smallest with which its buffer can be told.
    shift: u8,
}

impl Framing {
    /// For flow `index` of `spec`; `None` when its packets are longer than IPv4 permits.
    pub(super) fn new(index: usize, spec: &Spec) -> Option<Self> {
        let flow = &spec.flows[index];
        let group = (index / SENDER_PORTS).min(usize::from(SENDER_PORT - RECEIVER_PORT) - 1);
        let end = |node: usize, port| End {
            address: (0x0A00_0001_u32.wrapping_add(node as u32)).to_be_bytes(),
            port,
        };
        (longest_payload(flow) <= MAX_PAYLOAD).then(|| Self {
            sender: end(flow.from, SENDER_PORT + (index % SENDER_PORTS) as u16),
            receiver: end(flow.to, RECEIVER_PORT + group as u16),
            tcp: match &flow.transport {
                Transport::Tcp(config) => Some(Options::of(config)),
                Transport::Udp { .. } | Transport::Wtcp { .. } => None,
            },
        })
    }

    /// Writes a packet into `out`, the payload only up to `keep` bytes of the whole; gives the whole
    /// packet's length. Checksums are those of the whole packet.
    pub(super) fn write(&self, packet: &Packet, keep: usize, out: &mut Vec<u8>) -> u32 {
        out.clear();
        let (from, to) = match packet.body {
            Body::TcpAck(_) | Body::WtcpBack(_) => (self.receiver, self.sender),
            Body::TcpData(_) | Body::Udp(_) | Body::WtcpForward(_) => (self.sender, self.receiver),
        };
        let mut header = [0; MAX_TRANSPORT];
        let (protocol, header_length, payload) = match &packet.body {
            Body::TcpData(segment) | Body::TcpAck(segment) => {
                let is_ack = matches!(packet.body, Body::TcpAck(_));
                let payload = zeros(segment.len);
                let tcp = self.tcp_header(segment, is_ack);
                let tcp = with_checksum(tcp, from, to, payload);
                header[..tcp.len()].copy_from_slice(&tcp);
                (IpNumber::TCP, tcp.len(), payload)
            }
            Body::Udp(datagram) => {
                let payload = zeros(datagram.len);
                let udp = udp_header(from, to, payload);
                header[..udp.len()].copy_from_slice(&udp);
                (IpNumber::UDP, udp.len(), payload)
            }
            Body::WtcpForward(carried) | Body::WtcpBack(carried) => {
                let datagram = { carried.0 };
                let payload = zeros(u32::from(datagram.payload_len()));
                let length = wtcp_headers(from, to, packet.flow, &datagram, payload, &mut header);
                (IpNumber::UDP, length, payload)
            }
        };
        let length = (header_length + payload.len()) as u16;
        // A payload of at most `MAX_PAYLOAD` bytes fits, so there is no error to fall back from.
        let mut ip = Ipv4Header::new(length, TIME_TO_LIVE, protocol, from.address, to.address)
            .unwrap_or_default();
        ip.dont_fragment = true;
        ip.header_checksum = ip.calc_header_checksum();
        out.extend(ip.to_bytes());
        out.extend(&header[..header_length]);
        let whole = out.len() + payload.len();
        out.extend(&payload[..keep.saturating_sub(out.len()).min(payload.len())]);
        whole as u32
    }

    fn tcp_header(&self, segment: &Segment, is_ack: bool) -> TcpHeader {
        let (from, to) = if is_ack {
            (self.receiver, self.sender)
        } else {
            (self.sender, self.receiver)
        };
        let span = self.tcp.as_ref().map_or(0, |o| o.handshake.span() as u32);
        let mut tcp = TcpHeader::new(from.port, to.port, segment.seq.0, 0);
        tcp.syn = segment.flags.syn;
        tcp.ack = segment.flags.ack;
        tcp.fin = segment.flags.fin;
        tcp.psh = segment.len > 0;
        if is_ack {
            let syn = u32::from(segment.flags.syn);
            tcp.sequence_number = RECEIVER_ISS.wrapping_add(span - syn.min(span));
            tcp.acknowledgment_number = segment.ack.0;
        } else if segment.flags.ack {
            tcp.acknowledgment_number = RECEIVER_ISS.wrapping_add(span);
        }
        tcp.window_size = self.window(segment, is_ack);
        // Fits: SYN's options take 20 bytes, timestamps and three SACK blocks 40, four blocks 36.
        let _ = tcp.set_options(&self.options(segment));
        tcp
    }

    /// The window field. That of a SYN is never scaled (RFC 7323 section 2.2).
    fn window(&self, segment: &Segment, is_ack: bool) -> u16 {
        let shift = match &self.tcp {
            Some(options) if is_ack && !segment.flags.syn => options.shift,
            _ => 0,
        };
        let bytes = if is_ack {
            segment.window
        } else {
            SENDER_WINDOW
        };
        (bytes >> shift).min(u32::from(u16::MAX)) as u16
    }

    fn options(&self, segment: &Segment) -> Vec<TcpOptionElement> {
        use TcpOptionElement::{MaximumSegmentSize, Noop, WindowScale};
        let mut list = Vec::new();
        if let Some(options) = self.tcp.as_ref().filter(|_| segment.flags.syn) {
            // The sender's own window needs no scale, but both ends must name one.
            let shift = if segment.flags.ack { options.shift } else { 0 };
            list.extend([MaximumSegmentSize(options.mss), Noop, WindowScale(shift)]);
            if options.sack {
                let permitted = TcpOptionElement::SelectiveAcknowledgementPermitted;
                list.extend([Noop, Noop, permitted]);
            }
        }
        if let Some(timestamps) = segment.timestamps {
            let (value, echo) = (ticks(timestamps.value), ticks(timestamps.echo));
            // A SYN has nothing to echo (RFC 7323 section 3.2).
            let echo = if segment.flags.ack { echo } else { 0 };
            list.extend([Noop, Noop, TcpOptionElement::Timestamp(value, echo)]);
        }
        if let Some((first, rest)) = segment.sack.split_first() {
            let mut more = [None; 3];
            for (slot, block) in more.iter_mut().zip(rest) {
                *slot = Some(edges(*block));
            }
            let blocks = TcpOptionElement::SelectiveAcknowledgement(edges(*first), more);
            list.extend([Noop, Noop, blocks]);
        }
        list
    }
}

impl Options {
    fn of(config: &TcpConfig) -> Self {
        let fits = |shift: &u8| u16::try_from(config.rwnd >> shift).is_ok();
        Self {
            mss: config.mss.min(u32::from(u16::MAX)) as u16,
            sack: config.sack,
            handshake: config.handshake,
            shift: (0..MAX_SHIFT).find(fits).unwrap_or(MAX_SHIFT),
        }
    }
}

fn longest_payload(flow: &FlowSpec) -> u32 {
    use skywave_sim::spec::Traffic;
    match (&flow.transport, flow.traffic) {
        (Transport::Tcp(config), _) => config.mss,
        (Transport::Wtcp { config, .. }, _) => u32::from(config.mss),
        (_, Traffic::Cbr { packet, .. } | Traffic::OnOff { packet, .. }) => packet,
        _ => 0,
    }
}

fn zeros(length: u32) -> &'static [u8] {
    &ZEROS[..(length.min(MAX_PAYLOAD)) as usize]
}

/// Milliseconds, which is what hosts count timestamps in.
fn ticks(time: Time) -> u32 {
    (time.as_nanos() / NS_PER_TIMESTAMP) as u32
}

fn edges(block: SackBlock) -> (u32, u32) {
    (block.start.0, block.end.0)
}

fn with_checksum(mut tcp: TcpHeader, from: End, to: End, payload: &[u8]) -> Vec<u8> {
    tcp.checksum = tcp
        .calc_checksum_ipv4_raw(from.address, to.address, payload)
        .unwrap_or_default();
    tcp.to_bytes().to_vec()
}

/// The headers of UDP and WTCP; the number of the flow is that of the connection. Returns their length.
fn wtcp_headers(
    from: End,
    to: End,
    flow: u32,
    datagram: &WtcpPacket,
    payload: &[u8],
    out: &mut [u8; MAX_TRANSPORT],
) -> usize {
    let wtcp = wire::header(flow, datagram);
    let udp = udp_header(from, to, &[&wtcp, payload].concat());
    let length = udp.len() + wtcp.len();
    out[..udp.len()].copy_from_slice(&udp);
    out[udp.len()..length].copy_from_slice(&wtcp);
    length
}

fn udp_header(from: End, to: End, payload: &[u8]) -> [u8; UdpHeader::LEN] {
    let mut udp = UdpHeader {
        source_port: from.port,
        destination_port: to.port,
        length: (UdpHeader::LEN + payload.len()) as u16,
        checksum: 0,
    };
    udp.checksum = udp
        .calc_checksum_ipv4_raw(from.address, to.address, payload)
        .unwrap_or_default();
    udp.to_bytes()
}

#[cfg(test)]
mod tests;
