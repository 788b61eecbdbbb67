//! Segment-in-flight estimation (Pan, Mark and Shen 2004, section 4.2).

use super::{AckFinding, Answer, DetectionEvent, Detector, Facts, LossDetector, Sending};
use crate::tcp::flight::{Flight, Sent};
use crate::tcp::slot::{Base, BuiltIn, Field, Kind, OwnPreset, Setup};
use crate::tcp::window::LossEvent;
use crate::time::{Duration, Time};

/// Loss detector SIFEST: the oldest unacknowledged segment is lost after as many duplicate ACKs as the other segments
/// in flight can cause, or after the fixed threshold if that is fewer, unless it was sent again within the last round
/// trip.
///
/// The paper leaves open what duplicate ACKs mean that come from segments sent again needlessly. They ask for the first
/// segment beyond those, and with two in flight one duplicate would be enough for another needless fast retransmit, and
/// so on for ever. Only in that case RFC 6582's guard applies (section 3.2, step 2; ns-2's `bugFix_`).
#[derive(Clone, Copy, Debug)]
pub struct Sifest {
    /// The fixed threshold.
    threshold: u32,
    /// Positions below are the handshake's.
    first_data: u64,
    /// Duplicate ACKs say what has arrived, and only those count that report new data.
    sack: bool,
    /// Segments believed to be in flight: the paper's `sifest_`.
    in_flight: u32,
    /// Segments not acknowledged, to see how many an ACK covers.
    outstanding: u32,
    /// First position never sent at the last fast retransmit or timeout.
    recover: Option<u64>,
    /// Segments that going back N has sent again since.
    resent: u32,
    last_sent: Option<Time>,
    srtt: Option<Duration>,
}

impl BuiltIn for Sifest {
    type Config = u32;
    type State = Box<Self>;
    const NAME: &'static str = "sifest";
    const SUMMARY: &'static str =
        "as many duplicate ACKs as the segments in flight could cause, or a fixed number (3)";
    const SOURCE: &'static str = "Pan, Mark and Shen 2004, section 4.2";
    const DEFAULT: u32 = 3;
    const FIELDS: &'static [Field<u32>] = &[Field::new(
        Kind::Count,
        "threshold",
        "The fixed threshold",
        |n: &mut u32| n,
    )
    .alone()];
    const PRESETS: &'static [OwnPreset<u32>] = &[
        OwnPreset {
            name: "sifest-tahoe",
            summary: "Tahoe that resends on fewer duplicate ACKs when less is in flight",
            source: Self::SOURCE,
            base: Base::Tahoe,
            config: 3,
        },
        OwnPreset {
            name: "sifest-reno",
            summary: "Reno that resends on fewer duplicate ACKs when less is in flight",
            source: Self::SOURCE,
            base: Base::Reno,
            config: 3,
        },
        OwnPreset {
            name: "sifest-newreno",
            summary: "NewReno that resends on fewer duplicate ACKs when less is in flight",
            source: Self::SOURCE,
            base: Base::NewReno,
            config: 3,
        },
        OwnPreset {
            name: "sifest-sack",
            summary: "SACK that resends on fewer duplicate ACKs when less is in flight",
            source: Self::SOURCE,
            base: Base::Sack,
            config: 3,
        },
    ];

    fn build(threshold: &u32, setup: &Setup) -> Box<Self> {
        Box::new(Self::new(*threshold, setup))
    }
}

impl Detector for Sifest {}

impl Sifest {
    /// Detector of a new connection, with no data sent yet; `threshold` is the fixed number of duplicate
    /// ACKs.
    pub fn new(threshold: u32, setup: &Setup) -> Self {
        Self {
            threshold,
            first_data: setup.first_data,
            sack: setup.recovery_uses_sack,
            in_flight: 0,
            outstanding: 0,
            recover: None,
            resent: 0,
            last_sent: None,
            srtt: None,
        }
    }

    /// Number of segments believed to be in flight now, by the paper's estimate.
    pub fn in_flight(&self) -> u32 {
        self.in_flight
    }

    fn learn_rtt(&mut self, event: &DetectionEvent) {
        // If a round trip takes no time, the time since a copy was sent cannot tell whether it was
        // lost or is on its way.
        self.srtt = event.srtt.filter(|srtt| *srtt > Duration::ZERO);
    }

    /// The sender has sent nothing for more than a round trip.
    fn was_idle(&self, now: Time) -> bool {
        self.last_sent
            .zip(self.srtt)
            .is_some_and(|(last, srtt)| now.since(last) > srtt)
    }

    /// The duplicate ACKs may be echoes: of what going back N sent again before `oldest`,
    /// everything but the lost segment may have come twice.
    fn may_be_echoed(&self, oldest: &Sent) -> bool {
        !self.sack && self.resent > 1 && self.recover == Some(oldest.start)
    }

    fn begin_again(&mut self, flight: &Flight) {
        self.recover = Some(flight.max());
        self.resent = 0;
    }

    /// The last copy of `oldest` may still be acknowledged. Without a round trip to tell by, always.
    fn may_be_on_its_way(&self, oldest: &Sent, now: Time) -> bool {
        oldest.transmissions > 1
            && self
                .srtt
                .is_none_or(|rtt| now.since(oldest.last_sent) < rtt)
    }
}

impl LossDetector for Sifest {
    /// Repeats are guarded by the round trip. Elsewhere RFC 6582's guard would forbid what the paper wants: to find
    /// lost the first of two segments with which slow start begins again after a timeout.
    fn facts(&self) -> Facts {
        Facts {
            guards_repeats: true,
            ..Facts::default()
        }
    }

    fn on_dupack(&mut self, event: &DetectionEvent) -> bool {
        self.learn_rtt(event);
        let all_but_one = self.in_flight.saturating_sub(1);
        event.dupacks >= all_but_one.min(self.threshold)
            && event.flight.first().is_some_and(|oldest| {
                !self.may_be_on_its_way(&oldest, event.now) && !self.may_be_echoed(&oldest)
            })
    }

    fn on_new_ack(&mut self, event: &DetectionEvent) -> AckFinding {
        self.learn_rtt(event);
        let outstanding = event.flight.segments().len() as u32;
        let acked = self.outstanding.saturating_sub(outstanding);
        self.outstanding = outstanding;
        self.in_flight = self.in_flight.saturating_sub(acked);
        AckFinding::Nothing
    }

    fn on_sent(&mut self, now: Time, _flight: &Flight, start: u64, sending: Sending) {
        if start < self.first_data {
            return;
        }
        if self.was_idle(now) {
            self.in_flight = 0;
        }
        self.last_sent = Some(now);
        match sending {
            Sending::New => {
                self.in_flight += 1;
                self.outstanding += 1;
            }
            Sending::AfterTimeout => {
                self.in_flight += 1;
                self.resent += 1;
            }
            // The copy sent before has left the network.
            Sending::GoBackN => self.resent += 1,
            Sending::Repair => {}
        }
    }

    fn on_retransmit(&mut self, flight: &Flight, _loss: &mut LossEvent) -> Answer {
        self.begin_again(flight);
        Answer::default()
    }

    fn on_timeout(&mut self, flight: &Flight) {
        self.in_flight = 0;
        self.begin_again(flight);
    }

    fn threshold(&self) -> u32 {
        self.threshold
    }
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use super::*;
    use crate::tcp::config::{Handshake, TcpConfig};
    use crate::tcp::flight::Flight;
    use crate::tcp::rto::RtoEstimator;
    use crate::tcp::settings::RtoConfig;
    use crate::tcp::testing::{config, window};
    use crate::units::Segments;

    static NO_SAMPLES: LazyLock<RtoEstimator> =
        LazyLock::new(|| RtoEstimator::new(RtoConfig::EXACT));

    fn event(flight: &Flight) -> DetectionEvent<'_> {
        DetectionEvent {
            now: Time::ZERO,
            dupacks: 0,
            flight,
            window: window(4.0, 4.0),
            acked: Segments::ZERO,
            segment_rtt: None,
            rtt: None,
            srtt: None,
            rto: &NO_SAMPLES,
            mss: 1000,
            sendable: true,
            warned: false,
        }
    }

    fn send(flight: &mut Flight, sifest: &mut Sifest, end: u64) {
        flight.send_new(end, Time::ZERO);
        let start = flight.last().expect("just sent").start;
        sifest.on_sent(Time::ZERO, flight, start, Sending::New);
    }

    #[test]
    fn an_acknowledged_segment_counts_whole_however_short_it_is() {
        let setup = config("reno", 4).setup();
        let (mut flight, mut sifest) = (Flight::default(), Sifest::new(3, &setup));
        for end in [10, 1010, 1030, 1031] {
            send(&mut flight, &mut sifest, end);
        }
        flight.acknowledge(10);
        sifest.on_new_ack(&event(&flight));
        assert_eq!(sifest.in_flight(), 3);
        flight.acknowledge(1030);
        sifest.on_new_ack(&event(&flight));
        assert_eq!(sifest.in_flight(), 1);
    }

    #[test]
    fn the_handshake_is_no_data() {
        let config = TcpConfig {
            handshake: Handshake::ThreeWay,
            ..config("reno", 4)
        };
        let (mut flight, mut sifest) = (Flight::default(), Sifest::new(3, &config.setup()));
        send(&mut flight, &mut sifest, 1);
        flight.acknowledge(1);
        send(&mut flight, &mut sifest, 1001);
        assert_eq!(sifest.in_flight(), 1);
    }
}
