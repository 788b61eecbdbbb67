//! The message that tells when datagrams came.
//!
//! A version (one byte), microseconds until the first arrival (six bytes, nine years), and for each datagram its tag
//! (five bytes) and the microseconds from the first arrival to its own (three bytes); numbers are big-endian.

use super::Tag;

/// Version of the format of a [`Report`], its first byte; reports of another version are ignored.
pub const VERSION: u8 = 1;
/// Greatest number of datagrams that a [`Report`] tells of.
pub const MOST_TOLD: usize = 8;
/// Bytes of a report before its arrivals, and of each arrival.
const HEAD: usize = 1 + FIRST;
const ARRIVAL: usize = Tag::BYTES + AFTER;
/// Bytes of the time of the first arrival, and of that of each later one.
const FIRST: usize = 6;
const AFTER: usize = 3;

/// Message by which a receiver tells when datagrams arrived, each named by its [`Tag`]; 1 to [`MOST_TOLD`] of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report(Vec<u8>);

impl Report {
    /// Bytes of the longest report.
    pub(super) const MOST_BYTES: usize = HEAD + MOST_TOLD * ARRIVAL;

    /// A report of these tags and microseconds, in the order of time; arrivals too late after the first one are left
    /// out, and so are those after [`MOST_TOLD`]. `None` if there is none, and after nine years.
    pub(super) fn new(arrived: &[(Tag, u64)]) -> Option<Self> {
        let &(_, first) = arrived.first()?;
        let mut bytes = Vec::with_capacity(Self::MOST_BYTES);
        bytes.push(VERSION);
        bytes.extend(low_bytes::<FIRST>(first)?);
        for (tag, us) in arrived.iter().take(MOST_TOLD) {
            if let Some(after) = low_bytes::<AFTER>(us.saturating_sub(first)) {
                bytes.extend(tag.to_bytes());
                bytes.extend(after);
            }
        }
        Some(Self(bytes))
    }

    /// Reads a report; `None` if the bytes have another version or a length that no report has.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let (head, arrivals) = bytes.split_first_chunk::<HEAD>()?;
        let count = arrivals.len() / ARRIVAL;
        let is_one =
            head[0] == VERSION && arrivals.len() % ARRIVAL == 0 && (1..=MOST_TOLD).contains(&count);
        is_one.then(|| Self(bytes.to_vec()))
    }

    /// Bytes of the report, as they are sent.
    pub fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    /// Tags of the reported datagrams, each with its arrival time in microseconds since the origin of the reporting
    /// host's clock.
    pub fn arrivals(&self) -> impl Iterator<Item = (Tag, u64)> {
        let number = |bytes: &[u8]| bytes.iter().fold(0, |n, &byte| n << 8 | u64::from(byte));
        let (head, arrivals) = self.0.split_at(HEAD);
        let first = number(&head[1..]);
        arrivals.chunks_exact(ARRIVAL).filter_map(move |arrival| {
            let (tag, after) = arrival.split_first_chunk()?;
            Some((Tag::from_bytes(*tag), first + number(after)))
        })
    }
}

/// A number in so many bytes, if it fits.
fn low_bytes<const N: usize>(number: u64) -> Option<[u8; N]> {
    let bytes = number.to_be_bytes();
    let (high, low) = bytes.split_last_chunk()?;
    high.iter().all(|byte| *byte == 0).then_some(*low)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Hosts of other versions read these bytes.
    #[test]
    fn the_bytes_of_a_report_stay_as_they_are() {
        let arrived = [(Tag(0x01_0203_0405), 1_000_000), (Tag(7), 1_000_258)];
        let report = Report::new(&arrived).unwrap();
        let bytes = report.into_bytes();
        assert_eq!(bytes[..7], [1, 0, 0, 0, 0x0f, 0x42, 0x40]);
        assert_eq!(bytes[7..15], [1, 2, 3, 4, 5, 0, 0, 0]);
        assert_eq!(bytes[15..], [0, 0, 0, 0, 7, 0, 1, 2]);
    }

    #[test]
    fn another_version_and_other_lengths_are_no_reports() {
        let bytes = Report::new(&[(Tag(1), 2)]).unwrap().into_bytes();
        assert!(Report::read(&bytes).is_some());
        assert_eq!(Report::read(&[&[2], &bytes[1..]].concat()), None);
        assert_eq!(Report::read(&bytes[..bytes.len() - 1]), None);
        assert_eq!(Report::read(&bytes[..HEAD]), None, "of nothing");
        let many = [&bytes[..HEAD], &bytes[HEAD..].repeat(MOST_TOLD + 1)].concat();
        assert_eq!(Report::read(&many), None);
    }

    #[test]
    fn times_that_do_not_fit_are_left_out() {
        let late = [(Tag(1), 0), (Tag(2), 1 << 24), (Tag(3), (1 << 24) - 1)];
        let report = Report::new(&late).unwrap();
        assert!(report.arrivals().eq([late[0], late[2]]));
        assert!(Report::new(&[(Tag(1), (1 << 48) - 1)]).is_some());
        assert_eq!(Report::new(&[(Tag(1), 1 << 48)]), None);
    }

    proptest! {
        #[test]
        fn what_is_told_is_read(arrived in prop::collection::vec((0..1_u64 << 40, 0..1_u64 << 26), 1..40)) {
            let mut arrived: Vec<_> = arrived.into_iter().map(|(tag, us)| (Tag(tag), us)).collect();
            arrived.sort_by_key(|(_, us)| *us);
            let report = Report::new(&arrived).unwrap();
            let bytes = report.clone().into_bytes();
            prop_assert_eq!(Report::read(&bytes), Some(report.clone()));
            let near = |(_, us): &&(Tag, u64)| us - arrived[0].1 <= 0xff_ffff;
            let told = arrived.iter().take(MOST_TOLD).filter(near).copied();
            prop_assert!(report.arrivals().eq(told));
        }

        #[test]
        fn any_bytes_are_read_without_harm(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            crate::rules::report(&bytes);
        }

        #[test]
        fn any_arrivals_are_read_without_harm(bytes in prop::collection::vec(any::<u8>(), HEAD + ARRIVAL..=Report::MOST_BYTES)) {
            let mut bytes = bytes;
            bytes[0] = VERSION;
            let length = bytes.len() - (bytes.len() - HEAD) % ARRIVAL;
            crate::rules::report(&bytes[..length]);
        }
    }
}
