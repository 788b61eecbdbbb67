//! The part of a sender that only a connection uses: a one-way flow negotiates nothing.

use std::sync::Arc;

use super::{Sender, State};
use crate::packet::Segment;
use crate::tcp::config::TcpConfig;
use crate::tcp::limits::Why;
use crate::tcp::recovery::LossRecovery;
use crate::time::Time;

impl Sender {
    /// Goes on with what the handshake agreed on; before data may flow, when the members have not
    /// decided anything yet. The SYN stays in flight, and what was learned from it is kept.
    pub(in crate::tcp) fn agree(&mut self, config: Arc<TcpConfig>) {
        debug_assert!(matches!(self.state, State::Closed | State::SynSent));
        *self = Self {
            state: self.state,
            flight: std::mem::take(&mut self.flight),
            timer: self.timer,
            timed: self.timed,
            rto: self.rto.clone(),
            written: self.written,
            closing: self.closing,
            last_sent: self.last_sent,
            syn_lost: self.syn_lost,
            counters: self.counters,
            limits: self.limits,
            ..Self::new(config)
        };
    }

    /// `segment` acknowledges the SYN, whether or not it carries the peer's.
    pub(in crate::tcp) fn on_syn_acked(&mut self, now: Time, segment: &Segment) {
        let ack = self.acknowledged_by(segment);
        if self.state == State::SynSent
            && let Some(ack) = ack.filter(|&ack| ack > 0)
        {
            self.hear(now, segment);
            self.establish(now, ack, segment);
        }
    }

    /// Sends into a window of `bytes`, although no segment has just told of it.
    pub(in crate::tcp) fn set_peer_window(&mut self, bytes: u64) {
        self.peer_window = bytes;
    }

    /// No answer is awaited any more, although something is in flight: no time that passes from now on says
    /// anything of losses or round trips.
    pub(in crate::tcp) fn stop_waiting(&mut self) {
        if self.timer < Time::MAX {
            self.flight.stand_still();
        }
        self.timer = Time::MAX;
        self.timed = None;
        self.detection.on_timeout(&self.flight);
        self.let_go();
    }

    /// Answers are awaited again, or the end of the wait after a mark. Returns whether none were.
    pub(in crate::tcp) fn wait_again(&mut self, now: Time) -> bool {
        let waits = !self.flight.is_empty() || self.waits_for_timer();
        let stood_still = waits && self.timer == Time::MAX;
        if stood_still {
            self.resume(now);
            self.restart_timer(now);
        }
        stood_still
    }

    /// Everything in flight was lost for a reason that says nothing of congestion: goes back to the oldest
    /// segment with the windows as they are.
    pub(in crate::tcp) fn send_all_again(&mut self, now: Time) {
        if self.flight.is_empty() {
            self.wait_again(now);
            return;
        }
        self.dupacks = 0;
        self.detection.on_timeout(&self.flight);
        self.recovery.on_timeout(&mut self.flight);
        self.found = Some(Why::Detector);
        self.go_back();
        self.resume(now);
        self.rto.end_backoff();
        self.restart_timer(now);
    }

    /// Everything that will ever be sent was sent, the FIN too.
    pub(in crate::tcp) fn has_sent_all(&self) -> bool {
        self.closing && self.flight.max() == self.end()
    }

    /// Something waits to be sent, and nothing that is on its way could bring an answer.
    pub(in crate::tcp) fn is_stuck(&self) -> bool {
        let paced = self.pacing.as_ref();
        self.state == State::Established
            && self.flight.in_flight() == 0
            && self.flight.nxt() < self.end()
            && !(self.waits_for_timer() && self.timer < Time::MAX)
            && paced.is_none_or(|pacing| pacing.held_until == Time::MAX)
    }
}
