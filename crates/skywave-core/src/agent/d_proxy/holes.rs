//! Holes in the data: ranges below the highest position seen that have not come.

use std::collections::VecDeque;

use crate::time::{Duration, Time};

/// A range that has not come.
#[derive(Clone, Copy, Debug)]
pub(super) struct Missing {
    pub(super) start: u64,
    pub(super) end: u64,
    /// When the segment after it came.
    pub(super) found: Time,
    /// When it was first asked for; `None` after the first answer, and when it was asked for again (Karn's rule).
    asked: Option<Time>,
    /// When it is to be asked for again.
    pub(super) again_at: Time,
    /// How often it was asked for again without an answer.
    pub(super) asked_again: u32,
}

/// The change that an arrival makes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Found {
    /// Whether some of the segment is new.
    pub(super) is_new: bool,
    /// A hole before the segment that was not known.
    pub(super) hole: Option<(u64, u64)>,
}

/// Ranges that have not come, in the order of their positions, which is also that of their `found`.
#[derive(Clone, Debug)]
pub(super) struct Holes {
    missing: VecDeque<Missing>,
    /// End of what has come.
    seen: u64,
}

impl Holes {
    pub(super) fn new(seen: u64) -> Self {
        Self {
            missing: VecDeque::new(),
            seen,
        }
    }

    /// Where the first hole begins, or else the end of what has come.
    pub(super) fn next(&self) -> u64 {
        self.first().map_or(self.seen, |first| first.start)
    }

    pub(super) fn first(&self) -> Option<&Missing> {
        self.missing.front()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Missing> {
        self.missing.iter()
    }

    /// The time from the request for the first of these positions that are missing to their arrival now, if it is a
    /// sample of the round trip.
    pub(super) fn sample(&self, now: Time, start: u64, end: u64) -> Option<Duration> {
        let place = self.missing.partition_point(|missing| missing.end <= start);
        let hit = self
            .missing
            .get(place)
            .filter(|missing| missing.start < end)?;
        Some(now.since(hit.asked?))
    }

    /// A segment with these positions comes. The holes that it leaves or cuts are asked for again at `again_at`.
    pub(super) fn arrive(&mut self, now: Time, start: u64, end: u64, again_at: Time) -> Found {
        let mut found = Found::default();
        if start > self.seen {
            found.hole = Some((self.seen, start));
            self.missing.push_back(Missing {
                start: self.seen,
                end: start,
                found: now,
                asked: Some(now),
                again_at,
                asked_again: 0,
            });
        }
        found.is_new = end > self.seen;
        self.seen = self.seen.max(end);
        found.is_new |= self.cut(start, end, |rest| {
            (rest.asked, rest.again_at, rest.asked_again) = (None, again_at, 0);
        });
        found
    }

    /// Nobody waits for these positions any more. Whether somebody did.
    pub(super) fn give_up(&mut self, start: u64, end: u64) -> bool {
        self.cut(start, end, |_| {})
    }

    /// A hole that is to be asked for again by `now`. It waits for the next answer for as long as `wait` says of the
    /// number of requests without one.
    pub(super) fn ask_again(
        &mut self,
        now: Time,
        wait: impl Fn(u32) -> Duration,
    ) -> Option<(u64, u64)> {
        let missing = self.missing.iter_mut().find(|m| m.again_at <= now)?;
        missing.asked = None;
        missing.asked_again = missing.asked_again.saturating_add(1);
        missing.again_at = now + wait(missing.asked_again);
        Some((missing.start, missing.end))
    }

    /// Takes these positions out of all holes; `rest` changes what is left of those that it cuts.
    fn cut(&mut self, start: u64, end: u64, rest: impl Fn(&mut Missing)) -> bool {
        let mut place = self.missing.partition_point(|missing| missing.end <= start);
        let mut was_cut = false;
        while let Some(&whole) = self.missing.get(place)
            && whole.start < end
            && start < end
        {
            was_cut = true;
            self.missing.remove(place);
            let before = Missing {
                end: start,
                ..whole
            };
            let after = Missing {
                start: end,
                ..whole
            };
            for mut part in [before, after] {
                if part.start < part.end {
                    rest(&mut part);
                    self.missing.insert(place, part);
                    place += 1;
                }
            }
        }
        was_cut
    }
}
