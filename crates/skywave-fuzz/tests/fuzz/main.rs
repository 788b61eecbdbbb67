//! The targets of the fuzzers with inputs that property tests draw, and with those that were kept.

mod bytes;
mod connections;
mod corpus;
mod d_proxy;
mod diagnose;
mod endpoints;
mod link;
mod machines;
mod snoop;
mod tcp_wire;
mod transfer;
mod wtcp;
