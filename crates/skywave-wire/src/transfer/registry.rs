//! Which files are being received, and from whom: a sender that comes again takes its transfer over.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError, Weak};

use crate::key::PublicKey;
use crate::node::Stream;

/// Transfers under way.
#[derive(Default)]
pub(super) struct Registry {
    /// By their partial files, which tell whose they are.
    under_way: Mutex<BTreeMap<PathBuf, Weak<Stream>>>,
    /// Hosts of which a file is being read.
    reading: Mutex<BTreeSet<PublicKey>>,
}

/// The right to read a file for a host. Others of the same host wait until it is dropped.
pub(super) struct Turn<'a>(&'a Registry, PublicKey);

impl Registry {
    /// Notes whose transfer it is now; gives up the one that was under way.
    pub(super) fn take_over(&self, path: &Path, stream: Weak<Stream>) {
        let mut entries = lock(&self.under_way);
        entries.retain(|_, stream| stream.strong_count() > 0);
        if let Some(old) = entries
            .insert(path.to_owned(), stream)
            .and_then(|old| old.upgrade())
        {
            old.abandon();
        }
    }

    /// Waits until no other file is read for this host: it cannot make this one read many at once. Nothing
    /// if `go_on` says to stop.
    pub(super) fn turn(
        &self,
        peer: PublicKey,
        mut go_on: impl FnMut() -> bool,
    ) -> Option<Turn<'_>> {
        while !lock(&self.reading).insert(peer) {
            if !go_on() {
                return None;
            }
            std::thread::sleep(super::TICK);
        }
        Some(Turn(self, peer))
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        lock(&self.0.reading).remove(&self.1);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::SecretKey;

    #[test]
    fn files_of_one_host_are_read_one_at_a_time() {
        let registry = Registry::default();
        let [one, other] = [1, 4].map(|n| SecretKey::from_bytes([n; 32]).public());
        let first = registry.turn(one, || false);
        assert!(first.is_some());
        assert!(registry.turn(one, || false).is_none());
        assert!(
            registry.turn(other, || false).is_some(),
            "another host's are not held up"
        );
        drop(first);
        assert!(registry.turn(one, || false).is_some());
    }
}
