//! Radio networks: 802.11 and its environment.

mod anything;
mod chain;
mod clamp;
mod losses;
pub(crate) mod network;
mod partition;
mod queues;
mod topologies;
