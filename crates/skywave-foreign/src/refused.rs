//! Specifications that cannot be run with other libraries' senders, those of noq and quinn.

use skywave_sim::network::NoRoute;
use thiserror::Error;

/// Reason why a specification cannot be run with senders of noq or quinn.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Refused {
    /// Something in the scenario that connections of these libraries cannot have on their way, in words: a proxy, an
    /// agent or a radio network.
    #[error("other libraries' senders run over links alone, and this scenario has {0}")]
    Has(&'static str),
    /// A flow to which no sender of these libraries was given, as [`run_each`](crate::run_each) needs for each flow.
    #[error(
        "flow \"{flow}\" has no sender of another library: all flows must have one, as the libraries' connections and the simulator's own do not share a run"
    )]
    OwnFlow {
        /// Name of the flow.
        flow: String,
    },
    /// A sender that was given with the index of a flow that the specification does not have.
    #[error("there is no flow number {number}: the scenario has {flows} of them")]
    NoFlow {
        /// Index that was given, from 0.
        number: usize,
        /// Number of flows in the specification.
        flows: usize,
    },
    /// A flow's application that does not just write data without end (`ftp`) or of one size (`bytes`).
    #[error(
        "the application of flow \"{flow}\" sends {traffic}: other libraries' senders send data without end (`ftp`) or of one size (`bytes`)"
    )]
    Traffic {
        /// Name of the flow.
        flow: String,
        /// Traffic of the flow in words that follow "sends", such as "in bursts".
        traffic: &'static str,
    },
    /// A flow's way with a tunnel or with announced outages, which only the simulator's own flows can have.
    #[error("the way of flow \"{flow}\" has {has}, which other libraries' senders do not know")]
    Way {
        /// Name of the flow.
        flow: String,
        /// Part of the way that is not possible, in words: "a tunnel", for example.
        has: &'static str,
    },
    /// A flow between whose ends no route leads over the links, there or back.
    #[error("flow \"{flow}\": {why}")]
    NoRoute {
        /// Name of the flow.
        flow: String,
        /// Reason why there is no route.
        why: NoRoute,
    },
}
