//! The stream that is delivered to the application.

use super::*;

#[test]
fn bytes_are_delivered_in_order_and_once() {
    let mut s = Script::new(every_segment());
    let mut delivered = Vec::new();
    for n in [1, 1, 3, 2, 2, 5, 4, 1] {
        s.arrive(n);
        delivered.push(s.receiver.delivered() / u64::from(MSS));
    }
    assert_eq!(delivered, [1, 1, 1, 3, 3, 3, 5, 5]);
}

#[test]
fn part_of_a_segment_may_be_known_already() {
    let mut s = Script::new(every_segment());
    s.arrive(1);
    let mut segment = s.data(1);
    segment.len = MSS + 10;
    s.receiver.on_segment(s.now, &segment);
    assert_eq!(s.receiver.delivered(), u64::from(MSS) + 10);
}

#[test]
fn a_segment_may_reach_past_what_is_held() {
    let mut s = Script::new(every_segment());
    s.arrive(3);
    s.arrive(1);
    let mut segment = s.data(2);
    segment.len = 2 * MSS + 500;
    s.receiver.on_segment(s.now, &segment);
    assert_eq!(s.receiver.delivered(), u64::from(3 * MSS) + 500);
}

#[test]
fn syn_and_fin_are_not_payload() {
    for handshake in [Handshake::None, Handshake::ThreeWay] {
        let mut s = Script::new(TcpConfig {
            handshake,
            ..every_segment()
        });
        assert_eq!(s.receiver.delivered(), 0);
        if handshake == Handshake::ThreeWay {
            let syn = Segment {
                flags: Flags::SYN,
                ..Segment::default()
            };
            s.receiver.on_segment(s.now, &syn);
            assert_eq!(s.receiver.delivered(), 0);
        }
        // The FIN arrives before the data that precede it.
        let mut last = s.data(2);
        last.flags |= Flags::FIN;
        s.receiver.on_segment(s.now, &last);
        assert!(!s.receiver.is_finished());
        assert_eq!(s.receiver.delivered(), 0);
        s.arrive(1);
        assert!(s.receiver.is_finished());
        assert_eq!(s.receiver.delivered(), 2 * u64::from(MSS));
    }
}

#[test]
fn data_beyond_the_window_is_dropped_and_acknowledged() {
    // RFC 9293 section 3.10.7.4, first check.
    let mut s = Script::new(TcpConfig {
        rwnd: 3 * MSS,
        ..delayed()
    });
    for beyond in [4, 5] {
        s.arrive(beyond);
        s.expect_sack(1, &[]);
    }
    s.arrive(3);
    s.expect_sack(1, &[3..4]);
    s.arrive(1);
    s.arrive(2);
    assert_eq!(s.receiver.delivered(), 3 * u64::from(MSS));
}

#[test]
fn a_pure_ack_is_not_answered() {
    let mut s = Script::new(every_segment());
    let ack = Segment {
        flags: Flags::ACK,
        ..Segment::default()
    };
    s.receiver.on_segment(s.now, &ack);
    s.expect_nothing();
}

#[test]
fn a_segment_from_before_the_initial_number_is_dropped_and_acknowledged() {
    let mut s = Script::new(TcpConfig {
        iss: 5000,
        ..delayed()
    });
    let mut segment = Segment {
        seq: SeqNr(4500),
        ..s.data(1)
    };
    // Its second half would be the first bytes of the stream.
    s.receiver.on_segment(s.now, &segment);
    s.expect_ack(1);
    assert_eq!(s.receiver.delivered(), 0);
    segment.len = 0;
    s.receiver.on_segment(s.now, &segment);
    s.expect_nothing();
}
