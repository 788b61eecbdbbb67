//! Sequence numbers of routes.

/// A station's sequence number, by which others tell fresh routes to that station from old ones. Only the station
/// itself may raise it as it likes (RFC 3561 section 6.1; DSDV's numbers have the same order).
///
/// Two numbers half the range apart have no order, so that the type is not `Ord`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seq(pub u32);

impl Seq {
    /// The next higher number; zero after the largest.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0.wrapping_add(1))
    }

    /// True if this number stands for fresher information than `other`: their signed difference is positive.
    pub const fn is_newer_than(self, other: Self) -> bool {
        self.0.wrapping_sub(other.0).cast_signed() > 0
    }

    /// The fresher of two numbers; `self` if neither is fresher.
    #[must_use]
    pub const fn max(self, other: Self) -> Self {
        if other.is_newer_than(self) {
            other
        } else {
            self
        }
    }
}
