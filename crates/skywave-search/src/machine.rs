//! Machines that run senders which the simulator does not have.

use std::sync::atomic::AtomicBool;

use skywave_sim::{Outcome, Spec};

/// Machine that carries a flow in place of the simulator's own sender, such as another library's whole connection.
pub trait Machine: Sync {
    /// Version of the program that runs the flow; kept runs of another version are not used.
    fn engine(&self) -> &str;

    /// Whether outcomes of this machine have the measured number of this name, such as [`VAIN`](crate::VAIN).
    fn measures(&self, number: &str) -> bool;

    /// Whether the machine can carry the flow with index `flow` of this specification, beside everything else in it.
    fn can(&self, spec: &Spec, flow: usize) -> bool;

    /// Runs a specification with this machine carrying the flow with index `flow`; `None` when `cancel` was set before
    /// the end, or the machine cannot run it.
    fn run(&self, spec: &Spec, flow: usize, cancel: &AtomicBool) -> Option<Outcome>;
}
