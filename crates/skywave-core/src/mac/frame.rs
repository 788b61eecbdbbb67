//! Frames of the MAC.

use crate::radio::{Address, Mode};
use crate::time::Duration;

/// Bytes of an RTS frame.
pub const RTS_BYTES: u32 = 20;
/// Bytes of a CTS frame.
pub const CTS_BYTES: u32 = 14;
/// Bytes of the MAC's ACK frame.
pub const ACK_BYTES: u32 = 14;

/// Kind of a frame, with the contents of a data frame.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind<P> {
    /// Request to send.
    Rts,
    /// Clear to send.
    Cts,
    /// Acknowledgement.
    Ack,
    /// Data.
    Data {
        /// Number of the packet at its sender: the same in all its attempts.
        sequence: u32,
        /// The packet.
        packet: P,
    },
}

/// A frame on the air.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame<P> {
    /// Station that sends the frame. (CTS and ACK lack this field on the air; [`Dcf`](super::Dcf) ignores it in
    /// them.)
    pub from: Address,
    /// Station that the frame is for, or the broadcast address.
    pub to: Address,
    /// Kind of the frame, with its contents.
    pub kind: Kind<P>,
    /// Bytes of the frame, headers included.
    pub bytes: u32,
    /// Modulation and rate of the frame.
    pub mode: Mode,
    /// Time for which the frame reserves the channel after its end, for the rest of the exchange.
    pub reserves: Duration,
    /// Time that the frame is on the air.
    pub airtime: Duration,
}
