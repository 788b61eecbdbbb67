//! Losses that no delay tells of: a policer has no queue, and that of a few packets is no delay to speak of.

use crate::time::{Duration, Time};
use crate::units::Segments;

/// Share of what was sent that is too much to lose, ...
const TOO_MUCH: f64 = 0.3;
/// ... over this many round trips ...
const ROUND_TRIPS: u64 = 2;
/// ... and more segments than this.
const SEGMENTS: Segments = Segments(20.0);

/// Segments arrived and lost in the last two round trips, to tell when too much is lost.
///
/// The paper has no such rule, and without it nothing limits a window behind a policer: the queue is always empty, so
/// that it grows for ever. The authors' own program has it (`ReduceOnLoss` of genericCC).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Overload {
    since: Time,
    /// Whether too much was lost in the two round trips before these.
    before: bool,
    arrived: Segments,
    lost: Segments,
}

impl Overload {
    /// Counts newly arrived and newly lost segments. Returns whether too much was lost twice in a
    /// row.
    pub(super) fn update(
        &mut self,
        now: Time,
        srtt: Duration,
        arrived: Segments,
        lost: Segments,
    ) -> bool {
        self.arrived += arrived;
        self.lost += lost;
        let all = self.arrived + self.lost;
        if now <= self.since + srtt * ROUND_TRIPS || all <= SEGMENTS {
            return false;
        }
        let too_much = self.lost > all * TOO_MUCH;
        let lasts = too_much && self.before;
        *self = Self {
            since: now,
            before: too_much,
            ..Self::default()
        };
        lasts
    }
}
