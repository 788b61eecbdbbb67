//! A text as a movement file of ns-2 (setdest), and stations that move as it says.

use skywave_core::radio::{Mobility, TrackFollower, parse_setdest};
use skywave_core::{Duration, Time};

/// Stations that the text is about.
const STATIONS: usize = 3;
/// Times at which each is looked at.
const LOOKS: u64 = 100;

/// Reads `data` as a movement file of ns-2 (setdest). If it is one, follows the stations: none moves faster or farther
/// than the file says. Panics if one does.
pub fn run(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let found = match parse_setdest(text, STATIONS) {
        Ok(found) => found,
        Err(error) => {
            assert!(error.line >= 1 && error.line <= text.lines().count().max(1));
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    assert_eq!(found.tracks.len(), STATIONS);
    for track in found.tracks {
        let (start, commands) = (track.start, track.commands.clone());
        assert!(commands.is_sorted_by_key(|command| command.at));
        let fastest = commands.iter().map(|c| c.speed).fold(0.0, f64::max);
        // No farther from the origin along an axis than a start or an end.
        let places = || commands.iter().map(|c| c.to).chain([start]);
        let far = places()
            .flat_map(|p| [p.x.abs(), p.y.abs()])
            .fold(0.0, f64::max);
        let last = commands.last().map_or(Time::ZERO, |command| command.at);
        let step = Duration::from_nanos(last.as_nanos() / LOOKS) + Duration::from_millis(300);

        let mut station = Mobility::Track(TrackFollower::new(track));
        assert_eq!(station.is_fixed(), commands.is_empty());
        let (mut now, mut before) = (Time::ZERO, station.position(Time::ZERO));
        for _ in 0..2 * LOOKS {
            now += step;
            let here = station.position(now);
            let slack = 1e-6 * (1.0 + far);
            assert!(here.x.abs().max(here.y.abs()) <= far + slack);
            assert!(before.distance(here) <= fastest * step.as_secs_f64() + slack);
            before = here;
        }
    }
}
