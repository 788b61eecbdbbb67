//! Losses that the sender repairs by itself.

use super::*;

#[test]
fn a_segment_that_never_came_here_is_the_senders_to_repair() {
    let mut s = Script::new(SnoopConfig::default());
    s.data([1, 3, 4, 5]); // 2 was lost on the wired path
    s.passes(2);
    s.passes(2);
    s.passes(2);
    s.passes(2);
    s.data([2]);
    s.passes(2); // an answer that was on its way
    s.passes(6);
    assert_eq!(s.agent.counters(), Counters::default());
}

#[test]
fn dupacks_of_a_segment_that_the_sender_sent_again_are_the_senders() {
    let mut s = Script::new(SnoopConfig::default());
    s.data(1..=4);
    s.passes(2); // 2 is lost
    s.is_repaired(2);
    s.data([2]); // the sender timed out
    s.passes(2);
    s.passes(2);
    s.passes(5);
    // The next loss is the agent's again.
    s.data(5..=7);
    s.is_repaired(5);
}

#[test]
fn a_needless_copy_is_answered_by_an_ack_that_is_no_dupack() {
    let mut s = Script::new(SnoopConfig::default());
    s.data(1..=3);
    s.passes(3); // the ACK is lost on the way to the sender
    s.data([1, 2, 4, 5]); // which goes back
    s.passes(3); // the answers to 1
    s.passes(3); // and 2
    s.is_repaired(3); // the answer to 4: 3 is lost
}

#[test]
fn needless_copies_that_were_lost_are_forgotten() {
    let mut s = Script::new(SnoopConfig::default());
    s.data(1..=3);
    s.passes(3);
    s.data([1, 2, 4]); // the copies of 1 and 2 are lost
    s.passes(5);
    s.data(5..=7);
    s.is_repaired(5);
}

#[test]
fn old_acks_pass() {
    let mut s = Script::new(SnoopConfig::default());
    s.data(1..=6);
    s.passes(4);
    s.passes(2);
    s.passes(3);
    assert_eq!(s.agent.counters(), Counters::default());
}

#[test]
fn the_window_of_an_old_ack_is_no_news() {
    let mut s = Script::new(SnoopConfig::default());
    s.data(1..=5);
    s.passes(3); // 3 is lost
    let old = Segment {
        window: 50 * MSS,
        ..ack(2)
    };
    s.answer(old, Verdict::Forward, None); // overtaken on its way
    s.is_repaired(3);
}

#[test]
fn segments_cut_in_another_way_are_left_to_the_sender() {
    let mut s = Script::new(SnoopConfig::default());
    s.data(1..=4);
    s.passes(2); // 2 is lost
    let half = Segment {
        len: MSS / 2,
        ..data(2)
    };
    let packet = Packet::new(0, MSS / 2 + 40, Body::TcpData(half));
    s.agent.on_data(s.now, &packet, &half);
    assert_eq!(s.agent.cached(), 3);
    s.passes(2);
    s.passes(2);
}

#[test]
fn a_handshake_and_a_fin_are_segments_too() {
    let mut s = Script::new(SnoopConfig::default());
    let syn = Segment {
        seq: SeqNr(ISS.wrapping_sub(1)),
        flags: Flags::SYN,
        ..Segment::default()
    };
    let pure = Segment {
        flags: Flags::ACK,
        seq: seq(1),
        ..Segment::default()
    };
    for segment in [syn, pure] {
        let packet = Packet::new(0, 40, Body::TcpData(segment));
        s.agent.on_data(s.now, &packet, &segment);
    }
    assert_eq!(s.agent.cached(), 1);
    s.passes(1);
    assert_eq!(s.agent.cached(), 0);
    s.data([1, 2]);
    s.is_repaired(1);
}
