//! The paper's equations, and their purpose: growth in time that does not depend on the RTT.

use proptest::prelude::*;

use super::*;
use crate::tcp::congestion::standard_growth;
use crate::tcp::testing::{ack_at, assert_near, loss_at, take_ack, timeout_at, window};

/// An ACK that measures this round trip, one of ten segments in flight.
fn ack(rtt: Duration) -> AckEvent {
    AckEvent {
        segment_rtt: Some(rtt),
        in_flight_before: Segments(10.0),
        ..ack_at(0.0, 1.0)
    }
}

/// An ACK that measures a round-trip time of `rtt` milliseconds.
fn ack_ms(rtt: u64) -> AckEvent {
    ack(Duration::from_millis(rtt))
}

fn hybla() -> Hybla {
    Hybla::new(HyblaConfig::DEFAULT)
}

/// cwnd after one ACK with this round trip.
fn after(rtt: u64, mut win: Window) -> f64 {
    take_ack(&mut hybla(), &ack_ms(rtt), &mut win);
    win.cwnd.0
}

#[test]
fn in_slow_start_an_ack_adds_two_to_rho_less_one() {
    assert_near(after(50, window(10.0, 1e6)), 10.0 + 3.0, "cwnd, ρ = 2");
    assert_near(after(100, window(10.0, 1e6)), 10.0 + 15.0, "cwnd, ρ = 4");
    let mut win = window(10.0, 1e6);
    take_ack(&mut hybla(), &ack(Duration::from_micros(37_500)), &mut win);
    let step = 2.0 * 2.0_f64.sqrt() - 1.0;
    assert_near(win.cwnd.0, 10.0 + step, "cwnd, ρ = 1.5");
}

#[test]
fn in_congestion_avoidance_an_ack_adds_rho_squared_to_a_window() {
    assert_near(after(100, window(64.0, 2.0)), 64.0 + 16.0 / 64.0, "cwnd");
    assert_near(after(600, window(64.0, 2.0)), 64.0 + 576.0 / 64.0, "cwnd");
    let mut win = window(64.0, 2.0);
    let mut other = Hybla::new(HyblaConfig {
        rtt0: Duration::from_millis(50),
    });
    take_ack(&mut other, &ack_ms(100), &mut win);
    assert_near(win.cwnd.0, 64.0 + 4.0 / 64.0, "cwnd, RTT0 = 50 ms");
}

#[test]
fn an_ack_counts_as_many_segments_as_the_connection_says() {
    let mut win = window(10.0, 1e6);
    let two = AckEvent {
        counted: Segments(2.0),
        ..ack_ms(100)
    };
    take_ack(&mut hybla(), &two, &mut win);
    assert_near(win.cwnd.0, 10.0 + 2.0 * 15.0, "cwnd");
}

proptest! {
    #[test]
    fn up_to_the_reference_round_trip_it_is_reno(
        acks in prop::collection::vec((0u64..=25, 0u8..3, any::<bool>()), 1..100),
        cwnd in 1.0f64..40.0,
        ssthresh in 2.0f64..40.0,
    ) {
        let mut law = hybla();
        let (mut win, mut reno) = (window(cwnd, ssthresh), window(cwnd, ssthresh));
        for (rtt, counted, may_grow) in acks {
            let event = AckEvent { counted: Segments(f64::from(counted)), may_grow, ..ack_ms(rtt) };
            take_ack(&mut law, &event, &mut win);
            standard_growth(&event, &mut reno);
            prop_assert_eq!(win, reno);
        }
    }
}

#[test]
fn slow_start_goes_no_further_than_the_threshold() {
    assert_near(after(600, window(10.0, 300.0)), 300.0, "cwnd");
    // If Reno exceeds the threshold by a part of a segment, so does Hybla.
    assert_near(after(600, window(9.5, 10.0)), 10.5, "cwnd");
}

#[test]
fn a_step_of_slow_start_is_bounded() {
    assert_near(after(400, window(10.0, 1e9)), 10.0 + 65_535.0, "ρ = 16");
    assert_near(after(600, window(10.0, 1e9)), 10.0 + 65_535.0, "ρ = 24");
    let mut win = window(10.0, 1e9);
    let mut shortest = Hybla::new(HyblaConfig {
        rtt0: Duration::from_nanos(1),
    });
    let nothing = AckEvent {
        counted: Segments::ZERO,
        ..ack(Duration::from_secs(3600))
    };
    take_ack(&mut shortest, &nothing, &mut win);
    assert_near(win.cwnd.0, 10.0, "cwnd after an ACK that counts nothing");
}

#[test]
fn rho_follows_the_smallest_round_trip() {
    let mut law = hybla();
    let mut rhos = Vec::new();
    for rtt in [200, 300, 100, 600, 10, 50] {
        take_ack(&mut law, &ack_ms(rtt), &mut window(10.0, 5.0));
        rhos.push(law.rho);
    }
    assert_eq!(rhos, [8.0, 8.0, 4.0, 4.0, 1.0, 1.0]);
}

#[test]
fn an_ack_that_may_have_been_kept_back_measures_nothing() {
    let mut law = hybla();
    let mut win = window(1.0, 1e6);
    let lone = AckEvent {
        in_flight_before: Segments::ONE,
        ..ack_ms(210)
    };
    take_ack(&mut law, &lone, &mut win);
    assert_eq!((law.rho, win.cwnd), (1.0, Segments(2.0)));
    let resent = AckEvent {
        segment_rtt: None,
        ..ack_ms(0)
    };
    take_ack(&mut law, &resent, &mut win);
    assert_eq!((law.rho, win.cwnd), (1.0, Segments(3.0)));
}

#[test]
fn it_measures_also_when_it_may_not_grow() {
    let mut law = hybla();
    let mut win = window(64.0, 2.0);
    let held = AckEvent {
        may_grow: false,
        ..ack_ms(100)
    };
    take_ack(&mut law, &held, &mut win);
    assert_eq!((law.rho, win.cwnd), (4.0, Segments(64.0)));
    // While a detector waits, the window goes on growing by Hybla's law.
    law.grow(&ack_at(0.0, 0.0), &mut win);
    assert_near(win.cwnd.0, 64.25, "cwnd");
}

#[test]
fn a_cut_is_renos() {
    let mut law = hybla();
    take_ack(&mut law, &ack_ms(600), &mut window(40.0, 5.0));
    let r = law.on_loss(&loss_at(0, 40.0, 1, 2), &window(40.0, 5.0));
    assert_eq!(
        (r.ssthresh, r.window_after),
        (Segments(20.0), Segments(20.0))
    );
    let r = law.on_timeout(&timeout_at(0, 40.0), &window(40.0, 5.0));
    assert_eq!(
        (r.ssthresh, r.window_after),
        (Segments(20.0), Segments::ONE)
    );
}

/// cwnd after this many milliseconds, if each segment is acknowledged a round trip after it was sent. Each
/// round trip has as many ACKs as the window had segments at its beginning.
fn grown(rtt: u64, ms: u64, mut win: Window) -> f64 {
    let mut law = hybla();
    for _ in 0..ms / rtt {
        for _ in 0..win.cwnd.0 as u64 {
            take_ack(&mut law, &ack_ms(rtt), &mut win);
        }
    }
    win.cwnd.0
}

#[test]
fn in_slow_start_the_window_grows_in_time_as_on_the_reference_path() {
    // 300 ms are twelve reference round trips.
    for rtt in [25, 50, 75, 100, 150, 300] {
        let cwnd = grown(rtt, 300, window(2.0, 1e9));
        assert_near(cwnd, 2.0 * 4096.0, &format!("cwnd at {rtt} ms"));
    }
}

#[test]
fn in_congestion_avoidance_the_rate_grows_in_time_as_on_the_reference_path() {
    // On the reference path the window is 100 segments and grows by one each 25 ms: 900 after 20 s. On a
    // longer path the number of ACKs in a round trip is that of an older window, which is smaller the
    // longer the round trip is.
    for rtt in [25, 50, 100, 250, 500] {
        let rho = rtt as f64 / 25.0;
        let cwnd = grown(rtt, 20_000, window(100.0 * rho, 2.0));
        let each_25_ms = cwnd / rho;
        assert!(
            (860.0..=900.0).contains(&each_25_ms),
            "{each_25_ms} at {rtt} ms"
        );
    }
}
