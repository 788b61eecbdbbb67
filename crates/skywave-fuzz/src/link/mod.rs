//! A link of any configuration, offered any packets.

mod config;
mod operation;
mod watched;

use arbitrary::{Arbitrary, Unstructured};

pub use config::AnyLink;
pub use operation::Operation;
pub use watched::Watched;

/// More than any rule needs to be broken.
const MAX_OPERATIONS: usize = 300;

/// Reads a configuration and operations out of `data` and carries them out.
pub fn run(data: &[u8]) {
    let mut bytes = Unstructured::new(data);
    let Ok(AnyLink(config)) = AnyLink::arbitrary(&mut bytes) else {
        return;
    };
    let mut link = Watched::new(config);
    for _ in 0..MAX_OPERATIONS {
        match Operation::arbitrary(&mut bytes) {
            Ok(operation) if !bytes.is_empty() => link.apply(operation),
            _ => break,
        }
    }
}
