//! The machines of `skywave-core` on real packets: this crate supplies clock and sockets.

pub mod relay;
