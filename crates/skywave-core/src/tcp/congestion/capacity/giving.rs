//! How far a sender that takes itself for alone gives way, because there may be others.
//!
//! A queue of its own empties when it drains, and does not grow while it cruises. After each cycle in which it is
//! otherwise the sender goes slower by a twentieth, until the queue goes, or until it is beyond doubt: slowing by
//! a fifth empties any queue of one's own.

use super::range::Range;

/// Part of the pace that is left after a cycle with a queue, and what comes back after one without.
const GIVE: f64 = 0.95;
const BACK: f64 = 0.005;
/// Below this there are others.
const LEAST: f64 = 0.8;
/// Pace of a sender that was beside others, and finds itself alone.
const AGAIN: f64 = 0.9;
/// A queue that grows by this part of the base while the sender cruises is not its own.
const GROWTH: f64 = 1.0 / 16.0;

/// Conclusion from one cycle about other flows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Verdict {
    /// Nothing that others would be needed for.
    Calm,
    /// A queue that others may fill.
    Shared,
    /// A queue of this length, in seconds, that does not answer to what the sender does: perhaps the path has
    /// become longer.
    Still(f64),
}

/// The pace that is left, and the queue of the present cycle in seconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Giving {
    pace: f64,
    gave: bool,
    /// A loss or a mark was a reason for some of what is given.
    for_loss: bool,
    /// Part of the pace that the next calm cycle gives back.
    back: f64,
    /// Queues of its round trips so far.
    queues: Range,
    /// Two round trips after the drain.
    drained: f64,
    /// Cycles without a queue since the sender is alone.
    calm: u32,
}

impl Default for Giving {
    fn default() -> Self {
        Self {
            pace: 1.0,
            gave: false,
            for_loss: false,
            back: BACK,
            queues: Range::default(),
            drained: f64::INFINITY,
            calm: 0,
        }
    }
}

impl Giving {
    /// Alone at the start of a connection, whose queue is a reason to give way, with losses and without: all comes back with
    /// the first calm cycle, as others would have kept it from being one.
    pub(super) fn at_start() -> Self {
        Self {
            back: 1.0,
            ..Self::default()
        }
    }

    /// Alone after having been beside others.
    pub(super) fn again() -> Self {
        Self {
            pace: AGAIN,
            ..Self::default()
        }
    }

    /// A round trip had this queue.
    pub(super) fn on_round(&mut self, queue: f64) {
        self.queues = self.queues.with(queue);
    }

    /// The effect of the drain shows.
    pub(super) fn on_drained(&mut self, queue: f64) {
        self.drained = queue;
    }

    /// Lowers the pace, once a cycle at most, as other flows may have a part in the queue.
    pub(super) fn give(&mut self) {
        if !std::mem::replace(&mut self.gave, true) {
            self.pace *= GIVE;
        }
    }

    /// As [`Self::give`], because of a loss or a mark.
    pub(super) fn give_for_loss(&mut self) {
        self.for_loss = true;
        self.give();
    }

    /// Takes back what was given for queues: the path has become faster, and they were of a slower one. A queue that also
    /// lost is others', who have left room for a moment.
    pub(super) fn take_back(&mut self) {
        if !self.for_loss {
            self.pace = 1.0;
        }
    }

    /// A cycle is over whose last queue was `queue`; longer than `threshold` is a queue, on a path of `base`.
    pub(super) fn judge(&mut self, queue: f64, threshold: f64, base: f64) -> Verdict {
        let Range { low, high } = std::mem::take(&mut self.queues);
        let mut verdict = Verdict::Calm;
        if low.is_finite() {
            let varies = high - low;
            if low <= threshold {
                let before = self.drained.min(high);
                if queue > before + threshold.max(base * GROWTH) {
                    self.give();
                }
                if self.gave {
                    verdict = Verdict::Shared;
                } else {
                    self.calm += 1;
                    let back = std::mem::replace(&mut self.back, BACK);
                    self.pace = (self.pace + back).min(1.0);
                    self.for_loss &= self.pace < 1.0;
                }
            } else if varies <= threshold.min(low / 4.0).max(low / 16.0) {
                verdict = Verdict::Still(low);
            } else {
                self.give();
                verdict = Verdict::Shared;
            }
        }
        self.gave = false;
        verdict
    }

    /// The present cycle begins anew.
    pub(super) fn begin_cycle(&mut self) {
        self.queues = Range::default();
        self.gave = false;
    }

    /// Pace as a part of the path's rate, after all that was given to others; at most 1.
    pub(super) fn pace(&self) -> f64 {
        self.pace
    }

    /// Whether so much of the pace was given away that there must be other flows.
    pub(super) fn has_given_enough(&self) -> bool {
        self.pace < LEAST
    }

    /// Cycles without a queue.
    pub(super) fn calm(&self) -> u32 {
        self.calm
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::testing::assert_near;

    const THRESHOLD: f64 = 5.0;
    const BASE: f64 = 100.0;

    /// A cycle with these queues, the second of them after the drain.
    fn cycle(giving: &mut Giving, queues: &[f64]) -> Verdict {
        for (step, queue) in queues.iter().enumerate() {
            giving.on_round(*queue);
            if step == 1 {
                giving.on_drained(*queue);
            }
        }
        giving.judge(queues[queues.len() - 1], THRESHOLD, BASE)
    }

    #[test]
    fn a_cycle_that_empties_the_queue_is_calm() {
        let mut giving = Giving::default();
        assert_eq!(cycle(&mut giving, &[9.0, 1.0, 2.0, 3.0]), Verdict::Calm);
        assert_near(giving.pace(), 1.0, "pace");
    }

    #[test]
    fn a_queue_that_stays_or_grows_is_shared_once_a_cycle() {
        for queues in [[30.0, 20.0, 10.0, 8.0], [8.0, 1.0, 4.0, 8.0]] {
            let mut giving = Giving::default();
            giving.give();
            assert_eq!(cycle(&mut giving, &queues), Verdict::Shared);
            assert_near(giving.pace(), 0.95, "pace");
            assert_eq!(cycle(&mut giving, &[0.0; 4]), Verdict::Calm);
            assert_near(giving.pace(), 0.955, "pace after a calm cycle");
        }
    }

    #[test]
    fn a_faster_path_takes_back_what_was_given_for_queues_alone() {
        let mut giving = Giving::default();
        cycle(&mut giving, &[30.0, 20.0, 10.0, 8.0]);
        giving.take_back();
        assert_near(giving.pace(), 1.0, "pace after a queue");
        giving.give_for_loss();
        for _ in 0..10 {
            cycle(&mut giving, &[0.0; 4]);
            giving.take_back();
        }
        assert_near(giving.pace(), 0.995, "pace nine calm cycles after a loss");
        cycle(&mut giving, &[0.0; 4]);
        cycle(&mut giving, &[30.0, 20.0, 10.0, 8.0]);
        giving.take_back();
        assert_near(giving.pace(), 1.0, "pace when all had come back");
    }

    #[test]
    fn what_the_queue_of_the_start_took_comes_back_with_the_first_calm_cycle() {
        let mut giving = Giving::at_start();
        giving.give_for_loss();
        assert_eq!(
            cycle(&mut giving, &[90.0, 70.0, 50.0, 40.0]),
            Verdict::Shared
        );
        assert_eq!(
            cycle(&mut giving, &[40.0, 30.0, 20.0, 9.0]),
            Verdict::Shared
        );
        assert_eq!(cycle(&mut giving, &[9.0, 3.0, 2.0, 1.0]), Verdict::Calm);
        assert_near(giving.pace(), 1.0, "pace after the first calm cycle");
        giving.give();
        cycle(&mut giving, &[0.0; 4]);
        assert_eq!(cycle(&mut giving, &[0.0; 4]), Verdict::Calm);
        assert_near(giving.pace(), 0.955, "pace after a later one");
    }

    #[test]
    fn five_cycles_are_enough() {
        let mut giving = Giving::default();
        for _ in 0..4 {
            cycle(&mut giving, &[30.0, 20.0, 10.0, 8.0]);
            assert!(!giving.has_given_enough());
        }
        cycle(&mut giving, &[30.0, 20.0, 10.0, 8.0]);
        assert!(giving.has_given_enough());
    }

    #[test]
    fn a_queue_that_does_not_answer_is_still() {
        let mut giving = Giving::default();
        let verdict = cycle(&mut giving, &[41.0, 40.0, 42.0, 41.0]);
        assert_eq!(verdict, Verdict::Still(40.0));
        assert_near(giving.pace(), 1.0, "pace");
    }
}
