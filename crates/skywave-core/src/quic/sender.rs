//! The sender of data. The caller's contract is in the [module above](super).

mod ack;
mod ack_frequency;
mod timer;
mod transmit;

use std::sync::Arc;

use crate::packet::Ecn;
use crate::tcp::limits::{LimitClock, LimitTimes, Resend};
use crate::tcp::pacing::Pacing;
use crate::tcp::resends::Resends;
use crate::tcp::rto::RtoEstimator;
use crate::tcp::window::Window;
use crate::tcp::{Handshake, PacingConfig, SenderCounters};
use crate::time::{Duration, Time};

use self::ack_frequency::AckFrequency;
use super::config::Config;
use super::control::Control;
use super::ledger::{Arrived, Ledger, Lost};
use super::packet::Packet;
use super::rtt::Rtt;
use super::stream::Stream;

#[derive(Clone, Debug, PartialEq, Eq)]
enum State {
    Closed,
    /// The times at which a `Hello` was sent.
    Opening(Vec<Time>),
    Established,
}

/// Sender of one QUIC stream, without I/O of its own: finds losses by RFC 9002, and sends lost data in new packets.
#[derive(Debug)]
pub struct Sender {
    config: Arc<Config>,
    state: State,
    control: Control,
    ledger: Ledger,
    stream: Stream,
    rtt: Rtt,
    ack_frequency: AckFrequency,
    /// The latest round-trip sample, until the driver asks for it.
    rtt_sample: Option<Duration>,
    pacing: Pacing,
    /// Probe timeouts since the last ACK with news (`pto_count`).
    pto_count: u32,
    /// Probes that are to be sent, and the first piece of the stream that the next one may repeat.
    probes: u32,
    probe_from: u64,
    /// First stream position beyond the receiver's buffer.
    limit: u64,
    /// Marks that the receiver has counted.
    ce: u32,
    /// Whether there was nothing to send when last asked, or no room for it at the receiver.
    app_limited: bool,
    limits: LimitClock,
    /// The transmission of data that was sent before, until the driver asks for it.
    resend: Option<Resend>,
    resends: Resends,
    counters: SenderCounters,
    /// Room for what an ACK tells.
    news: Vec<Arrived>,
    lost: Vec<Lost>,
}

impl Sender {
    /// A sender whose connection is not started yet.
    pub fn new(config: impl Into<Arc<Config>>) -> Self {
        let config = config.into();
        Self {
            state: State::Closed,
            control: Control::new(&config.of_law()),
            ledger: Ledger::default(),
            stream: Stream::default(),
            rtt: Rtt::new(&config.loss),
            ack_frequency: AckFrequency::new(config.acking),
            rtt_sample: None,
            pacing: Pacing::new(PacingConfig::Window),
            pto_count: 0,
            probes: 0,
            probe_from: 0,
            limit: u64::from(config.receive_buffer),
            ce: 0,
            app_limited: false,
            limits: LimitClock::default(),
            resend: None,
            resends: Resends::default(),
            counters: SenderCounters::default(),
            news: Vec::new(),
            lost: Vec::new(),
            config,
        }
    }

    /// Restricts [`Self::limit_times`], which adds up what keeps the sender from sending, to the time between `from`
    /// and `to`. To be called before [`Self::open`]: time that was added up before the call stays.
    pub fn measure(&mut self, from: Time, to: Time) {
        self.limits.measure(from, to);
    }

    /// Starts the connection, with a handshake if the settings have one.
    pub fn open(&mut self) {
        if self.state == State::Closed {
            self.state = match self.config.handshake {
                Handshake::None => State::Established,
                Handshake::ThreeWay => State::Opening(Vec::new()),
            };
        }
    }

    /// The application hands over `bytes` more bytes to send; `u64::MAX` is data without end.
    pub fn write(&mut self, bytes: u64) {
        self.stream.write(bytes);
    }

    /// The application has no more data: the stream ends after the bytes written, or, if these are endless, after those
    /// sent so far.
    pub fn close(&mut self) {
        self.stream.close();
    }

    /// A packet from the data receiver arrived.
    pub fn on_packet(&mut self, now: Time, packet: &Packet) {
        match packet {
            Packet::Welcome { attempt } => self.on_welcome(now, *attempt),
            Packet::Ack(ack) if self.state == State::Established => self.on_ack(now, ack),
            _ => {} // not for a sender
        }
    }

    fn on_welcome(&mut self, now: Time, attempt: u32) {
        let State::Opening(sent) = &self.state else {
            return;
        };
        // Each `Hello` has its number, so that the round trip is of the right one.
        if let Some(&sent) = sent.get(attempt as usize) {
            self.rtt.sample(sent, now, Duration::ZERO);
            self.limits.hear(now);
            self.state = State::Established;
        }
    }

    /// ECN field with which packets with data are to leave.
    pub fn ecn(&self) -> Ecn {
        match (self.config.ecn, self.config.l4s) {
            (false, _) => Ecn::NotEct,
            (true, false) => Ecn::Ect0,
            (true, true) => Ecn::Ect1,
        }
    }

    /// Takes the latest round-trip sample, the peer's ACK delay included; `None` if no ACK gave one since the last
    /// call.
    pub fn poll_rtt(&mut self) -> Option<Duration> {
        self.rtt_sample.take()
    }

    /// Takes the retransmission in the packet that the last call of [`Self::poll_transmit`] returned; `None` if that
    /// call returned no packet or one that repeats no data, or if the retransmission was taken before.
    pub fn poll_resend(&mut self) -> Option<Resend> {
        self.resend.take()
    }

    /// Estimator with the smoothed round-trip time and its deviation.
    pub fn rtt(&self) -> &RtoEstimator {
        self.rtt.estimator()
    }

    /// Smallest round-trip sample; `None` before the first one. Starts anew at persistent congestion.
    pub fn min_rtt(&self) -> Option<Duration> {
        self.rtt.min()
    }

    /// The present probe timeout (PTO), doubled for each one that expired since the last ACK of new packets, up to
    /// [`LossConfig::max_pto`](super::LossConfig::max_pto) or what is longer of two smoothed round trips and the timeout
    /// without doubling.
    pub fn pto(&self) -> Duration {
        self.pto_after(self.pto_count)
    }

    /// The probe timeout after `backoff` of them without an answer.
    fn pto_after(&self, backoff: u32) -> Duration {
        self.rtt.pto(self.ack_frequency.max_ack_delay(), backoff)
    }

    /// The congestion window and the slow start threshold, in full packets ([`Config::packet_bytes`]).
    pub fn window(&self) -> Window {
        self.control.in_packets()
    }

    /// Bytes of the packets in flight: sent, and neither acknowledged nor lost.
    pub fn in_flight(&self) -> u64 {
        self.control.in_flight()
    }

    /// First stream position that is not known to have arrived.
    pub fn una(&self) -> u64 {
        self.stream.una()
    }

    /// First stream position that was never sent.
    pub fn sent_to(&self) -> u64 {
        self.stream.next()
    }

    /// Whether everything written and the end of the stream is known to have arrived.
    pub fn is_done(&self) -> bool {
        self.stream.is_done()
    }

    /// Whether everything sent so far is known to have arrived.
    pub fn is_drained(&self) -> bool {
        self.stream.is_drained()
    }

    /// Bytes that the application has written and that were never sent; 2^64 − 1 less [`Self::sent_to`] if the data
    /// have no end.
    pub fn unsent(&self) -> u64 {
        self.stream.unsent()
    }

    /// Time until `now` for which each limit (congestion window, receive window, application, pacing, …) kept the
    /// sender from sending more.
    pub fn limit_times(&self, now: Time) -> LimitTimes {
        self.limits.times(now)
    }

    /// Counters of the connection so far: a "fast retransmit" is a recovery period that losses began, a "timeout" a
    /// probe timeout or one of the handshake.
    pub fn counters(&self) -> &SenderCounters {
        &self.counters
    }
}

#[cfg(test)]
mod tests;
