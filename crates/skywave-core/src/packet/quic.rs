//! The packets of a QUIC connection, and how long they are on the wire.
//!
//! Payload bytes are counted, not carried. Lengths are those of packets with a short header (RFC 9000 section
//! 17.3.1) and AEAD_AES_128_GCM's tag, in UDP datagrams of their own.

use arrayvec::ArrayVec;

use crate::ranges::Span;
use crate::time::{Duration, Time};

/// Bytes of a short header: flags, a connection ID of 8 bytes, a packet number of 4.
const SHORT_HEADER: u32 = 1 + 8 + 4;
/// Bytes that authenticate a packet (RFC 9001 section 5.3).
const TAG: u32 = 16;
/// Bytes of a STREAM frame (RFC 9000 section 19.8) before its data: type, stream, offset, length.
const STREAM_FRAME: u32 = 1 + 1 + 4 + 2;
/// Bytes of an ACK_FREQUENCY frame: type, sequence number, packets, delay, reordering.
const ACK_FREQUENCY_FRAME: u32 = 2 + 2 + 1 + 4 + 1;
/// Bytes that a packet with data has beside the data: QUIC's short header, the STREAM frame's, and the AEAD
/// tag.
pub const DATA_OVERHEAD: u32 = SHORT_HEADER + STREAM_FRAME + TAG;
/// Bytes of a packet that opens a connection, or of its answer, without UDP and IP headers (RFC 9000 section 14.1).
pub const HELLO: u32 = 1200;
/// Most ranges of packet numbers that a receiver remembers and reports in an ACK (RFC 9000 section 13.2.3).
pub const MAX_ACK_RANGES: usize = 32;
/// Most arrival times that an ACK tells (`max_receive_timestamps_per_ack` of draft-smith-quic-receive-ts).
pub const MAX_ACK_TIMES: usize = 8;
/// Bytes that an ACK has for its ranges and arrival times.
const REPORT_BYTES: usize = 64;
/// Unit of arrival times (`receive_timestamps_exponent` 0).
const TIME_UNIT: Duration = Duration::from_micros(1);
/// An ACK tells its delay in units of 2^3 µs (`ack_delay_exponent`, RFC 9000 section 18.2).
const DELAY_UNIT: Duration = Duration::from_micros(8);

/// A simulated QUIC packet of either end; payload bytes are counted, not carried.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Packet {
    /// A request of the data sender to open the connection, in place of the packets with a TLS handshake.
    Hello {
        /// Number of `Hello` packets sent before this one.
        attempt: u32,
    },
    /// The answer to a `Hello`; its field says to which one, by that `Hello`'s own `attempt`.
    Welcome {
        /// Attempt of the `Hello` that is answered.
        attempt: u32,
    },
    /// A piece of the stream.
    Data(Data),
    /// A probe without data.
    Ping {
        /// Packet number.
        number: u64,
    },
    /// A request of the sender of data, how to acknowledge from now on: an ACK_FREQUENCY frame
    /// (draft-ietf-quic-ack-frequency section 4).
    AckFrequency {
        /// Packet number; of two requests the one in the later packet counts.
        number: u64,
        /// How the receiver shall acknowledge from now on.
        acking: Acking,
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
            Self::AckFrequency { .. } => SHORT_HEADER + ACK_FREQUENCY_FRAME + TAG,
            Self::Ack(ack) => SHORT_HEADER + ack.frames() + TAG,
        }
    }

    /// Always false: no packet is empty.
    pub fn is_empty(&self) -> bool {
        false
    }
}

/// Rule by which a receiver acknowledges packets that arrive in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Acking {
    /// Number of unacknowledged packets at which the receiver sends an ACK; RFC 9000 section 13.2.2 has two.
    pub every: u32,
    /// Longest time for which the receiver holds an ACK back (`max_ack_delay`, RFC 9000 section 18.2).
    pub delay: Duration,
}

/// A packet with a piece of the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Data {
    /// Packet number; each transmission has a number of its own.
    pub number: u64,
    /// Stream position of the first byte.
    pub offset: u64,
    /// Payload bytes.
    pub len: u16,
    /// Whether the stream ends after this piece.
    pub fin: bool,
}

impl Data {
    /// First stream position after the piece; the end of the stream (`fin`) takes one position.
    pub fn end(&self) -> u64 {
        self.offset + u64::from(self.len) + u64::from(self.fin)
    }
}

/// An ACK frame (RFC 9000 section 19.3), with arrival times if these were agreed on, and how much more the
/// receiver takes (MAX_DATA, section 19.9).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ack {
    /// Largest number of a packet that has arrived.
    pub largest: u64,
    /// First stream position beyond the receiver's flow control limit (MAX_DATA).
    pub limit: u64,
    /// Number of packets that have arrived marked CE so far; `None` if the data sender does not use ECN.
    pub ce: Option<u32>,
    /// For how long the receiver has held the ACK of `largest` back, in units of 8 µs.
    delay: u32,
    /// Report on the packets that have arrived: ranges of their numbers, and arrival times.
    pub report: AckReport,
}

impl Ack {
    /// An ACK with an empty report. `delay`, the time for which the receiver has held back the ACK of packet
    /// `largest`, is rounded down to 8 µs; `limit` is the first stream position for which the receiver has no room,
    /// and `ce` the number of packets that have arrived marked CE (`None` without ECN).
    pub fn new(largest: u64, delay: Duration, limit: u64, ce: Option<u32>) -> Self {
        let units = delay.as_nanos() / DELAY_UNIT.as_nanos();
        Self {
            largest,
            limit,
            ce,
            delay: u32::try_from(units).unwrap_or(u32::MAX),
            report: AckReport::default(),
        }
    }

    /// Time for which the receiver says that it has held this ACK back, in steps of 8 µs.
    pub fn delay(&self) -> Duration {
        DELAY_UNIT * u64::from(self.delay)
    }

    /// Bytes of its frames.
    fn frames(&self) -> u32 {
        let report = usize::from(self.report.used)
            + varint_len(u64::from(self.report.count).saturating_sub(1));
        let ack = 1 + varint_len(self.largest) + varint_len(u64::from(self.delay)) + report;
        // ECT(0) are about as many as there were packets; of ECT(1) and CE one count is zero or small.
        let ecn = |ce: u32| varint_len(self.largest) + 1 + varint_len(u64::from(ce));
        let max_data = 1 + varint_len(self.limit);
        (ack + self.ce.map_or(0, ecn) + max_data) as u32
    }

    /// The ranges from the lowest to the highest: first number, and first number after it.
    pub(crate) fn spans(&self) -> impl Iterator<Item = Span> {
        let mut bytes = self.report.ranges();
        let mut below = self.largest.saturating_add(1);
        let next = |place| {
            // The first range has no gap above it.
            let gap = match place {
                0 => 0,
                _ => get_varint(&mut bytes)? + 1,
            };
            let more = get_varint(&mut bytes)?;
            let end = below.checked_sub(gap)?;
            below = end.checked_sub(more + 1)?;
            Some(Span { start: below, end })
        };
        let places = 0..self.report.count();
        let spans: ArrayVec<Span, MAX_ACK_RANGES> = places.map_while(next).collect();
        spans.into_iter().rev()
    }

    /// Numbers of packets and when they came, since the receiver's basis by its clock; the latest arrival first.
    pub(crate) fn times(&self) -> impl Iterator<Item = (u64, Time)> {
        let mut times = ArrayVec::new();
        self.read_times(&mut times);
        times.into_iter()
    }

    /// Reads the arrival times into `times`, until there is no more to read, or no room.
    fn read_times(&self, times: &mut ArrayVec<(u64, Time), MAX_ACK_TIMES>) -> Option<()> {
        let mut bytes = self.report.times();
        let mut earlier: Option<u64> = None;
        for _ in 0..get_varint(&mut bytes)? {
            let (below, packets) = (get_varint(&mut bytes)?, get_varint(&mut bytes)?);
            for next in 0..packets {
                let delta = get_varint(&mut bytes)?;
                let number = self.largest.checked_sub(below.checked_add(next)?)?;
                let units = match earlier {
                    None => delta,
                    Some(later) => later.checked_sub(delta)?,
                };
                let arrival = (number, Time::ZERO + TIME_UNIT * units);
                times.try_push(arrival).ok()?;
                earlier = Some(units);
            }
        }
        Some(())
    }
}

/// Report of an ACK on the packets that have arrived, as it is on the wire: arrival times of the latest packets, then
/// ranges of packet numbers from the highest to the lowest.
///
/// Ranges are pairs: how many numbers are missing, then how many have arrived. Arrival times have the form of
/// draft-smith-quic-receive-ts: the number of runs of consecutive packet numbers; then for each run how far its highest
/// number is below the largest acknowledged, how many packets it has, and for each packet from the highest down how
/// much earlier it came than the packet told before it (for the very first, its time since the receiver's basis).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AckReport {
    /// Ranges.
    count: u8,
    /// Bytes, and of these arrival times, which come first.
    used: u8,
    times: u8,
    bytes: [u8; REPORT_BYTES],
}

impl Default for AckReport {
    fn default() -> Self {
        Self {
            count: 0,
            used: 0,
            times: 0,
            bytes: [0; REPORT_BYTES],
        }
    }
}

impl AckReport {
    /// Adds arrival times to an empty report, before its ranges. `arrivals` has packet numbers, at most `largest`,
    /// and when the packets came, in order of arrival; the latest are told, at most [`MAX_ACK_TIMES`] and as many as
    /// there is room for.
    pub fn put_times(&mut self, largest: u64, arrivals: &[(u64, Time)]) {
        let mut told = &arrivals[arrivals.len().saturating_sub(MAX_ACK_TIMES)..];
        while !self.has_put_times(largest, told) {
            *self = Self::default();
            told = told.get(1..).unwrap_or_default();
        }
        self.times = self.used;
    }

    fn has_put_times(&mut self, largest: u64, told: &[(u64, Time)]) -> bool {
        let runs = told.chunk_by(|a, b| a.0.checked_add(1) == Some(b.0));
        let mut later: Option<u64> = None;
        self.put_varint(runs.clone().count() as u64)
            && runs.rev().all(|run| {
                let highest = run.last().map_or(largest, |last| last.0);
                self.put_varint(largest.saturating_sub(highest))
                    && self.put_varint(run.len() as u64)
                    && run.iter().rev().all(|&(_, at)| {
                        let units = at.as_nanos() / TIME_UNIT.as_nanos();
                        let delta = later.map_or(units, |later| later.saturating_sub(units));
                        later = Some(units);
                        self.put_varint(delta)
                    })
            })
    }

    /// Adds a range of `numbers` packet numbers below those added before, with `missing` numbers between, which is 0
    /// for the first range. Returns `false`, and adds nothing, if the report has no room for it, if `numbers` is 0, or
    /// if `missing` is 0 in a range that is not the first.
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

    /// Number of ranges of packet numbers in the report.
    pub fn count(&self) -> usize {
        usize::from(self.count)
    }

    fn times(&self) -> &[u8] {
        &self.bytes[..usize::from(self.times)]
    }

    fn ranges(&self) -> &[u8] {
        &self.bytes[usize::from(self.times)..usize::from(self.used)]
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

/// A QUIC packet as the [`Body`](super::Body) of a packet on a link, aligned to four bytes only, so that it leaves no
/// gap among the fields there.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, packed(4))]
pub struct Carried(pub Packet);

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ack(ranges: &[(u64, u64)], largest: u64) -> Ack {
        let mut ack = Ack::new(largest, Duration::ZERO, 0, None);
        for &(missing, numbers) in ranges {
            assert!(ack.report.push(missing, numbers));
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
            let mut ranges = AckReport::default();
            assert!(ranges.put_varint(value));
            assert_eq!(ranges.ranges(), coded);
            assert_eq!(get_varint(&mut &*coded), Some(value));
        }
        assert_eq!(get_varint(&mut &[0x9d, 0x7f][..]), None);
    }

    #[test]
    fn ranges_are_bounded() {
        let mut many = AckReport::default();
        let pushed = (0..100).filter(|&n| many.push(u64::from(n > 0), 1)).count();
        assert_eq!(pushed, MAX_ACK_RANGES);
        // Long ones take more bytes: fewer of them fit.
        let mut long = AckReport::default();
        let pushed = (0..100)
            .filter(|&n| long.push(70 * u64::from(n > 0), 70))
            .count();
        assert_eq!(pushed, 1 + (REPORT_BYTES - 2) / 4);
        assert!(!long.push(0, 1), "ranges do not touch");
    }

    fn arrivals(told: &[(u64, u64)]) -> Vec<(u64, Time)> {
        let at = |&(number, us)| (number, Time::ZERO + Duration::from_micros(us));
        told.iter().map(at).collect()
    }

    /// The example of draft-smith-quic-receive-ts: fourteen packets, of which four come late.
    #[test]
    fn arrival_times_have_the_form_of_the_draft() {
        let mut ack = Ack::new(100, Duration::ZERO, 0, None);
        let late = arrivals(&[(91, 330), (96, 350), (97, 355), (92, 390), (93, 392)]);
        ack.report.put_times(100, &late);
        let runs: [&[u8]; 4] = [&[3], &[7, 2, 0x41, 0x88, 2], &[3, 2, 35, 5], &[9, 1, 20]];
        assert_eq!(ack.report.times(), runs.concat());
        assert!(ack.report.push(0, 5) && ack.report.push(2, 3));
        let told: Vec<_> = ack.times().collect();
        assert_eq!(told, late.into_iter().rev().collect::<Vec<_>>());
        let spans: Vec<_> = ack.spans().map(|s| (s.start, s.end)).collect();
        assert_eq!(spans, [(91, 94), (96, 101)]);
        let ranges = 1 + 2 + 1 + 1 + 3;
        assert_eq!(
            Packet::Ack(ack).len(),
            29 + ranges + 13 + 2,
            "13 bytes of times"
        );
    }

    #[test]
    fn of_many_arrivals_the_latest_are_told() {
        let mut ack = Ack::new(1 << 40, Duration::ZERO, 0, None);
        let hour = 3_600_000_000;
        let far: Vec<_> = (0..20).map(|n| (n << 35, n * hour)).collect();
        ack.report.put_times(1 << 40, &arrivals(&far));
        let told: Vec<_> = ack.times().collect();
        // Each takes 8 bytes for its number, one to count it, and 8 for its time.
        assert_eq!(told, arrivals(&[far[19], far[18], far[17]]));
        let mut none = Ack::new(5, Duration::ZERO, 0, None);
        none.report.put_times(5, &[]);
        assert_eq!((none.times().count(), none.report.times()), (0, &[0][..]));
    }

    proptest! {
        #[test]
        fn times_come_back_whatever_they_are(
            gaps in prop::collection::vec((1..200_u64, 0..100_000_u64), 0..12),
            largest in 0..1000_u64,
        ) {
            let mut last = (0, 0);
            let told: Vec<_> = gaps.iter().map(|(number, us)| {
                last = (last.0 + number, last.1 + us);
                last
            }).collect();
            let told = arrivals(&told);
            let largest = last.0 + largest;
            let mut ack = Ack::new(largest, Duration::ZERO, 0, None);
            ack.report.put_times(largest, &told);
            let read: Vec<_> = ack.times().collect();
            let rest = told.len().min(MAX_ACK_TIMES);
            prop_assert!(read.len() <= rest && (told.is_empty() || !read.is_empty()));
            prop_assert!(read.iter().eq(told.iter().rev().take(read.len())));
        }

        #[test]
        fn any_report_is_read_without_harm(
            largest: u64, count: u8, bytes: [u8; REPORT_BYTES], times in 0..=REPORT_BYTES,
        ) {
            let report = AckReport { count, used: REPORT_BYTES as u8, times: times as u8, bytes };
            let ack = Ack { report, ..Ack::new(largest, Duration::ZERO, 0, None) };
            prop_assert!(ack.times().all(|(number, _)| number <= largest));
            prop_assert!(ack.spans().all(|span| span.start < span.end));
        }
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
