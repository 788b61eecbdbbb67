//! Fuzz target: two TCP endpoints of many connections each, whatever the network between them, their applications and
//! strangers (third parties that send forged packets) do.

mod operation;
mod pair;

use arbitrary::{Arbitrary, Unstructured};

pub use operation::{Operation, Plan};
pub use pair::Pair;

/// Reads a [`Plan`] out of `data`, two TCP endpoints and operations, and runs it to its end. Panics if an endpoint
/// breaks a rule that [`Pair`] checks: bytes are changed, a buffer is above its size, or connections are left over.
pub fn run(data: &[u8]) {
    let mut bytes = Unstructured::new(data);
    // Bytes that run out read as zeros.
    if let Ok(plan) = Plan::arbitrary(&mut bytes) {
        Pair::new(&plan).run();
    }
}
