//! Losses on the link that follows the agent.

use super::*;

#[test]
fn new_acks_pass_and_free_the_cache() {
    let mut s = Script::new(SnoopConfig::default());
    s.data(1..=4);
    assert_eq!(s.agent.cached(), 4);
    s.passes(3);
    assert_eq!(s.agent.cached(), 2);
    s.passes(5);
    assert_eq!(s.agent.cached(), 0);
}

#[test]
fn the_very_first_dupack_sends_the_segment_again_and_none_reaches_the_sender() {
    let mut s = Script::new(SnoopConfig::default());
    s.data(1..=5);
    s.passes(2); // 2 is lost; 3, 4 and 5 answer
    s.is_repaired(2);
    s.is_suppressed(2);
    s.is_suppressed(2);
    s.passes(6);
    assert_eq!(s.agent.cached(), 0);
    let counters = Counters {
        retransmits: 1,
        timeouts: 0,
        suppressed: 3,
    };
    assert_eq!(s.agent.counters(), counters);
}

#[test]
fn what_is_sent_between_loss_and_repair_is_expected_to_answer_too() {
    let mut s = Script::new(SnoopConfig::default());
    s.data(1..=3);
    s.passes(2); // 2 is lost
    s.data(4..=6);
    s.is_repaired(2); // the answer to 3
    for _ in [4, 5, 6] {
        s.is_suppressed(2);
    }
}

#[test]
fn a_dupack_too_many_is_the_loss_of_the_repair() {
    let mut s = Script::new(SnoopConfig::default());
    s.data(1..=4);
    s.passes(2); // 2 is lost
    s.is_repaired(2); // the answer to 3; the repair is lost
    s.data([5, 6]);
    s.is_suppressed(2); // to 4
    s.is_repaired(2); // to 5, which was sent after the repair
    s.is_suppressed(2); // to 6
    s.passes(7);
}

#[test]
fn two_losses_in_a_window_are_repaired_one_after_the_other() {
    let mut s = Script::new(SnoopConfig::default());
    s.data(1..=6);
    s.passes(2); // 2 and 4 are lost
    s.is_repaired(2); // the answer to 3
    s.is_suppressed(2); // to 5
    s.is_suppressed(2); // to 6
    s.passes(4); // the repair has arrived
    s.data([7, 8]);
    // Only 7 and 8 were sent after the segment that caused the last ACK: no further duplicate is expected.
    s.is_repaired(4);
    s.data([9]);
    s.is_suppressed(4); // to 8; and the repair is lost
    s.is_repaired(4); // to 9
}

#[test]
fn a_dupack_that_nothing_can_have_caused_passes() {
    let mut s = Script::new(SnoopConfig::default());
    s.data([1, 2]);
    s.passes(2);
    // Nothing was sent after segment 2, so it is still on its way, whatever caused this ACK.
    s.passes(2);
    s.data([3]);
    s.is_repaired(2);
}

#[test]
fn a_loss_of_the_first_segment_is_repaired() {
    let mut s = Script::new(SnoopConfig::default());
    s.data([1, 2]);
    s.is_repaired(1);
    s.passes(3);
}

#[test]
fn a_higher_threshold_lets_the_dupacks_below_it_pass() {
    let mut s = Script::new(SnoopConfig {
        dupacks: 3,
        ..SnoopConfig::default()
    });
    s.data(1..=6);
    s.passes(2); // 2 is lost
    s.passes(2);
    s.passes(2);
    s.is_repaired(2);
    s.is_suppressed(2); // the answer to 6, the last one expected
    s.passes(7);
}

#[test]
fn what_has_no_room_in_the_cache_is_left_to_the_sender() {
    let mut s = Script::new(SnoopConfig {
        cache: Some(2),
        ..SnoopConfig::default()
    });
    s.data(1..=5);
    assert_eq!(s.agent.cached(), 2);
    s.passes(3); // 3 is lost, and was not kept
    s.passes(3);
    s.passes(3);
    s.passes(3);
    assert_eq!(s.agent.counters(), Counters::default());
}

#[test]
fn selective_acks_are_dupacks_as_any_but_reports_of_duplicates_are_none() {
    let mut s = Script::new(SnoopConfig::default());
    s.data(1..=5);
    s.passes(2); // 2 is lost
    s.answer(ack_with(2, 3, 3), Verdict::Suppress, Some(2));
    s.answer(ack_with(2, 3, 4), Verdict::Suppress, None);
    s.answer(ack_with(6, 5, 5), Verdict::Forward, None);
    s.data([6, 7]);
    // Segment 5 came twice: the sender must hear of it, and nothing is missing.
    s.answer(ack_with(6, 5, 5), Verdict::Forward, None);
}

#[test]
fn a_change_of_the_window_is_no_dupack() {
    let mut s = Script::new(SnoopConfig::default());
    s.data(1..=3);
    s.passes(2);
    let update = Segment {
        window: 50 * MSS,
        ..ack(2)
    };
    s.answer(update, Verdict::Forward, None);
    s.answer(update, Verdict::Suppress, Some(2));
}

#[test]
fn before_any_data_everything_passes() {
    let mut s = Script::new(SnoopConfig::default());
    s.passes(1);
    s.passes(1);
    s.data([]);
    assert_eq!(s.agent.next_timer(), None);
}
