//! The packets of a QUIC connection, and how long they are on the wire.
//!
//! Payload bytes are counted, not carried. Lengths are those of packets with a short header (RFC 9000 section
//! 17.3.1) and AEAD_AES_128_GCM's tag, in UDP datagrams of their own.

use crate::ranges::Span;
use crate::time::Duration;

/// Bytes of a short header: flags, a connection ID of 8 bytes, a packet number of 4.
const SHORT_HEADER: u32 = 1 + 8 + 4;
/// Bytes that authenticate a packet (RFC 9001 section 5.3).
const TAG: u32 = 16;
/// Bytes of a STREAM frame (RFC 9000 section 19.8) before its data: type, stream, offset, length.
const STREAM_FRAME: u32 = 1 + 1 + 4 + 2;
/// Bytes that a packet with data has beside the data.
pub const DATA_OVERHEAD: u32 = SHORT_HEADER + STREAM_FRAME + TAG;
/// Bytes of a packet that opens a connection (RFC 9000 section 14.1).
pub const HELLO: u32 = 1200;
/// Ranges of packet numbers that a receiver remembers, and reports at most (RFC 9000 section 13.2.3).
pub const MAX_ACK_RANGES: usize = 32;
/// Bytes that an ACK has for its ranges.
const RANGE_BYTES: usize = 64;
/// An ACK tells its delay in units of 2^3 µs (`ack_delay_exponent`, RFC 9000 section 18.2).
const DELAY_UNIT: Duration = Duration::from_micros(8);

/// A packet of either end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Packet {
    /// The sender of data opens the connection; in place of the packets with a TLS handshake.
    Hello {
        /// Number of these packets before it.
        attempt: u32,
    },
    /// The answer to the `Hello` of this number.
    Welcome {
        /// That number.
        attempt: u32,
    },
    /// A piece of the stream.
    Data(Data),
    /// A probe without data.
    Ping {
        /// Its number.
        number: u64,
    },
    /// An acknowledgement.
    Ack(Ack),
}

impl Packet {
    /// Bytes of the packet, without the headers of UDP and IP.
    pub fn len(&self) -> u32 {
        match self {
            Self::Hello { .. } | Self::Welcome { .. } => HELLO,
            Self::Data(data) => DATA_OVERHEAD + u32::from(data.len),
            Self::Ping { .. } => SHORT_HEADER + 1 + TAG,
            Self::Ack(ack) => SHORT_HEADER + ack.frames() + TAG,
        }
    }

    /// No packet is empty.
    pub fn is_empty(&self) -> bool {
        false
    }
}

/// A packet with a piece of the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Data {
    /// Packet number: of each transmission its own.
    pub number: u64,
    /// Stream position of the first byte.
    pub offset: u64,
    /// Payload bytes.
    pub len: u16,
    /// The stream ends after it.
    pub fin: bool,
}

impl Data {
    /// First stream position after it.
    pub fn end(&self) -> u64 {
        self.offset + u64::from(self.len) + u64::from(self.fin)
    }
}

/// An ACK frame (RFC 9000 section 19.3), and how much more the receiver takes (MAX_DATA, section 19.9).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ack {
    /// Largest number of a packet that has arrived.
    pub largest: u64,
    /// First stream position that the receiver has no room for.
    pub limit: u64,
    /// Number of packets that have arrived marked, if the sender's are ECN-capable.
    pub ce: Option<u32>,
    /// For how long the receiver has held the ACK of `largest` back, in units of 8 µs.
    delay: u32,
    /// Numbers of the packets that have arrived, the highest ranges.
    pub ranges: AckRanges,
}

impl Ack {
    /// With everything but the ranges, which [`AckRanges::push`] adds.
    pub fn new(largest: u64, delay: Duration, limit: u64, ce: Option<u32>) -> Self {
        let units = delay.as_nanos() / DELAY_UNIT.as_nanos();
        Self {
            largest,
            limit,
            ce,
            delay: u32::try_from(units).unwrap_or(u32::MAX),
            ranges: AckRanges::default(),
        }
    }

    /// For how long the receiver says that it has held it back.
    pub fn delay(&self) -> Duration {
        DELAY_UNIT * u64::from(self.delay)
    }

    /// Bytes of its frames.
    fn frames(&self) -> u32 {
        let ranges = (self.ranges.used as usize)
            + varint_len(u64::from(self.ranges.count).saturating_sub(1));
        let ack = 1 + varint_len(self.largest) + varint_len(u64::from(self.delay)) + ranges;
        // ECT(0) are about as many as there were packets; of ECT(1) and CE one count is zero or small.
        let ecn = |ce: u32| varint_len(self.largest) + 1 + varint_len(u64::from(ce));
        let max_data = 1 + varint_len(self.limit);
        (ack + self.ce.map_or(0, ecn) + max_data) as u32
    }

    /// The ranges from the lowest to the highest: first number, and first number after it.
    pub(crate) fn spans(&self) -> impl Iterator<Item = Span> {
        let mut spans = [Span { start: 0, end: 0 }; MAX_ACK_RANGES];
        let (mut bytes, mut count) = (&self.ranges.bytes[..usize::from(self.ranges.used)], 0);
        let mut below = self.largest.saturating_add(1);
        for place in spans.iter_mut().take(usize::from(self.ranges.count)) {
            // The first range has no gap above it.
            let gap = if count == 0 {
                Some(0)
            } else {
                get_varint(&mut bytes).map(|gap| gap + 1)
            };
            let (Some(gap), Some(more)) = (gap, get_varint(&mut bytes)) else {
                break;
            };
            let Some(end) = below.checked_sub(gap) else {
                break;
            };
            let Some(start) = end.checked_sub(more + 1) else {
                break;
            };
            *place = Span { start, end };
            below = start;
            count += 1;
        }
        spans.into_iter().take(count).rev()
    }
}

/// Ranges of packet numbers from the highest to the lowest, as they are on the wire: how many numbers, then
/// again and again how many are missing, and how many there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AckRanges {
    count: u8,
    used: u8,
    bytes: [u8; RANGE_BYTES],
}

impl Default for AckRanges {
    fn default() -> Self {
        Self {
            count: 0,
            used: 0,
            bytes: [0; RANGE_BYTES],
        }
    }
}

impl AckRanges {
    /// Adds a range of `numbers` below the others, after `missing` numbers, which is 0 for the first. False if
    /// there is no room for it.
    pub fn push(&mut self, missing: u64, numbers: u64) -> bool {
        let before = self.used;
        let gap = missing.checked_sub(1).filter(|_| self.count > 0);
        let fits = usize::from(self.count) < MAX_ACK_RANGES
            && numbers > 0
            && (self.count == 0 || gap.is_some())
            && gap.is_none_or(|gap| self.put_varint(gap))
            && self.put_varint(numbers - 1);
        if fits {
            self.count += 1;
        } else {
            self.used = before;
        }
        fits
    }

    /// How many ranges.
    pub fn count(&self) -> usize {
        usize::from(self.count)
    }

    fn put_varint(&mut self, value: u64) -> bool {
        let len = varint_len(value);
        let start = usize::from(self.used);
        let Some(place) = self.bytes.get_mut(start..start + len) else {
            return false;
        };
        let coded = value | (len.trailing_zeros() as u64) << (8 * len - 2);
        place.copy_from_slice(&coded.to_be_bytes()[8 - len..]);
        self.used += len as u8;
        true
    }
}

/// Bytes of a variable-length integer (RFC 9000 section 16).
fn varint_len(value: u64) -> usize {
    match value {
        0..=0x3f => 1,
        0x40..=0x3fff => 2,
        0x4000..=0x3fff_ffff => 4,
        _ => 8,
    }
}

/// Takes a variable-length integer off `bytes`.
fn get_varint(bytes: &mut &[u8]) -> Option<u64> {
    let first = *bytes.first()?;
    let len = 1 << (first >> 6);
    let (coded, rest) = bytes.split_at_checked(len)?;
    *bytes = rest;
    let value = coded
        .iter()
        .fold(0, |value, &byte| value << 8 | u64::from(byte));
    Some(value & (u64::MAX >> 2 >> (64 - 8 * len)))
}

/// A packet as links carry it: it may lie at any fourth byte, so that it leaves no gap among the
/// fields of other packets.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, packed(4))]
pub struct Carried(pub Packet);

#[cfg(test)]
mod tests {
    use super::*;

    fn ack(ranges: &[(u64, u64)], largest: u64) -> Ack {
        let mut ack = Ack::new(largest, Duration::ZERO, 0, None);
        for &(missing, numbers) in ranges {
            assert!(ack.ranges.push(missing, numbers));
        }
        ack
    }

    #[test]
    fn a_packet_stays_small() {
        assert!(size_of::<Packet>() <= 104, "{}", size_of::<Packet>());
    }

    #[test]
    fn ranges_come_back_from_the_lowest_on() {
        let ack = ack(&[(0, 3), (1, 70), (20_000, 1)], 30_000);
        let spans: Vec<(u64, u64)> = ack.spans().map(|s| (s.start, s.end)).collect();
        assert_eq!(
            spans,
            [(9926, 9927), (29_927, 29_997), (29_998, 30_001)],
            "the second ends below number 29997, which is missing"
        );
    }

    #[test]
    fn integers_have_the_lengths_of_the_specification() {
        // RFC 9000, appendix A.1.
        let samples: [(u64, &[u8]); 4] = [
            (
                151_288_809_941_952_652,
                &[0xc2, 0x19, 0x7c, 0x5e, 0xff, 0x14, 0xe8, 0x8c],
            ),
            (494_878_333, &[0x9d, 0x7f, 0x3e, 0x7d]),
            (15_293, &[0x7b, 0xbd]),
            (37, &[0x25]),
        ];
        for (value, coded) in samples {
            let mut ranges = AckRanges::default();
            assert!(ranges.put_varint(value));
            assert_eq!(&ranges.bytes[..usize::from(ranges.used)], coded);
            assert_eq!(get_varint(&mut &*coded), Some(value));
        }
        assert_eq!(get_varint(&mut &[0x9d, 0x7f][..]), None);
    }

    #[test]
    fn ranges_are_bounded() {
        let mut many = AckRanges::default();
        let pushed = (0..100).filter(|&n| many.push(u64::from(n > 0), 1)).count();
        assert_eq!(pushed, MAX_ACK_RANGES);
        // Long ones take more bytes: fewer of them fit.
        let mut long = AckRanges::default();
        let pushed = (0..100)
            .filter(|&n| long.push(70 * u64::from(n > 0), 70))
            .count();
        assert_eq!(pushed, 1 + (RANGE_BYTES - 2) / 4);
        assert!(!long.push(0, 1), "ranges do not touch");
    }

    #[test]
    fn packets_have_the_lengths_of_the_wire() {
        let data = |len| {
            Packet::Data(Data {
                number: 0,
                offset: 0,
                len,
                fin: false,
            })
        };
        // 1500 bytes with 20 of IPv4 and 8 of UDP.
        assert_eq!(data(1435).len(), 1472);
        // Header 13, tag 16; ACK: type, largest 2, delay 1, count 1, first range 1, gap 1, range 1; MAX_DATA: 1 + 1.
        assert_eq!(Packet::Ack(ack(&[(0, 3), (1, 5)], 500)).len(), 29 + 8 + 2);
    }
}
