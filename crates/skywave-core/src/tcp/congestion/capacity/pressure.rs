//! Congestion that goes on although the window was cut to what the path seemed to carry.
//!
//! The largest rates of several senders add up to more than their path carries, so that a shared buffer of less
//! than a BDP would stay full if each of them insisted on its own. So a cut to the BDP is tried once: if the next
//! round trip finds a long queue and a loss again, the floor falls, as the window of CUBIC would.

/// Losses that are no more round trips apart than this follow each other: the first one sees what a cut has done
/// after a round trip, and a round trip may be lost on the way.
const PAUSE: u64 = 2;
/// A round trip that loses more than a channel would may be chance; two in a row are not.
const OVERLOADED_ROUNDS: u32 = 2;

/// How far the floor of the window has fallen.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pressure {
    /// Round trip of the latest loss with a long queue.
    latest: u64,
    relief: f64,
    /// Round trips in a row that lost more than a channel would.
    overloads: u32,
}

impl Default for Pressure {
    fn default() -> Self {
        Self {
            latest: 0,
            relief: 1.0,
            overloads: 0,
        }
    }
}

impl Pressure {
    /// A round trip is over.
    pub(super) fn on_round(&mut self, loses_too_much: bool) {
        self.overloads = if loses_too_much {
            self.overloads + 1
        } else {
            0
        };
    }

    /// Too much is lost to be a channel's doing, whatever the queue.
    pub(super) fn is_overloaded(self) -> bool {
        self.overloads >= OVERLOADED_ROUNDS
    }

    /// A loss found a long queue in this round trip. The floor falls to `part` of it if the round trips before
    /// had such a loss as well.
    pub(super) fn on_congestion(&mut self, round: u64, part: f64) {
        self.relief = if self.goes_on(round) {
            self.relief * part
        } else {
            1.0
        };
        self.latest = round;
    }

    /// The part of the floor that is left.
    pub(super) fn relief(self, round: u64) -> f64 {
        if self.goes_on(round) {
            self.relief
        } else {
            1.0
        }
    }

    fn goes_on(self, round: u64) -> bool {
        self.latest > 0 && round <= self.latest + PAUSE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_floor_falls_while_losses_with_a_queue_follow_each_other() {
        let mut pressure = Pressure::default();
        pressure.on_congestion(10, 0.5);
        assert_eq!(pressure.relief(10), 1.0, "the first cut is to the floor");
        pressure.on_congestion(12, 0.5);
        pressure.on_congestion(13, 0.5);
        assert_eq!(pressure.relief(13), 0.25);
        assert_eq!(pressure.relief(15), 0.25);
        assert_eq!(pressure.relief(16), 1.0, "it is over");
        pressure.on_congestion(16, 0.5);
        assert_eq!(pressure.relief(16), 1.0);
    }

    #[test]
    fn two_round_trips_in_a_row_are_an_overload() {
        let mut pressure = Pressure::default();
        pressure.on_round(true);
        assert!(!pressure.is_overloaded());
        pressure.on_round(true);
        assert!(pressure.is_overloaded());
        pressure.on_round(false);
        assert!(!pressure.is_overloaded());
    }
}
