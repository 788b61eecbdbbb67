//! A link of any configuration, offered any packets.

mod config;
mod operation;
mod timed;
mod watched;

use arbitrary::{Arbitrary, Unstructured};
use skywave_core::link::{LinkConfig, Measured};

pub use config::AnyLink;
pub use operation::Operation;
pub use timed::WatchedTimed;
pub use watched::Watched;

/// More than any rule needs to be broken.
const MAX_OPERATIONS: usize = 300;

/// Reads a link's configuration and operations on the link out of `data`, and carries them out. Panics if the link's
/// counts, its queue or the times of arrivals are wrong.
pub fn run(data: &[u8]) {
    let mut bytes = Unstructured::new(data);
    let Ok(AnyLink(config)) = AnyLink::arbitrary(&mut bytes) else {
        return;
    };
    let operation = || match Operation::arbitrary(&mut bytes) {
        Ok(operation) if !bytes.is_empty() => Some(operation),
        _ => None,
    };
    watch(config, std::iter::from_fn(operation).take(MAX_OPERATIONS));
}

/// Compares what a link counts with the books kept beside it; what only a link can know is checked by itself.
fn compare(got: &Measured, books: &Measured, config: &LinkConfig) {
    assert!(got.fec_repairs == 0 || config.fec.is_some());
    let books = Measured {
        window: got.window,
        utilisation: got.utilisation,
        queue_mean_packets: got.queue_mean_packets,
        fec_repairs: got.fec_repairs,
        ..*books
    };
    assert_eq!(*got, books, "what the link counts");
    assert!((0.0..=1.0).contains(&got.utilisation), "{got:?}");
}

/// Makes a link with this configuration, and carries out `operations` on it, with checks after each one.
///
/// # Panics
/// When the link's counts, its queue or the times of arrivals are wrong.
pub fn watch(config: LinkConfig, operations: impl IntoIterator<Item = Operation>) {
    if config.needs_time() {
        let mut link = WatchedTimed::new(config);
        operations.into_iter().for_each(|o| link.apply(o));
    } else {
        let mut link = Watched::new(config);
        operations.into_iter().for_each(|o| link.apply(o));
    }
}
