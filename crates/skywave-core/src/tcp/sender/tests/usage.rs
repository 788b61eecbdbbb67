//! The use of the window in a round, by which Linux lets it grow, and a FIN beyond it.

use super::{MSS, config};
use crate::tcp::config::{Counting, TcpConfig, Usage};
use crate::tcp::testing::Script;
use crate::units::Segments;

fn by_round() -> TcpConfig {
    TcpConfig {
        usage: Usage::InRound,
        counting: Counting::Delivered,
        initial_ssthresh: Some(Segments(1000.0)),
        ..config("sack", 10)
    }
}

/// `n` segments are everything that there is, and each of them is acknowledged.
fn grown_by(n: u64) -> f64 {
    let mut s = Script::idle(by_round());
    s.sender.write(n * u64::from(MSS));
    s.expect_sent(1..=n);
    s.wait(100);
    s.acks_to(n + 1);
    s.sender.window().cwnd.0 - 10.0
}

#[test]
fn more_than_half_of_the_window_in_a_round_lets_slow_start_go_on() {
    assert_eq!(grown_by(5), 0.0);
    // It grows until twice what was in flight is no more than the window.
    assert_eq!(grown_by(6), 2.0);
    assert_eq!(grown_by(9), 8.0);
    // The window was full: the whole round counts.
    assert_eq!(grown_by(10), 10.0);
}

#[test]
fn at_an_ack_it_is_what_is_in_flight_then() {
    let config = TcpConfig {
        usage: Usage::AtAck,
        ..by_round()
    };
    let mut s = Script::idle(config);
    s.sender.write(10 * u64::from(MSS));
    s.expect_sent(1..=10);
    s.wait(100);
    s.acks_to(11);
    assert!(s.sender.window().cwnd.0 < 15.0);
}

#[test]
fn a_fin_goes_beyond_a_full_window_where_that_is_wanted() {
    for fin_ignores_window in [false, true] {
        let mut s = Script::idle(TcpConfig {
            fin: true,
            fin_ignores_window,
            ..config("sack", 10)
        });
        s.sender.write(10 * u64::from(MSS));
        s.expect_sent(1..=10);
        s.sender.close();
        let fin = s.poll_segment();
        assert_eq!(fin.is_some_and(|s| s.is_fin()), fin_ignores_window);
    }
}
