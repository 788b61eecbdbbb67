//! Round-trip samples with timestamps (RFC 7323) and without.

use super::config;
use crate::tcp::config::TcpConfig;
use crate::tcp::testing::Script;
use crate::time::Duration;

#[test]
fn one_segment_is_timed_at_a_time() {
    let mut s = Script::sent(config("reno", 3), 3);
    s.wait(100);
    s.ack(2);
    assert_eq!(s.sender.poll_rtt(), Some(Duration::from_millis(100)));
    s.expect_sent([4]); // timed from now
    s.wait(20);
    s.ack(3);
    assert_eq!(s.sender.poll_rtt(), None);
    s.ack(4);
    assert_eq!(s.sender.poll_rtt(), None);
    s.wait(60);
    s.ack(5);
    assert_eq!(s.sender.poll_rtt(), Some(Duration::from_millis(80)));
    assert_eq!(s.sender.poll_rtt(), None);
}

#[test]
fn timestamps_give_a_sample_with_every_ack_of_new_data() {
    let mut s = Script::sent(
        TcpConfig {
            timestamps: true,
            ..config("reno", 3)
        },
        3,
    );
    let sent = s.now;
    s.wait(100);
    s.ack_echoing(2, sent);
    assert_eq!(s.sender.poll_rtt(), Some(Duration::from_millis(100)));
    s.wait(10);
    s.ack_echoing(3, sent);
    assert_eq!(s.sender.poll_rtt(), Some(Duration::from_millis(110)));
    s.ack_echoing(3, sent);
    assert_eq!(s.sender.poll_rtt(), None, "a dupack gives none");
}

#[test]
fn an_echo_from_the_future_is_no_sample() {
    let mut s = Script::sent(
        TcpConfig {
            timestamps: true,
            ..config("reno", 3)
        },
        3,
    );
    let before = s.sender.rto().rto();
    s.ack_echoing(2, s.now + Duration::from_secs(5));
    assert_eq!(s.sender.poll_rtt(), None);
    assert_eq!(s.sender.rto().srtt(), None);
    assert_eq!(s.sender.rto().rto(), before);
    // The acknowledged data count nevertheless.
    s.expect_sent([4]);
}

#[test]
fn timestamps_tell_a_retransmission_from_the_original() {
    let mut s = Script::sent(
        TcpConfig {
            timestamps: true,
            ..config("reno", 3)
        },
        3,
    );
    s.wait_for_timeout();
    s.expect_sent([1]);
    let resent = s.now;
    s.wait(100);
    s.ack_echoing(2, resent);
    assert_eq!(s.sender.poll_rtt(), Some(Duration::from_millis(100)));
    s.expect_timer_in(300);
}

#[test]
fn a_segment_carries_the_time_and_the_peers_last_timestamp() {
    let mut s = Script::new(TcpConfig {
        timestamps: true,
        ..config("reno", 1)
    });
    let first = s.poll_segment().unwrap().timestamps.unwrap();
    assert_eq!({ first.value }, s.now);
    s.wait(100);
    let peer = s.now;
    s.ack_echoing(2, first.value);
    let second = s.poll_segment().unwrap().timestamps.unwrap();
    assert_eq!((second.value, second.echo), (s.now, peer));
}
