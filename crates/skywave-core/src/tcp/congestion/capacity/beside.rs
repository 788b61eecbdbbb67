//! Beside others: CUBIC, for which only losses at a long queue count, and that looks from time to time whether
//! it is alone again.

use super::super::cubic::{Cubic, CubicConfig};

/// Round trips without a queue after which there may be no others, ...
const QUIET: u32 = 8;
/// ... and from one look to the next, twice as many whenever being alone was a mistake, up to the last number.
const PATIENCE: u64 = 16;
const LONGEST_PATIENCE: u64 = 128;
/// A look takes this many round trips, ...
const LOOK: u64 = 2;
/// Being alone for fewer calm cycles than this was a mistake.
const FEW_CYCLES: u32 = 6;

/// Evidence of being alone, in round trips.
#[derive(Clone, Copy, Debug)]
pub(super) struct Beside {
    quiet: u32,
    looked: u64,
    looks_until: Option<u64>,
    patience: u64,
}

/// CUBIC with Linux' constants, as those beside it have.
pub(super) fn cubic() -> Cubic {
    Cubic::new(CubicConfig {
        alpha_one: false,
        ..CubicConfig::DEFAULT
    })
}

impl Default for Beside {
    fn default() -> Self {
        Self {
            quiet: 0,
            looked: 0,
            looks_until: None,
            patience: PATIENCE,
        }
    }
}

impl Beside {
    /// Starts competing with other flows in round trip `round`, after `calm` cycles alone.
    pub(super) fn begin(&mut self, round: u64, calm: u32) {
        *self = Self {
            quiet: 0,
            looked: round,
            looks_until: None,
            patience: if calm < FEW_CYCLES {
                (self.patience * 2).min(LONGEST_PATIENCE)
            } else {
                PATIENCE
            },
        };
    }

    /// A round trip is over, with a queue or without; whether nobody else seems to be there.
    pub(super) fn on_round(&mut self, round: u64, has_queue: bool) -> bool {
        if let Some(until) = self.looks_until {
            if !has_queue {
                return true;
            }
            if round >= until {
                self.looks_until = None;
                self.looked = round;
            }
            return false;
        }
        self.quiet = if has_queue { 0 } else { self.quiet + 1 };
        if self.quiet >= QUIET {
            return true;
        }
        if round >= self.looked + self.patience {
            self.looks_until = Some(round + LOOK);
        }
        false
    }

    /// Whether a look goes on, in which less is in flight.
    pub(super) fn looks(&self) -> bool {
        self.looks_until.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Round trips with a queue until it looks.
    fn patience(beside: &mut Beside, round: &mut u64) -> u64 {
        let from = *round;
        while !beside.looks() {
            *round += 1;
            assert!(!beside.on_round(*round, true));
        }
        *round - from
    }

    #[test]
    fn a_mistake_makes_it_more_patient() {
        let mut beside = Beside::default();
        for (calm, rounds) in [(9, 16), (0, 32), (5, 64), (0, 128), (0, 128), (6, 16)] {
            beside.begin(1000, calm);
            assert_eq!(patience(&mut beside, &mut 1000), rounds);
        }
    }

    #[test]
    fn a_look_in_vain_ends_and_is_repeated() {
        let (mut beside, mut round) = (Beside::default(), 1000);
        beside.begin(round, 9);
        assert_eq!(patience(&mut beside, &mut round), 16);
        while beside.looks() {
            round += 1;
            assert!(!beside.on_round(round, true));
        }
        assert_eq!(round, 1018);
        assert_eq!(patience(&mut beside, &mut round), 16);
        assert!(beside.on_round(round + 1, false), "the queue goes");
    }

    #[test]
    fn eight_round_trips_without_a_queue_need_no_look() {
        let mut beside = Beside::default();
        beside.begin(0, 9);
        let alone: Vec<bool> = (1..=8).map(|round| beside.on_round(round, false)).collect();
        assert_eq!(
            alone,
            [false, false, false, false, false, false, false, true]
        );
    }
}
