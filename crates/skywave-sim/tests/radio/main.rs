//! Radio networks: 802.11 and its environment.

#[path = "../common/mod.rs"]
mod common;

mod anything;
mod chain;
mod clamp;
mod losses;
mod network;
mod partition;
mod queues;
mod topologies;
