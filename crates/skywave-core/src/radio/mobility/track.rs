//! Movement that a scenario writes down, as ns-2's `setdest` commands mean it.

use super::{Leg, Position};
use crate::time::Time;

/// Movement of a station by commands: the place where it starts, and the places where it is told to go.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Track {
    /// Place of the station until its first command.
    pub start: Position,
    /// Commands to move, in the order of their times.
    pub commands: Vec<Command>,
}

/// Command to a station to go straight to a place, from wherever it is then; ends the previous command.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Command {
    /// Time from which the station follows the command.
    pub at: Time,
    /// Place to which the station goes, to rest there.
    pub to: Position,
    /// Speed in metres a second; 0 makes the station stop.
    pub speed: f64,
}

/// A station that moves by the commands of a [`Track`].
#[derive(Clone, Debug)]
pub struct TrackFollower {
    leg: Leg,
    commands: Vec<Command>,
    /// Commands that were given.
    given: usize,
}

impl TrackFollower {
    /// A station at the start of `track`, before its first command.
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
