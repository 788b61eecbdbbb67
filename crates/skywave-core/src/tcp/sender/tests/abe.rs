//! Alternative backoff with ECN (RFC 8511): what a mark leaves of the window, and a loss beside it.

use super::plain as config;
use crate::tcp::config::{EcnRules, TcpConfig};
use crate::tcp::testing::Script;

fn abe(preset: &str) -> TcpConfig {
    TcpConfig {
        ecn: true,
        ecn_rules: EcnRules::Rfc3168,
        abe: true,
        ..config(preset, 10)
    }
}

#[test]
fn a_mark_leaves_reno_four_fifths_and_cubic_a_little_more() {
    for (preset, left) in [("reno", 8.0), ("sack", 8.0), ("cubic", 8.5)] {
        let config = TcpConfig {
            whole_ssthresh: false,
            ..abe(preset)
        };
        let mut s = Script::sent(config, 10);
        s.echo(2);
        s.expect_cwnd(left);
        s.expect_ssthresh(left);
        s.expect_nothing();
        // Once for a window of data, as ever.
        s.echo(3);
        s.expect_cwnd(left);
    }
}

#[test]
fn a_loss_and_a_timeout_leave_what_they_always_do() {
    let mut s = Script::sent(abe("newreno"), 10);
    s.dupacks(3);
    s.expect_cwnd(5.0);
    let mut s = Script::sent(abe("newreno"), 10);
    s.wait_for_timeout();
    s.expect_ssthresh(5.0);
}

#[test]
fn without_it_a_mark_is_as_a_loss_and_laws_of_their_own_do_not_change() {
    let without = TcpConfig {
        abe: false,
        ..abe("reno")
    };
    for (config, left) in [(without, 5.0), (abe("hybla"), 5.0)] {
        let mut s = Script::sent(config, 10);
        s.echo(2);
        s.expect_cwnd(left);
    }
}
