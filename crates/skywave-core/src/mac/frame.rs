//! Frames of the MAC.

use crate::radio::{Address, Mode};
use crate::time::Duration;

/// Bytes of an RTS.
pub const RTS_BYTES: u32 = 20;
/// Bytes of a CTS.
pub const CTS_BYTES: u32 = 14;
/// Bytes of an ACK.
pub const ACK_BYTES: u32 = 14;

/// The purpose of a frame.
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
    /// The station that sends it. (CTS and ACK do not carry it; machines do not look at it there.)
    pub from: Address,
    /// The station that it is for, or all.
    pub to: Address,
    /// Kind of the frame, with its contents.
    pub kind: Kind<P>,
    /// Bytes of the frame, headers included.
    pub bytes: u32,
    /// Modulation of the frame.
    pub mode: Mode,
    /// Time after the end of the frame for which the channel is taken: the rest of the exchange.
    pub reserves: Duration,
    /// Time that the frame is on the air.
    pub airtime: Duration,
}
