//! The data sender. The caller's contract is in the [module above](super).

mod blackout;
mod frequency;
mod pacing;
mod setup;
mod transmit;

use std::sync::Arc;

use crate::time::{Duration, Time};

use super::Failure;
use super::config::Config;
use super::packet::{Ack, Micros, Packet, Reset};
use super::reliability::{SentPacket, Unacked};
use super::rtt::{RttEstimator, SendTimes};
use blackout::Blackout;
use frequency::AckLoss;
use pacing::Pacer;
use setup::Opening;

/// Counters of a WTCP sender since the start of its connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SenderCounters {
    /// Packets sent of any kind but resets.
    pub sent: u64,
    /// Data packets sent, retransmissions included.
    pub data: u64,
    /// Data packets that repeat data sent before.
    pub retransmits: u64,
    /// Probes sent: packets without data that ask for an ACK.
    pub probes: u64,
    /// Blackouts that have begun: times without ACKs, in which only probes are sent.
    pub blackouts: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Closed,
    Opening(Opening),
    Established,
    Done,
    Failed(Failure),
}

/// Sender of one WTCP stream, without I/O of its own: spaces packets by the rate that the receiver asks for, and
/// repeats data that ACKs show to be missing.
#[derive(Clone, Debug)]
pub struct Sender {
    config: Arc<Config>,
    state: State,
    /// A reset to be sent.
    reset: Option<Reset>,
    pacer: Pacer,
    blackout: Option<Blackout>,
    unacked: Unacked,
    /// When packets were sent that no ACK has told of, by control sequence number.
    pending: SendTimes,
    rtt: RttEstimator,
    /// The latest round-trip sample, until the driver asks for it.
    rtt_sample: Option<Duration>,
    ack_loss: AckLoss,
    /// `hack_seq_num`: the latest ACK and when it arrived.
    hack: Option<(u64, Time)>,
    last_heard: Time,
    /// The cumulative acknowledgement.
    cack: u64,
    /// First stream position beyond the receiver's window.
    limit: u64,
    /// End of what was sent.
    next: u64,
    /// End of what the application has written.
    written: u64,
    closing: bool,
    fin_sent: bool,
    counters: SenderCounters,
}

impl Sender {
    /// A sender whose connection is not started yet. `config` must pass [`Config::check`].
    pub fn new(config: impl Into<Arc<Config>>) -> Self {
        let config = config.into();
        debug_assert_eq!(config.check(), Ok(()));
        Self {
            state: State::Closed,
            reset: None,
            pacer: Pacer::new(config.setup.separation),
            blackout: None,
            unacked: Unacked::default(),
            pending: SendTimes::default(),
            rtt: RttEstimator::default(),
            rtt_sample: None,
            ack_loss: AckLoss::default(),
            hack: None,
            last_heard: Time::ZERO,
            cack: 0,
            limit: 0,
            next: 0,
            written: 0,
            closing: false,
            fin_sent: false,
            counters: SenderCounters::default(),
            config,
        }
    }

    /// Starts the connection, by sending a pair of open packets.
    pub fn open(&mut self, now: Time) {
        if self.state == State::Closed {
            self.state = State::Opening(Opening::begin(now, &self.config.setup));
            self.last_heard = now;
        }
    }

    /// The application hands over `bytes` more bytes to send; `u64::MAX` is data without end.
    pub fn write(&mut self, bytes: u64) {
        if !self.closing {
            self.written = self.written.saturating_add(bytes);
        }
    }

    /// The application has no more data: the stream ends after the bytes written, or, if these are endless, after those
    /// sent so far.
    pub fn close(&mut self) {
        if self.written == u64::MAX {
            self.written = self.next;
        }
        self.closing = true;
    }

    /// The application gives up: the connection fails, with a reset to the peer; unacknowledged data may never arrive.
    pub fn abort(&mut self) {
        match self.state {
            State::Closed => self.state = State::Failed(Failure::Aborted),
            State::Opening(_) | State::Established => self.fail(Failure::Aborted),
            State::Done | State::Failed(_) => {}
        }
    }

    /// A packet from the data receiver arrived.
    pub fn on_packet(&mut self, now: Time, packet: &Packet) {
        if !self.is_live() {
            return;
        }
        match packet {
            Packet::Ack(ack) => self.on_ack(now, ack),
            Packet::Reset(reason) => self.state = State::Failed(Failure::Reset(*reason)),
            _ => {} // not for a sender
        }
    }

    /// Acts on the timer if it has expired: begins a blackout if an ACK is overdue, or fails the connection after the
    /// idle timeout. Call [`Self::poll_transmit`] afterwards.
    pub fn on_timer(&mut self, now: Time) {
        if self.idle_at().is_some_and(|at| at <= now) {
            self.fail(Failure::IdleTimeout);
        } else if self.blackout_at().is_some_and(|at| at <= now) {
            self.blackout = Some(Blackout::begin(now, self.pending.next()));
            self.counters.blackouts += 1;
        }
    }

    /// Time at which [`Self::on_timer`] and then [`Self::poll_transmit`] are due; `None` for never.
    pub fn next_timer(&self) -> Option<Time> {
        let due = self.due().map(|(at, _)| at);
        let times = [due, self.blackout_at(), self.idle_at()];
        times.into_iter().flatten().min()
    }

    fn on_ack(&mut self, now: Time, ack: &Ack) {
        let unsent =
            ack.hctrl_seq >= self.pending.next() || ack.cack > self.next + u64::from(self.fin_sent);
        let stale = self.hack.is_some_and(|(hack, _)| ack.ack_seq <= hack);
        if unsent || stale {
            return; // nonsense, or all of it is known
        }
        let expected = self.hack.map_or(0, |(hack, _)| hack + 1);
        self.ack_loss.on_ack(ack.ack_seq - expected);
        self.hack = Some((ack.ack_seq, now));
        self.last_heard = now;
        if let Some(sent) = self.pending.take(ack.hctrl_seq) {
            let cap = self.blackout_threshold();
            let held = ack.hctrl_delay.to_duration();
            self.rtt_sample = Some(self.rtt.sample(now.since(sent), held, cap));
        }
        self.pacer
            .set_separation(self.config.bounded(ack.separation));
        self.cack = self.cack.max(ack.cack);
        let limit = ack.cack.saturating_add(u64::from(ack.window));
        self.limit = self.limit.max(limit);
        self.unacked.process_ack(ack);
        if self.unacked.is_empty() {
            // Only probes are still pending: nothing depends on them any more.
            self.pending.keep_latest(0);
        }
        let ended = |b: &Blackout| self.unacked.is_empty() || b.is_ended_by(ack.hctrl_seq);
        if self.blackout.as_ref().is_some_and(ended) {
            self.blackout = None;
        }
        self.state = if self.fin_sent && self.unacked.is_empty() {
            State::Done
        } else {
            State::Established
        };
    }

    fn fail(&mut self, failure: Failure) {
        self.reset = failure.reset();
        self.state = State::Failed(failure);
    }

    fn is_live(&self) -> bool {
        matches!(self.state, State::Opening(_) | State::Established)
    }

    /// When the peer counts as gone.
    fn idle_at(&self) -> Option<Time> {
        let at = self.last_heard + self.config.idle_timeout;
        (self.is_live() && at < Time::MAX).then_some(at)
    }

    /// When a blackout begins unless an ACK comes: while something is unacknowledged, an answer to
    /// what was sent first of all that is pending is overdue then.
    fn blackout_at(&self) -> Option<Time> {
        let waits =
            self.state == State::Established && self.blackout.is_none() && !self.unacked.is_empty();
        let oldest = self.pending.oldest().filter(|_| waits)?;
        Some(oldest + self.blackout_threshold())
    }

    fn blackout_threshold(&self) -> Duration {
        self.config.blackout.threshold(self.rtt())
    }

    /// Smoothed round-trip time, or [`Config::initial_rtt`] until there is a sample.
    pub fn rtt(&self) -> Duration {
        self.rtt.get().unwrap_or(self.config.initial_rtt)
    }

    /// Takes the latest round-trip sample; `None` if no ACK gave one since the last call.
    pub fn poll_rtt(&mut self) -> Option<Duration> {
        self.rtt_sample.take()
    }

    /// Time from one packet to the next at the sender's present rate.
    pub fn separation(&self) -> Micros {
        self.pacer.separation()
    }

    /// Whether the receiver has answered, and the connection is neither done nor failed.
    pub fn is_established(&self) -> bool {
        self.state == State::Established
    }

    /// Whether the whole stream, its end included, is acknowledged.
    pub fn is_done(&self) -> bool {
        self.state == State::Done
    }

    /// Reason for which the connection ended early; `None` if it did not.
    pub fn failure(&self) -> Option<Failure> {
        match self.state {
            State::Failed(failure) => Some(failure),
            _ => None,
        }
    }

    /// Whether a blackout lasts: as no ACK has come for too long, the sender only probes.
    pub fn in_blackout(&self) -> bool {
        self.blackout.is_some()
    }

    /// First stream position that the receiver may lack: the driver need not keep bytes below it.
    pub fn acknowledged(&self) -> u64 {
        self.cack.min(self.next)
    }

    /// First stream position that was never sent.
    pub fn sent_to(&self) -> u64 {
        self.next
    }

    /// Bytes that the application has written and that were never sent; 2^64 − 1 less [`Self::sent_to`] if the data
    /// have no end.
    pub fn unsent(&self) -> u64 {
        self.written - self.next
    }

    /// First stream position beyond the window that the receiver has granted.
    pub fn window_end(&self) -> u64 {
        self.limit
    }

    /// Pieces of the stream that were sent and are not acknowledged, in the order of the stream.
    pub fn unacked(&self) -> impl Iterator<Item = &SentPacket> {
        self.unacked.iter()
    }

    /// Counters since the start of the connection.
    pub fn counters(&self) -> SenderCounters {
        self.counters
    }
}

#[cfg(test)]
mod tests;
