//! Scripts in packetdrill's language against the core's connection, in virtual time.
//!
//! A script says which calls an application makes, which packets arrive, and which packets and results are expected
//! at which times. [`parse`] reads one; [`run()`] executes it: a model of a host with sockets ([`host`]) stands
//! where a kernel does, and its clock jumps from one event to the next. There is no device, no thread and no clock of
//! the machine, so that a script gives the same [`Verdict`] each time. A script that needs something that is not
//! modelled is skipped with the reason.

mod code;
pub mod host;
pub mod language;
mod numbers;
mod place;
mod report;
mod run;
mod shell;

pub use language::{Script, parse};
pub use place::{Mistake, Place};
pub use report::{Skip, Verdict};
pub use run::{Options, run};
