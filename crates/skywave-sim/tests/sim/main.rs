//! Simulations from the outside, one program for all of these tests.

mod bianchi;
mod blackout;
mod bounded;
mod common;
mod conservation;
mod contention;
mod custom;
mod d_proxy;
mod details;
mod ends;
mod fingerprint;
mod freeze;
mod hand_over;
mod limits;
mod models;
mod one_way;
mod pauses;
mod quic;
mod radio;
mod signals;
mod snoop;
mod split;
mod stop;
mod theory;
mod why;
mod wtcp;
