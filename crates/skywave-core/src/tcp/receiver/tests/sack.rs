//! SACK and D-SACK blocks, and the data held out of order.

use std::collections::BTreeSet;

use super::*;
use proptest::prelude::*;

#[test]
fn the_block_changed_last_comes_first() {
    // RFC 2018 section 5, case 3 and after: every second segment arrives.
    let mut s = Script::new(every_segment());
    s.arrive(2);
    s.expect_sack(1, &[2..3]);
    s.arrive(4);
    s.expect_sack(1, &[4..5, 2..3]);
    s.arrive(6);
    s.expect_sack(1, &[6..7, 4..5, 2..3]);
    s.arrive(8);
    s.expect_sack(1, &[8..9, 6..7, 4..5, 2..3]);
    // An old block grows: it is the newest again.
    s.arrive(5);
    s.expect_sack(1, &[4..7, 8..9, 2..3]);
    s.arrive(1);
    s.expect_sack(3, &[4..7, 8..9]);
    s.arrive(3);
    s.expect_sack(7, &[8..9]);
    s.arrive(7);
    s.expect_sack(9, &[]);
}

#[test]
fn it_knows_what_it_has() {
    let mut s = Script::new(every_segment());
    s.arrive(1);
    s.arrive(3);
    let mss = u64::from(MSS);
    let has: Vec<bool> = (0..4).map(|n| s.receiver.has(n * mss)).collect();
    assert_eq!(has, [true, false, true, false]);
}

#[test]
fn four_blocks_fit_without_timestamps_and_three_with() {
    let mut s = Script::new(every_segment());
    for n in [2, 4, 6, 8] {
        s.arrive(n);
        let _ = s.receiver.poll_transmit(s.now);
    }
    s.arrive(10);
    s.expect_sack(1, &[10..11, 8..9, 6..7, 4..5]);

    let mut s = Script::new(TcpConfig {
        timestamps: true,
        ..every_segment()
    });
    for n in [2, 4, 6, 8] {
        s.arrive(n);
        let _ = s.receiver.poll_transmit(s.now);
    }
    s.arrive(10);
    s.expect_sack(1, &[10..11, 8..9, 6..7]);
}

#[test]
fn without_sack_there_are_no_blocks() {
    let mut s = Script::new(TcpConfig {
        sack: false,
        dsack: true,
        ..every_segment()
    });
    s.arrive(3);
    s.expect_sack(1, &[]);
    s.arrive(3);
    s.expect_sack(1, &[]);
}

#[test]
fn touching_and_overlapping_blocks_are_merged() {
    let mut s = Script::new(every_segment());
    for n in [2, 4, 3] {
        s.arrive(n);
        let _ = s.receiver.poll_transmit(s.now);
    }
    // 1500 bytes from the middle of 5 on, then 2500 from 5.
    for (offset, len) in [(1500, 1500), (1000, 2500)] {
        let mut segment = s.data(4);
        segment.seq = SeqNr(3 * MSS + offset);
        segment.len = len;
        s.receiver.on_segment(s.now, &segment);
        let _ = s.receiver.poll_transmit(s.now);
    }
    // 2 to 4, 5, 6 and half of 7: one block up to 7.5.
    s.arrive(9);
    let ack = s.receiver.poll_transmit(s.now).expect("an ACK");
    assert_eq!(ack.sack().len(), 2);
    assert_eq!(ack.sack()[1].start, SeqNr(MSS));
    assert_eq!(ack.sack()[1].end, SeqNr(6 * MSS + 500));
    s.arrive(1);
    assert_eq!(s.receiver.delivered(), u64::from(6 * MSS + 500));
}

fn dsack() -> TcpConfig {
    TcpConfig {
        dsack: true,
        ..every_segment()
    }
}

#[test]
fn a_duplicate_below_the_edge_is_reported_once() {
    // RFC 2883 section 4.1.1: the retransmission of a segment whose ACK was lost.
    let mut s = Script::new(dsack());
    s.arrive(1);
    s.expect_sack(2, &[]);
    s.arrive(2);
    s.expect_sack(3, &[]);
    s.arrive(1);
    s.expect_sack(3, &[1..2]);
    s.arrive(3);
    s.expect_sack(4, &[]);
}

/// Payload from one number to another, before which `before` segments have come.
fn blocks_after(before: &[u64], bytes: Range<u32>) -> Vec<(u32, u32)> {
    let mut s = Script::new(dsack());
    for &segment in before {
        s.arrive(segment);
        let _ = s.receiver.poll_transmit(s.now);
    }
    let segment = Segment {
        seq: SeqNr(bytes.start),
        len: bytes.len() as u32,
        ..s.data(1)
    };
    s.receiver.on_segment(s.now, &segment);
    let ack = s.receiver.poll_transmit(s.now).expect("an ACK at once");
    let of = |b: &crate::packet::SackBlock| (b.start.0, b.end.0);
    ack.sack().iter().map(of).collect()
}

#[test]
fn a_segment_that_has_come_in_part_is_reported() {
    // RFC 2883 section 4.2: the first part of it that has come before.
    let half = MSS / 2;
    let below = blocks_after(&[1], half..2 * MSS);
    assert_eq!(below, [(half, MSS)]);
    let above = blocks_after(&[1, 3, 5], MSS + half..5 * MSS);
    let held = (MSS + half, 5 * MSS);
    assert_eq!(above, [(2 * MSS, 3 * MSS), held]);
    let fills = blocks_after(&[1, 3], half..2 * MSS);
    assert_eq!(fills, [(half, MSS)]);
}

#[test]
fn a_duplicate_leads_the_blocks_that_are_held() {
    // RFC 2883 section 4.1.2.
    let mut s = Script::new(dsack());
    s.arrive(1);
    s.arrive(3);
    let _ = s.receiver.poll_transmit(s.now);
    let _ = s.receiver.poll_transmit(s.now);
    s.arrive(1);
    s.expect_sack(2, &[1..2, 3..4]);
    s.arrive(5);
    s.expect_sack(2, &[5..6, 3..4]);
}

#[test]
fn without_dsack_a_duplicate_is_only_acknowledged() {
    let mut s = Script::new(every_segment());
    s.arrive(1);
    s.expect_sack(2, &[]);
    s.arrive(1);
    s.expect_sack(2, &[]);
}

#[test]
fn blocks_cross_the_end_of_the_sequence_space() {
    let mut s = Script::new(TcpConfig {
        iss: u32::MAX - 3 * MSS - 7,
        ..every_segment()
    });
    s.arrive(1);
    s.expect_sack(2, &[]);
    s.arrive(4);
    s.expect_sack(2, &[4..5]);
    s.arrive(6);
    s.expect_sack(2, &[6..7, 4..5]);
    for n in [2, 3, 5] {
        s.arrive(n);
        let _ = s.receiver.poll_transmit(s.now);
    }
    assert_eq!(s.receiver.delivered(), 6 * u64::from(MSS));
}

#[test]
fn a_duplicate_of_held_data_brings_its_block_to_the_front() {
    // RFC 2018 section 4, rule (a), and RFC 2883 section 4, rule (3).
    for (config, duplicate) in [(every_segment(), None), (dsack(), Some(2..3))] {
        let mut s = Script::new(config);
        for n in [2, 3, 5, 7] {
            s.arrive(n);
            let _ = s.receiver.poll_transmit(s.now);
        }
        s.arrive(2);
        let blocks: Vec<_> = duplicate.into_iter().chain([2..4, 7..8, 5..6]).collect();
        s.expect_sack(1, &blocks);
    }
}

/// The run of consecutive segments that `number` belongs to.
fn run_around(arrived: &BTreeSet<u64>, number: u64) -> Range<u64> {
    let below = (0..number)
        .rev()
        .take_while(|n| arrived.contains(n))
        .count() as u64;
    let above = (number..=40).take_while(|n| arrived.contains(n)).count() as u64;
    number - below..number + above
}

proptest! {
    /// Whatever the order of arrival: RFC 2018 section 4.
    #[test]
    fn blocks_are_what_it_holds_newest_first(numbers in prop::collection::vec(1..40u64, 1..120)) {
        let mut s = Script::new(every_segment());
        let mut arrived = BTreeSet::new();
        let mut newest_first: Vec<u64> = Vec::new();
        for number in numbers {
            s.arrive(number);
            arrived.insert(number);
            newest_first.insert(0, number);
            let ack = s.receiver.poll_transmit(s.now).expect("an ACK");
            let expected = run_around(&arrived, 1).end;
            prop_assert_eq!(s.number(ack.ack), if arrived.contains(&1) { expected } else { 1 });
            let next = s.number(ack.ack);
            let mut held: Vec<Range<u64>> = Vec::new();
            for number in newest_first.iter().filter(|n| **n > next) {
                let run = run_around(&arrived, *number);
                if !held.contains(&run) {
                    held.push(run);
                }
            }
            let blocks = ack.sack().iter().map(|b| s.number(b.start)..s.number(b.end));
            let blocks: Vec<_> = blocks.collect();
            prop_assert!(held.starts_with(&blocks), "{blocks:?} of {held:?}");
            prop_assert!(number < next || blocks[0].contains(&number));
            for number in 1..40 {
                let position = (number - 1) * u64::from(MSS);
                prop_assert_eq!(s.receiver.has(position), arrived.contains(&number));
            }
        }
    }
}
