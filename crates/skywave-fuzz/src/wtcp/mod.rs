//! A WTCP sender and its receiver, whatever the path and the applications do.

mod operation;
mod pair;

use arbitrary::{Arbitrary, Unstructured};

pub use operation::{Operation, Plan};
pub use pair::Pair;

/// Reads a [`Plan`] out of `data`, a WTCP sender, its receiver and operations, and runs it to its end. Panics if a rule
/// of WTCP is broken, or data do not arrive.
pub fn run(data: &[u8]) {
    // Bytes that run out read as zeros.
    if let Ok(plan) = Plan::arbitrary(&mut Unstructured::new(data)) {
        Pair::new(&plan).run();
    }
}
