//! A network of routing machines for tests of any protocol.

mod anything;
mod network;
mod text;

pub(in crate::routing) use anything::{check, story};
pub(in crate::routing) use network::Network;
