//! Packets as bytes: `docs/wtcp-wire-format.md`, version 1.
//!
//! [`header`] makes what comes before a packet's payload, [`decode`] reads a datagram. Neither panics,
//! whatever the input.

use std::fmt;

use arrayvec::ArrayVec;

use super::packet::{
    Ack, Control, Data, MAX_SACK_BLOCKS, Micros, Open, Packet, Probe, Reset, SackBlock, SackBlocks,
};

/// Version of WTCP's wire format that this code writes and reads.
pub const VERSION: u8 = 1;
/// Bytes of the longest header that [`header`] writes.
pub const MAX_HEADER: usize = COMMON + ACK + OPTION + MAX_SACK_BLOCKS * SACK_BLOCK;

/// Bytes of the parts of a header.
const COMMON: usize = 8;
const OPEN: usize = 10;
const CONTROL: usize = 29;
const DATA: usize = CONTROL + 12;
const ACK: usize = 36;
const RESET: usize = 1;
/// Type and length of an option.
const OPTION: usize = 2;
const SACK_BLOCK: usize = 8;

/// Packet types.
const TYPE_OPEN: u8 = 1;
const TYPE_DATA: u8 = 2;
const TYPE_PROBE: u8 = 3;
const TYPE_ACK: u8 = 4;
const TYPE_RESET: u8 = 5;
/// Flags.
const FLAG_FIN: u8 = 1;
const FLAG_MORE: u8 = 2;
/// Options.
const OPTION_SACK: u8 = 1;

/// Encoded header of a WTCP packet, without its payload.
pub type Header = ArrayVec<u8, MAX_HEADER>;

/// A decoded WTCP datagram.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Datagram<'a> {
    /// Number of the connection that the datagram belongs to.
    pub connection: u32,
    /// The packet whose header the datagram has.
    pub packet: Packet,
    /// Payload bytes that follow the header.
    pub payload: &'a [u8],
}

/// Reason for which a datagram is no valid WTCP packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecodeError {
    /// The datagram ends before its header does.
    Truncated {
        /// Bytes of the datagram.
        len: usize,
        /// Bytes of its header, or of the part that all headers have if even that is cut off.
        needed: usize,
    },
    /// The datagram has this version of the wire format, which is not [`VERSION`].
    Version(u8),
    /// The datagram has this packet type, which does not exist.
    Type(u8),
    /// The header's stated length is less than that of the fixed fields of its packet type.
    HeaderLength {
        /// Length that the header states, in bytes.
        given: u8,
        /// Bytes of the fixed fields.
        needed: usize,
    },
    /// An option is longer than what is left of the header.
    OptionLength {
        /// Type of the option.
        option: u8,
        /// Length that the option states for its value, in bytes.
        given: u8,
        /// Bytes left for the value.
        left: usize,
    },
    /// The SACK option is no list of at most six blocks, in order and apart.
    Sack,
    /// The payload is not as long as the packet says.
    PayloadLength {
        /// Payload length that follows from the header, in bytes.
        given: u16,
        /// Payload bytes in the datagram.
        actual: usize,
    },
    /// A data packet ends beyond the last stream position, 2^64 - 1.
    StreamEnd,
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Truncated { len, needed } => {
                write!(f, "the datagram has {len} bytes, its header {needed}")
            }
            Self::Version(version) => write!(f, "version {version}, expected {VERSION}"),
            Self::Type(kind) => write!(f, "packet type {kind}, expected 1 to 5"),
            Self::HeaderLength { given, needed } => {
                write!(f, "header of {given} bytes, expected at least {needed}")
            }
            Self::OptionLength {
                option,
                given,
                left,
            } => write!(
                f,
                "option {option} of {given} bytes, expected at most {left}"
            ),
            Self::Sack => write!(
                f,
                "expected at most {MAX_SACK_BLOCKS} SACK blocks of {SACK_BLOCK} bytes, in order"
            ),
            Self::PayloadLength { given, actual } => {
                write!(f, "payload of {actual} bytes, expected {given}")
            }
            Self::StreamEnd => write!(f, "data beyond stream position 2^64 - 1"),
        }
    }
}

impl std::error::Error for DecodeError {}

/// Number of bytes of the header of `packet`.
pub fn header_len(packet: &Packet) -> usize {
    COMMON
        + match packet {
            Packet::Open(_) => OPEN,
            Packet::Data(_) => DATA,
            Packet::Probe(_) => CONTROL,
            Packet::Ack(ack) if ack.sack.is_empty() => ACK,
            Packet::Ack(ack) => ACK + OPTION + SACK_BLOCK * ack.sack.len(),
            Packet::Reset(_) => RESET,
        }
}

/// Encodes the header of `packet` for connection number `connection`; [`Packet::payload_len`] bytes of payload must
/// follow.
pub fn header(connection: u32, packet: &Packet) -> Header {
    let mut out = Writer(Header::new());
    let (kind, flags) = match packet {
        Packet::Open(_) => (TYPE_OPEN, 0),
        Packet::Data(data) => (TYPE_DATA, if data.fin { FLAG_FIN } else { 0 }),
        Packet::Probe(_) => (TYPE_PROBE, 0),
        Packet::Ack(ack) => (TYPE_ACK, if ack.more { FLAG_MORE } else { 0 }),
        Packet::Reset(_) => (TYPE_RESET, 0),
    };
    out.put(&[VERSION << 4 | kind, flags, header_len(packet) as u8, 0]);
    out.put(&connection.to_be_bytes());
    match packet {
        Packet::Open(open) => {
            out.put(&open.ctrl_seq.to_be_bytes());
            out.put(&open.padding.to_be_bytes());
        }
        Packet::Data(data) => {
            out.control(&data.control);
            out.put(&data.rel_seq.to_be_bytes());
            out.put(&data.len.to_be_bytes());
            out.put(&data.ack_every.to_be_bytes());
        }
        Packet::Probe(probe) => out.control(&probe.control),
        Packet::Ack(ack) => out.ack(ack),
        Packet::Reset(reason) => out.put(&[reset_code(*reason)]),
    }
    out.0
}

/// Decodes a WTCP datagram; the error says why it is none.
pub fn decode(datagram: &[u8]) -> Result<Datagram<'_>, DecodeError> {
    let truncated = |needed| DecodeError::Truncated {
        len: datagram.len(),
        needed,
    };
    let Some(&[first, flags, given, _]) = datagram.first_chunk() else {
        return Err(truncated(COMMON));
    };
    if first >> 4 != VERSION {
        return Err(DecodeError::Version(first >> 4));
    }
    let kind = first & 0xf;
    let fields = match kind {
        TYPE_OPEN => OPEN,
        TYPE_DATA => DATA,
        TYPE_PROBE => CONTROL,
        TYPE_ACK => ACK,
        TYPE_RESET => RESET,
        _ => return Err(DecodeError::Type(kind)),
    };
    let needed = COMMON + fields;
    if usize::from(given) < needed {
        return Err(DecodeError::HeaderLength { given, needed });
    }
    let Some((header, payload)) = datagram.split_at_checked(usize::from(given)) else {
        return Err(truncated(usize::from(given)));
    };
    let (fixed, options) = header.split_at(needed);
    let mut fields = Reader(&fixed[4..]);
    let connection = fields.u32();
    let mut options = Options(options);
    let packet = match kind {
        TYPE_OPEN => Packet::Open(Open {
            ctrl_seq: fields.u64(),
            padding: fields.u16(),
        }),
        TYPE_DATA => {
            let data = Data {
                control: fields.control(),
                rel_seq: fields.u64(),
                len: fields.u16(),
                ack_every: fields.u16(),
                fin: flags & FLAG_FIN != 0,
            };
            data.end().ok_or(DecodeError::StreamEnd)?;
            Packet::Data(data)
        }
        TYPE_PROBE => Packet::Probe(Probe {
            control: fields.control(),
        }),
        TYPE_ACK => {
            let mut ack = fields.ack(flags & FLAG_MORE != 0);
            while let Some((option, value)) = options.next()? {
                if option == OPTION_SACK {
                    ack.sack = sack(value)?;
                }
            }
            Packet::Ack(ack)
        }
        _ => Packet::Reset(reset_reason(fields.u8())),
    };
    // Options that mean nothing here have a length all the same.
    while options.next()?.is_some() {}
    let given = packet.payload_len();
    // A probe may carry anything (section 4: "optional_data"), which nobody reads.
    let fits = matches!(packet, Packet::Probe(_)) || usize::from(given) == payload.len();
    if !fits {
        let actual = payload.len();
        return Err(DecodeError::PayloadLength { given, actual });
    }
    Ok(Datagram {
        connection,
        packet,
        payload,
    })
}

fn reset_code(reason: Reset) -> u8 {
    match reason {
        Reset::Unknown => 0,
        Reset::Aborted => 1,
        Reset::IdleTimeout => 2,
        Reset::Other(code) => code,
    }
}

fn reset_reason(code: u8) -> Reset {
    match code {
        0 => Reset::Unknown,
        1 => Reset::Aborted,
        2 => Reset::IdleTimeout,
        other => Reset::Other(other),
    }
}

/// The blocks of a SACK option.
fn sack(value: &[u8]) -> Result<SackBlocks, DecodeError> {
    let mut blocks = SackBlocks::default();
    let (chunks, rest) = value.as_chunks::<SACK_BLOCK>();
    let mut before = 0;
    for chunk in chunks {
        let mut fields = Reader(chunk);
        let (start, end) = (fields.u32(), fields.u32());
        let block = SackBlock { start, end };
        if start <= before || end <= start || !blocks.push(block) {
            return Err(DecodeError::Sack);
        }
        before = end;
    }
    if rest.is_empty() {
        Ok(blocks)
    } else {
        Err(DecodeError::Sack)
    }
}

/// Appends fields; a header has room for all of them.
struct Writer(Header);

impl Writer {
    fn put(&mut self, bytes: &[u8]) {
        self.0.extend(bytes.iter().copied());
    }

    fn control(&mut self, control: &Control) {
        self.put(&control.ctrl_seq.to_be_bytes());
        self.put(&control.hack_seq.to_be_bytes());
        self.put(&control.hack_delay.0.to_be_bytes());
        self.put(&control.separation.0.to_be_bytes());
        self.put(&control.gap.0.to_be_bytes());
        self.put(&[control.run]);
    }

    fn ack(&mut self, ack: &Ack) {
        self.put(&ack.ack_seq.to_be_bytes());
        self.put(&ack.hctrl_seq.to_be_bytes());
        self.put(&ack.hctrl_delay.0.to_be_bytes());
        self.put(&ack.separation.0.to_be_bytes());
        self.put(&ack.cack.to_be_bytes());
        self.put(&ack.window.to_be_bytes());
        if !ack.sack.is_empty() {
            self.put(&[OPTION_SACK, (SACK_BLOCK * ack.sack.len()) as u8]);
            for block in ack.sack.iter() {
                self.put(&block.start.to_be_bytes());
                self.put(&block.end.to_be_bytes());
            }
        }
    }
}

/// Reads fields from bytes that have room for all of them; zeros beyond.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn bytes<const N: usize>(&mut self) -> [u8; N] {
        match self.0.split_first_chunk() {
            Some((bytes, rest)) => {
                self.0 = rest;
                *bytes
            }
            None => [0; N],
        }
    }

    fn u8(&mut self) -> u8 {
        u8::from_be_bytes(self.bytes())
    }

    fn u16(&mut self) -> u16 {
        u16::from_be_bytes(self.bytes())
    }

    fn u32(&mut self) -> u32 {
        u32::from_be_bytes(self.bytes())
    }

    fn u64(&mut self) -> u64 {
        u64::from_be_bytes(self.bytes())
    }

    fn control(&mut self) -> Control {
        Control {
            ctrl_seq: self.u64(),
            hack_seq: self.u64(),
            hack_delay: Micros(self.u32()),
            separation: Micros(self.u32()),
            gap: Micros(self.u32()),
            run: self.u8(),
        }
    }

    fn ack(&mut self, more: bool) -> Ack {
        Ack {
            ack_seq: self.u64(),
            hctrl_seq: self.u64(),
            hctrl_delay: Micros(self.u32()),
            separation: Micros(self.u32()),
            cack: self.u64(),
            window: self.u32(),
            sack: SackBlocks::default(),
            more,
        }
    }
}

/// Options one after the other: type, length of the value, value.
struct Options<'a>(&'a [u8]);

impl<'a> Options<'a> {
    fn next(&mut self) -> Result<Option<(u8, &'a [u8])>, DecodeError> {
        let (option, given, rest) = match *self.0 {
            [] => return Ok(None),
            [option] => (option, 0, None),
            [option, given, ref rest @ ..] => {
                (option, given, rest.split_at_checked(usize::from(given)))
            }
        };
        let Some((value, rest)) = rest else {
            return Err(DecodeError::OptionLength {
                option,
                given,
                left: self.0.len().saturating_sub(OPTION),
            });
        };
        self.0 = rest;
        Ok(Some((option, value)))
    }
}

#[cfg(test)]
mod tests;
