//! The data receiver: acknowledgements and the rate. The caller's contract is in the
//! [module above](super).

mod setup;

use std::ops::Range;
use std::sync::Arc;

use crate::time::{Duration, Time};

use super::Failure;
use super::assembly::{Assembly, Taken};
use super::config::Config;
use super::packet::{Ack, Control, Data, Micros, Open, Packet, Reset};
use super::rate::{Arrival, RateChange, RateControl};
use super::rtt::{RttEstimator, SendTimes};
use setup::PacketPair;

/// ACKs whose time is remembered: more than can be on their way.
const MAX_PENDING_ACKS: usize = 1024;

/// Counters of a WTCP receiver since the start of its connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReceiverCounters {
    /// Data packets that arrived, copies included.
    pub data: u64,
    /// Data packets whose data had all arrived before; those that were refused are not counted.
    pub duplicates: u64,
    /// Packets of the sender that had not arrived when one sent later did; some of them may still have come.
    pub missing: u64,
    /// Increases of the rate, each at the end of an epoch, over which the receiver measures.
    pub increases: u64,
    /// Decreases of the rate, each at the end of an epoch, over which the receiver measures; without
    /// [halvings](Self::halvings).
    pub decreases: u64,
    /// Congestion losses that cut the rate, by default to half.
    pub halvings: u64,
}

#[derive(Clone, Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "a receiver has one, and it is this one nearly always"
)]
enum State {
    Listening(PacketPair),
    Open(RateControl),
    /// Finished and long forgotten by the sender.
    Closed,
    Failed(Failure),
}

/// The packet of the sender with the highest control sequence number.
#[derive(Clone, Copy, Debug)]
struct Highest {
    ctrl_seq: u64,
    at: Time,
}

/// Receiver of one WTCP stream, without I/O of its own: puts the stream together, acknowledges, and computes the rate
/// for the sender.
#[derive(Clone, Debug)]
pub struct Receiver {
    config: Arc<Config>,
    state: State,
    /// A reset to be sent.
    reset: Option<Reset>,
    assembly: Assembly,
    highest: Option<Highest>,
    last_heard: Time,
    rtt: RttEstimator,
    /// When ACKs were sent that no packet has told of.
    acks: SendTimes,
    /// An ACK is to be sent now.
    ack_due: bool,
    /// Data packets since the last ACK.
    unacknowledged: u16,
    /// The window's end that the sender knows of.
    told_limit: u64,
    counters: ReceiverCounters,
}

impl Receiver {
    /// A receiver that waits for a sender to connect. `config` must pass [`Config::check`].
    pub fn new(config: impl Into<Arc<Config>>) -> Self {
        let config = config.into();
        debug_assert_eq!(config.check(), Ok(()));
        Self {
            state: State::Listening(PacketPair::default()),
            reset: None,
            assembly: Assembly::new(config.receive_buffer),
            highest: None,
            last_heard: Time::ZERO,
            rtt: RttEstimator::default(),
            acks: SendTimes::default(),
            ack_due: false,
            unacknowledged: 0,
            told_limit: 0,
            counters: ReceiverCounters::default(),
            config,
        }
    }

    /// A packet from the data sender arrived. Returns the stream positions of its payload, whose bytes the driver has
    /// to keep; `None` if there are none to keep.
    pub fn on_packet(&mut self, now: Time, packet: &Packet) -> Option<Range<u64>> {
        match (&mut self.state, packet) {
            // Nobody there, and what is not for a receiver.
            (State::Closed | State::Failed(_), _)
            | (_, Packet::Ack(_))
            | (State::Listening(_), Packet::Reset(_)) => None,
            (State::Open(_), Packet::Reset(reason)) => {
                if !self.assembly.is_complete() {
                    self.state = State::Failed(Failure::Reset(*reason));
                }
                None
            }
            (_, Packet::Open(open)) => {
                self.on_open(now, *open);
                None
            }
            (State::Listening(_), _) => {
                self.reset = Some(Reset::Unknown);
                None
            }
            (State::Open(_), Packet::Data(data)) => self.on_data(now, data),
            (State::Open(_), Packet::Probe(probe)) => {
                self.on_numbered(now, &probe.control, false);
                self.ack_due = true;
                None
            }
        }
    }

    /// The application has read `bytes` more bytes of the [readable](Self::readable) ones, which makes room for others.
    pub fn read(&mut self, bytes: u64) {
        self.assembly.read(bytes);
        // The window has opened from less than a packet to at least one, or to half of a small
        // buffer (RFC 9293 section 3.8.6.2.2): the sender may wait for it.
        let useful =
            u64::from(self.config.mss).min(u64::from(self.config.receive_buffer / 2).max(1));
        let room = |limit: u64| limit.saturating_sub(self.assembly.next());
        let opens = room(self.told_limit) < useful && room(self.assembly.limit()) >= useful;
        if opens && self.is_open() && !self.is_finished() {
            self.ack_due = true;
        }
    }

    /// The application gives up: fails an open, unfinished connection, and sends the peer a reset.
    pub fn abort(&mut self) {
        if self.is_open() && !self.is_finished() {
            self.fail(Failure::Aborted);
        }
    }

    /// Acts on the timer if it has expired: as nothing was heard for the idle timeout, the connection fails, or is
    /// closed if the stream has ended.
    pub fn on_timer(&mut self, now: Time) {
        if self.next_timer().is_some_and(|at| at <= now) {
            if self.is_finished() {
                self.state = State::Closed;
            } else {
                self.fail(Failure::IdleTimeout);
            }
        }
    }

    /// Time at which [`Self::on_timer`] is due, the end of the idle timeout; `None` while the connection is not open. A
    /// finished receiver waits as long, to answer a sender that does not know yet that all has arrived.
    pub fn next_timer(&self) -> Option<Time> {
        let at = self.last_heard + self.config.idle_timeout;
        (self.is_open() && at < Time::MAX).then_some(at)
    }

    /// The next packet to put on the wire; `None` if none is due. Call until `None` after every input.
    #[must_use]
    pub fn poll_transmit(&mut self, now: Time) -> Option<Packet> {
        if let Some(reason) = self.reset.take() {
            return Some(Packet::Reset(reason));
        }
        let State::Open(rate) = &self.state else {
            return None;
        };
        let separation = rate.separation();
        let highest = self.highest.filter(|_| self.ack_due)?;
        self.ack_due = false;
        self.unacknowledged = 0;
        let cack = self.assembly.next();
        self.told_limit = self.assembly.limit();
        let (sack, more) = self.assembly.sack();
        let ack = Ack {
            ack_seq: self.acks.push(now),
            hctrl_seq: highest.ctrl_seq,
            hctrl_delay: Micros::from_duration(now.since(highest.at)),
            separation: self.config.bounded(separation),
            cack,
            window: u32::try_from(self.told_limit.saturating_sub(cack)).unwrap_or(u32::MAX),
            sack,
            more,
        };
        self.acks.keep_latest(MAX_PENDING_ACKS);
        Some(Packet::Ack(ack))
    }

    fn on_open(&mut self, now: Time, open: Open) {
        self.last_heard = now;
        if let State::Listening(pair) = &mut self.state {
            let Some(separation) = pair.on_open(now, open.ctrl_seq, &self.config) else {
                return;
            };
            let ack_seq = self.acks.next();
            self.state = State::Open(RateControl::new(&self.config, separation, ack_seq));
        }
        self.note_highest(now, open.ctrl_seq);
        self.ack_due = true;
    }

    fn on_data(&mut self, now: Time, data: &Data) -> Option<Range<u64>> {
        let hole = self.on_numbered(now, &data.control, true);
        self.counters.data += 1;
        self.unacknowledged = self.unacknowledged.saturating_add(1);
        let taken = self.assembly.insert(data);
        let due = self.unacknowledged >= data.ack_every || hole || self.is_finished();
        self.ack_due |= due || taken != Taken::New;
        self.counters.duplicates += u64::from(taken == Taken::Duplicate);
        let end = data.rel_seq.saturating_add(u64::from(data.len));
        (taken == Taken::New && data.len > 0).then_some(data.rel_seq..end)
    }

    /// Does what data packets and probes have in common. Returns whether packets before it are
    /// missing.
    fn on_numbered(&mut self, now: Time, control: &Control, data: bool) -> bool {
        self.last_heard = now;
        self.sample_rtt(now, control);
        let missing = self.note_highest(now, control.ctrl_seq);
        self.counters.missing += missing;
        let arrival = Arrival {
            now,
            control,
            data,
            rtt: self.rtt(),
            silence: self.silence(control),
        };
        let next_ack = self.acks.next();
        if let State::Open(rate) = &mut self.state
            && let Some(change) = rate.on_packet(&arrival, next_ack)
        {
            self.ack_due = true;
            match change {
                RateChange::Increase => self.counters.increases += 1,
                RateChange::Decrease => self.counters.decreases += 1,
                RateChange::Loss => self.counters.halvings += 1,
            }
        }
        missing > 0
    }

    fn sample_rtt(&mut self, now: Time, control: &Control) {
        if let Some(sent) = self.acks.take(control.hack_seq) {
            let held = control.hack_delay.to_duration();
            let cap = self.config.blackout.threshold(self.rtt());
            self.rtt.sample(now.since(sent), held, cap);
        }
    }

    /// Arrivals further apart than a sender's patience, or than some packets at its pace, tell of a
    /// blackout.
    fn silence(&self, control: &Control) -> Duration {
        let blackout = &self.config.blackout;
        let pace = control.separation.to_duration() * u64::from(blackout.threshold_rtts);
        blackout.threshold(self.rtt()).max(pace)
    }

    /// Packets missing between the highest control sequence number so far and this one.
    fn note_highest(&mut self, now: Time, ctrl_seq: u64) -> u64 {
        let before = self.highest.map(|h| h.ctrl_seq);
        if before.is_some_and(|before| ctrl_seq <= before) {
            return 0;
        }
        self.highest = Some(Highest { ctrl_seq, at: now });
        before.map_or(0, |before| ctrl_seq - before - 1)
    }

    fn fail(&mut self, failure: Failure) {
        self.reset = failure.reset();
        self.state = State::Failed(failure);
    }

    /// Smoothed round-trip time, or [`Config::initial_rtt`] until there is a sample.
    pub fn rtt(&self) -> Duration {
        self.rtt.get().unwrap_or(self.config.initial_rtt)
    }

    /// Rate that the receiver asks the sender for, in packets a second; `None` while the connection is not open.
    pub fn rate(&self) -> Option<f64> {
        match &self.state {
            State::Open(rate) => Some(rate.rate()),
            _ => None,
        }
    }

    /// Whether a sender has connected and the connection has not failed; stays true after the end of the stream until
    /// nothing was heard for the idle timeout.
    pub fn is_open(&self) -> bool {
        matches!(self.state, State::Open(_))
    }

    /// Whether the whole stream, its end included, has arrived.
    pub fn is_finished(&self) -> bool {
        self.assembly.is_complete()
    }

    /// Reason for which the connection ended early; `None` if it did not.
    pub fn failure(&self) -> Option<Failure> {
        match self.state {
            State::Failed(failure) => Some(failure),
            _ => None,
        }
    }

    /// Bytes of the stream that have arrived in order so far, each counted once.
    pub fn delivered(&self) -> u64 {
        self.assembly.arrived()
    }

    /// Bytes that have arrived in order and that the application has not read yet.
    pub fn readable(&self) -> u64 {
        self.assembly.readable()
    }

    /// First stream position beyond the receive buffer.
    pub fn window_end(&self) -> u64 {
        self.assembly.limit()
    }

    /// Counters since the start of the connection.
    pub fn counters(&self) -> ReceiverCounters {
        self.counters
    }
}

#[cfg(test)]
mod tests;
