//! Vegas' fine-grained retransmission check (Brakmo 1994, section 3.1).

use super::{AckFinding, Allowance, Answer, DetectionEvent, Detector, LossDetector};
use crate::tcp::flight::Flight;
use crate::tcp::slot::{BuiltIn, Setup};
use crate::tcp::window::LossEvent;
use crate::time::{Duration, Time};

/// Loss detector of Vegas: besides three duplicate ACKs, the oldest unacknowledged segment is lost if it is as old as
/// an RTO computed from exact round trips, on each duplicate ACK, on the first ACK of new data after a retransmission,
/// and on the second one if the first has found a loss.
#[derive(Clone, Copy, Debug, Default)]
pub struct FineTimer {
    srtt: Duration,
    rttvar: Duration,
    timeout: Option<Duration>,
    /// ACKs of new data on which the check is still made.
    checks: u32,
}

impl BuiltIn for FineTimer {
    type Config = ();
    type State = Box<Self>;
    const NAME: &'static str = "vegas";
    const SUMMARY: &'static str = "three duplicate ACKs, or a fine-grained timer checked on ACKs";
    const SOURCE: &'static str = "Brakmo 1994, section 3.1";

    fn build(_config: &(), _setup: &Setup) -> Box<Self> {
        Box::default()
    }
}

impl Detector for FineTimer {}

impl FineTimer {
    const DUPACKS: u32 = 3;

    /// A segment sent at this very time is not late, even if round trips take no time: otherwise
    /// each duplicate ACK would send a window again, and bring more duplicate ACKs.
    fn expired(&self, now: Time, flight: &Flight) -> bool {
        self.timeout
            .zip(flight.first())
            .is_some_and(|(timeout, first)| {
                let age = now.since(first.last_sent);
                age >= timeout && age > Duration::ZERO
            })
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
    fn on_dupack(&mut self, event: &DetectionEvent) -> bool {
        event.dupacks == Self::DUPACKS || self.expired(event.now, event.flight)
    }

    fn on_new_ack(&mut self, event: &DetectionEvent) -> AckFinding {
        if let Some(rtt) = event.segment_rtt {
            self.sample(rtt);
        }
        if self.checks > 0 && self.expired(event.now, event.flight) {
            self.checks -= 1;
            AckFinding::NextLost
        } else {
            self.checks = 0;
            AckFinding::Nothing
        }
    }

    fn on_retransmit(&mut self, flight: &Flight, _loss: &mut LossEvent) -> Answer {
        self.checks = flight.segments().len().min(2) as u32;
        let again = flight.first().is_some_and(|s| s.transmissions > 1);
        self.timeout = self.timeout.map(|t| if again { t * 2 } else { t + t / 8 });
        Answer {
            backs_off: true,
            ..Answer::default()
        }
    }

    fn threshold(&self) -> u32 {
        Self::DUPACKS
    }

    /// No data beyond the window: Vegas keeps to it.
    fn limited_transmit(&self, _dupacks: u32) -> Allowance {
        Allowance::Beyond(0)
    }
}
