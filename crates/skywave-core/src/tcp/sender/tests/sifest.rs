//! SIFEST (Pan, Mark and Shen 2004, section 4.2), end to end through the sender.

use super::{MSS, plain};
use crate::tcp::config::{RecoveryConfig, TcpConfig};
use crate::tcp::testing::Script;
use crate::units::Segments;

const PRESETS: [&str; 4] = ["tahoe", "reno", "newreno", "sack"];

/// The SIFEST of `base`; slow start begins again with `loss_window` segments.
fn sifest(base: &str, window: u32, loss_window: u32) -> TcpConfig {
    TcpConfig {
        loss_window: Segments(f64::from(loss_window)),
        ..plain(&format!("sifest-{base}"), window)
    }
}

/// A smoothed round trip of 100 ms; segments 2 to `window` + 1 are in flight.
#[track_caller]
fn sampled(config: TcpConfig, window: u64) -> Script {
    let mut s = Script::sent(config, window);
    s.wait(100);
    s.ack(2);
    s.expect_sent([window + 1]);
    s
}

/// A duplicate ACK that segment `arrived` caused.
fn dupack(s: &mut Script, base: &str, arrived: u64) {
    if base == "sack" {
        s.dupack_sacking(&[arrived..arrived + 1]);
    } else {
        s.dupack();
    }
}

#[test]
fn one_dupack_is_enough_for_two_in_flight() {
    for base in PRESETS {
        let mut s = Script::sent(plain(base, 2), 2);
        dupack(&mut s, base, 2);
        s.expect_nothing();
        let mut s = Script::sent(sifest(base, 2, 1), 2);
        dupack(&mut s, base, 2);
        // Inflation and pipe let one new segment out.
        let new: &[u64] = if base == "tahoe" { &[] } else { &[3] };
        s.expect_sent([&[1], new].concat());
        s.expect_ssthresh(2.0);
        s.expect_cwnd(if base == "tahoe" { 1.0 } else { 2.0 });
    }
}

#[test]
fn it_takes_two_for_three_in_flight_and_three_for_any_more() {
    for base in PRESETS {
        for (window, enough) in [(3, 2), (4, 3), (5, 3), (10, 3)] {
            let mut s = Script::sent(sifest(base, window, 1), window.into());
            for dupacks in 1..=enough {
                assert_eq!(s.sender.counters().fast_retransmits, 0, "{base} {window}");
                s.expect_nothing();
                dupack(&mut s, base, 1 + dupacks);
            }
            assert_eq!(s.sender.counters().fast_retransmits, 1, "{base} {window}");
            assert_eq!(s.poll()[0], 1);
        }
    }
}

#[test]
fn a_segment_is_not_resent_twice_within_a_round_trip() {
    for base in PRESETS {
        let mut s = sampled(sifest(base, 3, 1), 3);
        dupack(&mut s, base, 3);
        dupack(&mut s, base, 4);
        assert_eq!(s.poll()[0], 2);
        s.wait(99);
        dupack(&mut s, base, 5);
        assert_eq!(s.sender.counters().fast_retransmits, 1, "{base}");
        let _ = s.poll();
        s.wait(1);
        // Its retransmission is lost too.
        dupack(&mut s, base, 6);
        assert_eq!(s.sender.counters().fast_retransmits, 2, "{base}");
        assert_eq!(s.poll()[0], 2);
    }
}

#[test]
fn a_segment_is_not_resent_twice_without_a_round_trip_to_tell_by() {
    let mut s = Script::sent(sifest("reno", 2, 1), 2);
    s.dupack();
    s.expect_sent([1, 3]);
    s.wait(2900);
    s.dupack();
    assert_eq!(s.sender.counters().fast_retransmits, 1);
}

#[test]
fn the_first_of_two_segments_resent_after_a_timeout_is_found_lost() {
    for base in PRESETS {
        let mut s = sampled(sifest(base, 2, 2), 2);
        s.wait_for_timeout();
        s.expect_sent([2, 3]);
        s.wait(100);
        dupack(&mut s, base, 3);
        assert_eq!(s.sender.counters().fast_retransmits, 1, "{base}");
        assert_eq!(s.poll()[0], 2);
        // Without LIW it takes another timeout.
        let mut s = sampled(sifest(base, 2, 1), 2);
        s.wait_for_timeout();
        s.expect_sent([2]);
    }
}

#[test]
fn a_timeout_resets_the_estimate() {
    // No round trip has been measured by which the sender could detect an idle time.
    let mut s = Script::sent(sifest("tahoe", 10, 1), 10);
    s.wait_for_timeout();
    s.expect_sent([1]);
    s.ack(11);
    s.expect_sent([11, 12]);
    s.ack(12);
    s.expect_sent([13, 14]);
    // Three are in flight; if the ten from before counted, it would be four.
    s.dupack();
    s.expect_nothing();
    s.dupack();
    assert_eq!(s.sender.counters().fast_retransmits, 1);
}

#[test]
fn going_back_n_after_a_timeout_counts() {
    let mut s = sampled(sifest("tahoe", 10, 3), 10);
    s.wait_for_timeout();
    s.expect_sent([2, 3, 4]);
    s.wait(100);
    s.dupack();
    s.expect_nothing();
    s.dupack();
    s.expect_sent([2, 3, 4]);
    assert_eq!(s.sender.counters().fast_retransmits, 1);
}

#[test]
fn going_back_n_after_tahoes_fast_retransmit_does_not_count() {
    let mut s = sampled(sifest("tahoe", 4, 1), 4);
    s.dupacks(3);
    s.expect_sent([2]);
    s.wait(100);
    s.ack(4);
    s.expect_sent([4, 5]);
    s.wait(100);
    // Four and five are in flight; counted twice, there would be four.
    s.dupack();
    s.expect_sent([4]);
}

#[test]
fn what_a_timeout_has_yet_to_resend_counts_after_tahoes_fast_retransmit() {
    let mut s = sampled(sifest("tahoe", 10, 3), 10);
    s.wait_for_timeout();
    s.expect_sent([2, 3, 4]);
    s.wait(100);
    s.dupacks(2);
    s.expect_sent([2, 3, 4]);
    s.wait(100);
    s.ack(5);
    // The first duplicate ACK since the timeout: three are in flight.
    s.expect_sent([5, 6, 7]);
    s.wait(100);
    s.dupack();
    s.expect_nothing();
    s.dupack();
    s.expect_sent([5, 6, 7]);
}

#[test]
fn idleness_resets_the_estimate() {
    for (idle, dupacks) in [(100, 3), (101, 1)] {
        let mut s = Script::idle(sifest("reno", 10, 1));
        s.sender.write(5 * u64::from(MSS));
        s.expect_sent(1..=5);
        s.wait(100);
        s.ack(2);
        // Nothing has been sent for a round trip.
        s.wait(idle - 100);
        s.sender.write(2 * u64::from(MSS));
        s.expect_sent([6, 7]);
        s.dupacks(dupacks - 1);
        s.expect_nothing();
        s.dupack();
        assert_eq!(s.poll()[0], 2, "after {idle} ms");
    }
}

#[test]
fn a_repair_does_not_count() {
    for base in ["reno", "newreno"] {
        let mut s = sampled(sifest(base, 4, 1), 4);
        s.dupacks(3);
        s.expect_sent([2, 6]);
        s.wait(100);
        s.ack(7);
        s.expect_sent([7, 8]);
        s.ack(8);
        s.expect_sent([9]);
        // Two in flight.
        s.dupack();
        assert_eq!(s.poll()[0], 8, "{base}");
    }
}

#[test]
fn newreno_goes_on_going_back_n_after_a_fast_retransmit() {
    let mut s = sampled(sifest("newreno", 10, 2), 10);
    s.wait_for_timeout();
    s.expect_sent([2, 3]);
    s.wait(100);
    s.dupack();
    s.expect_sent([2, 4]);
    // Everything sent between the timeout and the loss is repaired: 4 is on its way.
    s.ack(4);
    s.expect_sent([5]);
    assert_eq!(s.sender.counters().fast_retransmits, 1);
}

#[test]
fn a_hole_that_sack_has_yet_to_resend_is_no_other_loss() {
    let mut s = sampled(sifest("sack", 10, 1), 10);
    for arrived in 3..=5 {
        s.dupack_sacking(&[arrived..arrived + 1]);
    }
    s.expect_sent([2]);
    s.expect_cwnd(5.05);
    s.wait(100);
    // Pipe leaves no room for 6.
    s.ack(6);
    s.expect_nothing();
    s.dupack_sacking(&[7..8]);
    s.expect_sent([6]);
    s.expect_cwnd(5.05);
    assert_eq!(s.sender.counters().fast_retransmits, 1);
}

#[test]
fn what_sack_heard_before_a_timeout_does_not_show_another_loss() {
    let mut s = sampled(sifest("sack", 10, 1), 10);
    for arrived in 8..=10 {
        s.dupack_sacking(&[arrived..arrived + 1]);
    }
    assert_eq!(s.poll()[0], 2);
    s.wait_for_timeout();
    s.expect_sent([2]);
    s.wait(99);
    s.dupack_sacking(&[11..12]);
    s.expect_nothing();
    assert_eq!(s.sender.counters().fast_retransmits, 1);
}

#[test]
fn sack_does_not_resend_what_a_timeout_has_just_resent() {
    let mut s = sampled(sifest("sack", 10, 6), 10);
    for arrived in 8..=11 {
        s.dupack_sacking(&[arrived..arrived + 1]);
    }
    assert_eq!(s.poll()[0], 2);
    s.wait_for_timeout();
    s.expect_sent(2..=7);
    s.wait(100);
    for arrived in 3..=5 {
        s.dupack_sacking(&[arrived..arrived + 1]);
    }
    // 6 and 7 are on their way, although later segments arrived before.
    s.expect_sent([2]);
    assert_eq!(s.sender.counters().fast_retransmits, 2);
}

#[test]
fn dupacks_from_needless_resends_do_not_go_round_for_ever() {
    for base in ["tahoe", "reno", "newreno"] {
        let mut s = sampled(sifest(base, 2, 2), 2);
        s.wait_for_timeout();
        s.expect_sent([2, 3]);
        s.wait(100);
        // The receiver already had 3, and reports it as a duplicate.
        s.ack(4);
        assert_eq!(s.poll()[0], 4);
        s.dupack();
        assert_eq!(s.sender.counters().fast_retransmits, 0, "{base}");
        s.ack(5);
        let _ = s.poll();
        s.dupack();
        assert_eq!(s.sender.counters().fast_retransmits, 1, "{base}");
    }
}

#[test]
fn with_sack_dupacks_from_needless_resends_tell_nothing_and_others_count() {
    use RecoveryConfig::{Prr, Sack, Sack1};
    for recovery in [Sack, Prr, Sack1] {
        let mut config = sifest("sack", 2, 2);
        config.composition.recovery = recovery;
        let mut s = sampled(config, 2);
        s.wait_for_timeout();
        s.expect_sent([2, 3]);
        s.wait(100);
        s.ack(4);
        s.expect_sent([4, 5]);
        s.dupack();
        s.expect_nothing();
        s.dupack_sacking(&[5..6]);
        assert_eq!(s.poll().first(), Some(&4), "{recovery:?}");
    }
}

#[test]
fn tahoes_larger_loss_window_does_not_resend_for_its_own_resends() {
    let mut s = Script::sent(sifest("tahoe", 2, 2), 2);
    s.dupack();
    s.expect_sent([1, 2]);
    s.ack(3);
    s.expect_sent([3, 4]);
    // 2 arrived twice.
    s.dupack();
    s.expect_nothing();
    assert_eq!(s.sender.counters().fast_retransmits, 1);
}

#[test]
fn the_first_segment_beyond_a_lone_resend_is_found_lost() {
    for base in PRESETS {
        let mut s = Script::sent(sifest(base, 2, 1), 2);
        dupack(&mut s, base, 2);
        let next = s.poll().last().map_or(3, |last| (last + 1).max(3));
        s.ack(next);
        s.expect_sent([next, next + 1]);
        dupack(&mut s, base, next + 1);
        assert_eq!(s.sender.counters().fast_retransmits, 2, "{base}");
    }
}

#[test]
fn a_second_fast_retransmit_of_a_recovery_cuts_the_window_without_what_dupacks_added() {
    for base in ["reno", "newreno"] {
        let mut s = sampled(sifest(base, 12, 1), 12);
        for arrived in 3..=13 {
            dupack(&mut s, base, arrived);
        }
        assert_eq!(s.poll()[0], 2, "{base}");
        // The ACK before it let the window grow.
        let half = 6.0 + 1.0 / 24.0;
        s.expect_cwnd(half);
        s.wait(100);
        dupack(&mut s, base, 14);
        assert_eq!(s.poll()[0], 2, "{base}");
        s.expect_cwnd(half / 2.0);
        assert_eq!(s.sender.counters().window_cuts, 2, "{base}");
    }
}
