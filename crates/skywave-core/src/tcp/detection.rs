//! The `detection` slot: when a segment counts as lost, and what may be sent until then.

use crate::time::{Duration, Time};

use super::config::{DetectionConfig, TcpConfig};
use super::custom::Built;
use super::flight::Flight;

/// A way to find losses. Only [`on_dupack`](Self::on_dupack) must be written.
///
/// The sender asks on every ACK; a detector answers whether the *oldest* segment in flight is lost.
/// The recovery then decides what is sent, and the retransmission timer stays behind as a backstop.
///
/// ```
/// use skywave_core::tcp::{LossDetector, flight::Flight};
/// use skywave_core::Time;
///
/// /// More patient than RFC 5681: a path that reorders needs it.
/// struct Patient;
///
/// impl LossDetector for Patient {
///     fn on_dupack(&mut self, _now: Time, dupacks: u32, _flight: &Flight) -> bool {
///         dupacks == self.threshold()
///     }
///
///     fn threshold(&self) -> u32 {
///         6
///     }
/// }
/// ```
pub trait LossDetector {
    /// The `dupacks`th duplicate ACK in a row came: is the oldest segment lost? With a recovery
    /// that uses SACK, only those count that report new data.
    ///
    /// Asked on duplicate ACKs during a recovery too, where the answer counts only if another fast
    /// retransmit is allowed (`Composition::avoid_repeated_recovery`): answer "yes" to one number,
    /// not to all from it on.
    fn on_dupack(&mut self, now: Time, dupacks: u32, flight: &Flight) -> bool;

    /// New data was acknowledged (`segment_rtt`: the round trip of its newest segment, if sent
    /// once): is the next segment lost too? Asked after the flight was updated. Default: no.
    fn on_new_ack(&mut self, _now: Time, _segment_rtt: Option<Duration>, _flight: &Flight) -> bool {
        false
    }

    /// The oldest segment is being retransmitted for a loss reported by this detector.
    fn on_retransmit(&mut self, _flight: &Flight) {}

    /// Duplicate ACKs from which a loss counts as found: later ones say that more has arrived.
    /// Also RFC 6675's DupThresh: segments reported above a hole that make it a loss. Default: 3.
    fn threshold(&self) -> u32 {
        3
    }

    /// A fast retransmit backs the coarse timer off, which is left as a backstop. Default: no.
    fn distrusts_rto(&self) -> bool {
        false
    }

    /// Segments that may be sent beyond the window while `dupacks` are too few to tell. Default:
    /// limited transmit (RFC 3042), one a duplicate ACK and at most two.
    fn limited_transmit(&self, dupacks: u32) -> u32 {
        if dupacks < self.threshold() {
            dupacks.min(2)
        } else {
            0
        }
    }
}

/// The members of the slot: built-in ones, dispatched statically, and a user's own.
#[derive(Debug)]
pub enum Detection {
    /// A number of duplicate ACKs.
    Dupacks(Dupacks),
    /// Three duplicate ACKs or Vegas' fine-grained timer.
    Vegas(FineTimer),
    /// A user's own.
    Custom(Built<dyn LossDetector + Send>),
}

macro_rules! each {
    ($self:expr, $member:ident => $call:expr) => {
        match $self {
            Detection::Dupacks($member) => $call,
            Detection::Vegas($member) => $call,
            Detection::Custom(Built {
                member: $member, ..
            }) => $call,
        }
    };
}

impl Detection {
    /// A fresh detector for a connection.
    pub fn new(config: &TcpConfig) -> Self {
        match config.composition.detection {
            DetectionConfig::Dupacks(threshold) => Self::Dupacks(Dupacks(threshold)),
            DetectionConfig::Vegas => Self::Vegas(FineTimer::default()),
            DetectionConfig::Custom(ref custom) => Self::Custom(custom.build(config)),
        }
    }
}

impl LossDetector for Detection {
    fn on_dupack(&mut self, now: Time, dupacks: u32, flight: &Flight) -> bool {
        each!(self, m => m.on_dupack(now, dupacks, flight))
    }

    fn on_new_ack(&mut self, now: Time, segment_rtt: Option<Duration>, flight: &Flight) -> bool {
        each!(self, m => m.on_new_ack(now, segment_rtt, flight))
    }

    fn on_retransmit(&mut self, flight: &Flight) {
        each!(self, m => m.on_retransmit(flight));
    }

    fn threshold(&self) -> u32 {
        each!(self, m => m.threshold())
    }

    fn distrusts_rto(&self) -> bool {
        each!(self, m => m.distrusts_rto())
    }

    fn limited_transmit(&self, dupacks: u32) -> u32 {
        each!(self, m => m.limited_transmit(dupacks))
    }
}

/// So many duplicate ACKs (RFC 5681 section 3.2).
#[derive(Clone, Copy, Debug)]
pub struct Dupacks(pub u32);

impl LossDetector for Dupacks {
    fn on_dupack(&mut self, _now: Time, dupacks: u32, _flight: &Flight) -> bool {
        dupacks == self.0
    }

    fn threshold(&self) -> u32 {
        self.0
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
}

impl LossDetector for FineTimer {
    fn on_dupack(&mut self, now: Time, dupacks: u32, flight: &Flight) -> bool {
        dupacks == Self::DUPACKS || self.expired(now, flight)
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

    fn on_retransmit(&mut self, flight: &Flight) {
        self.checks = flight.segments().len().min(2) as u32;
        let again = flight.first().is_some_and(|s| s.transmissions > 1);
        self.timeout = self.timeout.map(|t| if again { t * 2 } else { t + t / 8 });
    }
    fn threshold(&self) -> u32 {
        Self::DUPACKS
    }

    fn distrusts_rto(&self) -> bool {
        true
    }

    /// None: Vegas keeps to its window.
    fn limited_transmit(&self, _dupacks: u32) -> u32 {
        0
    }
}
