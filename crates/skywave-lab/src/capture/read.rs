//! Reading captures of any origin: pcap and pcapng, of either byte order, block by block.

use std::io::{self, Read};

use pcap_parser::traits::{PcapNGPacketBlock, PcapReaderIterator};
use pcap_parser::{
    Block, PcapBlockOwned, PcapError, PcapHeader, SectionHeaderBlock, create_reader,
};

use super::remark::Remark;

/// A block is read in one piece. Most fit the first size; one beyond the second is damage.
const FIRST_BUFFER: usize = 1 << 16;
const LARGEST_BUFFER: usize = 1 << 26;
/// A block of pcapng has a kind and, twice, its length at least.
const SHORTEST_BLOCK: u32 = 12;
/// The kind of a section header, in either byte order; its length is in the order that it begins.
const SECTION_HEADER: [u8; 4] = [0x0A, 0x0D, 0x0D, 0x0A];
const NS_PER_S: u128 = 1_000_000_000;

/// A packet that was read from a pcap or pcapng file.
#[derive(Clone, Debug)]
pub struct Frame<'a> {
    /// Time of capture, nanoseconds since the zero of the capture's clock (1970, or the start of a simulated run); 0 if
    /// the capture does not tell, as in a simple packet block of pcapng.
    pub at_ns: u64,
    /// Kind of header that the packet begins with, as a number of tcpdump.org's registry of link types.
    pub link_type: i32,
    /// Length of the whole packet in bytes with the header of its `link_type`, even if the capture has fewer.
    pub length: u32,
    /// Bytes of the packet that the capture has.
    pub bytes: &'a [u8],
    /// Remarks on the packet (lost, damaged, …), from the comments that Skywave writes into captures; empty in captures
    /// of other programs.
    pub remarks: Vec<Remark>,
}

/// Reason why a capture cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The input begins neither as a pcap nor as a pcapng file.
    #[error("this is no packet capture: expected the beginning of a pcap or pcapng file")]
    NotACapture,
    /// A block of the file contradicts itself.
    #[error("damaged at byte {at}: expected a whole block of a pcap or pcapng file")]
    Damaged {
        /// Offset in the file at which the block begins, bytes.
        at: u64,
    },
    /// A block of more than 64 MiB, which no packet needs.
    #[error("damaged at byte {at}: a block of more than {LARGEST_BUFFER} bytes")]
    TooLong {
        /// Offset in the file at which the block begins, bytes.
        at: u64,
    },
    /// A packet of an interface that the file has not described before.
    #[error("damaged at byte {at}: a packet of an interface that the file does not describe")]
    NoInterface {
        /// Offset in the file at which the packet begins, bytes.
        at: u64,
    },
    /// The operating system could not read the input.
    #[error("cannot read: {0}")]
    Io(#[from] io::Error),
}

/// Where packets come from, as a pcapng section or a pcap file describes it.
#[derive(Clone, Copy, Debug)]
struct Interface {
    link_type: i32,
    /// Units of a timestamp a second; 0 when the file gives an impossible one.
    resolution: u128,
    /// Seconds to add.
    offset_s: i64,
}

impl Interface {
    fn of_pcap(header: &PcapHeader) -> Self {
        Self {
            link_type: header.network.0,
            resolution: if header.is_nanosecond_precision() {
                NS_PER_S
            } else {
                1_000_000
            },
            offset_s: 0,
        }
    }

    /// `resolution` as the option has it: a power of ten, or of two with the highest bit set.
    fn of_pcapng(link_type: i32, resolution: u8, offset_s: i64) -> Self {
        let exponent = u32::from(resolution & 0x7F);
        let base: u128 = if resolution & 0x80 == 0 { 10 } else { 2 };
        Self {
            link_type,
            resolution: base.checked_pow(exponent).unwrap_or(0),
            offset_s,
        }
    }

    fn nanoseconds(&self, ticks: u64) -> u64 {
        let ns = (u128::from(ticks) * NS_PER_S)
            .checked_div(self.resolution)
            .unwrap_or(0);
        let ns = i128::try_from(ns).unwrap_or(i128::MAX);
        let offset = i128::from(self.offset_s) * NS_PER_S as i128;
        u64::try_from(ns.saturating_add(offset).max(0)).unwrap_or(u64::MAX)
    }
}

/// How numbers of a section of a pcapng file are written.
#[derive(Clone, Copy, Debug)]
enum ByteOrder {
    Big,
    Little,
}

impl ByteOrder {
    fn of(header: &SectionHeaderBlock<'_>) -> Self {
        if header.big_endian() {
            Self::Big
        } else {
            Self::Little
        }
    }

    /// The length that the block at the start of `block` states. `None` if these bytes end before
    /// it, or for a section header, which may be in another byte order.
    fn length(self, block: &[u8]) -> Option<u32> {
        let (kind, rest) = block.split_first_chunk()?;
        let length = *rest.first_chunk()?;
        (*kind != SECTION_HEADER).then(|| match self {
            Self::Big => u32::from_be_bytes(length),
            Self::Little => u32::from_le_bytes(length),
        })
    }
}

/// Calls `on_frame` for every packet of a pcap or pcapng capture, in order. Returns true if the file is complete, and
/// false if it ends within a block, as when the capturing was interrupted.
///
/// # Errors
/// No capture, a damaged block, or a failed read.
pub fn read(
    input: impl Read + Send,
    mut on_frame: impl FnMut(&Frame<'_>),
) -> Result<bool, ReadError> {
    let mut input = Watched {
        inner: input,
        failure: None,
    };
    let complete = match create_reader(FIRST_BUFFER, &mut input) {
        Ok(mut reader) => blocks(&mut *reader, &mut on_frame),
        Err(_) => Err(ReadError::NotACapture),
    };
    // The parser only knows that reading failed; the reason is kept here.
    match input.failure {
        Some(error) => Err(ReadError::Io(error)),
        None => complete,
    }
}

fn blocks(
    reader: &mut dyn PcapReaderIterator,
    on_frame: &mut impl FnMut(&Frame<'_>),
) -> Result<bool, ReadError> {
    let mut interfaces: Vec<Interface> = Vec::new();
    let mut section: Option<ByteOrder> = None;
    let mut size = FIRST_BUFFER;
    let mut at = 0u64;
    loop {
        // In some kinds of block the parser does not check that the length is large enough.
        let length = section.and_then(|order| order.length(reader.data()));
        if length.is_some_and(|length| length < SHORTEST_BLOCK) {
            return Err(ReadError::Damaged { at });
        }
        let wanted = match reader.next() {
            Ok((length, block)) => {
                take(&block, at, &mut interfaces, on_frame)?;
                if let PcapBlockOwned::NG(Block::SectionHeader(header)) = &block {
                    section = Some(ByteOrder::of(header));
                }
                if length == 0 {
                    return Err(ReadError::Damaged { at });
                }
                at += length as u64;
                reader.consume(length);
                continue;
            }
            Err(PcapError::Eof) => return Ok(true),
            Err(PcapError::UnexpectedEof) => return Ok(false),
            Err(PcapError::Incomplete(_)) => size,
            Err(PcapError::BufferTooSmall) => size * 2,
            Err(_) => return Err(ReadError::Damaged { at }),
        };
        let had = reader.data().len();
        if wanted > size {
            if wanted > LARGEST_BUFFER {
                return Err(ReadError::TooLong { at });
            }
            size = wanted;
            reader.grow(size);
        }
        if reader.refill().is_err() {
            return Err(ReadError::Damaged { at });
        }
        if reader.data().len() == had && reader.reader_exhausted() {
            return Ok(had == 0);
        }
    }
}

fn take(
    block: &PcapBlockOwned<'_>,
    at: u64,
    interfaces: &mut Vec<Interface>,
    on_frame: &mut impl FnMut(&Frame<'_>),
) -> Result<(), ReadError> {
    let no_interface = || ReadError::NoInterface { at };
    match block {
        PcapBlockOwned::LegacyHeader(header) => *interfaces = vec![Interface::of_pcap(header)],
        PcapBlockOwned::Legacy(packet) => {
            let interface = interfaces.first().ok_or_else(no_interface)?;
            let seconds = interface.resolution as u64 * u64::from(packet.ts_sec);
            on_frame(&Frame {
                at_ns: interface.nanoseconds(seconds + u64::from(packet.ts_usec)),
                link_type: interface.link_type,
                length: packet.origlen,
                bytes: packet.data,
                remarks: Vec::new(),
            });
        }
        PcapBlockOwned::NG(Block::SectionHeader(_)) => interfaces.clear(),
        PcapBlockOwned::NG(Block::InterfaceDescription(described)) => {
            interfaces.push(Interface::of_pcapng(
                described.linktype.0,
                described.if_tsresol,
                described.if_tsoffset,
            ));
        }
        PcapBlockOwned::NG(Block::EnhancedPacket(packet)) => {
            let interface = interfaces.get(packet.if_id as usize);
            let interface = interface.ok_or_else(no_interface)?;
            let ticks = (u64::from(packet.ts_high) << 32) | u64::from(packet.ts_low);
            let comments = packet
                .options
                .iter()
                .filter(|option| option.code == pcap_parser::OptionCode::Comment);
            on_frame(&Frame {
                at_ns: interface.nanoseconds(ticks),
                link_type: interface.link_type,
                length: packet.origlen,
                bytes: packet.packet_data(),
                remarks: comments
                    .filter_map(|option| Remark::parse(option.as_str().ok()?))
                    .collect(),
            });
        }
        PcapBlockOwned::NG(Block::SimplePacket(packet)) => {
            let interface = interfaces.first().ok_or_else(no_interface)?;
            on_frame(&Frame {
                at_ns: 0,
                link_type: interface.link_type,
                length: packet.origlen,
                bytes: packet.packet_data(),
                remarks: Vec::new(),
            });
        }
        // Statistics, names, secrets, and blocks of a later standard.
        PcapBlockOwned::NG(_) => {}
    }
    Ok(())
}

/// Remembers why reading failed, which the parser does not.
struct Watched<R> {
    inner: R,
    failure: Option<io::Error>,
}

impl<R: Read> Read for Watched<R> {
    /// Fills `buffer` unless the input ends: a pipe gives less at a time than the parser wants to see
    /// of a file's beginning.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut filled = 0;
        while filled < buffer.len() {
            match self.inner.read(&mut buffer[filled..]) {
                Ok(0) => break,
                Ok(some) => filled += some,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.failure = Some(io::Error::new(error.kind(), error.to_string()));
                    return Err(error);
                }
            }
        }
        Ok(filled)
    }
}
