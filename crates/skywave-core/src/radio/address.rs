//! Addresses of the stations of a radio network.

use std::fmt;

/// Address of a station in a radio network: MAC and network address in one, as a station has one interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Address(pub u16);

impl Address {
    /// Broadcast address: all stations within range.
    pub const BROADCAST: Self = Self(u16::MAX);

    /// True for the [broadcast address](Self::BROADCAST).
    pub const fn is_broadcast(self) -> bool {
        self.0 == Self::BROADCAST.0
    }

    /// The place of this address in a list by addresses, which grows by `absent` ones if it is too short.
    #[inline]
    pub(crate) fn place_in<T: Clone>(self, list: &mut Vec<T>, absent: T) -> &mut T {
        let at = usize::from(self.0);
        if list.len() <= at {
            list.resize(at + 1, absent);
        }
        &mut list[at]
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_broadcast() {
            f.write_str("all")
        } else {
            write!(f, "{}", self.0)
        }
    }
}
