//! D-Proxy: two agents, before and after a lossy hop, that repair its losses between themselves.
//!
//! D. Murray, T. Koziniec, M. Dixon, *D-Proxy: Reliability in Wireless Networks* (APCC 2010), known to us only by
//! the survey in B. Francis' thesis (2012): reliability at a proxy that does not split the connection. The agent before the hop
//! keeps the segments that pass ([`Upstream`]). The one after it watches the sequence numbers ([`Downstream`]): it asks
//! for a missing segment by its number, holds the later ones, and sends them on in order. So the receiver sees no gap,
//! and sends no duplicate ACK that the sender would take for congestion.
//!
//! # The caller's contract
//! One machine of each kind a connection. Both see each data segment that passes, in the order in which packets come;
//! [`Upstream`] also sees each ACK. What [`Downstream`] asks for is to reach [`Upstream`], and what that answers is
//! to reach [`Downstream`], over a hop that may lose both. Poll after every input until `None`. Damaged packets
//! must not be given to either: the caller sends them on as they are. The hop between the two has to keep order: what is late is asked for.
//!
//! # Nothing is acknowledged here
//! Segments that are held are not yet acknowledged, so that the connection survives the end of both agents, as it survives that
//! of a Snoop agent.

mod downstream;
mod holes;
mod upstream;

pub use downstream::{Counters, Downstream, DownstreamConfig, Heard, Verdict};
pub use upstream::{Answer, Upstream, UpstreamConfig};

use crate::packet::{Hole, Packet};
use crate::seq::SeqNr;

/// A packet that an agent keeps, and the positions of its data.
#[derive(Clone, Debug)]
struct Kept {
    start: u64,
    end: u64,
    packet: Packet,
}

/// The hole between two positions, which count from `first`.
fn hole_at(first: SeqNr, start: u64, end: u64) -> Hole {
    Hole {
        start: SeqNr::at(first.0, start),
        end: SeqNr::at(first.0, end),
    }
}

#[cfg(test)]
mod tests;
