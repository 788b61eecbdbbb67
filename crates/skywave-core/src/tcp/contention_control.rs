//! TCP Contention Control (Hamadani and Rakocevic; Francis 2012, section 3.1.4): a limit beside the congestion window,
//! which the MAC's contention moves.
//!
//! Stations that contend for a channel lose packets that TCP takes for congestion. So the limit
//! (`TCP_Contention`) follows two numbers of each round trip: the throughput, and the mean time for which the stations on
//! the way contended for the channel, which the receiver echoes.
//!
//! | throughput | contention | stage | limit |
//! |---|---|---|---|
//! | at the start, as long as contention does not grow | | Fast Probe | as much more as was acknowledged |
//! | falls | falls | Slow Probe | one segment more |
//! | rises | rises | Light Contention | one segment less |
//! | falls | rises | Severe Contention | two segments |
//!
//! Open in the text, and decided here: a rise of throughput without one of contention is Slow Probe, since nothing
//! speaks against more; what stays as it was has not risen, and has not fallen, so that an even throughput under more
//! contention is Light; the limit is never below two segments, its value in Severe Contention, and never above the
//! receiver's window.
//!
//! Like the receiver's window the limit bounds what lies between the oldest byte that is not acknowledged and the newest.
//! The window law does not know of it.

use crate::packet::ContentionDelay;
use crate::time::{Duration, Time};
use crate::units::Segments;

/// The limit in Severe Contention, and the lowest one.
const LOWEST: Segments = Segments(2.0);

/// Stage of contention control: the latest move of the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    FastProbe,
    SlowProbe,
    Light,
    Severe,
}

/// Measurements of one round trip.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Round {
    /// Segments a second.
    throughput: f64,
    /// Mean contention of the data that its ACKs answer, seconds.
    contention: f64,
}

/// The limit of one connection.
#[derive(Clone, Debug)]
pub(crate) struct ContentionLimit {
    limit: Segments,
    stage: Stage,
    before: Option<Round>,
    /// The round trip that goes on: it ends when everything is acknowledged that had been sent when it began.
    end: u64,
    began: Time,
    acked: Segments,
    contention: Duration,
    acks: u32,
}

/// News of an ACK of new data for the limit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Heard {
    pub(crate) now: Time,
    /// Newly acknowledged.
    pub(crate) acked: Segments,
    /// Acknowledged up to here, and sent up to here.
    pub(crate) una: u64,
    pub(crate) nxt: u64,
    /// For how long stations contended to bring the data that it answers.
    pub(crate) contention: ContentionDelay,
    /// The receiver's window.
    pub(crate) rwnd: Segments,
}

impl ContentionLimit {
    /// The limit of a connection that begins with this window.
    pub(crate) fn new(initial: Segments) -> Self {
        Self {
            limit: initial.max(LOWEST),
            stage: Stage::FastProbe,
            before: None,
            end: 0,
            began: Time::ZERO,
            acked: Segments::ZERO,
            contention: Duration::ZERO,
            acks: 0,
        }
    }

    /// Data between the oldest byte that is not acknowledged and the newest, at most.
    pub(crate) fn segments(&self) -> Segments {
        self.limit
    }

    /// An ACK of new data.
    pub(crate) fn on_ack(&mut self, heard: &Heard) {
        if self.stage == Stage::FastProbe {
            self.limit += heard.acked;
        }
        self.acked += heard.acked;
        self.contention += heard.contention.to_duration();
        self.acks += 1;
        if heard.una >= self.end {
            self.end_round(heard);
        }
        self.limit = self.limit.min(heard.rwnd).max(LOWEST);
    }

    fn end_round(&mut self, heard: &Heard) {
        let elapsed = heard.now.since(self.began);
        let (acked, first) = (self.acked, self.end == 0);
        let mean = self.contention.as_secs_f64() / f64::from(self.acks);
        (self.end, self.began) = (heard.nxt, heard.now);
        (self.acked, self.contention, self.acks) = (Segments::ZERO, Duration::ZERO, 0);
        if first || elapsed.is_zero() {
            return; // the ACK that begins the first round has none before it
        }
        let round = Round {
            throughput: acked.0 / elapsed.as_secs_f64(),
            contention: mean,
        };
        if let Some(before) = self.before.replace(round) {
            self.judge(before, round);
        }
    }

    fn judge(&mut self, before: Round, round: Round) {
        let contends_more = round.contention > before.contention;
        if !contends_more {
            if self.stage != Stage::FastProbe {
                self.stage = Stage::SlowProbe;
                self.limit += Segments::ONE;
            }
        } else if round.throughput < before.throughput {
            self.stage = Stage::Severe;
            self.limit = LOWEST;
        } else {
            self.stage = Stage::Light;
            self.limit = self.limit - Segments::ONE;
        }
    }
}

#[cfg(test)]
mod tests;
