//! Specifications that cannot be run with other libraries' senders.

use skywave_sim::network::NoRoute;
use thiserror::Error;

/// Why a specification cannot be run.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Refused {
    /// The scenario has something, named here, that other libraries' connections cannot have on their way: proxies, agents,
    /// a radio network.
    #[error("other libraries' senders run over links alone, and this scenario has {0}")]
    Has(&'static str),
    /// A flow has no sender of another library.
    #[error(
        "flow \"{flow}\" has no sender of another library: all flows must have one, as the libraries' connections and the simulator's own do not share a run"
    )]
    OwnFlow {
        /// Name of the flow.
        flow: String,
    },
    /// A sender is meant for a flow that is not there.
    #[error("there is no flow number {number}: the scenario has {flows} of them")]
    NoFlow {
        /// Place of the flow, from 0.
        number: usize,
        /// How many there are.
        flows: usize,
    },
    /// An application does something else than to write data.
    #[error(
        "the application of flow \"{flow}\" sends {traffic}: other libraries' senders send data without end (`ftp`) or of one size (`bytes`)"
    )]
    Traffic {
        /// Name of the flow.
        flow: String,
        /// Traffic of the flow in words.
        traffic: &'static str,
    },
    /// A flow's way is one that only the simulator's own flows take.
    #[error("the way of flow \"{flow}\" has {has}, which other libraries' senders do not know")]
    Way {
        /// Name of the flow.
        flow: String,
        /// Part of the way in words.
        has: &'static str,
    },
    /// A flow has no way through the links.
    #[error("flow \"{flow}\": {why}")]
    NoRoute {
        /// Name of the flow.
        flow: String,
        /// Why there is none.
        why: NoRoute,
    },
}
