//! Packets that a link carries if there is always one to send.

use super::config::LinkConfig;
use super::discipline::QueueConfig;
use super::{DropCause, Fate, Link, TimedLink};
use crate::time::{Duration, Time};
use crate::units::Limit;

/// After a packet that is lost before it uses the link, the next one comes after this part of a packet's time, and
/// so many packets wait that no such gap leaves the link idle.
const GAP: u64 = 4;
const WAITING: u32 = 128;

/// Number of undamaged packets of `size` bytes that come out of a link from `start` to `end` if from time zero on it
/// always has one to send; duplicates do not count, and `config.queue` does not matter. `name` and `seed` name the
/// random streams, as those of a [`Link`].
pub fn filled(
    config: &LinkConfig,
    seed: u64,
    name: &str,
    size: u32,
    (start, end): (Time, Time),
) -> u64 {
    let mut packets = 0;
    arrivals(config, seed, name, size, end, |at| {
        packets += u64::from(at >= start);
    });
    packets
}

/// Numbers of undamaged packets of `size` bytes that come out of a link if it always has one to send, in bins of
/// `width` from time zero to `end`, which cuts the last bin: that one has no length, and no packets, if `width` divides
/// `end`. Duplicates do not count, and `config.queue` does not matter. `name` and `seed` name the random streams, as
/// those of a [`Link`].
pub fn filled_bins(
    config: &LinkConfig,
    seed: u64,
    name: &str,
    size: u32,
    (width, end): (Duration, Time),
) -> Vec<u64> {
    let width = width.as_nanos().max(1);
    let bin = |at: Time| (at.since(Time::ZERO).as_nanos() / width) as usize;
    let mut bins = vec![0; bin(end) + 1];
    arrivals(config, seed, name, size, end, |at| bins[bin(at)] += 1);
    bins
}

/// Calls `arrive` with the time of each whole packet that arrives before `end`.
fn arrivals(
    config: &LinkConfig,
    seed: u64,
    name: &str,
    size: u32,
    end: Time,
    mut arrive: impl FnMut(Time),
) {
    let config = LinkConfig {
        queue: QueueConfig::DropTail(Limit::Packets(WAITING)),
        ..config.clone()
    };
    let (packet, _) = config.allowed_rate().transmission_time(u64::from(size), 0);
    let gap = Duration::from_nanos((packet.as_nanos() / GAP).max(1));
    let counts = |fate: Fate| {
        if let Fate::Arrives {
            at, corrupt: false, ..
        } = fate
            && at < end
        {
            arrive(at);
        }
    };
    if config.needs_time() {
        fill_timed(TimedLink::new(config, seed, name), size, end, gap, counts);
    } else {
        fill(Link::new(config, seed, name), size, end, gap, counts);
    }
}

fn fill(mut link: Link, size: u32, end: Time, gap: Duration, mut counts: impl FnMut(Fate)) {
    let mut now = Time::ZERO;
    while now < end {
        let fate = link.send(now, size);
        counts(fate);
        match fate {
            // The queue is full: when the first half has left it is time for more.
            Fate::Dropped(DropCause::Queue) => {
                let half = link.leaving().nth(WAITING as usize / 2);
                now = half.unwrap_or(now + gap);
            }
            Fate::Dropped(DropCause::Early | DropCause::Policed | DropCause::Channel) => {
                now += gap;
            }
            Fate::Dropped(DropCause::Blackout) | Fate::Arrives { .. } => {}
        }
    }
}

fn fill_timed(
    mut link: TimedLink,
    size: u32,
    end: Time,
    gap: Duration,
    mut counts: impl FnMut(Fate),
) {
    let mut now = Time::ZERO;
    while now < end {
        // The packets are all alike: nobody asks which one it is.
        match link.offer(now, 0, size) {
            Some(DropCause::Queue) => now = link.next_time().unwrap_or(now + gap).max(now),
            Some(_) => now += gap,
            None => {}
        }
        link.on_time(now);
        while let Some(settled) = link.poll() {
            counts(settled.fate);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::link::{
        Arq, Blackout, CoDelConfig, LossAt, LossConfig, PeriodicConfig, Policer, Service, Shaper,
        StepValues, Steps, Trace,
    };
    use crate::units::Rate;

    const MEGABIT: u64 = 1_000_000;

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_millis(ms)
    }

    fn rate(mbps: u64) -> Rate {
        Rate::from_bps(mbps * MEGABIT)
    }

    /// A link of 12 Mb/s and 20 ms: a packet of 1500 bytes a millisecond.
    fn plain() -> LinkConfig {
        let queue = QueueConfig::DropTail(Limit::Packets(4));
        LinkConfig::new(rate(12), Duration::from_millis(20), queue)
    }

    /// Asserts that the link carries this share of the 10,000 packets that fit into the seconds 10
    /// to 20, to 0.1 %.
    fn is(config: &LinkConfig, share: f64) {
        let packets = filled(config, 1, "link", 1500, (at(10_000), at(20_000)));
        let carried = packets as f64 / 10_000.0;
        assert!((carried - share).abs() < 1e-3, "{carried} is not {share}");
    }

    fn every_twentieth() -> Vec<LossConfig> {
        vec![LossConfig::Periodic(PeriodicConfig {
            every: 20,
            first: Some(20),
        })]
    }

    #[test]
    fn a_link_carries_its_rate_whatever_it_loses_before_it_sends() {
        is(&plain(), 1.0);
        is(
            &LinkConfig {
                loss: vec![LossConfig::Iid(0.25)],
                ..plain()
            },
            1.0,
        );
        let codel = QueueConfig::CoDel(CoDelConfig::new(Limit::Packets(1000)));
        is(
            &LinkConfig {
                queue: codel,
                loss: every_twentieth(),
                ..plain()
            },
            1.0,
        );
        is(
            &LinkConfig {
                loss: vec![LossConfig::Iid(1.0)],
                ..plain()
            },
            0.0,
        );
    }

    #[test]
    fn what_is_lost_after_its_transmission_is_not_carried() {
        let loss = every_twentieth();
        is(
            &LinkConfig {
                loss: loss.clone(),
                loss_at: LossAt::Tail,
                ..plain()
            },
            0.95,
        );
        // It takes as many transmissions if the link repairs it.
        is(
            &LinkConfig {
                loss,
                arq: Some(Arq::default()),
                ..plain()
            },
            0.95,
        );
        is(
            &LinkConfig {
                corruption: 1.0,
                ..plain()
            },
            0.0,
        );
    }

    #[test]
    fn policers_shapers_steps_and_blackouts_take_their_parts() {
        let policer = Policer {
            rate: rate(6),
            burst: 30_000,
        };
        is(
            &LinkConfig {
                policer: Some(policer),
                ..plain()
            },
            0.5,
        );
        is(
            &LinkConfig {
                policer: Some(policer),
                arq: Some(Arq::default()),
                ..plain()
            },
            0.5,
        );
        let shaper = Shaper {
            rate: rate(3),
            burst: 30_000,
        };
        is(
            &LinkConfig {
                shaper: Some(shaper),
                ..plain()
            },
            0.25,
        );
        let share = Some(StepValues::InTurn(vec![1.0, 0.5]));
        let steps = Steps {
            every: Duration::from_secs(1),
            share,
            delay: None,
        };
        is(
            &LinkConfig {
                steps: Some(Arc::new(steps)),
                ..plain()
            },
            0.75,
        );
        let blackouts = vec![Blackout {
            start: at(12_000),
            end: at(13_000),
        }];
        is(
            &LinkConfig {
                blackouts,
                ..plain()
            },
            0.9,
        );
    }

    #[test]
    fn a_trace_gives_its_opportunities_however_they_lie() {
        // Fifty at once, every tenth of a second.
        let lines = (1..=10).flat_map(|tenth| std::iter::repeat_n(100 * tenth, 50));
        let text: Vec<String> = lines.map(|ms| ms.to_string()).collect();
        let trace = Trace::parse(&text.join("\n")).unwrap();
        let service = Service::Trace(Arc::new(trace));
        is(&LinkConfig { service, ..plain() }, 0.5);
    }
}
