//! Machines that run senders which the simulator does not have.

use std::sync::atomic::AtomicBool;

use skywave_sim::{Outcome, Spec};

/// Machine that carries a flow in place of the simulator's own sender, such as another library's whole connection.
pub trait Machine: Sync {
    /// Version of what runs it: kept runs of another one are not used.
    fn engine(&self) -> &str;

    /// Whether its outcomes have the measured number of this name.
    fn measures(&self, number: &str) -> bool;

    /// Whether it can carry this flow of a specification, with all that is beside it.
    fn can(&self, spec: &Spec, flow: usize) -> bool;

    /// Runs a specification with it in this flow; `None` when `cancel` was set before its end, or it cannot.
    fn run(&self, spec: &Spec, flow: usize, cancel: &AtomicBool) -> Option<Outcome>;
}
