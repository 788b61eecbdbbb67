//! Updates: when they are sent, and what is taken of those that come.

use super::Dsdv;
use super::message::{Entry, Update};
use crate::radio::Address;
use crate::rng::Stream;
use crate::routing::{Packet, Seq};
use crate::time::{Duration, Time};

/// When the next updates are due.
#[derive(Clone, Debug)]
pub(super) struct Schedule {
    jitter: Stream,
    /// The next full update.
    full: Time,
    /// The next update of what has changed.
    changes: Option<Time>,
    /// The last update of either kind.
    last: Option<Time>,
}

impl Schedule {
    /// The first full update comes within `first`.
    pub(super) fn new(mut jitter: Stream, first: Duration) -> Self {
        Self {
            full: Time::ZERO + jitter.uniform_duration(Duration::ZERO, first),
            jitter,
            changes: None,
            last: None,
        }
    }

    pub(super) fn next_timer(&self) -> Time {
        self.changes.map_or(self.full, |at| at.min(self.full))
    }
}

impl<P> Dsdv<P> {
    /// Neighbour `from` says what it knows.
    pub(super) fn on_update(&mut self, now: Time, from: Address, update: &Update) {
        match self.heard.iter_mut().find(|(address, _)| *address == from) {
            Some((_, heard)) => *heard = now,
            None => self.heard.push((from, now)),
        }
        for &entry in &update.entries {
            if entry.destination == self.own {
                self.on_own(now, entry.seq);
            } else if let Some(tell) = self.table.offer(now, from, entry, &self.config) {
                self.plan(now, tell);
            }
        }
        for &Entry { destination, .. } in &update.entries {
            self.end_wait(destination);
        }
    }

    /// Somebody tells of this station. A number above its own is that of a break: the next even one says that the
    /// station is there.
    fn on_own(&mut self, now: Time, seq: Seq) {
        if seq.is_newer_than(self.seq) {
            self.seq = Seq(seq.0.wrapping_add(2) & !1);
            self.tell_own = true;
            self.plan(now, now);
        }
    }

    /// `next_hop` does not answer, or is silent.
    pub(super) fn link_broken(&mut self, now: Time, next_hop: Address) {
        self.heard.retain(|&(address, _)| address != next_hop);
        if self.table.break_off(now, next_hop) {
            self.plan(now, now);
        }
    }

    /// Plans an update for a change that may be told from `from` on.
    fn plan(&mut self, now: Time, from: Time) {
        let config = &self.config;
        let free = self.schedule.last.map_or(now, |at| at + config.trigger_gap);
        let stream = &mut self.schedule.jitter;
        let wait = stream.uniform_duration(Duration::ZERO, config.jitter);
        let at = from.max(free).max(now) + wait;
        let earlier = self.schedule.changes;
        self.schedule.changes = Some(earlier.map_or(at, |earlier| earlier.min(at)));
    }

    pub(super) fn on_update_timer(&mut self, now: Time) {
        if self.schedule.full <= now {
            self.find_silent_neighbours(now);
            self.seq = self.seq.next().next();
            self.tell_own = true;
            self.send_update(now, true);
            let interval = self.config.update_interval;
            let earlier = if self.config.jitter.is_zero() {
                Duration::ZERO
            } else {
                let stream = &mut self.schedule.jitter;
                stream.uniform_duration(Duration::ZERO, interval / 4)
            };
            self.schedule.full = now + interval.saturating_sub(earlier);
        } else if self.schedule.changes.is_some_and(|at| at <= now) {
            self.send_update(now, false);
        }
    }

    /// Sends the whole table, or what has changed in it; and plans when the rest is told.
    fn send_update(&mut self, now: Time, all: bool) {
        let own = std::mem::take(&mut self.tell_own).then_some(Entry {
            destination: self.own,
            seq: self.seq,
            hops: Some(0),
        });
        let entries: Vec<Entry> = own.into_iter().chain(self.table.tell(now, all)).collect();
        for entries in entries.chunks(Update::MOST_ENTRIES) {
            let entries = entries.to_vec();
            self.send(Address::BROADCAST, Packet::Dsdv(Update { entries }));
        }
        if !entries.is_empty() {
            self.schedule.last = Some(now);
        }
        self.schedule.changes = None;
        if let Some(tell) = self.table.next_tell() {
            self.plan(now, tell);
        }
    }

    fn find_silent_neighbours(&mut self, now: Time) {
        let silence = self.config.silence();
        let silent = |&(_, heard): &(Address, Time)| heard + silence <= now;
        while let Some(at) = self.heard.iter().position(silent) {
            let (address, _) = self.heard.swap_remove(at);
            self.link_broken(now, address);
        }
    }
}
