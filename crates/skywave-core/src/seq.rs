//! TCP sequence numbers: 32 bits on the wire, 64 inside.
//!
//! Machines count stream positions in `u64` from the initial sequence number, which never wrap in
//! practice; [`SeqNr`] is what a segment carries. [`SeqNr::expand`] finds the position nearest to one
//! already known (RFC 9293 section 3.4: windows are below 2^31).

use std::fmt;

/// A TCP sequence number as a segment carries it, modulo 2^32.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct SeqNr(pub u32);

impl SeqNr {
    /// The number on the wire for stream position `position`, counted from initial sequence number `iss`.
    pub const fn at(iss: u32, position: u64) -> Self {
        Self(iss.wrapping_add(position as u32))
    }

    /// The stream position that this number stands for, counted from `iss`: of all candidates the one nearest to
    /// `near`. `None` if that lies before `iss`, as in segments of a stranger or of an earlier connection.
    #[inline]
    pub const fn expand(self, iss: u32, near: u64) -> Option<u64> {
        let known = iss.wrapping_add(near as u32);
        let distance = self.0.wrapping_sub(known).cast_signed();
        // Positions are below 2^63.
        let position = near.cast_signed().wrapping_add(distance as i64);
        if position < 0 {
            None
        } else {
            Some(position.cast_unsigned())
        }
    }
}

impl fmt::Debug for SeqNr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_survive_the_wrap() {
        let iss = u32::MAX - 10;
        for near in [0u64, 5, 11, 1 << 20, (1 << 32) - 3, (1 << 32) + 7, 5 << 32] {
            for offset in [-1000i64, -1, 0, 1, 1000, 1 << 30] {
                let Some(position) = near.checked_add_signed(offset) else {
                    continue;
                };
                assert_eq!(SeqNr::at(iss, position).expand(iss, near), Some(position));
            }
        }
    }

    #[test]
    fn a_number_before_the_initial_one_has_no_position() {
        for iss in [100, 0, 5] {
            let before = |n| SeqNr(u32::wrapping_sub(iss, n));
            assert_eq!(before(1).expand(iss, 0), None);
            assert_eq!(before(10).expand(iss, 1000), None);
            assert_eq!(before(1 << 31).expand(iss, 0), None);
            // Further away it is nearer to the end of the numbers' cycle.
            assert_eq!(before(10).expand(iss, 1 << 31), Some((1 << 32) - 10));
        }
    }
}
