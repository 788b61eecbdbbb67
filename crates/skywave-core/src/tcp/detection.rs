//! The `detection` slot: when a segment counts as lost, and what may be sent until then.

use crate::time::{Duration, Time};

use super::config::DetectionConfig;
use super::flight::Flight;

/// The built-in members, dispatched statically.
#[derive(Clone, Debug)]
pub enum Detection {
    /// A number of duplicate ACKs.
    Dupacks(u32),
    /// Three duplicate ACKs or Vegas' fine-grained timer.
    Vegas(FineTimer),
}

impl Detection {
    /// A fresh detector.
    pub fn new(config: DetectionConfig) -> Self {
        match config {
            DetectionConfig::Dupacks(threshold) => Self::Dupacks(threshold),
            DetectionConfig::Vegas => Self::Vegas(FineTimer::default()),
        }
    }

    /// The `dupacks`th duplicate ACK in a row came: is the oldest segment lost?
    pub fn on_dupack(&mut self, now: Time, dupacks: u32, flight: &Flight) -> bool {
        match self {
            Self::Dupacks(threshold) => dupacks == *threshold,
            Self::Vegas(timer) => dupacks == FineTimer::DUPACKS || timer.expired(now, flight),
        }
    }

    /// New data was acknowledged (`segment_rtt`: the round trip of its newest segment, if sent
    /// once): is the next segment lost too? Asked after the flight was updated.
    pub fn on_new_ack(
        &mut self,
        now: Time,
        segment_rtt: Option<Duration>,
        flight: &Flight,
    ) -> bool {
        match self {
            Self::Dupacks(_) => false,
            Self::Vegas(timer) => timer.on_new_ack(now, segment_rtt, flight),
        }
    }

    /// The oldest segment is being retransmitted for a loss reported by this detector.
    pub fn on_retransmit(&mut self, flight: &Flight) {
        if let Self::Vegas(timer) = self {
            timer.on_retransmit(flight);
        }
    }

    /// Duplicate ACKs from which a loss counts as found: later ones say that more has arrived.
    pub fn threshold(&self) -> u32 {
        match self {
            Self::Dupacks(threshold) => *threshold,
            Self::Vegas(_) => FineTimer::DUPACKS,
        }
    }

    /// A fast retransmit backs the coarse timer off, which is left as a backstop.
    pub fn distrusts_rto(&self) -> bool {
        matches!(self, Self::Vegas(_))
    }

    /// Segments that may be sent beyond the window while `dupacks` are too few to tell: limited
    /// transmit (RFC 3042).
    pub fn limited_transmit(&self, dupacks: u32) -> u32 {
        match self {
            Self::Dupacks(threshold) if dupacks < *threshold => dupacks.min(2),
            _ => 0,
        }
    }
}

/// Vegas' fine-grained retransmission check (Brakmo 1994, section 3.1): on each duplicate ACK, and
/// on the first two ACKs after a retransmission, the oldest segment is lost if it is older than an
/// RTO computed from exact round trips.
#[derive(Clone, Copy, Debug, Default)]
pub struct FineTimer {
    srtt: Duration,
    rttvar: Duration,
    timeout: Option<Duration>,
    /// ACKs of new data on which the check is still made.
    checks: u32,
}

impl FineTimer {
    const DUPACKS: u32 = 3;

    fn expired(&self, now: Time, flight: &Flight) -> bool {
        self.timeout
            .zip(flight.first())
            .is_some_and(|(timeout, first)| now.since(first.last_sent) >= timeout)
    }

    fn on_new_ack(&mut self, now: Time, rtt: Option<Duration>, flight: &Flight) -> bool {
        if let Some(rtt) = rtt {
            self.sample(rtt);
        }
        if self.checks == 0 {
            return false;
        }
        let expired = self.expired(now, flight);
        self.checks = if expired { self.checks - 1 } else { 0 };
        expired
    }

    /// srtt + 2·deviation and a sixteenth more, as ns-2 keeps it.
    fn sample(&mut self, rtt: Duration) {
        if self.timeout.is_none() {
            self.srtt = rtt;
            self.rttvar = rtt / 4;
        } else {
            let error = rtt.saturating_sub(self.srtt) + self.srtt.saturating_sub(rtt);
            self.srtt = (self.srtt * 7 + rtt) / 8;
            self.rttvar = (self.rttvar * 3 + error) / 4;
        }
        let timeout = self.srtt + self.rttvar * 2;
        self.timeout = Some(timeout + timeout / 16);
    }

    fn on_retransmit(&mut self, flight: &Flight) {
        self.checks = flight.segments().len().min(2) as u32;
        let again = flight.first().is_some_and(|s| s.transmissions > 1);
        self.timeout = self.timeout.map(|t| if again { t * 2 } else { t + t / 8 });
    }
}
