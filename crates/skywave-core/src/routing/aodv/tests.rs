//! RFC 3561 as scripts: what the stations of a small network say, message by message.

mod breaks;
mod discovery;
mod network;
mod properties;
