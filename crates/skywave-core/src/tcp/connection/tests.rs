//! Segment-by-segment tests, a file a group of states.

mod ack;
mod close;
mod data;
mod ecn;
mod handshake;
mod keepalive;
mod negotiation;
mod paws;
mod reset;
mod script;
mod timewait;
mod window;
