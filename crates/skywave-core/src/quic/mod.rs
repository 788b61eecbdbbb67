//! QUIC's side of loss recovery and congestion control (RFC 9002), for the same window laws as TCP.
//!
//! | part | what it does |
//! |---|---|
//! | [`Control`] | runs a law of the `congestion` slot for packets that are numbered and never sent again |
//!
//! A QUIC library finds losses itself and asks for a window and a pace; `skywave-quic` puts a [`Control`]
//! into one.

mod control;
mod sent;
#[cfg(test)]
mod tests;

pub use control::Control;
