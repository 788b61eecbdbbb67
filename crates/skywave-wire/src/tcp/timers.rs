//! One queue of timers for all connections.

use std::collections::BTreeSet;

use skywave_core::Time;

use super::table::StreamId;

/// When each connection is to be looked at: one entry a connection at most, and never later than it must be. One that
/// is too early costs a look, which moves it; so an acknowledgement, which puts a timer off, costs nothing here.
#[derive(Debug, Default)]
pub(super) struct Timers(BTreeSet<(Time, StreamId)>);

impl Timers {
    /// Makes sure that a connection, whose entry is at `set`, is looked at by `due`.
    pub(super) fn schedule(&mut self, id: StreamId, set: &mut Option<Time>, due: Option<Time>) {
        let Some(due) = due else { return };
        if set.is_none_or(|at| due < at) {
            self.cancel(id, set);
            self.0.insert((due, id));
            *set = Some(due);
        }
    }

    /// Takes out a connection whose entry is at `set`.
    pub(super) fn cancel(&mut self, id: StreamId, set: &mut Option<Time>) {
        if let Some(at) = set.take() {
            self.0.remove(&(at, id));
        }
    }

    /// Takes out the first connection that is due at `now`.
    pub(super) fn take(&mut self, now: Time) -> Option<StreamId> {
        let &(at, id) = self.0.first()?;
        if at > now {
            return None;
        }
        self.0.pop_first();
        Some(id)
    }

    /// When the first one is due.
    pub(super) fn next(&self) -> Option<Time> {
        self.0.first().map(|&(at, _)| at)
    }
}
