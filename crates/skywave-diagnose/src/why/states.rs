//! States of a transfer: what it waited for, by hundredths of a second.

use std::collections::VecDeque;

use super::link::Link;
use crate::transfer::{Bin, Transfer, WIDTH_NS};

/// Seconds of a bin.
pub(super) const BIN_S: f64 = WIDTH_NS as f64 / 1e9;
/// A silence before a retransmission is a timeout from this length on, seconds, and in round trips: Linux waits 200 ms at least.
const TIMEOUT_S: f64 = 0.17;
const TIMEOUT_RTTS: f64 = 0.9;
/// A receiver whose window is smaller than this, or is full but for as much, holds the sender up: segments.
const SMALL_WINDOW: f64 = 4.0;
const FULL_WINDOW: f64 = 1.5;
/// A sender with little in flight waits for its application after a silence this long: bins.
const IDLE_BINS: u32 = 2;
/// The most in flight of this many round trips is what the sender may have in flight; with less than a share of it, it has no more
/// to send.
const FLIGHT_RTTS: f64 = 15.0;
const FLIGHT_SHARE: f64 = 0.5;
/// Silence that counts, in transmission times of a packet; and the bins of a silence that are looked at one by one.
const SILENCE_PACKETS: f64 = 2.5;
const LOOKED_AT: u32 = 1000;
/// Time over which the rate of arrivals is taken, seconds at least.
const RATE_S: f64 = 0.1;
/// From this share of the link's rate on, the link is full; below this share a long round trip is not the queue's.
const FULL_RATE: f64 = 0.93;
const STARVED_RATE: f64 = 0.5;

/// State of a transfer at a time: what keeps it from being faster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// The opening of the connection.
    Handshake,
    /// Silence until a retransmission timeout.
    Timeout,
    /// The receiver's window is full or very small.
    ReceiveWindow,
    /// Repair of losses, as far as it costs rate.
    Recovery,
    /// The application has nothing to send.
    Application,
    /// The link is full: packets queue there.
    Queue,
    /// The congestion window, or the sender's buffer, is smaller than what the link would take.
    CongestionWindow,
}

impl State {
    /// Every state with its name, in the order in which tables have them.
    pub const ALL: [(Self, &str); 7] = [
        (Self::Handshake, "handshake"),
        (Self::Application, "application"),
        (Self::ReceiveWindow, "receive window"),
        (Self::CongestionWindow, "congestion window"),
        (Self::Queue, "link full"),
        (Self::Recovery, "recovery"),
        (Self::Timeout, "timeout"),
    ];
}

/// Shares of a transfer's time by state.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shares {
    seconds: [f64; State::ALL.len()],
}

impl Shares {
    /// Share of the transfer's time that was spent in `state`, 0 to 1.
    pub fn of(&self, state: State) -> f64 {
        let all: f64 = self.seconds.iter().sum();
        if all > 0.0 {
            self.seconds[state as usize] / all
        } else {
            0.0
        }
    }

    fn add(&mut self, state: State, seconds: f64) {
        self.seconds[state as usize] += seconds;
    }
}

/// Shares of the time of a transfer.
pub(super) fn shares(transfer: &Transfer, link: &Link) -> Shares {
    let mut walk = Walk {
        link,
        mss: f64::from(transfer.mss),
        most: VecDeque::new(),
        shares: Shares::default(),
    };
    let opening = transfer.handshake.map_or(0.0, |handshake| handshake.rtt_s);
    walk.shares.add(State::Handshake, opening);
    let mut last: Option<Bin> = None;
    for bin in transfer.bins.iter() {
        if let Some(last) = last {
            walk.gap(&last, bin);
        }
        walk.bin(bin);
        last = Some(*bin);
    }
    walk.shares
}

/// A walk along the bins.
struct Walk<'a> {
    link: &'a Link,
    mss: f64,
    /// Bins with the most in flight of the last round trips, falling.
    most: VecDeque<(u32, u32)>,
    shares: Shares,
}

impl Walk<'_> {
    /// A bin in which something happened.
    fn bin(&mut self, bin: &Bin) {
        if bin.is_after_timeout || bin.is_recovering {
            // What was in flight before is no measure any more.
            self.most.clear();
        }
        let horizon = (FLIGHT_RTTS * self.link.rtt_s / BIN_S) as u32;
        while self.most.back().is_some_and(|last| last.1 <= bin.flight) {
            self.most.pop_back();
        }
        let is_old = |first: &(u32, u32)| bin.index - first.0 > horizon;
        while self.most.front().is_some_and(is_old) {
            self.most.pop_front();
        }
        self.most.push_back((bin.index, bin.flight));
        let state = self.limit(bin, bin.flight);
        if state.is_none() && bin.is_recovering {
            self.recover(bin.index, 1);
        } else {
            let state = state.unwrap_or_else(|| self.network(bin.index));
            self.shares.add(state, BIN_S);
        }
    }

    /// The time between two bins, in which nothing happened.
    fn gap(&mut self, last: &Bin, next: &Bin) {
        let bins = next.index - last.index - 1;
        if bins == 0 {
            return;
        }
        let seconds = f64::from(bins) * BIN_S;
        let left = f64::from(last.left);
        let most = self.most.front().map_or(0, |(_, flight)| *flight);
        let state =
            if next.is_after_timeout && seconds >= TIMEOUT_S.max(TIMEOUT_RTTS * self.link.base_s) {
                State::Timeout
            } else if let Some(state) = self.limit(last, last.left) {
                state
            } else if last.is_recovering {
                self.recover(last.index + 1, bins);
                return;
            } else if (left <= self.mss && bins >= IDLE_BINS)
                || (left < FLIGHT_SHARE * f64::from(most)
                    && seconds >= SILENCE_PACKETS * self.link.packet_s)
            {
                State::Application
            } else {
                let looked_at = bins.min(LOOKED_AT);
                for index in last.index + 1..=last.index + looked_at {
                    let state = self.network(index);
                    self.shares.add(state, BIN_S);
                }
                let rest = f64::from(bins - looked_at) * BIN_S;
                self.shares.add(State::CongestionWindow, rest);
                return;
            };
        self.shares.add(state, seconds);
    }

    /// The receiver's window, if it is full or small.
    fn limit(&self, bin: &Bin, flight: u32) -> Option<State> {
        let window = f64::from(bin.window);
        let is_full = f64::from(flight) + FULL_WINDOW * self.mss >= window;
        let is_small = window < SMALL_WINDOW * self.mss;
        (bin.window != u32::MAX && (is_full || is_small)).then_some(State::ReceiveWindow)
    }

    /// Some bins of a repair: as far as data arrived at the link's rate, the link was full.
    fn recover(&mut self, index: u32, bins: u32) {
        let looked_at = bins.min(LOOKED_AT);
        let rest = f64::from(bins - looked_at) * BIN_S;
        self.shares.add(State::Recovery, rest);
        for index in index..index + looked_at {
            let share = self.link.use_at(index).min(1.0);
            let is_full = !self.link.is_rate_known && self.link.is_queued(index);
            let (used, lost) = if is_full || share >= FULL_RATE {
                (1.0, 0.0)
            } else {
                (share, 1.0 - share)
            };
            let network = self.network(index);
            self.shares.add(network, used * BIN_S);
            self.shares.add(State::Recovery, lost * BIN_S);
        }
    }

    /// The link if it was full, else the congestion window.
    fn network(&self, index: u32) -> State {
        let used = self.link.use_at(index);
        let is_full = if self.link.is_rate_known {
            used >= FULL_RATE || (used >= STARVED_RATE && self.link.is_queued(index))
        } else {
            self.link.is_queued(index)
        };
        if is_full {
            State::Queue
        } else {
            State::CongestionWindow
        }
    }
}

/// Bins over which the rate of arrivals is taken.
pub(super) fn rate_bins(base_s: f64) -> u32 {
    (RATE_S.max(base_s) / BIN_S) as u32
}
