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
    /// Its kind and contents.
    pub kind: Kind<P>,
    /// Its bytes, headers included.
    pub bytes: u32,
    /// How it is modulated.
    pub mode: Mode,
    /// For how long after its end the channel is taken: the rest of the exchange.
    pub reserves: Duration,
    /// How long it is on the air.
    pub airtime: Duration,
}
