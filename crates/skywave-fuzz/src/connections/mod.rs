//! Two TCP connections, whatever the network between them and their applications do.

mod end;
mod network;
mod operation;
mod pair;
mod transfer;

use arbitrary::{Arbitrary, Unstructured};

pub use operation::{Operation, Plan, Spoof};
pub use pair::Pair;
pub use transfer::{Transfer, transfer};

/// Reads two connections and what happens to them out of `data`, and runs them to their end.
pub fn run(data: &[u8]) {
    let mut bytes = Unstructured::new(data);
    // Bytes that run out read as zeros.
    if let Ok(plan) = Plan::arbitrary(&mut bytes) {
        Pair::new(&plan).run();
    }
}
