//! Sequence numbers of routes.

/// A sequence number, which only the station it belongs to may raise as it likes (RFC 3561 section 6.1; DSDV's have
/// the same order).
///
/// There is no order between numbers half the range apart, so that it is no `Ord`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seq(pub u32);

impl Seq {
    /// The number after this one; the largest is followed by zero.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0.wrapping_add(1))
    }

    /// True for fresher information than that of `other`: the signed difference is positive.
    pub const fn is_newer_than(self, other: Self) -> bool {
        self.0.wrapping_sub(other.0).cast_signed() > 0
    }

    /// The fresher of two numbers.
    #[must_use]
    pub const fn max(self, other: Self) -> Self {
        if other.is_newer_than(self) {
            other
        } else {
            self
        }
    }
}
