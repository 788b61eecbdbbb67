//! Reasons why the sender does not send more, and why it sends again.

use super::{MSS, config, plain};
use crate::packet::{Flags, Segment};
use crate::seq::SeqNr;
use crate::tcp::config::{Handshake, TcpConfig};
use crate::tcp::limits::{Limit, Why};
use crate::tcp::testing::Script;
use crate::time::{Duration, Time};

/// Expects these milliseconds under each limit so far, and none under all others.
#[track_caller]
fn expect_times(s: &Script, expected: &[(Limit, u64)]) {
    let times = s.sender.limit_times(s.now);
    for limit in Limit::ALL {
        let ms = expected.iter().find(|(l, _)| *l == limit);
        let ms = ms.map_or(0, |(_, ms)| *ms);
        assert_eq!(times.of(limit), Duration::from_millis(ms), "{limit:?}");
    }
}

fn why(s: &mut Script) -> Option<Why> {
    s.sender.poll_resend().map(|r| r.why)
}

#[test]
fn a_full_congestion_window() {
    let mut s = Script::sent(config("reno", 10), 10);
    assert_eq!(s.sender.limited_by(), Some(Limit::Cwnd));
    s.wait(100);
    s.ack(2);
    s.wait(50);
    expect_times(&s, &[(Limit::Cwnd, 150)]);
}

#[test]
fn a_full_receivers_window_also_when_both_are_full() {
    for cwnd in [5, 10] {
        let rwnd = 5 * MSS;
        let mut s = Script::sent(
            TcpConfig {
                rwnd,
                ..config("reno", cwnd)
            },
            5,
        );
        s.wait(100);
        assert_eq!(s.sender.limited_by(), Some(Limit::Rwnd));
        expect_times(&s, &[(Limit::Rwnd, 100)]);
    }
}

/// An ACK of everything below segment `next`, with this window.
fn with_window(next: u64, window: u32) -> Segment {
    Segment {
        ack: SeqNr::at(0, (next - 1) * u64::from(MSS)),
        window,
        flags: Flags::ACK,
        ..Segment::default()
    }
}

#[test]
fn a_closed_receivers_window_until_it_opens() {
    // Standard Reno takes the short path of plain senders, CUBIC does not.
    for name in ["reno", "cubic"] {
        let mut s = Script::sent(config(name, 10), 10);
        s.wait(100);
        s.receive(&with_window(11, 0));
        s.expect_nothing();
        assert_eq!(s.sender.limited_by(), Some(Limit::Rwnd), "{name}");
        s.wait(50);
        expect_times(&s, &[(Limit::Cwnd, 100), (Limit::Rwnd, 50)]);
        s.receive(&with_window(11, 2 * MSS));
        s.expect_sent([11, 12]);
        assert_eq!(s.sender.limited_by(), Some(Limit::Rwnd), "{name}");
    }
}

#[test]
fn a_closed_window_of_an_application_that_has_nothing_more() {
    let mut s = Script::idle(config("reno", 10));
    s.sender.write(u64::from(MSS));
    s.expect_sent([1]);
    s.wait(100);
    s.receive(&with_window(2, 0));
    assert_eq!(s.sender.limited_by(), Some(Limit::Application));
}

#[test]
fn an_application_that_has_nothing_more() {
    let mut s = Script::idle(config("reno", 10));
    s.expect_nothing();
    s.wait(100);
    s.sender.write(20 * u64::from(MSS));
    s.expect_sent(1..=10);
    s.wait(30);
    s.ack(11);
    s.expect_sent(11..=20);
    s.wait(7);
    // Everything is sent: time in which the last segments travel counts for no limit.
    expect_times(&s, &[(Limit::Application, 107), (Limit::Cwnd, 30)]);
}

#[test]
fn a_closed_connection_has_no_limit() {
    let mut s = Script::idle(config("reno", 10));
    s.sender.write(u64::from(MSS));
    s.sender.close();
    s.expect_sent([1]);
    s.wait(100);
    s.ack(2);
    s.wait(1000);
    s.expect_nothing();
    assert_eq!(s.sender.limited_by(), None);
    expect_times(&s, &[(Limit::Application, 100)]);
}

#[test]
fn the_handshake_and_a_syn_that_is_lost() {
    let handshake = Handshake::ThreeWay;
    let mut s = Script::new(TcpConfig {
        handshake,
        ..config("reno", 10)
    });
    s.poll_segment().expect("a SYN");
    s.wait(100);
    expect_times(&s, &[(Limit::Handshake, 100)]);
    s.wait_for_timeout();
    assert_eq!(why(&mut s), Some(Why::Timeout));
    s.wait(40);
    expect_times(&s, &[(Limit::Timeout, 3000), (Limit::Handshake, 40)]);
    s.receive(&Segment {
        ack: SeqNr(1),
        window: 100 * MSS,
        flags: Flags::SYN_ACK,
        ..Segment::default()
    });
    assert_eq!(s.sender.limited_by(), Some(Limit::Cwnd));
}

#[test]
fn a_fast_recovery_from_the_loss_until_it_is_repaired() {
    let mut s = Script::sent(plain("newreno", 10), 10);
    s.wait(100);
    s.dupacks(3);
    s.wait(60);
    s.ack(5); // partial
    s.wait(40);
    s.ack(11);
    s.wait(1);
    expect_times(&s, &[(Limit::Cwnd, 101), (Limit::Recovery, 100)]);
}

#[test]
fn silence_counts_as_waiting_once_the_timer_has_ended_it() {
    let mut s = Script::sent(config("reno", 10), 10);
    s.wait(100);
    s.ack(2); // the timer starts anew: 300 ms
    s.wait(100);
    s.dupack();
    s.wait(100);
    expect_times(&s, &[(Limit::Cwnd, 300)]);
    s.wait_for_timeout();
    expect_times(&s, &[(Limit::Cwnd, 200), (Limit::Timeout, 200)]);
    // The next period of silence begins with the segment just sent, and lasts twice as long.
    s.wait_for_timeout();
    expect_times(&s, &[(Limit::Cwnd, 200), (Limit::Timeout, 800)]);
}

#[test]
fn a_lost_tail_is_waiting_too_though_the_application_has_nothing_more() {
    let mut s = Script::idle(config("reno", 10));
    s.sender.write(2 * u64::from(MSS));
    s.expect_sent([1, 2]);
    s.wait(100);
    s.ack(2);
    s.wait_for_timeout();
    expect_times(&s, &[(Limit::Application, 100), (Limit::Timeout, 300)]);
}

#[test]
fn only_time_within_the_measured_window_counts() {
    let mut s = Script::new(config("reno", 10));
    let at = |ms| Time::ZERO + Duration::from_millis(ms);
    s.sender.measure(at(1050), at(3900));
    s.expect_sent(1..=10);
    s.wait(100);
    s.ack(2);
    s.wait(100);
    s.dupack();
    s.wait_for_timeout(); // at 1400
    expect_times(&s, &[(Limit::Cwnd, 150), (Limit::Timeout, 200)]);
    s.wait(400);
    s.acks_to(11); // at 1800
    s.wait(5000);
    expect_times(&s, &[(Limit::Cwnd, 2650), (Limit::Timeout, 200)]);
    let times = s.sender.limit_times(s.now);
    assert_eq!(times.total(), Duration::from_millis(2850));
    assert_eq!(times.share(Limit::Cwnd), Some(2650.0 / 2850.0));
}

#[test]
fn reno_sends_again_for_duplicate_acks_and_after_a_timeout() {
    let mut s = Script::sent(plain("reno", 10), 10);
    s.dupacks(2);
    assert_eq!(why(&mut s), None);
    s.dupack();
    assert_eq!(why(&mut s), Some(Why::Dupacks));
    s.wait_for_timeout();
    assert_eq!(why(&mut s), Some(Why::Timeout));
    s.ack(2);
    assert_eq!(why(&mut s), Some(Why::GoBackN));
}

#[test]
fn tahoe_goes_back_n_after_a_fast_retransmit() {
    let mut s = Script::sent(plain("tahoe", 10), 10);
    s.dupacks(3);
    s.expect_sent([1]);
    assert_eq!(why(&mut s), Some(Why::Dupacks));
    s.ack(2);
    s.expect_sent([2, 3]);
    assert_eq!(why(&mut s), Some(Why::GoBackN));
}

#[test]
fn newreno_sends_again_for_partial_acks() {
    let mut s = Script::sent(plain("newreno", 10), 10);
    s.dupacks(3);
    assert_eq!(why(&mut s), Some(Why::Dupacks));
    s.ack(3);
    assert_eq!(why(&mut s), Some(Why::PartialAck));
}

#[test]
fn sack_sends_again_for_what_the_scoreboard_shows() {
    // 1 and 2 are lost; 1 is found by the threshold, 2 by the blocks above it.
    let mut s = Script::sent(plain("sack", 10), 10);
    s.dupack_sacking(&[3..4]);
    s.dupack_sacking(&[3..5]);
    s.dupack_sacking(&[3..6]);
    assert_eq!(why(&mut s), Some(Why::Dupacks));
    s.dupack_sacking(&[3..7]);
    s.dupack_sacking(&[3..8]); // the pipe has room
    s.expect_sent([1, 2]);
    assert_eq!(why(&mut s), Some(Why::Sack));
    // Fewer duplicate ACKs, but their blocks report enough.
    let mut s = Script::sent(plain("sack", 10), 10);
    s.dupack_sacking(&[2..7]);
    s.expect_sent([1]);
    assert_eq!(why(&mut s), Some(Why::Sack));
}

#[test]
fn rack_sends_again_for_time_and_as_a_probe() {
    let mut s = Script::sent(config("rack-tlp", 10), 10);
    s.wait(100);
    s.dupack_sacking(&[2..3]);
    s.wait(25); // the reordering window
    s.on_timer();
    assert_eq!(why(&mut s), Some(Why::Detector));

    let mut s = Script::idle(config("rack-tlp", 10));
    s.sender.write(3 * u64::from(MSS));
    s.expect_sent([1, 2, 3]);
    s.wait(100);
    s.ack(2);
    s.wait_for_probe();
    s.expect_sent([3]);
    assert_eq!(why(&mut s), Some(Why::Probe));
}

#[test]
fn vegas_sends_again_for_its_own_timer() {
    let mut s = Script::sent(plain("vegas", 10), 10);
    s.wait(100);
    s.ack(2);
    s.wait(60);
    s.dupack();
    assert_eq!(why(&mut s), Some(Why::Detector));
}
