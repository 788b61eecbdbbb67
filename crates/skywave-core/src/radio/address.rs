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
