//! A user's own loss detector that judges by deliveries.

use std::sync::{Arc, Mutex, PoisonError};

use super::{MSS, config};
use crate::tcp::config::{DetectionConfig, TcpConfig};
use crate::tcp::custom::CustomDetection;
use crate::tcp::detection::{DetectionEvent, Facts, Finding, LossDetector};
use crate::tcp::flight::Delivery;
use crate::tcp::limits::Why;
use crate::tcp::testing::Script;
use crate::time::{Duration, Time};

/// Events that a detector received.
#[derive(Clone, Debug, Default, PartialEq)]
struct Heard {
    /// The newest round trip at each delivery.
    deliveries: Vec<Option<Duration>>,
    duplicates: Vec<(u64, Option<u64>)>,
    armed: u32,
}

/// Probes after 150 ms of silence, and records the events that it receives.
struct Prober {
    wants: bool,
    heard: Arc<Mutex<Heard>>,
    due: Option<Time>,
}

impl Prober {
    fn note(&self, note: impl FnOnce(&mut Heard)) {
        note(&mut self.heard.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl LossDetector for Prober {
    fn on_dupack(&mut self, event: &DetectionEvent) -> bool {
        event.dupacks == 3
    }

    fn facts(&self) -> Facts {
        Facts {
            needs_deliveries: self.wants,
            ..Facts::default()
        }
    }

    fn on_duplicate(&mut self, ack: u64, reported: Option<u64>) {
        self.note(|heard| heard.duplicates.push((ack, reported)));
    }

    fn on_delivery(&mut self, event: &DetectionEvent) -> Finding {
        let rtt = event.flight.delivery().map(Delivery::rtt);
        self.note(|heard| heard.deliveries.push(rtt));
        Finding::Nothing
    }

    fn arm_probe(&mut self, event: &DetectionEvent, timeout: Time) {
        self.note(|heard| heard.armed += 1);
        self.due = Some((event.now + Duration::from_millis(150)).min(timeout));
    }

    fn next_timer(&self) -> Option<Time> {
        self.due
    }

    fn on_timer(&mut self, _event: &DetectionEvent) -> Finding {
        self.due = None;
        Finding::Probe
    }
}

fn prober(wants: bool) -> (TcpConfig, Arc<Mutex<Heard>>) {
    let heard = Arc::new(Mutex::new(Heard::default()));
    let shared = Arc::clone(&heard);
    let detector = CustomDetection::new("prober", move |_| Prober {
        wants,
        heard: Arc::clone(&shared),
        due: None,
    });
    let mut config = config("sack", 10);
    config.composition.detection = DetectionConfig::Custom(detector);
    (config, heard)
}

/// Three segments were written and sent, and all but the last one acknowledged; then one arrived twice.
fn tail(config: TcpConfig) -> Script {
    let mut s = Script::idle(config);
    s.sender.write(3 * u64::from(MSS));
    s.expect_sent([1, 2, 3]);
    s.wait(100);
    s.ack(3);
    s.dupack();
    s
}

fn told(heard: &Mutex<Heard>) -> Heard {
    heard.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

#[test]
fn a_detector_that_needs_deliveries_hears_of_them_and_may_probe() {
    let (config, heard) = prober(true);
    let mut s = tail(config);
    let rtt = Some(Duration::from_millis(100));
    let expected = Heard {
        deliveries: vec![rtt, rtt],
        duplicates: vec![(2 * u64::from(MSS), None)],
        // Three segments sent and an ACK of new data.
        armed: 4,
    };
    assert_eq!(told(&heard), expected);
    s.expect_timer_in(150);
    s.wait_for_probe();
    s.expect_sent([3]);
    assert_eq!(s.sender.poll_resend().map(|r| r.why), Some(Why::Probe));
}

#[test]
fn nothing_is_probed_for_while_nothing_is_in_flight() {
    let mut s = tail(prober(true).0);
    s.ack(4);
    // The detector has not stopped its timer.
    s.expect_timer_in(150);
    s.wait_for_silence();
    s.expect_nothing();
    s.expect_no_timer();
    // The next segment is not a probe, and the detector waits for it as for any other.
    s.sender.write(u64::from(MSS));
    s.expect_sent([4]);
    s.expect_timer_in(150);
}

#[test]
fn another_one_hears_nothing_of_them() {
    let (config, heard) = prober(false);
    let s = tail(config);
    assert_eq!(told(&heard), Heard::default());
    assert!(s.sender.flight().delivery().is_none());
}
