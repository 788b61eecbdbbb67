//! From a capture to the transfers that it shows.

use std::collections::BTreeMap;
use std::io::Read;

use etherparse::TcpOptionElement;
use skywave_core::seq::SeqNr;
use skywave_lab::capture::{Dissected, Endpoint, Frame, ReadError, Remark, Summary, is_tcp_cut};
use smallvec::SmallVec;

use super::answer::Answer;
use super::bins::Bins;
use super::board::Board;
use super::sent::Sent;

/// Stream positions begin here, so that what was sent before the capture began has one too.
const FIRST_POSITION: u64 = 1 << 32;
/// Most payload of a segment where no SYN tells: Ethernet's.
const USUAL_MSS: u64 = 1460;
/// Segments at most into which a packet is cut: a card takes 64 kB, and no path has segments of less than 512 bytes.
const MOST_PIECES: u64 = 128;
/// Bytes of the timestamps option, which the MSS of a SYN does not reckon with (RFC 6691).
const TIMESTAMPS: u64 = 12;

/// Steps back of the time between packets that count, nanoseconds: several queues of a network card make shorter ones.
const BACK_NS: u64 = 1_000_000;
/// Share of packets, one in this number, that may be earlier than the packet before them. With more the capture is out
/// of order; a clock that is set back makes one such step.
const ONE_IN: u64 = 100;

/// TCP transfers of a packet capture, and counts of all its packets.
#[derive(Clone, Debug, Default)]
pub struct Capture {
    /// Counts of the capture's packets and connections.
    pub summary: Summary,
    /// Whether the file ends within a packet.
    pub is_cut_off: bool,
    /// Packets that are more than 1 ms before the packet ahead of them in the file.
    pub backward: u64,
    /// TCP packets that are left out, as the capture does not have their whole header with its options.
    pub cut: u64,
    /// Transfers of the capture, one for each direction of a TCP connection with a payload, in the order in which the
    /// connections began.
    pub transfers: Vec<Transfer>,
}

impl Capture {
    /// Whether packets are not in the order of their times, so that transfers cannot be followed.
    pub fn is_out_of_order(&self) -> bool {
        self.backward > (self.summary.packets / ONE_IN).max(1)
    }
}

/// One direction of a TCP connection, as a capture shows it: the data, and the acknowledgements of it.
#[derive(Clone, Debug)]
pub struct Transfer {
    /// Address and port of the data's sender.
    pub from: Endpoint,
    /// Address and port of the data's receiver.
    pub to: Endpoint,
    /// Seconds from the capture's first packet to the connection's first packet.
    pub begins_s: f64,
    /// Seconds from the connection's first packet to its last.
    pub duration_s: f64,
    /// Opening (three-way handshake) of the connection; `None` if the capture does not show it.
    pub handshake: Option<Handshake>,
    /// Payload of the largest segment, bytes.
    pub mss: u32,
    /// Header bytes of a data packet, from the IP header on: the most that one had.
    pub headers: u32,
    /// Transmissions of segments, first ones and retransmissions, in the order of time.
    pub sent: Vec<Sent>,
    /// Pairs of indices into [`Self::sent`], in the order of time: a retransmission, and the first transmission of the
    /// same segment. Retransmissions of data that had been acknowledged before are not among them.
    pub origins: Vec<(u32, u32)>,
    /// Time series of the transfer in bins of 10 ms.
    pub bins: Bins,
    /// Acknowledgements of the data that carry timestamps (RFC 7323), of the connection's first 71 minutes (2³² µs);
    /// empty if it has none.
    pub answers: Vec<Answer>,
    /// Payload bytes that were acknowledged, each counted once.
    pub delivered: u64,
    /// Payload bytes that were sent but are missing from the capture, as when tcpdump could not keep up.
    pub unseen: u64,
    /// Whether the capture was taken near the sender of the data, so that its round trips are the path's.
    pub is_near_sender: bool,
    /// Comments on data packets, such as the cause of a loss, that this project's simulator or relay writes into its
    /// captures; by the index in [`Self::sent`], empty for other captures.
    pub remarks: Vec<Option<Remark>>,
}

/// Opening (three-way handshake) of a TCP connection, as the capture shows it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Handshake {
    /// Round trip of the opening where the capture was taken, seconds: from the data sender's SYN to the SYN-ACK, or
    /// from its SYN-ACK to the ACK.
    pub rtt_s: f64,
    /// Whether the data's sender had to send its SYN or SYN-ACK again.
    pub is_repeated: bool,
}

/// Round trips below the least that is believed: the third smallest is robust against two odd ones.
const ODD: usize = 2;

impl Transfer {
    /// Round trips in rising order, microseconds.
    pub(crate) fn rtts_us(&self) -> Vec<u32> {
        let rtts = self.sent.iter().filter_map(Sent::rtt_us);
        let mut rtts: Vec<u32> = rtts.collect();
        rtts.sort_unstable();
        rtts
    }

    /// The least round trip, seconds: of the opening, or of the segments, whose round trips are given in rising order, microseconds.
    /// `None` if no segment has one.
    pub(crate) fn least_rtt_s(&self, rtts_us: &[u32]) -> Option<f64> {
        let least = rtts_us[ODD.min(rtts_us.len().checked_sub(1)?)];
        let least = f64::from(least) / 1e6;
        let opening = self.handshake.filter(|handshake| !handshake.is_repeated);
        Some(opening.map_or(least, |handshake| least.min(handshake.rtt_s)))
    }
}

/// One end's part of a connection.
#[derive(Clone, Debug, Default)]
struct End {
    first: Option<u32>,
    board: Option<Board>,
    answers: Vec<Answer>,
    /// When it sent its SYN or SYN-ACK, and how often.
    syn_ns: Option<u64>,
    syns: u32,
    /// Seconds until the other end's answer to that.
    answered_s: Option<f64>,
    mss: Option<u16>,
    shift: Option<u8>,
    headers: u64,
    largest: u64,
    remarks: Vec<Option<Remark>>,
}

#[derive(Clone, Debug)]
struct Connection {
    ends: [Endpoint; 2],
    begins_ns: u64,
    last_ns: u64,
    halves: [End; 2],
    /// The client is the first of the ends.
    has_timestamps: bool,
}

/// Reads the TCP transfers of a capture, pcap or pcapng. An error if it is damaged; one that ends within a
/// packet is read up to there.
pub fn read(input: impl Read + Send) -> Result<Capture, ReadError> {
    let mut reader = Reader::default();
    let is_complete = skywave_lab::capture::read(input, |frame| reader.add(frame))?;
    let mut capture = reader.finish();
    capture.is_cut_off = !is_complete;
    Ok(capture)
}

#[derive(Debug, Default)]
pub(super) struct Reader {
    capture: Capture,
    first_ns: Option<u64>,
    last_ns: u64,
    connections: Vec<Connection>,
    latest: BTreeMap<(Endpoint, Endpoint), usize>,
}

impl Reader {
    pub(super) fn add(&mut self, frame: &Frame<'_>) {
        let packet = self.capture.summary.add(frame);
        let first_ns = *self.first_ns.get_or_insert(frame.at_ns);
        self.capture.backward += u64::from(frame.at_ns.saturating_add(BACK_NS) < self.last_ns);
        self.last_ns = frame.at_ns;
        let Some(packet) = packet else {
            self.capture.cut += u64::from(is_tcp_cut(frame));
            return;
        };
        let Some(tcp) = &packet.tcp else {
            return;
        };
        let key = (packet.from.min(packet.to), packet.from.max(packet.to));
        let opens = tcp.syn && !tcp.ack;
        let known = self.latest.get(&key).copied();
        let index = known.filter(|&index| {
            let connection = &self.connections[index];
            let half = &connection.halves[connection.side(&packet)];
            !(opens && half.first.is_some_and(|first| first != tcp.sequence_number))
        });
        let index = index.unwrap_or_else(|| {
            self.connections.push(Connection {
                ends: [packet.from, packet.to],
                begins_ns: frame.at_ns,
                last_ns: frame.at_ns,
                halves: [End::default(), End::default()],
                has_timestamps: false,
            });
            self.latest.insert(key, self.connections.len() - 1);
            self.connections.len() - 1
        });
        let connection = &mut self.connections[index];
        // Clocks of captures step back now and then; the sender's time does not.
        connection.last_ns = connection.last_ns.max(frame.at_ns).max(first_ns);
        connection.add(&packet, frame);
    }

    pub(super) fn finish(mut self) -> Capture {
        let first_ns = self.first_ns.unwrap_or(0);
        for connection in self.connections {
            self.capture
                .transfers
                .extend(connection.transfers(first_ns));
        }
        self.capture
    }
}

impl Connection {
    fn side(&self, packet: &Dissected) -> usize {
        usize::from(packet.from != self.ends[0])
    }

    fn add(&mut self, packet: &Dissected, frame: &Frame<'_>) {
        let Some(tcp) = &packet.tcp else {
            return;
        };
        let at_ns = self.last_ns - self.begins_ns;
        let side = self.side(packet);
        let mut blocks: SmallVec<[(u32, u32); 4]> = SmallVec::new();
        let mut stamps = None;
        for option in tcp.options_iterator().map_while(Result::ok) {
            match option {
                TcpOptionElement::MaximumSegmentSize(mss) => self.halves[side].mss = Some(mss),
                TcpOptionElement::WindowScale(shift) if tcp.syn => {
                    self.halves[side].shift = Some(shift.min(14));
                }
                TcpOptionElement::SelectiveAcknowledgement(first, rest) => {
                    blocks.push(first);
                    blocks.extend(rest.into_iter().flatten());
                }
                TcpOptionElement::Timestamp(own, echo) => {
                    self.has_timestamps = true;
                    stamps = Some((own, echo));
                }
                _ => {}
            }
        }
        let first = *self.halves[side].first.get_or_insert(tcp.sequence_number);
        if tcp.syn {
            let half = &mut self.halves[side];
            half.syn_ns.get_or_insert(at_ns);
            half.syns += 1;
        }
        if tcp.ack {
            self.answer(side, at_ns, packet, &blocks, stamps);
        }
        let payload = packet.payload;
        if payload > 0 && !tcp.rst {
            let segment = self.segment(payload);
            let half = &mut self.halves[side];
            let board = half.board.get_or_insert_with(|| Board::new(FIRST_POSITION));
            let Some(at) = SeqNr(tcp.sequence_number).expand(first, board.highest) else {
                return; // from long before the first segment of the capture
            };
            let start = at + u64::from(tcp.syn);
            let headers = packet.bytes - payload;
            half.headers = half.headers.max(headers);
            half.largest = half.largest.max(segment);
            board.stamp = stamps.map(|(own, _)| own);
            board.sent(at_ns, start, start + payload, headers, segment);
            let remark = frame.remarks.first().copied();
            if remark.is_some() || !half.remarks.is_empty() {
                half.remarks.resize(board.sent.len() - 1, None);
                half.remarks.push(remark);
            }
        }
    }

    /// An end tells of what it has of the other's data.
    fn answer(
        &mut self,
        side: usize,
        at_ns: u64,
        packet: &Dissected,
        blocks: &[(u32, u32)],
        stamps: Option<(u32, u32)>,
    ) {
        let Some(tcp) = &packet.tcp else {
            return;
        };
        let shift = match (self.halves[0].shift, self.halves[1].shift) {
            (Some(_), Some(_)) if !tcp.syn => self.halves[side].shift.unwrap_or(0),
            _ => 0,
        };
        // Without the opening nobody knows the window's scale.
        let is_scale_known = tcp.syn || self.halves.iter().all(|half| half.syn_ns.is_some());
        let window = if is_scale_known {
            u64::from(tcp.window_size) << shift
        } else {
            u64::MAX
        };
        let other = &mut self.halves[1 - side];
        if let Some(syn_ns) = other.syn_ns
            && other.answered_s.is_none()
        {
            other.answered_s = Some((at_ns - syn_ns) as f64 / 1e9);
        }
        let (Some(board), Some(first)) = (&mut other.board, other.first) else {
            return;
        };
        let expand = |number: u32| SeqNr(number).expand(first, board.highest);
        let Some(acked) = expand(tcp.acknowledgment_number) else {
            return;
        };
        let blocks: SmallVec<[(u64, u64); 4]> = blocks
            .iter()
            .filter_map(|&(start, end)| Some((expand(start)?, expand(end)?)))
            .collect();
        board.echo = stamps.map(|(_, echo)| echo);
        board.answered(at_ns, acked, &blocks, window);
        if let Some((stamp, _)) = stamps {
            let bytes = u16::try_from(packet.bytes).unwrap_or(u16::MAX);
            other.answers.push(Answer {
                at_us: at_ns / 1000,
                stamp,
                bytes,
            });
        }
    }

    /// Most payload of a segment that the two ends agreed upon (RFC 9293 section 3.7.1).
    fn agreed(&self) -> u64 {
        let told = self.halves.iter().filter_map(|half| half.mss).min();
        told.map_or(USUAL_MSS, u64::from)
    }

    /// Payload of the segments into which a packet is cut: itself, unless it is longer than a segment may be.
    fn segment(&self, payload: u64) -> u64 {
        let agreed = self.agreed();
        if payload <= agreed {
            payload
        } else {
            let options = if self.has_timestamps { TIMESTAMPS } else { 0 };
            let least = payload.div_ceil(MOST_PIECES);
            agreed.saturating_sub(options).max(least)
        }
    }

    fn transfers(self, first_ns: u64) -> impl Iterator<Item = Transfer> {
        let begins_s = self.begins_ns.saturating_sub(first_ns) as f64 / 1e9;
        let duration_s = (self.last_ns - self.begins_ns) as f64 / 1e9;
        let ends = self.ends;
        let answered = [self.halves[0].answered_s, self.halves[1].answered_s];
        self.halves
            .into_iter()
            .enumerate()
            .filter_map(move |(side, half)| {
                let board = half.board?;
                let handshake = half.answered_s.map(|rtt_s| Handshake {
                    rtt_s,
                    is_repeated: half.syns > 1,
                });
                Some(Transfer {
                    from: ends[side],
                    to: ends[1 - side],
                    begins_s,
                    duration_s,
                    handshake,
                    mss: half.largest as u32,
                    headers: half.headers as u32,
                    is_near_sender: is_near(answered[side], answered[1 - side], &board.sent),
                    sent: board.sent,
                    origins: board.origins,
                    bins: board.bins,
                    answers: half.answers,
                    delivered: board.delivered,
                    unseen: board.unseen,
                    remarks: half.remarks,
                })
            })
    }
}

/// The capture was taken near this end: the larger part of the opening's round trip lies beyond it. Without an opening,
/// answers at once tell of the other end.
fn is_near(own_s: Option<f64>, other_s: Option<f64>, sent: &[Sent]) -> bool {
    const AT_ONCE_S: f64 = 0.001;
    match (own_s, other_s) {
        (Some(own), Some(other)) => own >= other,
        _ => sent
            .iter()
            .filter_map(Sent::rtt_s)
            .any(|rtt_s| rtt_s > AT_ONCE_S),
    }
}
