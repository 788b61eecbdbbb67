//! Endpoints against each other in virtual time.

mod flood;
mod icmp;
mod joined;
mod many;
mod network;
mod streams;
