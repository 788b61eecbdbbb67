//! The random waypoint model (Johnson and Maltz 1996): rest, choose a place and a speed, go there.
//!
//! Starts are uniform over the area, with a pause, as ns-2's and ns-3's are. That is not the
//! distribution in the long run: stations crowd in the middle and, with low speeds allowed, slow down
//! on average (Yoon, Liu and Noble 2003). Leave the first minutes out of what is measured.

use super::{Leg, Position};
use crate::rng::Stream;
use crate::time::{Duration, Time};

/// Shortest leg, so that time goes on however small the area is.
const SHORTEST_LEG: Duration = Duration::from_millis(1);

/// Parameters of random waypoint mobility.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RandomWaypointConfig {
    /// Corner of the stations' area opposite the origin; the area is the rectangle between the two.
    pub corner: Position,
    /// Least speed in metres a second, above 0: at speed 0 a station would never arrive.
    pub min_speed: f64,
    /// Greatest speed in metres a second.
    pub max_speed: f64,
    /// Time for which a station rests before each move.
    pub pause: Duration,
}

/// A station in random waypoint mobility: rests, chooses a place and a speed at random, and goes there.
#[derive(Clone, Debug)]
pub struct RandomWaypoint {
    config: RandomWaypointConfig,
    stream: Stream,
    leg: Leg,
}

impl RandomWaypoint {
    /// A station that rests at a random place of its area; `seed` and `station` name its random stream.
    pub fn new(config: RandomWaypointConfig, seed: u64, station: &str) -> Self {
        let mut stream = Stream::named(seed, station, "mobility");
        let leg = Leg::rest(place(&mut stream, config.corner));
        Self {
            config,
            stream,
            leg,
        }
    }

    pub(super) fn position(&mut self, now: Time) -> Position {
        loop {
            let start = self.leg.end + self.config.pause;
            if now < start || start == Time::MAX {
                return self.leg.position(now);
            }
            let (from, to) = (self.leg.to, place(&mut self.stream, self.config.corner));
            let (min, max) = (self.config.min_speed, self.config.max_speed);
            let speed = self.stream.uniform(min, max);
            self.leg = Leg::new(from, to, start, speed);
            self.leg.end = self.leg.end.max(start + SHORTEST_LEG);
        }
    }
}

/// Uniform over the area.
fn place(stream: &mut Stream, corner: Position) -> Position {
    Position {
        x: stream.uniform(0.0, corner.x),
        y: stream.uniform(0.0, corner.y),
    }
}
