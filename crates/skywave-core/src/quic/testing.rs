//! Two ends and a path between them in virtual time, on which a test says what happens to each packet.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::packet::Ecn;
use crate::time::{Duration, Time};

use super::{Config, Packet, Receiver, Sender};

/// `ms` milliseconds after the start.
pub(super) fn at(ms: u64) -> Time {
    Time::ZERO + Duration::from_millis(ms)
}

/// A connection over a path without a rate.
pub(super) struct Pair {
    pub(super) sender: Sender,
    pub(super) receiver: Receiver,
    pub(super) now: Time,
    /// Everything that each end has sent.
    pub(super) sent: Vec<(Time, Packet)>,
    pub(super) answers: Vec<(Time, Packet)>,
    flying: BTreeMap<(Time, u64), (bool, Packet)>,
    put: u64,
}

impl Pair {
    /// A connection whose data begin at the start.
    pub(super) fn new(config: Config) -> Self {
        let config = Arc::new(config);
        let mut sender = Sender::new(Arc::clone(&config));
        sender.open();
        Self {
            sender,
            receiver: Receiver::new(config),
            now: Time::ZERO,
            sent: Vec::new(),
            answers: Vec::new(),
            flying: BTreeMap::new(),
            put: 0,
        }
    }

    /// Runs until `end`, or until everything is done. `fate` gives the delays with which copies of a packet arrive:
    /// none if it is lost. Its first argument is whether the packet goes to the receiver.
    pub(super) fn run(&mut self, end: Time, mut fate: impl FnMut(bool, &Packet) -> Vec<Duration>) {
        loop {
            while let Some(packet) = self.sender.poll_transmit(self.now) {
                self.sent.push((self.now, packet));
                self.put(true, packet, fate(true, &packet));
            }
            while let Some(packet) = self.receiver.poll_transmit(self.now) {
                self.answers.push((self.now, packet));
                self.put(false, packet, fate(false, &packet));
            }
            let arrival = self.flying.first_key_value().map(|((at, _), _)| *at);
            let timers = [
                self.sender.next_timer(),
                self.receiver.next_timer(),
                arrival,
            ];
            let Some(next) = timers.into_iter().flatten().min().filter(|&at| at <= end) else {
                return;
            };
            self.now = self.now.max(next);
            if arrival == Some(next) {
                let ((_, _), (forward, packet)) = self.flying.pop_first().expect("looked at");
                if forward {
                    self.receiver.on_packet(self.now, &packet, Ecn::NotEct);
                } else {
                    self.sender.on_packet(self.now, &packet);
                }
            } else {
                self.sender.on_timer(self.now);
                self.receiver.on_timer(self.now);
            }
        }
    }

    fn put(&mut self, forward: bool, packet: Packet, delays: Vec<Duration>) {
        for delay in delays {
            self.flying
                .insert((self.now + delay, self.put), (forward, packet));
            self.put += 1;
        }
    }
}
