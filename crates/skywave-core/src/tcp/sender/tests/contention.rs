//! The limit by contention, beside the window.

use super::plain;
use crate::packet::{ContentionDelay, Flags, Hints, Segment};
use crate::seq::SeqNr;
use crate::tcp::config::TcpConfig;
use crate::tcp::testing::{MSS, Script};
use crate::time::Duration;

fn config(limited: bool) -> TcpConfig {
    TcpConfig {
        contention_control: limited,
        hints: true,
        ..plain("newreno", 8)
    }
}

/// After `gap` ms the receiver waits for segment `n`; stations contended for `contention` ms.
fn ack(s: &mut Script, gap: u64, n: u64, contention: u64) {
    s.wait(gap);
    s.receive(&Segment {
        ack: SeqNr((n as u32 - 1) * MSS),
        window: 1000 * MSS,
        flags: Flags::ACK,
        hints: Hints {
            contention: ContentionDelay::from_duration(Duration::from_millis(contention)),
            ..Hints::NONE
        },
        ..Segment::default()
    });
}

/// Segments that are not acknowledged.
fn outstanding(s: &Script) -> u64 {
    (s.sender.flight().max() - s.sender.flight().una()) / u64::from(MSS)
}

/// A round trip of seven segments in 70 ms over 5 ms of contention, then one of seven in 140 ms over 9 ms.
fn after_two_rounds(limited: bool) -> Script {
    let mut s = Script::sent(config(limited), 8);
    s.wait(100);
    for n in 2..=9 {
        ack(&mut s, 10, n, 5);
    }
    for n in 10..=16 {
        assert!(outstanding(&s) >= 8, "at ACK {n}");
        ack(&mut s, 20, n, 9);
    }
    s
}

#[test]
fn severe_contention_leaves_two_segments() {
    let mut s = after_two_rounds(true);
    let (mut left, mut n) = (outstanding(&s), 16);
    assert!(left >= 7, "{left}");
    while left > 2 {
        n += 1;
        ack(&mut s, 20, n, 9);
        assert_eq!(outstanding(&s), left - 1, "nothing new at {left}");
        left -= 1;
    }
    // From two on, each ACK lets one go; and the round is over: as much contention as before is no reason for less.
    ack(&mut s, 20, n + 1, 9);
    assert!((2..=3).contains(&outstanding(&s)));
}

#[test]
fn the_window_law_does_not_know_of_it() {
    let [with, without] = [true, false].map(|limited| {
        let s = after_two_rounds(limited);
        (s.sender.window(), outstanding(&s))
    });
    assert_eq!(with.0, without.0);
    assert!(with.1 < without.1);
}

#[test]
fn what_is_lost_is_sent_again_within_the_limit() {
    let mut s = after_two_rounds(true);
    let first = s.sender.flight().una() / u64::from(MSS) + 1;
    let _ = std::iter::from_fn(|| s.poll_segment()).count();
    s.wait_for_timeout();
    s.expect_sent([first]);
}
