//! Movement that a scenario writes down, as ns-2's `setdest` commands mean it.

use super::{Leg, Position};
use crate::time::Time;

/// Where a station starts and what it is told.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Track {
    /// Where it is until it is told something.
    pub start: Position,
    /// In the order of time.
    pub commands: Vec<Command>,
}

/// To move, from wherever one is; it replaces the command before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Command {
    /// When it is given.
    pub at: Time,
    /// Where to go, and to rest then.
    pub to: Position,
    /// Metres a second; 0 is to stop.
    pub speed: f64,
}

/// A station on its track.
#[derive(Clone, Debug)]
pub struct TrackFollower {
    leg: Leg,
    commands: Vec<Command>,
    /// Commands that were given.
    given: usize,
}

impl TrackFollower {
    /// At the start of a track.
    pub fn new(track: Track) -> Self {
        Self {
            leg: Leg::rest(track.start),
            commands: track.commands,
            given: 0,
        }
    }

    pub(super) fn is_fixed(&self) -> bool {
        self.commands.is_empty()
    }

    pub(super) fn position(&mut self, now: Time) -> Position {
        while let Some(command) = self.commands.get(self.given)
            && command.at <= now
        {
            let here = self.leg.position(command.at);
            self.leg = Leg::new(here, command.to, command.at, command.speed);
            self.given += 1;
        }
        self.leg.position(now)
    }
}
