//! Phases of the sender, and the changes from one to the next.

use super::Capacity;
use super::cycle::{Begins, Cycle, Progress};
use super::giving::{Giving, Verdict};
use super::model::Model;
use super::policed::Known;
use crate::tcp::flight::RateSample;
use crate::tcp::window::AckEvent;
use crate::time::Time;
use crate::units::Segments;

/// A drain after slow start ends after this many round trips, whatever is in flight.
const LONGEST_DRAIN: u64 = 8;
/// Round trips of a look because of a queue that does not answer, and of one because there was a queue for long.
const LOOK_AT_LENGTH: u64 = 3;
const LOOK: u64 = 2;
/// A queue that falls by less than this part in a look was none, ...
const ANSWER: f64 = 0.1;
/// ... if that is more than the time of so many segments, and so many times what it changes by itself.
const FEW: f64 = 3.0;
const NOISES: f64 = 2.0;

/// Round trips for which a sender that seems to be alone again holds still.
const HOLD: u64 = 16;
/// Round trips of a hold before the smaller window shows in the queue, ...
const SHOWN: u64 = 4;
/// ... and a queue in as many at the end is that of others, which may be seen from half of the time on.
const OTHERS: u32 = 4;
/// After this many calm cycles the window that it last had beside others says nothing any more.
const CALM: u32 = 8;

/// Phase of the sender.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Phase {
    /// Measures the path's rate for the first time.
    Startup,
    /// Lets the queue of the startup drain, until round trip `until` at the latest.
    Drain { until: u64 },
    /// Goes through the cycle that follows the path's rate, alone on it.
    Cycle(Cycle),
    /// Keeps little in flight until round trip `until`: to test whether a queue of `queue` seconds is
    /// one at all, or, with `None`, to see the path without its queue.
    Look { until: u64, queue: Option<f64> },
    /// Holds still until round trip `until`, or a loss that a queue may have caused, to see whether it is alone;
    /// `queued` counts round trips in a row with a queue.
    Hold { until: u64, queued: u32 },
    /// Competes with other flows as CUBIC does.
    Beside,
}

impl Capacity {
    /// Goes on, if it is time; `round`: a round trip is over.
    pub(super) fn advance(&mut self, ack: &AckEvent, sample: &RateSample, round: bool) {
        let now = ack.now;
        let count = self.model.rounds.count();
        if self.phase == Phase::Startup && self.start.on_ack(round, sample, &self.model) {
            let until = count + LONGEST_DRAIN;
            self.phase = Phase::Drain { until };
        }
        match self.phase {
            Phase::Startup => {}
            Phase::Drain { until } => {
                let flight = self.model.segments(sample.flight_now);
                let filled = self.model.filled(1.0) + Model::bursts(&self.pace);
                if flight <= filled || count >= until {
                    self.begin_cycle(Cycle::after_start(now, self.model.rate()));
                }
            }
            Phase::Cycle(cycle) => self.advance_cycle(ack, sample, cycle),
            Phase::Look { until, queue } => {
                if count >= until {
                    self.end_look(now, queue);
                }
            }
            Phase::Hold { until, queued } => {
                if round {
                    self.hold(now, until, queued);
                }
            }
            Phase::Beside => {
                let has_queue = self.model.has_queue();
                if round && self.beside.on_round(count, has_queue) {
                    self.kept = self.own.cwnd;
                    self.giving = Giving::default();
                    self.phase = Phase::Hold {
                        until: count + HOLD,
                        queued: 0,
                    };
                }
            }
        }
    }

    /// Nothing that the sender changes shows in the queue of this round trip.
    pub(super) fn is_steady(&self) -> bool {
        match self.phase {
            Phase::Cycle(cycle) => cycle.is_steady(),
            Phase::Hold { until, .. } => self.model.rounds.count() + HOLD >= until + SHOWN,
            _ => false,
        }
    }

    fn begin_cycle(&mut self, cycle: Cycle) {
        self.phase = Phase::Cycle(cycle);
        self.giving.begin_cycle();
        self.model.begin_cycle();
        self.model.losses.begin_again();
        self.policed.begin_again();
    }

    fn advance_cycle(&mut self, ack: &AckEvent, sample: &RateSample, mut cycle: Cycle) {
        let flight = self.model.segments(sample.flight_before) - Model::bursts(&self.pace);
        let rate = self.policed.rate().unwrap_or(self.model.bandwidth.get());
        let begins = cycle.advance(&Progress {
            now: ack.now,
            base: self.model.queue.base(),
            flight: flight / self.model.filled(1.0).max(f64::MIN_POSITIVE),
            rate: self.model.segments_at(rate),
        });
        self.phase = Phase::Cycle(cycle);
        if cycle.follows_up() {
            self.giving.take_back();
        }
        match begins {
            Some(Begins::Drain) => {
                self.model.losses.begin_drain(ack.nxt);
                let delivered = sample.total_delivered;
                self.policed.on_drain(ack.now, delivered, self.model.mss());
            }
            Some(Begins::Cruise) => self.model.losses.end_drain(ack.nxt),
            Some(Begins::Known) => {
                let sent = self.model.losses.settle(self.model.mss());
                self.policed.on_known(&Known {
                    now: ack.now,
                    delivered: sample.total_delivered,
                    sent,
                    usual: self.model.losses.share(),
                    queue: self.model.has_queue(),
                    app_limited: sample.app_limited,
                });
                self.giving.on_drained(self.model.queue.latest());
            }
            Some(Begins::Cycle) => self.end_cycle(ack.now),
            Some(Begins::Other) | None => {}
        }
    }

    /// A cycle is over: is anybody else there, and is the path what it was?
    fn end_cycle(&mut self, now: Time) {
        if self.model.begin_cycle() {
            // The queue is of what was sent at the rate that was.
            return self.giving.begin_cycle();
        }
        let queue = &self.model.queue;
        let verdict = self
            .giving
            .judge(queue.latest(), self.model.threshold(), queue.base());
        if self.giving.calm() > CALM {
            self.kept = Segments(f64::INFINITY);
        }
        let count = self.model.rounds.count();
        if self.giving.has_given_enough() {
            self.begin_beside();
        } else if let Verdict::Still(queue) = verdict {
            self.phase = Phase::Look {
                until: count + LOOK_AT_LENGTH,
                queue: Some(queue),
            };
        } else if self.model.has_queue_for_long(now) {
            self.phase = Phase::Look {
                until: count + LOOK,
                queue: None,
            };
        }
    }

    /// Little was in flight for some round trips: a queue would have become shorter.
    fn end_look(&mut self, now: Time, queue: Option<f64>) {
        if let Some(before) = queue {
            let model = &mut self.model;
            let few = FEW / model.rate().max(1.0);
            let noise = model.queue.noise() * NOISES;
            let answer = (before * ANSWER).max(few).max(noise);
            let after = before.min(model.queue.latest());
            if after >= before - answer {
                model.queue.lengthen(now, after);
            } else {
                self.giving.give();
            }
        }
        self.begin_cycle(Cycle::at_random(now));
        self.model.on_looked(now);
    }

    /// A round trip of holding still is over.
    fn hold(&mut self, now: Time, until: u64, queued: u32) {
        let count = self.model.rounds.count();
        let queued = if self.model.has_queue() {
            queued + 1
        } else {
            0
        };
        self.phase = Phase::Hold { until, queued };
        if queued >= OTHERS && count + HOLD / 2 >= until {
            self.begin_beside();
        } else if count >= until {
            self.giving = Giving::again();
            self.begin_cycle(Cycle::at_random(now));
        }
    }

    /// Goes on as CUBIC, as there are other flows.
    pub(super) fn begin_beside(&mut self) {
        self.beside
            .begin(self.model.rounds.count(), self.giving.calm());
        self.begin_cubic();
        self.model.queue.forget_range();
        self.phase = Phase::Beside;
    }
}
