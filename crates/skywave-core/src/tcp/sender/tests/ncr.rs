//! TCP-NCR: RFC 4653.

use std::sync::Arc;

use super::{MSS, plain};
use crate::packet::{Flags, SackBlock, Segment};
use crate::seq::SeqNr;
use crate::tcp::config::{CongestionConfig, NewRenoConfig, RecoveryConfig, RtoConfig, TcpConfig};
use crate::tcp::congestion::CongestionControl;
use crate::tcp::custom::CustomCongestion;
use crate::tcp::detection::NcrTransmit;
use crate::tcp::testing::Script;
use crate::tcp::window::{AckEvent, LossEvent, Response, SpuriousEvent, TimeoutEvent, Window};
use crate::time::Duration;
use crate::units::Segments;

/// The preset with a smallest RTO of 1 s and without limited transmit.
fn ncr(name: &str, window: u32) -> TcpConfig {
    let config = plain(name, window);
    TcpConfig {
        rto: Arc::new(RtoConfig {
            min: Duration::from_secs(1),
            ..*config.rto
        }),
        ..config
    }
}

/// Segments 1 to 12 are in flight.
fn twelve(name: &str) -> Script {
    Script::sent(ncr(name, 12), 12)
}

/// Segment 1 is missing; 2 and the following ones up to `last` arrive, with an ACK each. Returns the new
/// segments that each ACK lets out.
fn arrive(s: &mut Script, segments: std::ops::RangeInclusive<u64>) -> Vec<Vec<u64>> {
    segments
        .map(|last| {
            s.dupack_sacking(&[2..last + 1]);
            s.poll()
        })
        .collect()
}

#[test]
fn aggressive_sends_one_new_segment_for_each_that_arrives() {
    let mut s = twelve("ncr-aggressive");
    let sent = arrive(&mut s, 2..=9);
    let one_each: Vec<Vec<u64>> = (13..=20).map(|n| vec![n]).collect();
    assert_eq!(sent, one_each);
    // The window does not grow meanwhile.
    s.expect_cwnd(12.0);
}

#[test]
fn careful_sends_one_new_segment_for_every_two_that_arrive() {
    let mut s = twelve("ncr-careful");
    let sent = arrive(&mut s, 2..=7);
    assert_eq!(sent, [vec![13], vec![], vec![14], vec![], vec![15], vec![]]);
    s.expect_cwnd(12.0);
}

#[test]
fn one_ack_for_many_that_arrived_lets_out_as_much_as_many_acks() {
    let mut s = twelve("ncr-aggressive");
    s.dupack_sacking(&[2..6]);
    s.expect_sent(13..=16);
    let mut s = twelve("ncr-careful");
    s.dupack_sacking(&[2..6]);
    s.expect_sent([13, 14]);
    s.dupack_sacking(&[2..7]);
    s.expect_sent([15]);
}

#[test]
fn the_aggressive_threshold_is_half_of_what_is_outstanding() {
    let mut s = twelve("ncr-aggressive");
    // Before the n-th ACK 12 + n - 1 are outstanding: n reaches half of that, rounded up, at 11.
    let sent = arrive(&mut s, 2..=11);
    assert_eq!(sent.last(), Some(&vec![22]));
    assert!(!s.sender.in_recovery());
    let sent = arrive(&mut s, 12..=12);
    assert_eq!(sent[0][0], 1);
    assert!(s.sender.in_recovery());
}

#[test]
fn the_careful_threshold_is_two_thirds_of_what_is_outstanding() {
    let mut s = twelve("ncr-careful");
    // After 11 ACKs 12 + 6 are outstanding, so it is 12, which takes one more.
    let sent = arrive(&mut s, 2..=12);
    assert_eq!(sent.last(), Some(&vec![18]));
    assert!(!s.sender.in_recovery());
    let sent = arrive(&mut s, 13..=13);
    assert_eq!(sent[0][0], 1);
    assert!(s.sender.in_recovery());
}

#[test]
fn the_threshold_is_never_below_three() {
    let mut s = Script::sent(ncr("ncr-aggressive", 3), 3);
    let sent = arrive(&mut s, 2..=3);
    assert_eq!(sent, [[4], [5]]);
    assert_eq!(arrive(&mut s, 4..=4)[0][0], 1);
}

#[test]
fn selective_acks_count_where_acks_were_lost() {
    let mut s = twelve("ncr-aggressive");
    s.dupack_sacking(&[2..4]);
    s.expect_sent([13, 14]);
    // 14 are outstanding and 8 of them reported, with two ACKs.
    s.dupack_sacking(&[2..10]);
    assert_eq!(s.poll()[0], 1);
}

#[test]
fn the_cut_is_measured_by_what_was_in_flight_before() {
    for name in ["ncr-aggressive", "ncr-careful"] {
        let mut s = twelve(name);
        arrive(&mut s, 2..=13);
        assert!(s.sender.in_recovery());
        s.expect_ssthresh(6.0);
        s.expect_cwnd(6.0);
        assert_eq!(s.sender.counters().window_cuts, 1);
    }
    // A law that cuts by what is outstanding has 12 segments to cut, not 23.
    let mut config = ncr("thesis-reno", 12);
    config.composition.detection =
        crate::tcp::config::DetectionConfig::Ncr(NcrTransmit::Aggressive);
    config.composition.recovery = RecoveryConfig::Sack;
    let mut s = Script::sent(config, 12);
    arrive(&mut s, 2..=12);
    assert!(s.sender.in_recovery());
    s.expect_ssthresh(9.0);
}

#[test]
fn reordering_leaves_the_threshold_and_lets_no_burst_out() {
    let mut s = twelve("ncr-aggressive");
    arrive(&mut s, 2..=6);
    // 1 arrives late. 7 to 17 are outstanding.
    s.ack(7);
    s.expect_ssthresh(12.0);
    s.expect_cwnd(12.0);
    s.expect_sent([18]);
    let counters = s.sender.counters();
    assert_eq!((counters.fast_retransmits, counters.window_cuts), (0, 0));

    let mut s = twelve("ncr-careful");
    arrive(&mut s, 2..=7);
    // 8 to 15 are outstanding: one more goes out, and slow start leads back to 12.
    s.ack(8);
    s.expect_ssthresh(12.0);
    s.expect_cwnd(9.0);
    s.expect_sent([16]);
    s.ack(9);
    s.expect_cwnd(10.0);
    s.expect_sent([17, 18]);
}

#[test]
fn a_law_that_undoes_a_cut_after_reordering_keeps_to_the_cap() {
    /// The window opens as soon as the loss turns out to be none.
    struct Bold;

    impl CongestionControl for Bold {
        fn grow(&mut self, _ack: &AckEvent, _window: &mut Window) {}

        fn on_loss(&mut self, loss: &LossEvent, _window: &Window) -> Response {
            Response::cut_to(loss.window)
        }

        fn on_timeout(&mut self, timeout: &TimeoutEvent, _window: &Window) -> Response {
            Response::restart(timeout.window)
        }

        fn on_spurious(&mut self, _spurious: &SpuriousEvent, window: &mut Window) {
            window.cwnd = Segments(100.0);
        }
    }

    let mut config = ncr("ncr-aggressive", 12);
    let bold = CustomCongestion::new("bold", |_| Bold);
    config.composition.congestion = CongestionConfig::Custom(bold);
    config.max_cwnd = Segments(15.0);
    let mut s = Script::sent(config, 12);
    arrive(&mut s, 2..=6);
    s.ack(7);
    s.expect_cwnd(15.0);
}

#[test]
fn an_ack_of_new_data_that_reports_more_begins_again_with_the_same_flight() {
    let mut s = twelve("ncr-careful");
    // 1 and 6 arrive late.
    s.dupack_sacking(&[2..6]);
    s.expect_sent([13, 14]);
    s.dupack_sacking(&[7..9, 2..6]);
    s.expect_sent([15]);
    // 6 to 15 are outstanding, 7 and 8 have arrived: pipe is 8, and 12 were in flight.
    s.ack_sacking(6, &[7..9]);
    s.expect_ssthresh(12.0);
    s.expect_cwnd(11.0);
    // What was skipped is forgotten: two, each with one skipped.
    s.expect_sent([16, 17]);
    // Then one for every two again.
    s.dupack_sacking(&[7..10]);
    s.expect_sent([18]);
    s.dupack_sacking(&[7..11]);
    s.expect_nothing();
    // Of 13 outstanding two thirds are nine: not the dupacks from before.
    assert!(!s.sender.in_recovery());
    let mut top = 11;
    while !s.sender.in_recovery() {
        top += 1;
        s.dupack_sacking(&[7..top]);
        let _ = s.poll();
    }
    assert!(top > 16);
    // Half of the 12 in flight before, although the window is 11 since 1 arrived.
    s.expect_ssthresh(6.0);
}

#[test]
fn the_window_after_reordering_is_never_above_what_was_in_flight() {
    let mut s = twelve("ncr-aggressive");
    // 1 and 3 are late: 3 to 16 are outstanding when 1 arrives.
    s.dupack_sacking(&[2..3]);
    s.dupack_sacking(&[4..7, 2..3]);
    s.expect_sent(13..=16);
    s.ack_sacking(3, &[4..7]);
    s.expect_cwnd(12.0);
}

#[test]
fn short_segments_do_not_shrink_the_window_below_one() {
    let mut s = Script::idle(ncr("ncr-aggressive", 12));
    for _ in 0..2 {
        s.sender.write(100);
        assert_eq!(s.poll_segment().map(|segment| segment.len), Some(100));
    }
    let ack = |ack, held: Option<SackBlock>| Segment {
        ack: SeqNr::at(0, ack),
        window: 1000 * MSS,
        flags: Flags::ACK,
        options: held.into_iter().collect(),
        ..Segment::default()
    };
    let (start, end) = (SeqNr::at(0, 100), SeqNr::at(0, 200));
    s.receive(&ack(0, Some(SackBlock { start, end })));
    s.receive(&ack(200, None));
    s.expect_cwnd(1.0);
    s.expect_ssthresh(2.0);
}

#[test]
fn the_first_report_may_come_with_an_ack_of_new_data() {
    let mut s = twelve("ncr-aggressive");
    // 1 and 3 have arrived, the receiver delayed its ACK: 2 to 12 are in flight.
    s.ack_sacking(2, &[3..4]);
    s.expect_sent([13]);
    s.dupack_sacking(&[3..5]);
    s.expect_sent([14]);
    s.dupack_sacking(&[3..7]);
    s.expect_sent([15, 16]);
    assert!(!s.sender.in_recovery());
}

#[test]
fn slow_start_waits_as_well() {
    let mut config = ncr("ncr-aggressive", 12);
    config.initial_ssthresh = Some(crate::units::Segments(100.0));
    let mut s = Script::sent(config, 12);
    arrive(&mut s, 2..=5);
    assert!(!s.sender.in_recovery());
    s.ack(6);
    s.expect_ssthresh(12.0);
}

#[test]
fn while_a_loss_is_repaired_the_threshold_stays_as_it_was() {
    let mut s = twelve("ncr-aggressive");
    // 1 and 13 are lost. Half of what is outstanding when 1 is found are 11.
    arrive(&mut s, 2..=12);
    assert_eq!(s.next(), 23);
    assert!(s.sender.in_recovery());
    let mut top = 14;
    while top < 40 {
        top += 1;
        s.dupack_sacking(&[14..top, 2..13]);
        if s.poll().contains(&13) {
            break;
        }
    }
    assert_eq!(top - 14, 11);
}

#[test]
fn what_a_recovery_leaves_reported_begins_nothing() {
    let mut s = Script::sent(ncr("ncr-aggressive", 30), 30);
    let mut top = 2;
    while !s.sender.in_recovery() {
        top += 1;
        s.dupack_sacking(&[2..top]);
        let _ = s.poll();
    }
    let point = s.next();
    // The rest of that window arrives, 1 last. Of the segments sent since, the first is missing.
    s.dupack_sacking(&[2..point]);
    assert!(s.poll().len() > 10);
    s.ack_sacking(point, &[point + 1..point + 2]);
    assert!(!s.sender.in_recovery());
    let _ = s.poll();
    s.dupack_sacking(&[point + 1..point + 3]);
    s.dupack_sacking(&[point + 1..point + 4]);
    // Three, and not half of what is outstanding.
    assert_eq!(s.poll()[0], point);
    assert!(s.sender.in_recovery());
}

#[test]
fn a_timeout_ends_the_wait() {
    let mut s = twelve("ncr-aggressive");
    arrive(&mut s, 2..=4);
    s.wait_for_timeout();
    s.expect_sent([1]);
    // Nothing goes out beyond the window of one segment.
    s.expect_cwnd(1.0);
    s.dupack_sacking(&[2..6]);
    s.expect_nothing();
    s.ack(16);
    s.expect_sent([16, 17]);
}

#[test]
fn after_a_timeout_nothing_waits_until_what_was_sent_before_it_is_acknowledged() {
    let mut s = twelve("ncr-aggressive");
    s.wait_for_timeout();
    s.expect_sent([1]);
    s.ack(2);
    s.expect_sent([2, 3]);
    // Nothing goes out beyond the window of two segments.
    s.dupack_sacking(&[3..4]);
    s.expect_nothing();
}

#[test]
fn without_selective_acks_three_dupacks_count() {
    let mut config = ncr("ncr-aggressive", 12);
    config.composition.recovery = RecoveryConfig::NewReno(NewRenoConfig::DEFAULT);
    let mut s = Script::sent(config, 12);
    s.dupacks(2);
    s.expect_nothing();
    s.dupack();
    s.expect_sent([1]);
}
