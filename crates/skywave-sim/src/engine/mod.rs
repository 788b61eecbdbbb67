//! The simulation engine: a virtual clock over the machines of the core.
//!
//! Time is integer nanoseconds. One simulation has one thread; runs are independent and go to all cores.
//!
//! # Lookahead instead of an event a packet and hop
//! Nothing comes out of a link before its delay. So a link that several lanes feed collects arrivals in an inbox
//! and decides on many at once, before any result is needed; a data sender does the same with its ACKs and
//! timers. Lanes between two inboxes (links with one feeder, receivers) decide at once, ahead of the clock.
//! `plan.rs` computes who may wait how long; a test compares the outcome with that of single events, bit for bit.
//! 0.3 to 0.7 events are left per delivered packet.
//!
//! # Lots for equal times
//! If packets of several flows come to a link at the same nanosecond, their order is drawn by lot from the time
//! and the flow, whichever was simulated first. Where delays are equal and one rate divides another, as on many
//! papers' paths, flows meet like that all the time, and at a full queue the first packet gets the place: with a
//! fixed order of the flows those named first took up to twice the share of identical ones.
//!
//! # Randomness
//! There is one stream per (seed, entity, purpose), so that adding a flow or changing a variant does not change
//! another entity's draws, and all variants meet the same channel.
//!
//! # Fast paths
//! The usual case has a fast path where it is asked for with every packet or loss: what a plain sender sends
//! next, an ACK that concerns nobody but the recovery, the next block of a scoreboard, a probe of RACK. A test
//! compares each with the general one. A comment beside it says what share of the instructions of a workload of
//! `bench/run.py` it saves; below 2 % a path is worth a line or two, no more. It is also a matter of size: the
//! processor's first cache has 32 KB for code, and what a packet meets with 24 flows took 49 KB before some of
//! these, and 39 KB with them. What only speed needs is listed in one module,
//! `skywave_core::driver`: polls in two halves, the fast path through a plain link, and which bytes of a machine an
//! input touches. Any other driver needs only the machines' other methods.
//!
//! # Transports
//! A transport is one file (`engine/{tcp,udp,wtcp,quic}.rs`, `split/half.rs`) behind `trait Transport` in
//! `engine/transport.rs`, and one line of `Flow::new`. What happens with every TCP segment asks first whether the
//! flow is TCP's, so that its method is inlined; all else goes through the table of the trait.
//!
//! # Memory
//! State that few flows or links have is allocated when they first have it (mishaps of a link, the source of a
//! flow that does not send for ever), and what only disorder needs lives while there is some (what a receiver has
//! out of order); links that are alike share their configuration; empty buckets have no room of their own, and
//! long lists are not kept for reuse; lists of which each flow has one grow by a quarter or a half, not by
//! doubling; and a loss is forgotten once nothing more can happen to its segment. Only packets under way, the
//! lists in which they wait, and histograms of delays grow with the load. A flow's packets follow its own routes
//! (fewest hops between the nodes that it names), so memory is linear in flows. A route also contains the ends of
//! tunnels.
//!
//! Links count by running totals, which are read at the beginning and the end of the measured window. Timers are
//! lazy: a timer that moves later costs nothing until its old event fires.

mod agent;
mod air;
mod arrival;
mod clamp;
mod flow;
mod hosts;
mod inbox;
mod lane;
mod mailbox;
mod notices;
mod order;
mod passage;
mod plan;
mod prefetch;
mod queue;
mod quic;
mod ring;
mod routes;
mod split;
mod stop;
mod tcp;
mod timed;
mod transport;
mod udp;
mod undelivered;
mod wake;
mod way;
mod wire;
mod world;
mod wtcp;

use crate::observe::Watch;
use crate::outcome::Outcome;
use crate::spec::Spec;

/// Runs the simulation of `spec` to its end.
///
/// # Panics
/// When the specification is inconsistent (an index out of range, a receiver out of reach): who makes it
/// checks all of that before, as `skywave-scenario` does.
pub fn simulate(spec: &Spec) -> Outcome {
    simulate_watched(spec, Watch::default()).expect("nobody can cancel it")
}

/// Runs the simulation of `spec`; by `watch` the caller may observe its packets and cancel it. `None` if it was
/// cancelled before the end.
///
/// # Panics
/// When the specification is inconsistent, as in [`simulate`].
pub fn simulate_watched<'a>(spec: &'a Spec, watch: Watch<'a>) -> Option<Outcome> {
    world::World::new(spec, watch).run()
}

#[cfg(test)]
mod tests;
