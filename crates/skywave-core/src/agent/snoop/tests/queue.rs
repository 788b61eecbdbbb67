//! Drops of the queue that follows the agent.

use super::*;

impl Script {
    /// The queue has no room for this segment.
    fn dropped(&mut self, n: u64) {
        self.agent.on_drop(&data(n));
    }
}

#[test]
fn what_its_queue_drops_is_the_senders_to_repair() {
    let mut s = Script::new(SnoopConfig::default());
    s.data(1..=3);
    s.dropped(3);
    s.data([4, 5]);
    assert_eq!(s.agent.cached(), 4);
    s.passes(3);
    s.passes(3);
    s.passes(3);
    assert_eq!(s.agent.counters(), Counters::default());
    s.data([3]); // the sender repairs it
    s.passes(6);
}

#[test]
fn above_the_queue_it_repairs_drops_as_any_loss() {
    let mut s = Script::new(SnoopConfig::original());
    s.data(1..=3);
    s.dropped(3);
    s.data([4, 5]);
    s.passes(3);
    s.is_repaired(3);
    s.is_suppressed(3);
}

#[test]
fn what_is_dropped_does_not_answer() {
    let mut s = Script::new(SnoopConfig::default());
    s.data(1..=4);
    s.passes(2); // 2 is lost
    s.data([5]);
    s.dropped(5);
    s.is_repaired(2); // the answer to 3; the repair is lost
    s.is_suppressed(2); // to 4
    s.data([6]);
    s.is_repaired(2); // to 6: none of 5 is expected
}

#[test]
fn a_repair_that_is_dropped_is_asked_for_again() {
    let mut s = Script::new(SnoopConfig::default());
    s.data(1..=5);
    s.passes(2); // 2 is lost
    s.is_repaired(2); // the answer to 3
    s.dropped(2);
    s.is_repaired(2); // to 4
    s.is_suppressed(2); // to 5
    s.passes(6);
}

#[test]
fn a_needless_copy_that_is_dropped_has_no_answer() {
    let mut s = Script::new(SnoopConfig::default());
    s.data(1..=3);
    s.passes(3);
    s.data([1]);
    s.dropped(1);
    s.data([4]);
    s.is_repaired(3);
}
