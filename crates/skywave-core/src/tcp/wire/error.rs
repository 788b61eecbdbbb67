//! Why bytes are no segment, and why a segment cannot be written.

use std::fmt;

/// The part of a packet in which reading failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layer {
    /// The IPv4 or IPv6 header.
    Ip,
    /// A header between IP's and TCP's: an extension header of IPv6, or the authentication header.
    Extension,
    /// The TCP header.
    Tcp,
}

/// Why bytes are no TCP segment. Offsets count from the first byte of the packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WireError {
    /// IP version that is neither 4 nor 6.
    Version(u8),
    /// Fewer bytes than a header or a length field calls for.
    Truncated {
        /// The header that lacks bytes.
        layer: Layer,
        /// Where that header begins.
        offset: usize,
        /// Bytes needed from `offset` on.
        needed: usize,
        /// Bytes that there are from `offset` on, or that the length field of the layer below leaves.
        given: usize,
    },
    /// The length field of a header says less than its fixed part takes.
    HeaderLength {
        /// The header with the wrong length.
        layer: Layer,
        /// Length that the field gives, in words of 32 bits; a header has five at least.
        words: u8,
    },
    /// A checksum is wrong.
    Checksum {
        /// The header with the wrong checksum.
        layer: Layer,
        /// Where the checksum is.
        offset: usize,
        /// Checksum given in the header.
        given: u16,
        /// Checksum computed over the bytes.
        computed: u16,
    },
    /// A fragment of a packet.
    Fragment,
    /// A header between IP's and TCP's that cannot be skipped: by its protocol number, a routing header
    /// with segments left (43), an authentication header (51), or hop-by-hop options (0) that are not
    /// first.
    Extension(u8),
    /// Number of a transport protocol that is not TCP.
    Protocol(u8),
    /// A TCP option with a length that it cannot have: below two, beyond the end of the header, or
    /// another than its kind's (RFC 9293 section 3.1, MUST-7).
    Option {
        /// Kind of the option.
        kind: u8,
        /// Where the option begins, in bytes from the start of the packet.
        offset: usize,
        /// The length given; `None` where the header ends before it.
        length: Option<u8>,
    },
}

/// Why a segment cannot be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteError {
    /// One address is of IPv4, the other of IPv6.
    AddressFamilies,
    /// The payload is not as long as the segment says.
    PayloadLength {
        /// Payload bytes that the segment counts.
        counted: u32,
        /// Payload bytes given.
        given: usize,
    },
    /// The packet is longer than its IP header can say.
    TooLong {
        /// Bytes that the IP header's length field would have to count.
        length: usize,
    },
    /// The options need more than the 40 bytes that a TCP header has for them: four SACK blocks and
    /// timestamps do.
    OptionSpace {
        /// Bytes that the options need.
        needed: usize,
    },
    /// SACK blocks on a SYN, or the options of a SYN on another segment.
    MisplacedOptions,
}

impl fmt::Display for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ip => "IP header",
            Self::Extension => "extension header",
            Self::Tcp => "TCP header",
        })
    }
}

impl fmt::Display for WireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Version(version) => write!(f, "IP version {version}, expected 4 or 6"),
            Self::Truncated {
                layer,
                offset,
                needed,
                given,
            } => write!(
                f,
                "the {layer} at byte {offset} calls for {needed} bytes, there are {given}"
            ),
            Self::HeaderLength { layer, words } => {
                write!(f, "{layer} of {words} words, expected at least 5")
            }
            Self::Checksum {
                layer,
                offset,
                given,
                computed,
            } => write!(
                f,
                "checksum {given:#06x} of the {layer} at byte {offset}, expected {computed:#06x}"
            ),
            Self::Fragment => write!(f, "a fragment, expected a whole packet"),
            Self::Extension(number) => {
                write!(f, "extension header {number}, which cannot be skipped")
            }
            Self::Protocol(number) => write!(f, "transport protocol {number}, expected 6 (TCP)"),
            Self::Option {
                kind,
                offset,
                length: Some(length),
            } => write!(
                f,
                "TCP option {kind} at byte {offset} has a wrong length of {length}"
            ),
            Self::Option {
                kind,
                offset,
                length: None,
            } => write!(f, "TCP option {kind} at byte {offset} has no length"),
        }
    }
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::AddressFamilies => write!(f, "addresses of IPv4 and IPv6 in one packet"),
            Self::PayloadLength { counted, given } => {
                write!(f, "payload of {given} bytes, the segment counts {counted}")
            }
            Self::TooLong { length } => {
                write!(f, "{length} bytes, expected at most {}", u16::MAX)
            }
            Self::OptionSpace { needed } => {
                write!(f, "TCP options of {needed} bytes, expected at most 40")
            }
            Self::MisplacedOptions => {
                write!(
                    f,
                    "SACK blocks on a SYN, or a SYN's options on another segment"
                )
            }
        }
    }
}

impl std::error::Error for WireError {}
impl std::error::Error for WriteError {}
