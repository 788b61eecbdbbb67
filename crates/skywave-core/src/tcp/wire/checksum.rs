//! The Internet checksum (RFC 1071) over parts of even length, added up by etherparse.

use etherparse::checksum::Sum16BitWords;

use super::error::{Layer, WireError};

/// The checksum of what has been added up.
pub(super) fn of(sum: &Sum16BitWords) -> u16 {
    u16::from_be(sum.ones_complement())
}

/// Checks the checksum that a header has at `at`. It begins at byte `offset` of the packet; `checksum`
/// computes the checksum of the header given to it and of what else it covers.
///
/// As RFC 1071 has it, the sum over everything including the right checksum is zero. Some devices that
/// change a packet's checksum write its other zero, 0xFFFF, which is right too.
pub(super) fn verify(
    layer: Layer,
    header: &[u8],
    (offset, at): (usize, usize),
    checksum: impl Fn(&[u8]) -> u16,
) -> Result<(), WireError> {
    if checksum(header) == 0 {
        return Ok(());
    }
    let mut blank = header.to_vec();
    blank[at..][..2].fill(0);
    Err(WireError::Checksum {
        layer,
        offset: offset + at,
        given: u16::from_be_bytes([header[at], header[at + 1]]),
        computed: checksum(&blank),
    })
}
