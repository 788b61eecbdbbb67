//! A user's own policy member, as a trait object, compared with the same member built in.

use skywave_core::tcp::detection::{Allowance, Answer, Facts, Finding, LossRule, Rack, Sending};
use skywave_core::tcp::flight::Flight;
use skywave_core::tcp::window::{AckEvent, LossEvent, Response, TimeoutEvent, Window};
use skywave_core::tcp::{
    CongestionConfig, CongestionControl, CustomCongestion, CustomDetection, DetectionConfig,
    DetectionEvent, LossDetector, Profile, TcpConfig, preset,
};
use skywave_core::{Segments, Time};
use skywave_sim::outcome::Outcome;
use skywave_sim::simulate;

use crate::common::{Path, single};

/// Reno, written from RFC 5681 alone.
struct MyReno;

impl CongestionControl for MyReno {
    fn grow(&mut self, ack: &AckEvent, window: &mut Window) {
        if !ack.may_grow {
            return;
        }
        if window.cwnd < window.ssthresh {
            window.cwnd += ack.counted;
        } else {
            window.cwnd = Segments(window.cwnd.0 + ack.counted.0 / window.cwnd.0);
        }
    }

    fn on_loss(&mut self, loss: &LossEvent, _window: &Window) -> Response {
        let half = Segments((loss.window.0 / 2.0).max(2.0));
        Response {
            ssthresh: half,
            window_after: half,
        }
    }

    fn on_timeout(&mut self, timeout: &TimeoutEvent, _window: &Window) -> Response {
        Response {
            ssthresh: Segments((timeout.window.0 / 2.0).max(2.0)),
            window_after: Segments(1.0),
        }
    }
}

/// A detector that counts this many duplicate ACKs, with the defaults for everything else.
struct MyDupacks(u32);

impl LossDetector for MyDupacks {
    fn on_dupack(&mut self, event: &DetectionEvent) -> bool {
        event.dupacks == self.0
    }

    fn threshold(&self) -> u32 {
        self.0
    }
}

fn run(config: TcpConfig, loss: f64) -> Outcome {
    let path = Path {
        loss,
        seconds: 60,
        ..Path::default()
    };
    let outcome = simulate(&single(path, config, 7));
    assert!(outcome.flows[0].delivered_bytes > 500_000);
    outcome
}

/// Both profiles, little loss and much, several recoveries.
fn for_many(mut check: impl FnMut(&TcpConfig, f64)) {
    for name in ["tahoe", "reno", "newreno", "sack"] {
        for profile in [Profile::Ns2, Profile::Rfc] {
            for loss in [0.0, 0.01, 0.05] {
                let composition = preset(name).expect("a known preset").composition.clone();
                check(&TcpConfig::new(profile, composition), loss);
            }
        }
    }
}

#[test]
fn reno_of_a_users_own_is_reno() {
    let mine = CustomCongestion::new("mine", |_| MyReno);
    for_many(|built_in, loss| {
        let mut config = built_in.clone();
        config.composition.congestion = CongestionConfig::Custom(mine.clone());
        assert_eq!(run(config, loss), run(built_in.clone(), loss));
    });
}

#[test]
fn a_dupack_detector_of_a_users_own_is_the_built_in_one() {
    for threshold in [3, 5] {
        let mine = CustomDetection::new("mine", move |_| MyDupacks(threshold));
        for_many(|built_in, loss| {
            let mut built_in = built_in.clone();
            built_in.composition.detection = DetectionConfig::Dupacks(threshold);
            let mut config = built_in.clone();
            config.composition.detection = DetectionConfig::Custom(mine.clone());
            assert_eq!(run(config, loss), run(built_in, loss));
        });
    }
}

/// RACK-TLP in a wrapper that only observes: it passes every method on.
struct MyRack(Rack);

impl LossDetector for MyRack {
    fn facts(&self) -> Facts {
        self.0.facts()
    }

    fn on_duplicate(&mut self, ack: u64, reported: Option<u64>) {
        self.0.on_duplicate(ack, reported);
    }

    fn on_delivery(&mut self, event: &DetectionEvent) -> Finding {
        self.0.on_delivery(event)
    }

    fn arm_probe(&mut self, event: &DetectionEvent, timeout: Time) {
        self.0.arm_probe(event, timeout);
    }

    fn on_dupack(&mut self, event: &DetectionEvent) -> bool {
        self.0.on_dupack(event)
    }

    fn on_sent(&mut self, now: Time, flight: &Flight, start: u64, sending: Sending) {
        self.0.on_sent(now, flight, start, sending);
    }

    fn on_retransmit(&mut self, flight: &Flight, loss: &mut LossEvent) -> Answer {
        self.0.on_retransmit(flight, loss)
    }

    fn on_timeout(&mut self, flight: &Flight) {
        self.0.on_timeout(flight);
    }

    fn next_timer(&self) -> Option<Time> {
        self.0.next_timer()
    }

    fn on_timer(&mut self, event: &DetectionEvent) -> Finding {
        self.0.on_timer(event)
    }

    fn threshold(&self) -> u32 {
        self.0.threshold()
    }

    fn loss_rule(&self) -> LossRule {
        self.0.loss_rule()
    }

    fn limited_transmit(&self, dupacks: u32) -> Allowance {
        self.0.limited_transmit(dupacks)
    }
}

#[test]
fn rack_of_a_users_own_is_rack() {
    let mine = CustomDetection::new("mine", |config| MyRack(Rack::new(&config.setup())));
    for name in ["rack-tlp", "linux"] {
        for profile in [Profile::Ns2, Profile::Rfc] {
            for loss in [0.01, 0.05] {
                let composition = preset(name).expect("a known preset").composition.clone();
                let built_in = TcpConfig::new(profile, composition);
                let mut config = built_in.clone();
                config.composition.detection = DetectionConfig::Custom(mine.clone());
                assert_eq!(run(config, loss), run(built_in, loss), "{name}");
            }
        }
    }
}

#[test]
fn a_member_is_made_for_each_connection_from_its_configuration() {
    /// A law that holds the window at the number of segments that hold these bytes.
    struct Fixed(Segments);

    impl CongestionControl for Fixed {
        fn grow(&mut self, _ack: &AckEvent, window: &mut Window) {
            window.cwnd = self.0;
        }

        fn on_loss(&mut self, _loss: &LossEvent, _window: &Window) -> Response {
            Response::cut_to(self.0)
        }

        fn on_timeout(&mut self, _timeout: &TimeoutEvent, _window: &Window) -> Response {
            Response::restart(self.0)
        }
    }

    let fixed = CustomCongestion::new("fixed", |config| {
        Fixed(Segments::from_bytes(20_000, config.mss))
    });
    let composition = preset("reno").expect("known").composition.clone();
    let composition = composition.with_congestion(CongestionConfig::Custom(fixed));
    for mss in [500, 1000] {
        let mut config = TcpConfig::new(Profile::Ns2, composition.clone());
        config.mss = mss;
        let mean = run(config, 0.0).flows[0].cwnd_mean.expect("TCP");
        let expected = 20_000.0 / f64::from(mss);
        assert!((mean / expected - 1.0).abs() < 0.02, "{mean} for {mss}");
    }
}
