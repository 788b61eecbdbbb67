//! TCP-DCR: Bhandarkar et al., section 3.

use std::sync::Arc;

use super::{MSS, plain};
use crate::tcp::config::{CongestionConfig, DetectionConfig, RtoConfig, TcpConfig};
use crate::tcp::detection::{DcrConfig, DcrWait};
use crate::tcp::testing::Script;
use crate::time::Duration;
use crate::units::Segments;

/// The preset with a smallest RTO of 1 s, as the experiments have it, and without limited transmit.
fn dcr(name: &str) -> TcpConfig {
    let config = plain(name, 10);
    TcpConfig {
        rto: Arc::new(RtoConfig {
            min: Duration::from_secs(1),
            ..*config.rto
        }),
        ..config
    }
}

fn with(wait: DcrWait, tau: f64) -> TcpConfig {
    let mut config = dcr("dcr");
    config.composition.detection = DetectionConfig::Dcr(DcrConfig { tau, wait });
    config
}

/// Segment 1 was acknowledged after 100 ms (srtt), 2 to 11 are in flight; cwnd is 10.1.
fn one_sample(config: TcpConfig) -> Script {
    let mut s = Script::sent(config, 10);
    s.wait(100);
    s.ack(2);
    s.expect_sent([11]);
    s
}

/// Segment 2 is missing: `n` duplicate ACKs report 3 and the following ones.
fn dupacks_for_2(s: &mut Script, n: u64) {
    for top in 4..4 + n {
        s.dupack_sacking(&[3..top]);
    }
}

/// Lets the delay end, with the timer that the sender asked for.
fn let_the_delay_end(s: &mut Script) {
    s.now = s.sender.next_timer().expect("a timer");
    s.on_timer();
}

#[test]
fn each_dupack_lets_one_new_segment_out_although_the_window_grows() {
    let mut s = one_sample(dcr("dcr"));
    let mut cwnd = 10.1;
    for n in 0..30 {
        s.dupack_sacking(&[3..4 + n]);
        s.expect_sent([12 + n]);
        cwnd += 1.0 / cwnd;
        s.expect_cwnd(cwnd);
    }
    // Two segments more than at the first dupack, which plain limited transmit would send.
    assert!(cwnd > 12.0);
    assert_eq!(s.sender.counters().fast_retransmits, 0);
}

#[test]
fn the_window_grows_no_further_than_its_cap_during_the_delay() {
    let mut s = one_sample(TcpConfig {
        max_cwnd: Segments(10.5),
        ..dcr("dcr")
    });
    dupacks_for_2(&mut s, 9);
    // Each duplicate ACK still lets one segment out.
    s.expect_sent(12..=20);
    s.expect_cwnd(10.5);
}

#[test]
fn a_hole_filled_within_the_delay_has_no_consequence() {
    let mut s = one_sample(dcr("dcr"));
    dupacks_for_2(&mut s, 9);
    s.expect_sent(12..=20);
    s.wait(99);
    s.on_timer();
    s.expect_nothing();
    let before = s.sender.window();
    s.ack(12);
    // 12 to 20 are in flight, cwnd is 10.95 and grows past 11.
    s.expect_sent([21, 22]);
    assert_eq!(s.sender.window().ssthresh, before.ssthresh);
    assert!(s.sender.window().cwnd > before.cwnd);
    let counters = s.sender.counters();
    assert_eq!((counters.fast_retransmits, counters.window_cuts), (0, 0));
    // The delay's timer is stopped: only the retransmission timer is left.
    s.expect_timer_in(1000);
}

#[test]
fn the_delay_is_one_smoothed_round_trip_after_the_first_dupack() {
    let mut s = one_sample(dcr("dcr"));
    s.wait(10);
    dupacks_for_2(&mut s, 1);
    s.expect_timer_in(100);
    s.wait(50);
    s.dupack_sacking(&[3..5]);
    s.expect_timer_in(50);
    s.wait(49);
    s.on_timer();
    s.expect_sent([12, 13]);
    s.wait(1);
    s.on_timer();
    s.expect_sent([2]);
    assert!(s.sender.in_recovery());
}

#[test]
fn the_end_of_the_delay_halves_the_window_of_that_time() {
    let mut s = one_sample(dcr("dcr"));
    dupacks_for_2(&mut s, 30);
    let _ = s.poll();
    let cwnd = s.sender.window().cwnd.0;
    assert!(cwnd > 12.0);
    let_the_delay_end(&mut s);
    s.expect_sent([2]);
    // The ns-2 profile keeps the threshold in whole segments.
    s.expect_ssthresh((cwnd / 2.0).trunc());
    s.expect_cwnd(cwnd / 2.0);
    assert_eq!(s.sender.counters().window_cuts, 1);
}

#[test]
fn a_law_that_cuts_what_is_outstanding_cuts_what_was_so_before_the_delay() {
    let mut config = dcr("dcr");
    config.composition.congestion = CongestionConfig::ThreeQuarter;
    let mut s = one_sample(config);
    dupacks_for_2(&mut s, 30);
    let _ = s.poll();
    let_the_delay_end(&mut s);
    // 40 are outstanding, 30 of them have arrived; the delay began with 10.
    s.expect_cwnd(7.5);
}

#[test]
fn slow_start_has_three_dupacks_as_ever() {
    let mut s = Script::sent(
        TcpConfig {
            initial_window: Segments(9.0),
            initial_ssthresh: Some(Segments(100.0)),
            ..dcr("dcr")
        },
        9,
    );
    s.wait(100);
    s.ack(2);
    s.expect_sent([10, 11]);
    dupacks_for_2(&mut s, 2);
    s.expect_nothing();
    s.expect_cwnd(10.0);
    s.expect_timer_in(1000);
    s.dupack_sacking(&[3..6]);
    s.expect_sent([2]);
    s.expect_cwnd(5.0);
}

#[test]
fn without_a_round_trip_to_measure_by_three_dupacks_count() {
    let mut s = Script::sent(dcr("dcr"), 10);
    s.dupack_sacking(&[2..3]);
    s.dupack_sacking(&[2..4]);
    s.expect_nothing();
    s.dupack_sacking(&[2..5]);
    s.expect_sent([1]);
}

#[test]
fn one_dupack_is_enough_when_no_others_come() {
    let mut s = one_sample(dcr("dcr"));
    dupacks_for_2(&mut s, 1);
    s.expect_sent([12]);
    let_the_delay_end(&mut s);
    s.expect_sent([2]);
}

#[test]
fn what_is_reported_meanwhile_does_not_end_the_delay() {
    // RFC 6675 would call 2 lost at once: three segments above it are held.
    let mut s = one_sample(dcr("dcr"));
    s.dupack_sacking(&[3..9]);
    s.dupack_sacking(&[3..11]);
    s.expect_sent([12, 13]);
    assert!(!s.sender.in_recovery());
}

#[test]
fn further_holes_of_the_window_are_repaired_at_once() {
    // 2 and 6 are lost.
    let mut s = one_sample(dcr("dcr"));
    s.dupack_sacking(&[3..4]);
    s.dupack_sacking(&[3..5]);
    s.dupack_sacking(&[3..6]);
    for top in 8..=13 {
        s.dupack_sacking(&[7..top, 3..6]);
    }
    s.expect_sent(12..=20);
    let_the_delay_end(&mut s);
    // cwnd 10.95 / 2, pipe 19 - 9 - 1 = 9 with 2: the hole waits for room, not for a delay.
    s.expect_sent([2]);
    for top in 14..=17 {
        s.dupack_sacking(&[7..top, 3..6]);
    }
    s.expect_nothing();
    s.dupack_sacking(&[7..18, 3..6]);
    s.expect_sent([6]);
    assert_eq!(s.sender.counters().window_cuts, 1);
    s.ack(21);
    assert!(!s.sender.in_recovery());
}

#[test]
fn a_further_loss_of_the_window_waits_for_no_delay_after_reno() {
    // Reno's recovery ends with the first new ACK; 6 was sent before the fast retransmit.
    let mut config = dcr("reno");
    config.composition.detection = DetectionConfig::Dcr(DcrConfig::DEFAULT);
    config.composition.avoid_repeated_recovery = false;
    let mut s = one_sample(config);
    s.dupacks(8);
    s.expect_sent(12..=19);
    let_the_delay_end(&mut s);
    s.expect_sent([2]);
    s.ack(6);
    s.expect_nothing();
    s.dupacks(2);
    s.expect_nothing();
    s.dupack();
    s.expect_sent([6]);
}

#[test]
fn a_second_hole_after_the_first_was_filled_waits_anew() {
    // 2 and 6 are missing; 2 arrives in time.
    let mut s = one_sample(dcr("dcr"));
    dupacks_for_2(&mut s, 2);
    s.expect_sent([12, 13]);
    s.wait(60);
    s.ack_sacking(6, &[7..9]);
    let _ = s.poll();
    // At this time the delay of 2 would have ended.
    s.wait(40);
    s.on_timer();
    s.expect_nothing();
    s.dupack_sacking(&[7..10]);
    let next = s.next();
    s.expect_sent([next - 1]);
    let delay = s.sender.next_timer().expect("a timer").since(s.now);
    assert_eq!(Some(delay), s.sender.rto().srtt());
    let_the_delay_end(&mut s);
    s.expect_sent([6]);
}

#[test]
fn a_receivers_window_without_room_delays_all_the_same() {
    let mut s = one_sample(TcpConfig {
        rwnd: 12 * MSS,
        ..dcr("dcr")
    });
    dupacks_for_2(&mut s, 9);
    s.expect_sent([12, 13]);
    assert!(!s.sender.in_recovery());
    let_the_delay_end(&mut s);
    assert_eq!(s.poll()[0], 2);
    assert_eq!(s.sender.counters().fast_retransmits, 1);
}

#[test]
fn a_timeout_during_the_delay_acts_as_usual() {
    // Without the larger minimum the RTO is 300 ms; τ is chosen to end later.
    let mut config = with(
        DcrWait::Timer {
            tick: Duration::ZERO,
        },
        5.0,
    );
    Arc::make_mut(&mut config.rto).min = Duration::from_millis(200);
    let mut s = one_sample(config);
    dupacks_for_2(&mut s, 2);
    s.expect_sent([12, 13]);
    s.wait_for_timeout();
    s.expect_sent([2]);
    s.expect_cwnd(1.0);
    // The delay is over, too; what was sent before has three dupacks and no fast retransmit.
    s.wait(300);
    let fast = s.sender.counters().fast_retransmits;
    s.ack(3);
    let _ = s.poll();
    s.dupack_sacking(&[4..5]);
    s.expect_timer_in(s.sender.rto().rto().as_nanos() / 1_000_000);
    assert_eq!(s.sender.counters().fast_retransmits, fast);
}

#[test]
fn below_what_was_sent_at_a_timeout_nothing_waits() {
    let mut s = Script::sent(
        TcpConfig {
            initial_window: Segments(4.0),
            initial_ssthresh: Some(Segments(4.0)),
            ..dcr("dcr-newreno")
        },
        4,
    );
    s.wait(100);
    s.ack(2);
    s.expect_sent([5]);
    s.wait_for_timeout();
    s.expect_sent([2]);
    s.ack(3);
    // Congestion avoidance again, as ssthresh is 2.
    s.expect_cwnd(2.0);
    s.expect_sent([3, 4]);
    let timer = s.sender.next_timer();
    s.dupack();
    s.expect_nothing();
    s.expect_cwnd(2.0);
    assert_eq!(s.sender.next_timer(), timer);
}

#[test]
fn without_a_round_trip_to_wait_for_three_dupacks_count() {
    let mut s = one_sample(TcpConfig {
        limited_transmit: true,
        ..dcr("dcr")
    });
    // Many expiries discard the round trip that was measured.
    for _ in 0..4 {
        s.wait_for_timeout();
    }
    let _ = s.poll();
    // Everything had arrived, so this is the ACK of a retransmission, which gives no sample.
    s.ack(12);
    s.expect_sent([12, 13]);
    s.dupack_sacking(&[13..14]);
    s.on_timer();
    s.expect_sent([14]);
    s.dupack_sacking(&[13..15]);
    s.on_timer();
    s.expect_sent([15]);
    s.dupack_sacking(&[13..16]);
    s.expect_sent([12, 16]);
    assert_eq!(s.sender.counters().fast_retransmits, 1);
}

#[test]
fn a_coarse_clock_expires_on_its_next_tick() {
    let wait = DcrWait::Timer {
        tick: Duration::from_millis(30),
    };
    let mut s = one_sample(with(wait, 1.0));
    dupacks_for_2(&mut s, 1);
    // 1100 ms + 100 ms is a tick, the 40th; 5 ms later the next one is at 1230 ms.
    s.expect_timer_in(100);
    let mut s = one_sample(with(wait, 1.0));
    s.wait(5);
    dupacks_for_2(&mut s, 1);
    s.expect_timer_in(125);
}

#[test]
fn tau_is_a_factor() {
    let exact = DcrWait::Timer {
        tick: Duration::ZERO,
    };
    let mut s = one_sample(with(exact, 2.5));
    dupacks_for_2(&mut s, 1);
    s.expect_timer_in(250);
}

/// Number of dupacks that make the loss in the dupack form, with eleven segments in flight, when the first
/// round trip took 100 ms and the last one `last` ms.
fn dupacks_until_the_loss(tau: f64, last: u64) -> u64 {
    let mut s = Script::sent(with(DcrWait::Dupacks, tau), 10);
    s.wait(100);
    s.ack(2); // 1 was timed
    s.expect_sent([11]);
    s.wait(last);
    s.acks_to(12); // 11 was timed
    s.expect_sent(12..=22);
    let una = 12;
    for n in 1.. {
        s.dupack_sacking(&[una + 1..una + 1 + n]);
        if s.sender.in_recovery() {
            return n;
        }
        s.expect_sent([22 + n]);
    }
    unreachable!()
}

#[test]
fn the_dupack_form_waits_for_a_window_scaled_by_the_smoothed_round_trip() {
    assert_eq!(dupacks_until_the_loss(1.0, 100), 11);
    assert_eq!(dupacks_until_the_loss(0.5, 100), 6);
    // srtt is 7/8 of 100 and 1/8 of 20 ms in ticks of 10 ms: 90 ms; the last one took 20 ms.
    assert_eq!(dupacks_until_the_loss(1.0, 20), 50);
    // srtt is 112.5 ms, the last one took 200 ms: 11 * 112.5 / 200 is 6.2.
    assert_eq!(dupacks_until_the_loss(1.0, 200), 7);
    // The number is never below three.
    assert_eq!(dupacks_until_the_loss(0.1, 100), 3);
}

#[test]
fn on_newreno_the_dupacks_of_the_delay_count_as_left() {
    // 2 and 6 are lost.
    let mut s = one_sample(dcr("dcr-newreno"));
    s.dupacks(8); // 3, 4, 5, 7 to 11
    s.expect_sent(12..=19);
    let_the_delay_end(&mut s);
    s.expect_sent([2]);
    let cwnd = s.sender.window().cwnd.0;
    assert!(cwnd > 5.0 && cwnd < 6.0);
    // Ten of 18 are in the network, cwnd is 5.4: six must leave before a new segment may be sent.
    s.dupacks(5);
    s.expect_nothing();
    s.dupack();
    s.expect_sent([20]);
    // A partial ACK repairs the next hole without another delay or cut.
    s.ack(6);
    assert_eq!(s.poll()[0], 6);
    assert_eq!(s.sender.counters().window_cuts, 1);
    s.ack(20);
    assert!(!s.sender.in_recovery());
}

#[test]
fn on_sack1_the_pipe_is_what_is_outstanding_less_the_dupacks() {
    let mut s = one_sample(dcr("dcr-sack1"));
    dupacks_for_2(&mut s, 8);
    s.expect_sent(12..=19);
    let_the_delay_end(&mut s);
    s.expect_sent([2]);
    // pipe 18 - 8 = 10, window 5: six dupacks leave 4.
    for n in 9..14 {
        s.dupack_sacking(&[3..3 + n]);
    }
    s.expect_nothing();
    s.dupack_sacking(&[3..17]);
    s.expect_sent([20]);
}

#[test]
fn on_tahoe_it_goes_back_to_the_lost_segment() {
    let mut config = dcr("tahoe");
    config.composition.detection = DetectionConfig::Dcr(DcrConfig::DEFAULT);
    let mut s = one_sample(config);
    s.dupack();
    s.expect_sent([12]);
    let_the_delay_end(&mut s);
    s.expect_sent([2]);
    s.dupacks(10);
    s.expect_nothing();
    s.expect_cwnd(1.0);
}
