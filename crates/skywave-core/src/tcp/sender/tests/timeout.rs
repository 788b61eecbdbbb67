//! The retransmission timer: RFC 6298, RFC 5681 section 3.1, Karn's rule.

use super::{MSS, config, plain};
use crate::tcp::config::{Profile, TcpConfig, TimeoutConfig};
use crate::tcp::preset::preset;
use crate::tcp::testing::Script;
use crate::tcp::timeout::BoundedConfig;

#[test]
fn the_timer_runs_while_data_is_outstanding() {
    let mut s = Script::idle(config("reno", 10));
    s.expect_no_timer();
    s.sender.write(3 * u64::from(MSS));
    s.expect_no_timer();
    s.expect_sent(1..=3);
    s.expect_timer_in(3000); // RFC 6298 rules 2.1 and 5.1
    s.wait(100);
    s.ack(2);
    s.expect_timer_in(300); // rule 5.3, with the first sample: 100 + 4·50 ms
    s.wait(50);
    s.dupack();
    s.expect_timer_in(250); // a dupack does not touch it
    s.ack(4);
    s.expect_no_timer(); // rule 5.2
}

#[test]
fn a_fast_retransmit_restarts_the_timer() {
    let mut s = Script::sent(plain("reno", 10), 10);
    s.wait(100);
    s.dupacks(3);
    s.expect_sent([1]);
    s.expect_timer_in(3000);
}

#[test]
fn a_timeout_restarts_with_one_segment_and_goes_back_n() {
    let mut s = Script::sent(config("reno", 10), 10);
    s.wait_for_timeout();
    s.expect_cwnd(1.0);
    s.expect_ssthresh(5.0);
    s.expect_sent([1]);
    s.ack(2);
    s.expect_sent([2, 3]);
    s.ack(3);
    s.expect_sent([4, 5]);
    // The receiver held 5 to 8: the next segment to send jumps.
    s.ack(9);
    s.expect_cwnd(4.0);
    s.expect_sent([9, 10, 11, 12]);
    assert_eq!(s.sender.counters().retransmits, 7);
}

#[test]
fn a_further_timeout_for_one_segment_may_hold_the_threshold() {
    for hold_ssthresh in [true, false] {
        for law in ["reno", "cubic"] {
            let config = TcpConfig {
                hold_ssthresh,
                ..config(law, 10)
            };
            let mut s = Script::sent(config, 10);
            s.wait_for_timeout();
            s.expect_sent([1]);
            let first = s.sender.window().ssthresh.0;
            s.wait_for_timeout();
            s.expect_ssthresh(if hold_ssthresh { first } else { 2.0 });
            s.expect_cwnd(1.0);
            s.expect_sent([1]);
            // Another segment: the threshold is cut again.
            s.ack(2);
            s.wait_for_timeout();
            s.expect_ssthresh(2.0);
        }
    }
}

#[test]
fn a_call_before_the_timer_is_due_does_nothing() {
    let mut s = Script::sent(config("reno", 10), 10);
    s.wait(2999);
    s.sender.on_timer(s.now);
    s.expect_nothing();
    assert_eq!(s.sender.counters().timeouts, 0);
    s.wait(1);
    s.sender.on_timer(s.now);
    s.expect_sent([1]);
}

#[test]
fn the_timer_doubles_up_to_its_maximum() {
    let mut s = Script::sent(config("reno", 10), 10);
    for seconds in [6, 12, 24, 48, 60, 60] {
        s.wait_for_timeout();
        s.expect_timer_in(seconds * 1000);
        s.expect_sent([1]);
        s.expect_timer_in(seconds * 1000);
    }
}

#[test]
fn the_backoff_lasts_until_a_segment_sent_once_is_acknowledged() {
    // Karn's rule: the ACK of a retransmission gives no sample, and keeps the backoff.
    let mut s = Script::sent(config("reno", 2), 2);
    s.wait_for_timeout();
    s.expect_sent([1]);
    s.wait(100);
    s.ack(2);
    assert_eq!(s.sender.poll_rtt(), None);
    s.expect_timer_in(6000);
    s.expect_sent([2, 3]);
    s.wait(100);
    s.ack(3);
    assert_eq!(s.sender.poll_rtt(), None);
    s.expect_timer_in(6000);
    s.expect_sent([4]);
    s.ack(4);
    assert!(s.sender.poll_rtt().is_some());
    s.expect_timer_in(300);
}

#[test]
fn a_segment_resent_while_it_is_timed_gives_no_sample() {
    let mut s = Script::sent(plain("reno", 10), 10);
    s.dupacks(3);
    s.expect_sent([1]);
    s.wait(100);
    s.ack(11);
    assert_eq!(s.sender.poll_rtt(), None);
}

#[test]
fn the_ack_of_a_jump_over_a_resent_segment_gives_no_sample() {
    // 1 is timed, resent by go-back-N, and the ACK covers segments sent once as well.
    let mut s = Script::sent(config("reno", 10), 10);
    s.wait_for_timeout();
    s.expect_sent([1]);
    s.wait(100);
    s.ack(11);
    assert_eq!(s.sender.poll_rtt(), None);
    s.expect_sent([11, 12]);
}

#[test]
fn a_timeout_or_a_fast_retransmit_gives_up_the_sample_under_way() {
    // 11 is timed and sent once, but its ACK must wait until 2 has been resent.
    for timeout in [true, false] {
        let mut s = Script::sent(plain("reno", 10), 10);
        s.wait(100);
        s.ack(2);
        s.expect_sent([11]);
        assert!(s.sender.poll_rtt().is_some());
        if timeout {
            s.wait_for_timeout();
        } else {
            s.dupacks(3);
        }
        s.expect_sent([2]);
        s.wait(100);
        s.ack(12);
        assert_eq!(s.sender.poll_rtt(), None);
    }
}

#[test]
fn dupacks_after_a_timeout_do_not_retransmit_below_recover() {
    let mut s = Script::sent(config("reno", 10), 10);
    s.wait_for_timeout();
    s.expect_sent([1]);
    s.dupacks(3);
    assert_eq!(s.sender.counters().fast_retransmits, 0);
    s.ack(11);
    let _ = s.poll();
    s.dupacks(3);
    assert_eq!(s.sender.counters().fast_retransmits, 0);
    s.ack(12);
    let _ = s.poll();
    s.dupacks(3);
    assert_eq!(s.sender.counters().fast_retransmits, 1);
}

#[test]
fn the_coarse_clock_waits_three_ticks_at_least() {
    let mut s = Script::sent(
        TcpConfig {
            rto: TcpConfig::new(Profile::Bsd, preset("reno").unwrap().composition.clone()).rto,
            ..config("reno", 10)
        },
        10,
    );
    s.wait(100);
    s.ack(2);
    // A round trip without a tick boundary counts as one tick: 1 + 4·(1/2) ticks of 500 ms. In integers
    // this is the minimum, however steady the round trips are.
    s.expect_timer_in(1500);
    for _ in 0..20 {
        s.wait(100);
        s.acks_to(s.next());
    }
    s.expect_timer_in(1500);
}

#[test]
fn a_bounded_timer_stops_doubling_at_its_bound() {
    let mut config = config("reno", 10);
    config.composition.timeout = TimeoutConfig::Bounded(BoundedConfig::DEFAULT);
    let mut s = Script::sent(config, 10);
    s.wait(100);
    s.ack(2);
    s.expect_timer_in(300);
    let bounded = std::iter::repeat_n(2400, 65);
    for ms in [600, 1200].into_iter().chain(bounded).chain([4800, 9600]) {
        s.wait_for_timeout();
        s.expect_timer_in(ms);
    }
}
