//! A one-way link: channel loss → queue → transmission → delay.
//!
//! # The caller's contract
//! [`Link::send`] is called with non-decreasing `now`. It decides the packet's whole fate at once:
//! a FIFO link knows on arrival when each packet will leave, so it needs no event of its own for
//! "transmission finished". The driver schedules the returned arrivals and delivers them.

mod config;
mod trace;

pub use config::*;
pub use trace::Trace;
