//! QUIC's loss recovery and congestion control (RFC 9002), under the same window laws as TCP.
//!
//! | part | what it does | source |
//! |---|---|---|
//! | [`Control`] | runs a law of the `congestion` slot for packets that are numbered and never sent again | RFC 9002 section 7 |
//! | [`Sender`] | a stream in packets; finds losses, probes, sends lost data in new packets | RFC 9002 sections 5 and 6 |
//! | [`Receiver`] | puts the stream together, acknowledges ranges of packets | RFC 9000 section 13.2 |
//!
//! A QUIC library finds losses itself and asks for a window and a pace; `skywave-quic` puts a [`Control`]
//! into one. The simulator has no library: there a flow is a [`Sender`] and a [`Receiver`].
//!
//! # Scope of the model
//! One stream, one way, whose positions are bytes from 0; its end takes one position, as TCP's FIN does. All
//! packets are of one number space. Packets have the lengths that they would have on the wire ([`packet`]), but
//! nothing is encrypted. Not modelled: the cryptographic handshake (one round trip with packets of the least
//! length instead), the frames of other streams, migration, discovery of the path's MTU, idle timeouts, and
//! validation of ECN, whose marks no path of the simulator falsifies. Each ACK repeats how far the receiver's
//! buffer reaches, where a real one says so now and then in packets that are themselves acknowledged.
//!
//! # The caller's contract
//! The same for both machines. Inputs carry `now`, which never goes backwards:
//! - `on_packet`: a packet from the peer; anything may come, in any order and number;
//! - `on_timer`: at or after `next_timer`; calls too early do nothing;
//! - commands: [`Sender::open`], [`Sender::write`] and [`Sender::close`].
//!
//! After each of them call `poll_transmit` until it returns `None`, then ask `next_timer` again. A timer of the
//! sender is also the next slot of its pace: `on_timer` decides nothing about it, the `poll_transmit` after it
//! sends.

pub mod config;
mod control;
mod ledger;
pub mod preset;
mod receiver;
mod rtt;
mod sender;
mod sent;
mod stream;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

pub use crate::packet::quic as packet;
pub use config::{Config, LossConfig};
pub use control::Control;
pub use packet::{Ack, AckReport, Carried, Data, Packet};
pub use preset::{PRESETS, Preset, preset};
pub use receiver::Receiver;
pub use sender::Sender;
