//! The local timer, which is optional.

use super::*;

fn with_timer() -> Script {
    Script::new(SnoopConfig {
        timeout: Some(LocalTimeout::default()),
        ..SnoopConfig::default()
    })
}

impl Script {
    #[track_caller]
    fn timer_is_due_in(&self, ms: u64) {
        let due = self.now + Duration::from_millis(ms);
        assert_eq!(self.agent.next_timer(), Some(due));
    }

    /// The timer expires now and has the agent send segment `n` again.
    #[track_caller]
    fn expires(&mut self, n: u64) {
        self.agent.on_timer(self.now);
        assert_eq!(self.repaired(), Some(n));
    }
}

#[test]
fn there_is_no_timer_by_default() {
    let mut s = Script::new(SnoopConfig::default());
    s.data([1, 2]);
    s.wait(400);
    s.passes(2);
    assert_eq!(s.agent.next_timer(), None);
}

#[test]
fn the_last_segment_is_sent_again_after_two_round_trips() {
    let mut s = with_timer();
    s.data([1, 2]);
    assert_eq!(s.agent.next_timer(), None, "no sample yet");
    s.wait(400);
    s.passes(2);
    s.timer_is_due_in(800);
    s.wait(799);
    s.agent.on_timer(s.now);
    assert_eq!(s.repaired(), None, "too early");
    s.wait(1);
    s.expires(2);
    assert_eq!(s.agent.counters().timeouts, 1);
    s.passes(3);
    assert_eq!(s.agent.next_timer(), None, "nothing is outstanding");
}

#[test]
fn it_doubles_until_there_is_progress() {
    let mut s = with_timer();
    s.data([1, 2, 3]);
    s.wait(400);
    s.passes(2);
    for ms in [800, 1600, 3200, 6400, 12_800, 25_600, 51_200, 51_200] {
        s.timer_is_due_in(ms);
        s.wait(ms);
        s.expires(2);
    }
    s.passes(3);
    // The repaired segment is no sample of the round trip (Karn).
    s.timer_is_due_in(800);
}

#[test]
fn it_is_at_least_200_ms() {
    let mut s = with_timer();
    s.data([1, 2]);
    s.wait(10);
    s.passes(2);
    s.timer_is_due_in(200);
}

#[test]
fn without_a_smallest_wait_it_is_at_least_1_ms() {
    let mut s = Script::new(SnoopConfig {
        timeout: Some(LocalTimeout {
            rtts: 1e-9,
            min: Duration::ZERO,
        }),
        ..SnoopConfig::default()
    });
    s.data([1, 2]);
    s.passes(2);
    s.timer_is_due_in(1);
}

#[test]
fn the_round_trip_is_smoothed() {
    let mut s = with_timer();
    s.data([1]);
    s.wait(400);
    s.passes(2);
    s.data([2]);
    s.wait(1200);
    s.passes(3);
    s.data([3]);
    s.timer_is_due_in(2 * (7 * 400 + 1200) / 8);
}

#[test]
fn after_it_dupacks_that_were_on_their_way_are_expected() {
    let mut s = with_timer();
    s.data([1]);
    s.wait(100);
    s.passes(2);
    s.data([2, 3, 4]);
    s.wait(200);
    s.expires(2);
    s.is_suppressed(2); // 3 and 4 were only slow
    s.is_suppressed(2);
    s.passes(5);
}

#[test]
fn what_the_sender_sent_again_has_no_timer() {
    let mut s = with_timer();
    s.data([1, 2]);
    s.wait(400);
    s.passes(2);
    s.data([2]);
    assert_eq!(s.agent.next_timer(), None);
}
