//! Writing pcapng: the three blocks that a capture of one link needs.
//!
//! A file has one interface, even if packets go both ways: libpcap, and so tcpdump, refuses raw IP from two.
//!
//! The format is draft-ietf-opsawg-pcapng; everything is little-endian, which a reader sees from the
//! byte-order magic. A block is its type, its length, a body and its length again; options are a code,
//! a length and a value padded to 32 bits.

use std::io::{self, Write};

/// A section header block begins a file.
const SECTION_HEADER: u32 = 0x0A0D_0D0A;
/// A reader sees by this value in which order the bytes of numbers were written.
const BYTE_ORDER_MAGIC: u32 = 0x1A2B_3C4D;
/// Stands for the length of a section where that is not known.
const UNKNOWN_LENGTH: u64 = u64::MAX;
const INTERFACE_DESCRIPTION: u32 = 1;
const ENHANCED_PACKET: u32 = 6;
/// A link of this type carries IP packets with nothing before them.
const LINKTYPE_RAW: u16 = 101;

/// Codes of options; the first two mean the same in every block.
const END_OF_OPTIONS: u16 = 0;
const COMMENT: u16 = 1;
const SECTION_HARDWARE: u16 = 2;
const SECTION_APPLICATION: u16 = 4;
const INTERFACE_NAME: u16 = 2;
const INTERFACE_DESCRIPTION_TEXT: u16 = 3;
const INTERFACE_TIME_RESOLUTION: u16 = 9;
/// The lowest two bits of its value are the direction.
const PACKET_FLAGS: u16 = 2;
/// Timestamps count units of 10⁻⁹ seconds.
const NANOSECONDS: u8 = 9;

/// Fields of the section header with which a pcapng file begins: texts that are written as options even if empty, and
/// cut after 65535 bytes.
#[derive(Clone, Copy, Debug)]
pub struct Section<'a> {
    /// Hardware on which the packets were captured.
    pub hardware: &'a str,
    /// Name of the program that wrote the file.
    pub application: &'a str,
    /// Comment on the whole file; an empty one is written too, as an empty option.
    pub comment: &'a str,
}

/// Fields of the interface description in a pcapng file; the link type is always raw IP, and the unit of time the
/// nanosecond.
#[derive(Clone, Copy, Debug)]
pub struct Interface<'a> {
    /// Short name of the interface.
    pub name: &'a str,
    /// Description of the interface in words.
    pub description: &'a str,
    /// Largest number of bytes that the file keeps of each packet (snap length); 0 for no limit.
    pub snap_length: u32,
}

/// Direction of a packet at the captured interface, as the flags of a pcapng packet have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Towards the host of the interface.
    Inbound = 1,
    /// Away from the host of the interface.
    Outbound = 2,
}

/// Packet that is to be written into a pcapng file.
#[derive(Clone, Copy, Debug)]
pub struct Captured<'a> {
    /// Time of capture, nanoseconds since the beginning of 1970, or of a simulated run.
    pub at_ns: u64,
    /// Bytes of the packet that go into the file, from the IP header on.
    pub bytes: &'a [u8],
    /// Length of the whole packet in bytes, even if fewer go into the file.
    pub length: u32,
    /// Direction at the interface; with `None` the file has none, as for a capture whose packets all go one way.
    pub way: Option<Way>,
    /// Comments on the packet, such as why it was lost.
    pub comments: &'a [&'a str],
}

/// Writer of a pcapng file that has one section and one interface; each block is written to the output in one piece.
#[derive(Debug)]
pub struct Writer<W> {
    out: W,
    block: Vec<u8>,
}

impl<W: Write> Writer<W> {
    /// Begins a pcapng file: writes the section header and the description of the interface.
    pub fn new(out: W, section: &Section<'_>, interface: &Interface<'_>) -> io::Result<Self> {
        let mut writer = Self {
            out,
            block: Vec::new(),
        };
        writer.begin(SECTION_HEADER);
        writer.block.extend(BYTE_ORDER_MAGIC.to_le_bytes());
        writer.block.extend(1u16.to_le_bytes()); // version 1.0
        writer.block.extend(0u16.to_le_bytes());
        writer.block.extend(UNKNOWN_LENGTH.to_le_bytes());
        writer.option(COMMENT, section.comment.as_bytes());
        writer.option(SECTION_HARDWARE, section.hardware.as_bytes());
        writer.option(SECTION_APPLICATION, section.application.as_bytes());
        writer.option(END_OF_OPTIONS, &[]);
        writer.end()?;
        writer.begin(INTERFACE_DESCRIPTION);
        writer.block.extend(LINKTYPE_RAW.to_le_bytes());
        writer.block.extend(0u16.to_le_bytes());
        writer.block.extend(interface.snap_length.to_le_bytes());
        writer.option(INTERFACE_NAME, interface.name.as_bytes());
        writer.option(INTERFACE_DESCRIPTION_TEXT, interface.description.as_bytes());
        writer.option(INTERFACE_TIME_RESOLUTION, &[NANOSECONDS]);
        writer.option(END_OF_OPTIONS, &[]);
        writer.end()?;
        Ok(writer)
    }

    /// Writes a packet, in one block.
    pub fn packet(&mut self, packet: &Captured<'_>) -> io::Result<()> {
        self.begin(ENHANCED_PACKET);
        self.block.extend(0u32.to_le_bytes()); // the only interface
        self.block
            .extend(((packet.at_ns >> 32) as u32).to_le_bytes());
        self.block.extend((packet.at_ns as u32).to_le_bytes());
        self.block.extend((packet.bytes.len() as u32).to_le_bytes());
        self.block.extend(packet.length.to_le_bytes());
        self.block.extend(packet.bytes);
        self.pad();
        for comment in packet.comments {
            self.option(COMMENT, comment.as_bytes());
        }
        if let Some(way) = packet.way {
            self.option(PACKET_FLAGS, &(way as u32).to_le_bytes());
        }
        if !packet.comments.is_empty() || packet.way.is_some() {
            self.option(END_OF_OPTIONS, &[]);
        }
        self.end()
    }

    /// Output that the blocks of the file go to.
    pub fn get_mut(&mut self) -> &mut W {
        &mut self.out
    }

    /// Ends writing, and gives back the output that the blocks went to.
    pub fn into_inner(self) -> W {
        self.out
    }

    fn begin(&mut self, kind: u32) {
        self.block.clear();
        self.block.extend(kind.to_le_bytes());
        self.block.extend(0u32.to_le_bytes()); // the length, when it is known
    }

    fn end(&mut self) -> io::Result<()> {
        let length = (self.block.len() as u32 + 4).to_le_bytes();
        self.block[4..8].copy_from_slice(&length);
        self.block.extend(length);
        self.out.write_all(&self.block)
    }

    /// A value longer than an option may be is cut; names of links and files are not.
    fn option(&mut self, code: u16, value: &[u8]) {
        let value = &value[..value.len().min(usize::from(u16::MAX))];
        self.block.extend(code.to_le_bytes());
        self.block.extend((value.len() as u16).to_le_bytes());
        self.block.extend(value);
        self.pad();
    }

    fn pad(&mut self) {
        self.block.resize(self.block.len().next_multiple_of(4), 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[rustfmt::skip]
    const SECTION: &[u8] = &[
        0x0A, 0x0D, 0x0D, 0x0A, 56, 0, 0, 0,
        0x4D, 0x3C, 0x2B, 0x1A, 1, 0, 0, 0,
        0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
        1, 0, 2, 0, b'n', b'o', 0, 0,
        2, 0, 4, 0, b'n', b'o', b'n', b'e',
        4, 0, 3, 0, b'a', b'p', b'p', 0,
        0, 0, 0, 0,
        // The length again.
        56, 0, 0, 0,
    ];
    #[rustfmt::skip]
    const INTERFACE: &[u8] = &[
        1, 0, 0, 0, 48, 0, 0, 0,
        101, 0, 0, 0, 80, 0, 0, 0,
        2, 0, 1, 0, b'l', 0, 0, 0,
        3, 0, 1, 0, b'd', 0, 0, 0,
        9, 0, 1, 0, 9, 0, 0, 0,
        0, 0, 0, 0,
        48, 0, 0, 0,
    ];
    #[rustfmt::skip]
    const PACKET: &[u8] = &[
        6, 0, 0, 0, 56, 0, 0, 0,
        0, 0, 0, 0,
        // 5 000 000 000 ns: high half, low half.
        1, 0, 0, 0, 0x00, 0xF2, 0x05, 0x2A,
        3, 0, 0, 0, 40, 0, 0, 0,
        7, 8, 9, 0,
        1, 0, 4, 0, b'l', b'o', b's', b't',
        2, 0, 4, 0, 2, 0, 0, 0,
        0, 0, 0, 0,
        56, 0, 0, 0,
    ];
    #[rustfmt::skip]
    const PLAIN_PACKET: &[u8] = &[
        6, 0, 0, 0, 36, 0, 0, 0,
        0, 0, 0, 0,
        0, 0, 0, 0, 1, 0, 0, 0,
        4, 0, 0, 0, 4, 0, 0, 0,
        1, 2, 3, 4,
        36, 0, 0, 0,
    ];

    #[test]
    fn a_file_byte_by_byte() {
        let section = Section {
            hardware: "none",
            application: "app",
            comment: "no",
        };
        let interface = Interface {
            name: "l",
            description: "d",
            snap_length: 80,
        };
        let mut writer = Writer::new(Vec::new(), &section, &interface).unwrap();
        let lost = Captured {
            at_ns: 5_000_000_000,
            bytes: &[7, 8, 9],
            length: 40,
            way: Some(Way::Outbound),
            comments: &["lost"],
        };
        writer.packet(&lost).unwrap();
        let whole = Captured {
            at_ns: 1,
            bytes: &[1, 2, 3, 4],
            length: 4,
            way: None,
            comments: &[],
        };
        writer.packet(&whole).unwrap();
        let expected = [SECTION, INTERFACE, PACKET, PLAIN_PACKET].concat();
        assert_eq!(writer.into_inner(), expected);
    }
}
