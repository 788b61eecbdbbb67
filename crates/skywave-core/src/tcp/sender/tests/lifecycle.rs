//! Opening, writing, closing; windows and sequence numbers at their limits.

use super::{MSS, config};
use crate::packet::{Flags, Segment};
use crate::seq::SeqNr;
use crate::tcp::config::{DetectionConfig, Handshake, TcpConfig};
use crate::tcp::custom::CustomDetection;
use crate::tcp::detection::{AckFinding, DetectionEvent, LossDetector};
use crate::tcp::receiver::Receiver;
use crate::tcp::sender::Sender;
use crate::tcp::testing::Script;
use crate::time::{Duration, Time};
use crate::units::Segments;

fn three_way(window: u32) -> TcpConfig {
    TcpConfig {
        handshake: Handshake::ThreeWay,
        ..config("reno", window)
    }
}

fn syn_ack(s: &mut Script) {
    let segment = Segment {
        ack: SeqNr(1),
        window: 1000 * MSS,
        flags: Flags::SYN_ACK,
        ..Segment::default()
    };
    s.receive(&segment);
}

fn poll_one(s: &mut Script) -> Segment {
    let segment = s.poll_segment().expect("a segment");
    assert_eq!(s.poll_segment(), None);
    segment
}

#[test]
fn data_follows_the_handshake() {
    let mut s = Script::new(three_way(4));
    let syn = poll_one(&mut s);
    assert!(syn.is_syn() && !syn.is_ack());
    assert_eq!((syn.seq, syn.len), (SeqNr(0), 0));
    s.expect_timer_in(3000);
    s.wait(100);
    syn_ack(&mut s);
    assert_eq!(s.sender.poll_rtt(), Some(Duration::from_millis(100)));
    s.expect_cwnd(4.0);
    let first = s.poll_segment().expect("data");
    assert_eq!((first.seq, first.len), (SeqNr(1), MSS));
    assert!(first.is_ack() && !first.is_syn());
    s.expect_sent([2, 3, 4]);
    s.ack(2);
    s.expect_sent([5]);
}

#[test]
fn nothing_is_sent_before_the_connection_opens() {
    let mut sender = Sender::new(three_way(4));
    sender.write(1000);
    assert_eq!(sender.poll_transmit(Time::ZERO), None);
    assert_eq!(sender.next_timer(), None);
}

#[test]
fn a_lost_syn_is_resent_and_shrinks_the_initial_window_to_one_segment() {
    let mut s = Script::new(three_way(4));
    let syn = poll_one(&mut s);
    s.wait_for_timeout();
    s.expect_timer_in(6000);
    assert_eq!(poll_one(&mut s), syn);
    s.wait(100);
    syn_ack(&mut s);
    assert_eq!(s.sender.poll_rtt(), None, "Karn");
    s.expect_cwnd(1.0);
    s.expect_sent([1]);
    assert_eq!(s.sender.counters().window_cuts, 0);
}

#[test]
fn without_a_handshake_data_goes_at_once() {
    let mut s = Script::new(config("reno", 2));
    let first = s.poll_segment().expect("data");
    assert_eq!(
        (first.seq, first.len, first.is_syn()),
        (SeqNr(0), MSS, false)
    );
}

#[test]
fn a_closed_sender_is_done_when_everything_is_acknowledged() {
    let mut s = Script::idle(config("reno", 4));
    s.sender.write(2 * u64::from(MSS));
    s.expect_sent([1, 2]);
    s.sender.close();
    s.expect_nothing();
    s.ack(2);
    assert!(!s.sender.is_done());
    s.ack(3);
    assert!(s.sender.is_done());
    s.expect_no_timer();
}

#[test]
fn a_connection_closed_without_data_is_done_when_it_is_open() {
    let mut s = Script::idle(three_way(4));
    s.sender.close();
    let _ = poll_one(&mut s);
    assert!(!s.sender.is_done());
    syn_ack(&mut s);
    assert!(s.sender.is_done());

    let mut sender = Sender::new(config("reno", 4));
    sender.close();
    sender.open();
    assert!(sender.is_done());
}

#[test]
fn a_fin_takes_a_sequence_number_and_is_acknowledged() {
    let mut s = Script::idle(TcpConfig {
        fin: true,
        ..config("reno", 4)
    });
    s.sender.write(u64::from(MSS));
    s.expect_sent([1]);
    s.sender.close();
    s.sender.write(77); // too late
    let fin = poll_one(&mut s);
    assert!(fin.is_fin());
    assert_eq!((fin.seq, fin.len), (SeqNr(MSS), 0));
    s.ack(2);
    assert!(!s.sender.is_done());
    // The FIN is lost.
    s.wait_for_timeout();
    assert_eq!(poll_one(&mut s), fin);
    let ack = Segment {
        ack: SeqNr(MSS + 1),
        window: 1000 * MSS,
        flags: Flags::ACK,
        ..Segment::default()
    };
    s.receive(&ack);
    assert!(s.sender.is_done());
    s.expect_no_timer();
    s.expect_nothing();
}

#[test]
fn closing_an_endless_source_ends_it_with_what_was_sent() {
    let mut s = Script::sent(config("reno", 4), 4);
    assert_eq!(s.sender.unsent(), u64::MAX);
    s.sender.close();
    assert_eq!(s.sender.unsent(), 0);
    s.ack(3);
    s.expect_nothing();
    s.ack(5);
    assert!(s.sender.is_done());
}

#[test]
fn small_writes_become_segments_of_their_size() {
    let mut s = Script::idle(config("reno", 10));
    let mut lengths = Vec::new();
    for bytes in [300, 1000, 1500, 1] {
        s.sender.write(bytes);
        while let Some(segment) = s.poll_segment() {
            lengths.push(segment.len);
        }
    }
    assert_eq!(lengths, [300, 1000, 1000, 500, 1]);
    assert_eq!(s.sender.unsent(), 0);
}

#[test]
fn the_receivers_window_limits_what_is_in_flight() {
    let mut s = Script::sent(
        TcpConfig {
            rwnd: 5 * MSS + 1,
            ..config("reno", 20)
        },
        5,
    );
    s.ack(3);
    s.expect_sent([6, 7]);
}

#[test]
fn a_window_update_is_not_a_dupack() {
    let mut s = Script::sent(config("reno", 10), 10);
    for window in [900, 901, 902, 903] {
        let update = Segment {
            ack: SeqNr(0),
            window: window * MSS,
            flags: Flags::ACK,
            ..Segment::default()
        };
        s.receive(&update);
    }
    s.expect_nothing();
    assert_eq!(s.sender.counters().fast_retransmits, 0);
}

/// RFC 6675 section 2: receivers open their windows with each segment, and report a hole above it all the same.
#[test]
fn a_report_of_what_came_is_a_dupack_although_the_window_opens() {
    for preset in ["reno", "newreno", "sack", "dcr"] {
        let mut s = Script::sent(config(preset, 10), 10);
        for last in 2..=4 {
            let report = Segment {
                window: (900 + last as u32) * MSS,
                ..s.segment(1, &[2..last + 1])
            };
            s.receive(&report);
        }
        assert_eq!(s.sender.counters().fast_retransmits, 1, "{preset}");
    }
}

#[test]
fn acks_of_what_was_never_sent_and_old_acks_are_ignored() {
    let mut s = Script::sent(config("reno", 4), 4);
    s.ack(9);
    s.expect_nothing();
    assert_eq!(s.sender.flight().una(), 0);
    let mut s = Script::sent(config("reno", 4), 4);
    s.ack(3);
    s.expect_sent([5, 6]);
    for old in [1, 2, 2, 2, 2] {
        s.ack_echoing(old, Time::ZERO);
    }
    s.expect_nothing();
    assert_eq!(s.sender.counters().fast_retransmits, 0);
}

#[test]
fn dupacks_with_nothing_outstanding_mean_nothing() {
    let mut s = Script::idle(config("reno", 4));
    s.sender.write(u64::from(MSS));
    s.expect_sent([1]);
    s.ack(2);
    s.dupacks(5);
    s.expect_nothing();
    assert_eq!(s.sender.counters().fast_retransmits, 0);
}

#[test]
fn a_fast_recovery_crosses_the_end_of_the_sequence_space() {
    for name in ["reno", "newreno", "tahoe", "cerl"] {
        let mut s = Script::sent(
            TcpConfig {
                iss: u32::MAX - 4 * MSS - 17,
                ..config(name, 10)
            },
            10,
        );
        s.acks_to(4);
        s.expect_sent([11, 12, 13]);
        s.dupacks(3);
        assert_eq!(s.poll().last(), Some(&4), "{name}");
        s.ack(14);
        assert_eq!(s.sender.flight().una(), 13 * u64::from(MSS));
    }
    let mut s = Script::sent(
        TcpConfig {
            iss: u32::MAX - 4 * MSS - 17,
            ..config("sack", 10)
        },
        10,
    );
    s.acks_to(4);
    s.expect_sent([11, 12, 13]);
    for top in 6..=8 {
        s.dupack_sacking(&[5..top]);
    }
    s.expect_sent([14, 15, 4]);
    assert_eq!(s.sender.flight().sacked_bytes(), 3 * u64::from(MSS));
}

#[test]
fn a_transfer_longer_than_the_sequence_space_arrives_whole() {
    const BYTES: u64 = (1 << 32) + (1 << 30);
    let config = TcpConfig {
        mss: 60_000,
        rwnd: 60_000 * 8,
        iss: u32::MAX - 100_000,
        initial_window: Segments(8.0),
        ..three_way(8)
    };
    let mut sender = Sender::new(config.clone());
    let mut receiver = Receiver::new(config);
    sender.open();
    sender.write(BYTES);
    sender.close();
    let mut now = Time::ZERO;
    while !sender.is_done() {
        // 8 segments every 10 ms.
        assert!(now < Time::ZERO + Duration::from_secs(200), "stopped");
        while let Some(segment) = sender.poll_transmit(now) {
            receiver.on_segment(now, &segment);
        }
        now += Duration::from_millis(10);
        while let Some(ack) = receiver.poll_transmit(now) {
            sender.on_segment(now, &ack);
        }
    }
    assert_eq!(receiver.delivered(), BYTES);
    assert_eq!(sender.counters().retransmits, 0);
}

#[test]
fn a_window_below_a_segment_is_filled_with_less() {
    let mut s = Script::new(TcpConfig {
        rwnd: 700,
        ..config("reno", 4)
    });
    assert_eq!(poll_one(&mut s).len, 700);
    s.expect_timer_in(3000);
}

#[test]
fn the_first_threshold_is_a_segment_at_least() {
    let s = Script::new(TcpConfig {
        rwnd: 63,
        initial_ssthresh: None,
        ..config("cerl", 4)
    });
    assert_eq!(s.sender.window().ssthresh, Segments::ONE);
}

#[test]
fn a_syn_is_not_unsent_data() {
    let mut s = Script::idle(three_way(4));
    assert_eq!(s.sender.unsent(), 0);
    s.sender.write(300);
    assert_eq!(s.sender.unsent(), 300);
    let _ = poll_one(&mut s);
    assert_eq!(s.sender.unsent(), 300);
}

/// A detector that finds a loss in every ACK of new data.
struct Alarmist;

impl LossDetector for Alarmist {
    fn on_dupack(&mut self, _event: &DetectionEvent) -> bool {
        false
    }

    fn on_new_ack(&mut self, _event: &DetectionEvent) -> AckFinding {
        AckFinding::NextLost
    }
}

#[test]
fn nothing_in_flight_cannot_be_lost() {
    let mut own = config("reno", 2);
    own.composition.detection =
        DetectionConfig::Custom(CustomDetection::new("alarmist", |_| Alarmist));
    let mut s = Script::new(own);
    s.expect_sent([1, 2]);
    s.sender.close();
    s.ack(3);
    assert!(!s.sender.in_recovery());
}

#[test]
fn an_ack_from_before_the_initial_number_is_no_duplicate() {
    let config = TcpConfig {
        iss: 5000,
        ..config("reno", 10)
    };
    let mut s = Script::sent(config, 10);
    for _ in 0..5 {
        s.receive(&Segment {
            ack: SeqNr(4000),
            window: 1000 * MSS,
            flags: Flags::ACK,
            ..Segment::default()
        });
    }
    s.expect_nothing();
    assert_eq!(s.sender.counters().fast_retransmits, 0);
}
