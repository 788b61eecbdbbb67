//! Segment-by-segment tests, one file for each group of states.

mod ack;
mod choices;
mod close;
mod data;
mod ecn;
mod freeze;
mod handshake;
mod held;
mod keepalive;
mod negotiation;
mod paws;
mod reset;
mod script;
mod timewait;
mod window;
