//! The loss detection timer (RFC 9002 section 6.2, appendices A.8 and A.9), and the slot of the pace.

use super::{Sender, State};
use crate::tcp::limits::Limit;
use crate::time::Time;

/// Probes with data that a timeout sends (section 6.2.4: one or two; two, so that the loss of one is no further timeout).
const PROBES: u32 = 2;

impl Sender {
    /// Acts on the loss detection timer if it has expired: declares overdue packets lost, or, after a probe timeout,
    /// prepares probes. Call [`Self::poll_transmit`] afterwards.
    pub fn on_timer(&mut self, now: Time) {
        if self.state != State::Established {
            return; // `poll_transmit` looks at the time itself
        }
        if let Some(at) = self.ledger.loss_time() {
            if at <= now {
                self.find_losses(now, false);
            }
        } else if self.pto_at().is_some_and(|at| at <= now) {
            self.pto_count += 1;
            // Without data a second one would bring nothing. A queue that has room for one packet would drop it each
            // time, and so begin the next timeout.
            let has_data = !self.stream.is_drained() || self.new_piece().is_ok();
            self.probes = if has_data { PROBES } else { 1 };
            self.probe_from = 0;
            self.expired(now);
        }
    }

    /// A probe timeout, which says nothing about congestion.
    pub(super) fn expired(&mut self, now: Time) {
        self.limits.expire(now);
        self.counters.timeouts += 1;
        let window = self.control.in_packets().cwnd;
        self.counters
            .events
            .timeout(0, self.ledger.in_flight().max(1), window);
    }

    /// Time at which [`Self::on_timer`] and then [`Self::poll_transmit`] are due; `None` while no timer runs.
    pub fn next_timer(&self) -> Option<Time> {
        match &self.state {
            State::Closed => None,
            State::Opening(_) => self.hello_at(),
            State::Established => {
                // One timer: while a loss is due by its age, there is no probe timeout.
                let detection = self.ledger.loss_time().or_else(|| self.pto_at());
                let slot = (self.limits.limit() == Some(Limit::Pacing)).then(|| self.pacing.slot());
                [detection, slot].into_iter().flatten().min()
            }
        }
    }

    /// When the probe timeout is due; never while nothing is in flight, nor after the end: whatever is on its way then is of
    /// no use to anybody.
    fn pto_at(&self) -> Option<Time> {
        let awaits = self.ledger.in_flight() > 0 && !self.stream.is_done();
        awaits.then(|| self.ledger.last_sent() + self.pto())
    }

    /// When the next `Hello` is to be sent: after the first one by the timeout of the handshake.
    pub(super) fn hello_at(&self) -> Option<Time> {
        let State::Opening(sent) = &self.state else {
            return None;
        };
        let backoff = sent.len().saturating_sub(1) as u32;
        let timeout = self.rtt.handshake_timeout(backoff);
        Some(sent.last().map_or(Time::ZERO, |&last| last + timeout))
    }
}
