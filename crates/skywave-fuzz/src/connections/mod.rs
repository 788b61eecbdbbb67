//! Fuzz target: both ends of a TCP connection, whatever the network between them and their applications do.

mod end;
mod network;
mod operation;
mod pair;
mod transfer;

use arbitrary::{Arbitrary, Unstructured};

pub use operation::{Operation, Plan, Spoof};
pub use pair::Pair;
pub use transfer::{Transfer, transfer};

/// Reads a [`Plan`] out of `data`, configurations of both ends of a TCP connection and operations, and runs it to its
/// end. Panics if an end breaks a rule of TCP that [`Pair`] checks, or if data are lost or changed.
pub fn run(data: &[u8]) {
    let mut bytes = Unstructured::new(data);
    // Bytes that run out read as zeros.
    if let Ok(plan) = Plan::arbitrary(&mut bytes) {
        Pair::new(&plan).run();
    }
}
