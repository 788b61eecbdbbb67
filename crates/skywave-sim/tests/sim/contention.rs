//! An uplink that others contend for bunches ACKs.

use skywave_core::link::Contention;
use skywave_core::{Duration, Time};
use skywave_sim::observe::{Observer, Offer, Watch};
use skywave_sim::outcome::FlowOutcome;
use skywave_sim::simulate_watched;

use crate::common::{ftp, link, ns2, wire, wired};

/// Times at which ACKs arrive at the base station.
#[derive(Default)]
struct Acks(Vec<Time>);

impl Observer for Acks {
    fn on_offer(&mut self, offer: &Offer<'_>) {
        if offer.link == 1 {
            self.0.push(offer.at);
        }
    }
}

/// Reno over a cell of 100 kb/s and 50 ms: its outcome, and the number of its ACKs that came directly after
/// another one.
fn run(contention: Option<Contention>) -> (FlowOutcome, f64) {
    let mut config = ns2("reno", 10);
    config.mss = 500;
    let mut up = wire(0.1, 50.0, 50);
    up.contention = contention;
    let end = Time::ZERO + Duration::from_secs(300);
    let links = vec![
        link("wired", 0, 1, wire(1.0, 10.0, 50)),
        link("wired.reverse", 1, 0, wire(1.0, 10.0, 50)),
        link("down", 1, 2, wire(0.1, 50.0, 20)),
        link("up", 2, 1, up),
    ];
    let flows = vec![ftp("bulk", 0, 2, config)];
    let spec = wired(&["S", "BS", "M"], links, flows, end);
    let mut acks = Acks::default();
    let watch = Watch {
        observer: Some(&mut acks),
        cancel: None,
    };
    let flow = simulate_watched(&spec, watch).unwrap().flows.remove(0);
    // 40 bytes at 100 kb/s.
    let ack = Duration::from_micros(3200);
    let behind = acks.0.windows(2).filter(|w| w[1].since(w[0]) == ack);
    let share = behind.count() as f64 / acks.0.len() as f64;
    (flow, share)
}

/// Waits of a second or so.
const BUSY: Contention = Contention {
    slot: Duration::from_millis(3),
    window: 16,
    max_window: 256,
    failure: 0.5,
    hold: Duration::from_secs(1),
    capture: true,
};

#[test]
fn with_capture_acks_come_in_bunches_and_the_round_trip_varies() {
    let (alone, none) = run(None);
    let (bunched, most) = run(Some(BUSY));
    assert!(none < 0.01, "{none}");
    assert!(most > 0.7, "{most}");
    let deviation = |flow: &FlowOutcome| flow.rttvar_mean_s.unwrap();
    assert!(deviation(&bunched) > 5.0 * deviation(&alone));
    assert!(bunched.goodput_bps < alone.goodput_bps);
}

#[test]
fn without_capture_each_ack_waits_by_itself() {
    let (_, behind) = run(Some(Contention {
        capture: false,
        hold: Duration::from_millis(20),
        ..BUSY
    }));
    // By chance, when the backoff draws the first slot.
    assert!(behind < 0.1, "{behind}");
}
