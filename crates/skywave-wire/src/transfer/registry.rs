//! Which contents are being received, and from whom: a sender that comes again takes its transfer over.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError, Weak};

use crate::key::PublicKey;
use crate::node::Stream;

/// Transfers under way, by their partial files.
#[derive(Default)]
pub(super) struct Registry(Mutex<BTreeMap<PathBuf, (PublicKey, Weak<Stream>)>>);

impl Registry {
    /// Notes whose transfer it is now; gives up the one that the same peer had under way. False if it
    /// is another peer's.
    pub(super) fn take_over(&self, path: &Path, peer: PublicKey, stream: Weak<Stream>) -> bool {
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        entries.retain(|_, (_, stream)| stream.strong_count() > 0);
        if let Some((owner, old)) = entries.get(path) {
            if *owner != peer {
                return false;
            }
            if let Some(old) = old.upgrade() {
                old.abandon();
            }
        }
        entries.insert(path.to_owned(), (peer, stream));
        true
    }
}
