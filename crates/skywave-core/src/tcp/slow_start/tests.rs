//! RFC 9406's rounds, and Linux's HyStart, ACK by ACK.

use super::*;
use crate::tcp::testing::{ack_at, window};

/// A sender in slow start whose data is acknowledged round by round.
struct Rounds {
    slow_start: SlowStart,
    window: Window,
    /// Milliseconds.
    now: f64,
    una: u64,
    paced: bool,
}

impl Rounds {
    fn new(config: SlowStartConfig, cwnd: f64) -> Self {
        Self {
            slow_start: SlowStart::new(config).expect("a rule"),
            window: window(cwnd, 1e9),
            now: 0.0,
            una: 0,
            paced: false,
        }
    }

    /// A round of `acks` ACKs of a segment each, `gap` milliseconds apart, that all measure `rtt`
    /// milliseconds. Returns the number of segments that they count for.
    fn round_of(&mut self, acks: u64, rtt: u64, gap: f64) -> f64 {
        let nxt = self.una + 2 * acks;
        let mut counted = 0.0;
        for _ in 0..acks {
            self.una += 1;
            let ack = AckEvent {
                una: self.una,
                nxt,
                segment_rtt: Some(Duration::from_millis(rtt)),
                ..ack_at(self.now, 1.0)
            };
            counted += self.slow_start.on_ack(&ack, &mut self.window, self.paced).0;
            self.now += gap;
        }
        // The next round begins with the first ACK of data that was sent after this round's first ACK.
        self.una = nxt;
        self.now += 100.0;
        counted
    }

    fn round(&mut self, rtt: u64) -> f64 {
        self.round_of(16, rtt, 3.0)
    }

    fn has_left(&self) -> bool {
        self.window.cwnd >= self.window.ssthresh
    }
}

const PLUS_PLUS: SlowStartConfig = SlowStartConfig::HyStartPlusPlus;
const HYSTART: SlowStartConfig = SlowStartConfig::HyStart;

#[test]
fn a_steady_round_trip_leaves_slow_start_alone() {
    for config in [PLUS_PLUS, HYSTART] {
        let mut rounds = Rounds::new(config, 100.0);
        for _ in 0..20 {
            assert_eq!(rounds.round(80), 16.0);
        }
        assert!(!rounds.has_left());
    }
}

#[test]
fn the_threshold_is_an_eighth_between_4_and_16_ms() {
    for (before, least) in [(16, 20), (31, 35), (64, 72), (128, 144), (400, 416)] {
        for (rtt, grows_slowly) in [(least - 1, false), (least, true)] {
            let mut rounds = Rounds::new(PLUS_PLUS, 100.0);
            rounds.round(before);
            // Seven ACKs count in full; the eighth sample allows a judgement of the round.
            let counted = rounds.round(rtt);
            let slow = 7.0 + 9.0 * 0.25;
            assert_eq!(
                counted,
                if grows_slowly { slow } else { 16.0 },
                "{before} {rtt}"
            );
        }
    }
}

#[test]
fn a_round_of_fewer_than_eight_samples_is_not_judged() {
    let mut rounds = Rounds::new(PLUS_PLUS, 10.0);
    rounds.round_of(7, 50, 3.0);
    assert_eq!(rounds.round_of(7, 500, 3.0), 7.0);
}

#[test]
fn after_five_conservative_rounds_slow_start_is_over() {
    let mut rounds = Rounds::new(PLUS_PLUS, 100.0);
    rounds.round(80);
    rounds.round(100);
    for _ in 0..4 {
        assert_eq!(rounds.round(100), 4.0);
        assert!(!rounds.has_left());
    }
    rounds.round(100);
    assert!(rounds.has_left());
    // A later slow start, after a timeout, grows as usual.
    rounds.window.ssthresh = Segments(1e9);
    assert_eq!(rounds.round(500), 16.0);
}

#[test]
fn a_round_trip_that_falls_again_resumes_slow_start() {
    let mut rounds = Rounds::new(PLUS_PLUS, 100.0);
    rounds.round(80);
    rounds.round(100);
    assert_eq!(rounds.round(100), 4.0);
    // Below the baseline of 100 ms with the eighth sample.
    assert_eq!(rounds.round(90), 7.0 * 0.25 + 9.0);
    assert!(!rounds.has_left());
}

#[test]
fn an_unpaced_sender_grows_by_eight_segments_at_most() {
    let ack = AckEvent {
        counted: Segments(20.0),
        ..ack_at(0.0, 20.0)
    };
    let mut slow_start = SlowStart::new(PLUS_PLUS).expect("a rule");
    let mut win = window(100.0, 1e9);
    assert_eq!(slow_start.on_ack(&ack, &mut win, false), Segments(8.0));
    assert_eq!(slow_start.on_ack(&ack, &mut win, true), Segments(20.0));
}

#[test]
fn hystart_ends_slow_start_when_the_round_trip_has_grown() {
    let mut rounds = Rounds::new(HYSTART, 100.0);
    rounds.round(80);
    rounds.round(89);
    assert!(!rounds.has_left());
    // The baseline is the connection's smallest round trip, not the last round's.
    rounds.round(90);
    assert!(rounds.has_left());
    assert_eq!(rounds.window.ssthresh, Segments(100.0));
}

#[test]
fn hystart_leaves_small_windows_alone() {
    let mut rounds = Rounds::new(HYSTART, 15.0);
    rounds.round(80);
    rounds.round(200);
    assert!(!rounds.has_left());
}

#[test]
fn hystart_ends_slow_start_after_a_long_train_of_acks() {
    // 60 ACKs a millisecond apart: longer than half of 80 ms, shorter than all of it.
    let mut rounds = Rounds::new(HYSTART, 100.0);
    rounds.round_of(60, 80, 1.0);
    assert!(rounds.has_left());
    let mut paced = Rounds::new(HYSTART, 100.0);
    paced.paced = true;
    paced.round_of(60, 80, 1.0);
    assert!(!paced.has_left());
    paced.round_of(90, 80, 1.0);
    assert!(paced.has_left());
    // ACKs with gaps between them are not a train.
    let mut loose = Rounds::new(HYSTART, 100.0);
    loose.round_of(60, 80, 2.1);
    assert!(!loose.has_left());
}
