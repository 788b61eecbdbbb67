//! Two endpoints of many connections each, whatever the network between them, their applications and strangers do.

mod operation;
mod pair;

use arbitrary::{Arbitrary, Unstructured};

pub use operation::{Operation, Plan};
pub use pair::Pair;

/// Reads two endpoints and what happens to them out of `data`, and runs them to their end.
pub fn run(data: &[u8]) {
    let mut bytes = Unstructured::new(data);
    // Bytes that run out read as zeros.
    if let Ok(plan) = Plan::arbitrary(&mut bytes) {
        Pair::new(&plan).run();
    }
}
