//! Datagrams that wait for a route (RFC 3561 section 6.3).

use std::collections::VecDeque;

use crate::radio::Address;
use crate::routing::Datagram;
use crate::time::{Duration, Time};

/// Datagrams that wait for routes: first in, first out, for each destination.
#[derive(Clone, Debug)]
pub(super) struct Buffer<P> {
    limit: usize,
    time: Duration,
    /// Datagrams with the time until which each may wait, in the order of arrival.
    waiting: VecDeque<(Time, Datagram<P>)>,
}

impl<P> Buffer<P> {
    pub(super) fn new(limit: usize, time: Duration) -> Self {
        Self {
            limit,
            time,
            waiting: VecDeque::new(),
        }
    }

    /// Takes a datagram in; returns the one that had to make room for it, the oldest of all.
    pub(super) fn push(&mut self, now: Time, datagram: Datagram<P>) -> Option<Datagram<P>> {
        self.waiting.push_back((now + self.time, datagram));
        if self.waiting.len() > self.limit {
            return self.waiting.pop_front().map(|(_, datagram)| datagram);
        }
        None
    }

    pub(super) fn next_timer(&self) -> Option<Time> {
        self.waiting.front().map(|&(until, _)| until)
    }

    /// A datagram that has waited for too long.
    pub(super) fn take_expired(&mut self, now: Time) -> Option<Datagram<P>> {
        if self.next_timer()? > now {
            return None;
        }
        self.waiting.pop_front().map(|(_, datagram)| datagram)
    }

    /// The oldest datagram for `destination` for which `wanted` holds.
    pub(super) fn take(
        &mut self,
        destination: Address,
        wanted: impl Fn(&Datagram<P>) -> bool,
    ) -> Option<Datagram<P>> {
        let is_it = |(_, d): &(Time, Datagram<P>)| d.destination == destination && wanted(d);
        let at = self.waiting.iter().position(is_it)?;
        self.waiting.remove(at).map(|(_, datagram)| datagram)
    }

    /// True if something waits for a route to `destination`.
    pub(super) fn has(&self, destination: Address) -> bool {
        self.waiting
            .iter()
            .any(|(_, d)| d.destination == destination)
    }
}
