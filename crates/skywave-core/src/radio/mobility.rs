//! How stations move.
//!
//! A position is computed when it is asked for: nothing happens on the way.

mod random_waypoint;
mod setdest;
mod track;

pub use random_waypoint::{RandomWaypoint, RandomWaypointConfig};
pub use setdest::{Movements, SetdestError, SetdestErrorKind, parse_setdest};
pub use track::{Command, Track, TrackFollower};

use super::Position;
use crate::time::{Duration, Time};

/// Movement of a station, which gives its place at any time.
#[derive(Clone, Debug)]
pub enum Mobility {
    /// Always at the same place.
    Fixed(Position),
    /// Moves as the commands of a scenario or of a movement file say.
    Track(TrackFollower),
    /// Moves by the random waypoint model.
    RandomWaypoint(RandomWaypoint),
}

impl Mobility {
    /// Position of the station at `now`, which must not decrease from call to call; an earlier time gives a position on
    /// the present straight leg.
    pub fn position(&mut self, now: Time) -> Position {
        match self {
            Self::Fixed(position) => *position,
            Self::Track(track) => track.position(now),
            Self::RandomWaypoint(random) => random.position(now),
        }
    }

    /// True if the station never moves.
    pub fn is_fixed(&self) -> bool {
        match self {
            Self::Fixed(_) => true,
            Self::Track(track) => track.is_fixed(),
            Self::RandomWaypoint(_) => false,
        }
    }
}

/// A straight way at constant speed, and then rest.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
struct Leg {
    from: Position,
    to: Position,
    /// Metres from one to the other.
    length: f64,
    /// Metres a second.
    speed: f64,
    start: Time,
    end: Time,
}

impl Leg {
    /// Rest.
    fn rest(at: Position) -> Self {
        Self {
            from: at,
            to: at,
            ..Self::default()
        }
    }

    /// From `start` on to `to`, in metres a second; without speed the station stays.
    fn new(from: Position, to: Position, start: Time, speed: f64) -> Self {
        let to = if speed > 0.0 { to } else { from };
        let length = from.distance(to);
        let end = start + Duration::from_secs_f64(length / speed);
        Self {
            from,
            to,
            length,
            speed,
            start,
            end,
        }
    }

    fn position(&self, now: Time) -> Position {
        if now >= self.end {
            return self.to;
        }
        let passed = now.since(self.start).as_secs_f64();
        let part = (passed * self.speed / self.length).min(1.0);
        Position {
            x: self.from.x + (self.to.x - self.from.x) * part,
            y: self.from.y + (self.to.y - self.from.y) * part,
        }
    }
}

#[cfg(test)]
mod tests;
