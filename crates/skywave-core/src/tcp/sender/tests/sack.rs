//! SACK-based recovery: RFC 6675.

use std::ops::Range;

use super::{MSS, config};
use crate::packet::{Flags, SackBlock, Segment};
use crate::seq::SeqNr;
use crate::tcp::config::{Counting, TcpConfig};
use crate::tcp::testing::Script;

/// 2 is lost and was resent on the third dupack, 13 is the highest sent; cwnd is 5.05.
fn recovering() -> Script {
    let mut s = Script::sent(config("sack", 10), 10);
    s.wait(100);
    s.ack(2);
    s.expect_sent([11]);
    s.dupack_sacking(&[3..4]);
    s.expect_sent([12]);
    s.dupack_sacking(&[3..5]);
    s.expect_sent([13]);
    // pipe is 9 segments, more than the halved window: the first retransmission goes out anyway.
    s.dupack_sacking(&[3..6]);
    s.expect_sent([2]);
    s.expect_cwnd(5.05);
    s.expect_ssthresh(5.0);
    s
}

#[test]
fn pipe_decides_and_holes_go_before_new_data() {
    let mut s = recovering();
    // 7 is lost, too. pipe: 9, 8, 7 and 6 segments.
    for held in [[3..6, 6..7], [3..7, 8..9], [3..7, 8..10]] {
        s.dupack_sacking(&held);
        s.expect_nothing();
    }
    // Three segments above 7 are held: it is lost, pipe is 4.
    s.dupack_sacking(&[8..11, 3..7]);
    s.expect_sent([7]);
    for new in 14..=16 {
        s.dupack_sacking(&[8..new - 2, 3..7]);
        s.expect_sent([new]);
    }
    // The first retransmission arrived, and 7 had been resent already: pipe has room for a segment, which
    // is new data.
    s.ack_sacking(7, &[8..14]);
    s.expect_sent([17]);
    s.ack_sacking(14, &[]);
    assert!(!s.sender.in_recovery());
    s.expect_cwnd(5.05 + 1.0 / 5.05);
    assert_eq!(s.sender.counters().window_cuts, 1);
}

#[test]
fn a_segment_is_lost_when_more_than_two_segments_above_it_are_held() {
    let mut s = recovering();
    s.dupack_sacking(&[8..10, 3..7]);
    s.dupack_sacking(&[12..13, 8..10, 3..7]);
    // 7 has 8, 9 and 12 above it; 10 and 11 only 12.
    s.expect_sent([7]);
    assert!(s.sender.flight().segments().all(|segment| !segment.lost));
}

#[test]
fn each_hole_is_resent_once_a_recovery() {
    let mut s = recovering();
    s.dupack_sacking(&[8..12, 3..7]);
    s.expect_sent([7, 14]);
    for top in 13..=15 {
        s.dupack_sacking(&[8..top, 3..7]);
        let sent = s.poll();
        assert!(!sent.contains(&7) && !sent.contains(&2), "{sent:?}");
    }
    // Only the retransmission timer can find its loss.
    s.wait_for_timeout();
    s.expect_sent([2]);
}

#[test]
fn a_partial_ack_restarts_the_timer() {
    let mut s = recovering();
    s.wait(100);
    s.expect_timer_in(200);
    s.ack_sacking(7, &[8..10]);
    s.expect_timer_in(300);
}

#[test]
fn a_new_segment_resent_in_the_recovery_gives_no_sample() {
    // 14 is the first new segment of the recovery, so it is timed; then it is lost.
    let mut s = recovering();
    let _ = s.sender.poll_rtt();
    s.dupack_sacking(&[3..14]);
    s.expect_sent(14..=17);
    s.wait(100);
    s.dupack_sacking(&[15..18, 3..14]);
    s.expect_sent([14, 18, 19, 20]);
    s.wait(100);
    s.ack(18);
    assert!(!s.sender.in_recovery());
    assert_eq!(s.sender.poll_rtt(), None);
}

#[test]
fn dupacks_without_news_do_not_count() {
    let mut s = Script::sent(config("sack", 10), 10);
    s.dupacks(5);
    s.expect_nothing();
    s.dupack_sacking(&[2..3]);
    s.dupack_sacking(&[2..3]);
    s.dupack_sacking(&[2..4]);
    assert_eq!(s.sender.counters().fast_retransmits, 0);
    s.dupack_sacking(&[2..5]);
    assert_eq!(s.sender.counters().fast_retransmits, 1);
}

#[test]
fn three_segments_reported_by_one_dupack_are_enough() {
    // RFC 6675 section 5, step 2: IsLost(HighACK + 1), when the ACKs before were lost.
    let mut s = Script::sent(config("sack", 10), 10);
    s.dupack_sacking(&[2..4]);
    s.expect_sent([11]);
    assert!(!s.sender.in_recovery());
    s.dupack_sacking(&[2..6]);
    s.expect_sent([1]);
    s.expect_cwnd(5.0);
    // The duplicate ACKs that follow belong to this recovery.
    s.dupack_sacking(&[2..7]);
    s.dupack_sacking(&[2..8]);
    assert_eq!(s.sender.counters().fast_retransmits, 1);
    assert_eq!(s.sender.counters().window_cuts, 1);
}

/// Ten segments and no more; 1 is lost and was resent. cwnd is 5.
fn recovering_at_the_end() -> Script {
    let mut s = Script::idle(config("sack", 10));
    s.sender.write(10 * u64::from(MSS));
    s.expect_sent(1..=10);
    s.dupack_sacking(&[2..3]);
    s.dupack_sacking(&[2..4]);
    s.dupack_sacking(&[2..5]);
    s.expect_sent([1]); // pipe is 7
    s
}

#[test]
fn without_new_data_a_hole_that_may_be_lost_is_resent() {
    // NextSeg rule 3.
    let mut s = recovering_at_the_end();
    s.dupack_sacking(&[6..7, 2..5]);
    s.expect_nothing();
    // 5 has two segments above it only; pipe is 5, then 4.
    s.dupack_sacking(&[6..8, 2..5]);
    s.expect_nothing();
    assert_eq!(s.sender.flight().pipe(), 5 * u64::from(MSS));
    s.wait(10);
    s.ack_sacking(5, &[6..8]);
    s.expect_sent([5, 10]);
}

#[test]
fn suspected_holes_are_resent_as_pipe_allows() {
    // RFC 6675 section 5, step C.4: what rule 3 sends again counts in pipe, beside the segment
    // itself as long as that is not known to be lost. 1 and 15 to 28 of 30 are lost.
    let mut s = Script::idle(config("sack", 30));
    s.sender.write(30 * u64::from(MSS));
    s.expect_sent(1..=30);
    for top in 3..=15 {
        s.dupack_sacking(&[2..top]);
    }
    s.dupack_sacking(&[29..30, 2..15]);
    s.dupack_sacking(&[29..31, 2..15]);
    s.expect_sent([1]);
    // cwnd 15; of 16 outstanding 2 are held and 15 is lost: pipe is 13. 15 and 16 make it 15.
    s.ack_sacking(15, &[29..31]);
    s.expect_sent([15, 16]);
    assert_eq!(s.sender.flight().pipe(), 15 * u64::from(MSS));
    s.ack_sacking(16, &[29..31]);
    s.expect_sent([17]);
    s.ack_sacking(17, &[29..31]);
    s.expect_sent([18, 19]);
}

#[test]
fn without_new_data_the_last_segment_is_rescued_once() {
    // NextSeg rule 4. 10 is lost, too; nothing above it can report this.
    let mut s = recovering_at_the_end();
    s.dupack_sacking(&[2..6]);
    s.dupack_sacking(&[2..7]);
    s.expect_nothing();
    s.dupack_sacking(&[2..8]);
    s.expect_sent([10]);
    s.dupack_sacking(&[2..9]);
    s.dupack_sacking(&[2..10]);
    s.expect_nothing();
    s.ack(10);
    s.expect_nothing();
    s.ack(11);
    assert!(!s.sender.in_recovery());
    s.expect_no_timer();
}

#[test]
fn a_timeout_keeps_what_is_held_and_skips_it() {
    let mut s = Script::sent(config("sack", 10), 10);
    s.dupack_sacking(&[3..5]);
    s.expect_sent([11]);
    s.wait_for_timeout();
    s.expect_sent([1]);
    s.ack_sacking(2, &[3..5]);
    s.expect_sent([2]);
    s.ack(5);
    s.expect_sent([5, 6, 7]);
}

#[test]
fn no_recovery_begins_below_the_highest_segment_of_a_timeout() {
    // RFC 6675 section 5.1: not until HighACK is at least the new RecoveryPoint.
    let mut s = Script::sent(config("sack", 4), 4);
    s.wait_for_timeout();
    s.expect_sent([1]);
    s.ack(2);
    s.expect_sent([2, 3]);
    for top in 4..=6 {
        s.dupack_sacking(&[3..top]);
    }
    assert!(!s.sender.in_recovery());
    s.ack(5);
    let _ = s.poll();
    for top in 7..=9 {
        s.dupack_sacking(&[6..top]);
        let _ = s.poll();
    }
    assert!(s.sender.in_recovery());
}

#[test]
fn the_receivers_window_bounds_new_data_in_recovery() {
    let mut s = Script::sent(
        TcpConfig {
            rwnd: 10 * MSS,
            ..config("sack", 10)
        },
        10,
    );
    for top in 3..=10 {
        s.dupack_sacking(&[2..top]);
    }
    // cwnd 5, pipe small, but 1 to 10 is all that the receiver takes: 10 is rescued.
    s.expect_sent([1, 10]);
}

#[test]
fn a_timeout_resends_the_first_segment_even_if_it_was_reported() {
    // RFC 2018 section 8: the receiver may drop what it holds.
    let mut s = Script::sent(config("sack", 10), 10);
    s.dupack_sacking(&[1..4]);
    s.expect_sent([11]);
    s.wait_for_timeout();
    s.expect_sent([1]);
    s.ack(4);
    s.expect_sent([4, 5]);
}

#[test]
fn three_separate_blocks_above_a_small_segment_tell_that_it_is_lost() {
    // RFC 6675 section 4, IsLost: DupThresh discontiguous sequences, however short.
    let mut s = Script::idle(config("sack", 4));
    for _ in 0..40 {
        s.sender.write(100);
        let _ = s.poll_segment();
    }
    let byte = |n: u64| SeqNr((n * 100) as u32);
    // 0 and 5 are lost, 7, 9 and 11 arrive after it; pipe leaves no room to send.
    let mut held = vec![1..2];
    for top in [3, 4, 5] {
        held[0].end = top;
        s.receive(&small(&held, byte));
    }
    for n in [7, 9, 11] {
        held.insert(0, n..n + 1);
        held.truncate(4);
        s.receive(&small(&held, byte));
    }
    let lost = s.sender.flight().segments().filter(|segment| segment.lost);
    let lost: Vec<u64> = lost.map(|segment| segment.start / 100).collect();
    assert_eq!(lost, [5, 6]);
}

/// A duplicate ACK of the start with these blocks.
fn small(held: &[Range<u64>], byte: impl Fn(u64) -> SeqNr) -> Segment {
    Segment {
        window: 1000 * MSS,
        flags: Flags::ACK,
        options: held
            .iter()
            .map(|r| SackBlock {
                start: byte(r.start),
                end: byte(r.end),
            })
            .collect(),
        ..Segment::default()
    }
}

#[test]
fn a_block_from_before_the_initial_number_reports_nothing() {
    let config = TcpConfig {
        iss: 5000,
        ..config("sack", 10)
    };
    let mut s = Script::sent(config, 10);
    s.receive(&Segment {
        ack: SeqNr(5000),
        window: 1000 * MSS,
        flags: Flags::ACK,
        options: [SackBlock {
            start: SeqNr(4000),
            end: SeqNr(5000 + 9 * MSS),
        }]
        .into_iter()
        .collect(),
        ..Segment::default()
    });
    assert_eq!(s.sender.flight().sacked_bytes(), 0);
}

/// The ACK that ends a recovery covers a window, of which all but the repair was reported before.
#[test]
fn counted_by_delivery_the_ack_that_ends_a_recovery_is_one_segment() {
    let grown = |counting| {
        let mut s = Script::sent(
            TcpConfig {
                counting,
                ..config("sack", 10)
            },
            10,
        );
        for held in 3..=11 {
            s.dupack_sacking(&[2..held]);
        }
        // An ACK of all segments sent until then ends the recovery.
        let next = s.poll().into_iter().max().map_or(11, |sent| sent + 1);
        s.dupack_sacking(&[2..next]);
        s.ack(next);
        assert!(!s.sender.in_recovery());
        s.sender.window().cwnd.0
    };
    crate::tcp::testing::assert_near(grown(Counting::Delivered), 5.0 + 1.0 / 5.0, "cwnd");
    crate::tcp::testing::assert_near(grown(Counting::Bytes(10)), 5.0 + 10.0 / 5.0, "cwnd");
}
