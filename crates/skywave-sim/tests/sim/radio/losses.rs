//! Frames that a station does not hear, although their signal is strong.

use skywave_core::link::LossConfig;
use skywave_core::{Rate, mac};
use skywave_sim::outcome::StationOutcome;
use skywave_sim::simulate;
use skywave_sim::spec::{Traffic, Transport};

use super::network::{fixed, run};
use crate::common::{ftp, tcp};

/// The sender of a call of 400 packets/s for 100 s over one hop, of whose frames the ends lose these shares.
fn call(at_sender: f64, at_receiver: f64, rts: Option<u32>) -> StationOutcome {
    let mac = mac::Config {
        rts_threshold: rts,
        ..mac::Config::ieee80211g()
    };
    let mut radio = fixed(&[(0.0, 0.0), (100.0, 0.0)], mac);
    for (station, loss) in radio.stations.iter_mut().zip([at_sender, at_receiver]) {
        station.loss = vec![LossConfig::Iid(loss)];
    }
    let mut flow = ftp("call", 0, 1, tcp("reno"));
    flow.transport = Transport::Udp { header: 28 };
    flow.traffic = Traffic::Cbr {
        rate: Rate::from_bps(400 * 8 * 200),
        packet: 200,
        jitter: 0.0,
    };
    simulate(&run(radio, vec![flow], 100, 1)).stations.remove(0)
}

/// An exchange fails if any of its frames is lost, and a packet after as many failures as there are attempts.
#[test]
fn a_packet_is_given_up_when_each_of_its_exchanges_has_lost_a_frame() {
    let attempts = mac::Config::ieee80211g().short_retries;
    for (at_sender, at_receiver) in [(0.0, 0.5), (0.5, 0.0), (0.3, 0.4)] {
        let fails = 1.0 - (1.0 - at_sender) * (1.0 - at_receiver);
        let sender = call(at_sender, at_receiver, None);
        let unanswered = sender.unanswered_share.expect("attempts");
        assert!(
            (unanswered / fails - 1.0).abs() < 0.02,
            "{unanswered}, {fails}"
        );
        let expected: f64 = (0..attempts).map(|_| fails).product();
        let packets = (sender.acknowledged + sender.given_up) as f64;
        assert!(packets > 39_000.0, "{packets}");
        let given_up = sender.given_up as f64 / packets;
        let error = 3.0 * (expected * (1.0 - expected) / packets).sqrt();
        assert!(
            (given_up - expected).abs() < error,
            "{given_up}, {expected}"
        );
    }
}

#[test]
fn requests_and_their_answers_are_lost_as_well() {
    let sender = call(0.1, 0.1, Some(0));
    let answered = sender.attempts as f64 / sender.requests as f64;
    assert!((answered - 0.81).abs() < 0.01, "{answered}");
}
