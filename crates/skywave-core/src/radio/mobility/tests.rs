use super::*;
use proptest::prelude::*;

fn seconds(s: f64) -> Time {
    Time::ZERO + Duration::from_secs_f64(s)
}

fn at(x: f64, y: f64) -> Position {
    Position { x, y }
}

fn command(s: f64, x: f64, y: f64, speed: f64) -> Command {
    Command {
        at: seconds(s),
        to: at(x, y),
        speed,
    }
}

fn follow(start: Position, commands: &[Command]) -> Mobility {
    Mobility::Track(TrackFollower::new(Track {
        start,
        commands: commands.to_vec(),
    }))
}

#[test]
fn a_track_is_followed_as_ns2_does() {
    let commands = [
        command(2.0, 110.0, 20.0, 10.0),
        command(5.0, 40.0, 120.0, 5.0),
        command(8.0, 200.0, 200.0, 0.0),
        command(12.0, 40.0, 50.0, 100.0),
        command(12.05, 40.0, 50.0, 1.0),
        command(12.1, 40.0, 50.0, 100.0),
    ];
    let mut station = follow(at(10.0, 20.0), &commands);
    assert!(!station.is_fixed());
    // The values that ns-2.35 gives for X_ and Y_ at these times.
    for (s, x, y) in [
        (2.0, 10.0, 20.0),
        (5.0, 40.0, 20.0),
        (8.0, 40.0, 35.0),
        (12.0, 40.0, 35.0),
        (12.05, 40.0, 40.0),
        (12.1, 40.0, 40.05),
        (13.9, 40.0, 50.0),
    ] {
        let error = station.position(seconds(s)).distance(at(x, y));
        assert!(error < 1e-6, "{s} s: {error} m");
    }
}

#[test]
fn a_leg_is_straight_and_even() {
    let mut station = follow(at(0.0, 0.0), &[command(1.0, 30.0, 40.0, 5.0)]);
    assert_eq!(station.position(seconds(0.5)), at(0.0, 0.0));
    assert_eq!(station.position(seconds(6.0)), at(15.0, 20.0));
    assert_eq!(station.position(seconds(11.0)), at(30.0, 40.0));
    assert_eq!(station.position(Time::MAX), at(30.0, 40.0));
}

#[test]
fn a_leg_longer_than_all_time_is_not_hurried() {
    let mut station = follow(at(0.0, 0.0), &[command(1.0, 30.0, 40.0, 1e-300)]);
    assert!(station.position(seconds(1e10)).distance(at(0.0, 0.0)) < 1e-9);
}

#[test]
fn only_stations_without_commands_are_fixed() {
    let mut fixed = Mobility::Fixed(at(1.0, 2.0));
    assert!(fixed.is_fixed());
    assert_eq!(fixed.position(seconds(1e6)), at(1.0, 2.0));
    assert!(follow(at(1.0, 2.0), &[]).is_fixed());
}

const WALK: RandomWaypointConfig = RandomWaypointConfig {
    corner: Position {
        x: 1000.0,
        y: 500.0,
    },
    min_speed: 1.0,
    max_speed: 20.0,
    pause: Duration::from_secs(2),
};

fn walk(config: RandomWaypointConfig, seed: u64, station: &str) -> Mobility {
    Mobility::RandomWaypoint(RandomWaypoint::new(config, seed, station))
}

#[test]
fn random_waypoint_rests_moves_and_stays_inside() {
    let mut station = walk(WALK, 1, "station.0");
    let step = 0.1;
    let (mut rests, mut moves) = (0, 0);
    let mut before = station.position(Time::ZERO);
    for n in 1..1_000_000 {
        let here = station.position(seconds(f64::from(n) * step));
        assert!((0.0..=1000.0).contains(&here.x) && (0.0..=500.0).contains(&here.y));
        let speed = before.distance(here) / step;
        assert!(speed <= 20.0 + 1e-6, "{speed} m/s");
        if speed == 0.0 {
            rests += 1;
        } else {
            moves += 1;
        }
        before = here;
    }
    // A leg of 1000 m by 500 m is 402.4 m long on average (Ghosh 1951), and one metre of it takes ln 20 /
    // 19 s. A rest lasts 2 s, less the step in which the station leaves.
    let share = f64::from(rests) / f64::from(rests + moves);
    let expected = (2.0 - step) / (2.0 + 402.4 * libm::log(20.0) / 19.0);
    assert!(
        (share / expected - 1.0).abs() < 0.05,
        "{share}, not {expected}"
    );
}

#[test]
fn random_waypoint_does_not_depend_on_when_it_is_asked() {
    let [mut often, mut seldom] = [0, 1].map(|_| walk(WALK, 7, "station.3"));
    for n in 0..2000 {
        let now = seconds(f64::from(n) * 0.37);
        let here = often.position(now);
        if n % 131 == 0 {
            assert_eq!(seldom.position(now), here);
        }
    }
    let place = |seed, station| walk(WALK, seed, station).position(seconds(100.0));
    assert_eq!(place(7, "station.3"), place(7, "station.3"));
    assert_ne!(place(7, "station.3"), place(8, "station.3"));
    assert_ne!(place(7, "station.3"), place(7, "station.4"));
}

#[test]
fn no_configuration_hangs() {
    for (corner, speed) in [
        (at(0.0, 0.0), 1.0),
        (at(1.0, 1.0), f64::MAX),
        (at(1.0, 1.0), 0.0),
        (at(1.0, 1.0), f64::NAN),
    ] {
        let config = RandomWaypointConfig {
            corner,
            min_speed: speed,
            max_speed: speed,
            pause: Duration::ZERO,
        };
        let here = walk(config, 1, "station.0").position(seconds(100.0));
        assert!(here.x.is_finite() && here.y.is_finite());
    }
}

proptest! {
    #[test]
    fn nothing_moves_faster_than_told(
        commands in prop::collection::vec((0.0..100.0f64, -1e3..1e3f64, -1e3..1e3f64, 0.0..30.0f64), 0..8),
        mut times in prop::collection::vec(0.0..200.0f64, 2..20),
    ) {
        let mut commands: Vec<_> = commands
            .into_iter()
            .map(|(s, x, y, speed)| command(s, x, y, speed))
            .collect();
        commands.sort_by_key(|command| command.at);
        let fastest = commands.iter().map(|c| c.speed).fold(0.0, f64::max);
        let mut station = follow(at(0.0, 0.0), &commands);
        times.sort_by(f64::total_cmp);
        let places: Vec<_> = times.iter().map(|&s| station.position(seconds(s))).collect();
        for (places, times) in places.windows(2).zip(times.windows(2)) {
            let metres = places[0].distance(places[1]);
            prop_assert!(metres <= fastest * (times[1] - times[0]) + 1e-3, "{metres} m");
        }
    }
}
