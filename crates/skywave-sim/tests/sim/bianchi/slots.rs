//! DCF slot by slot: what Bianchi's model approximates, without its assumption that each attempt
//! collides with the same probability.

use skywave_core::rng::Stream;

use super::model::{Backoff, Channel, Saturation};

struct Station {
    window: u32,
    failures: u32,
    /// Idle slots until it transmits.
    slots: u32,
}

/// Simulates saturated stations until there were `attempts` attempts.
pub(super) fn count(
    backoff: Backoff,
    channel: Channel,
    stations: u32,
    attempts: u64,
) -> Saturation {
    let mut rng = Stream::named(1, "slots", "backoff");
    let mut draw = |window: u32| rng.uniform_int(0, u64::from(window)) as u32;
    let station = |_| Station {
        window: backoff.cw_min,
        failures: 0,
        slots: draw(backoff.cw_min),
    };
    let mut all: Vec<_> = (0..stations).map(station).collect();
    let (mut time, mut successes, mut collided) = (0.0, 0, 0);
    while successes + collided < attempts {
        let idle = all.iter().map(|s| s.slots).min().expect("some station");
        time += f64::from(idle) * channel.slot;
        for station in &mut all {
            station.slots -= idle;
        }
        let sending = all.iter().filter(|station| station.slots == 0).count();
        let alone = sending == 1;
        if alone {
            successes += 1;
            time += channel.success;
        } else {
            collided += sending as u64;
            time += channel.collision;
        }
        // A station that has only listened keeps its remaining slots, of which it has at least one.
        for station in all.iter_mut().filter(|station| station.slots == 0) {
            station.failures += 1;
            if alone || backoff.attempts == Some(station.failures) {
                station.failures = 0;
                station.window = backoff.cw_min;
            } else {
                station.window = (station.window * 2 + 1).min(backoff.cw_max);
            }
            // A station that waits in vain for an answer is a slot later than the others.
            station.slots = draw(station.window) + u32::from(!alone);
        }
    }
    Saturation {
        throughput: successes as f64 * channel.payload / time,
        collisions: collided as f64 / (successes + collided) as f64,
    }
}
