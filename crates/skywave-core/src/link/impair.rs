//! Impairments of a packet between transmission and arrival, other than loss: steps of the
//! delay, jitter, reordering, damage, duplication. Each has a random stream of its own.

use super::Fate;
use super::config::{Jitter, LinkConfig};
use super::steps::SteppedDelay;
use crate::rng::Stream;
use crate::time::{Duration, Time};

/// The impairments of a link.
#[derive(Clone, Debug)]
pub(super) struct Impairments {
    steps: Option<SteppedDelay>,
    jitter: Option<(Jitter, Stream)>,
    reordering: Option<(Chance, Duration)>,
    corruption: Option<Chance>,
    duplication: Option<Chance>,
    /// Arrival of the packet before, without its extra delay for reordering: no packet may arrive
    /// earlier.
    last: Time,
}

impl Impairments {
    pub(super) fn new(config: &LinkConfig, seed: u64, name: &str) -> Self {
        let stream = |purpose| Stream::named(seed, name, purpose);
        let chance = |p, purpose| Chance::new(p, stream(purpose));
        Self {
            steps: SteppedDelay::new(config, seed, name),
            jitter: config.jitter.map(|jitter| (jitter, stream("jitter"))),
            reordering: config
                .reordering
                .and_then(|r| Some((chance(r.probability, "reordering")?, r.delay))),
            corruption: chance(config.corruption, "corruption"),
            duplication: chance(config.duplication, "duplication"),
            last: Time::ZERO,
        }
    }

    /// Packets pass as they are.
    pub(super) fn are_none(&self) -> bool {
        self.steps.is_none()
            && self.jitter.is_none()
            && self.reordering.is_none()
            && self.corruption.is_none()
            && self.duplication.is_none()
    }

    /// A packet would arrive at `at`, which must not decrease.
    pub(super) fn arrival(&mut self, mut at: Time) -> Fate {
        if let Some(steps) = &mut self.steps {
            at += steps.addition(at);
        }
        if let Some((jitter, stream)) = &mut self.jitter {
            at += jitter.draw(stream);
        }
        if self.jitter.is_some() || self.steps.is_some() {
            at = at.max(self.last);
            self.last = at;
        }
        if let Some((chance, extra)) = &mut self.reordering
            && chance.happens()
        {
            at += *extra;
        }
        Fate::Arrives {
            at,
            corrupt: happens(&mut self.corruption),
            marked: false,
            duplicate: happens(&mut self.duplication),
        }
    }
}

impl Jitter {
    fn draw(&self, stream: &mut Stream) -> Duration {
        match *self {
            Self::Uniform(low, high) => stream.uniform_duration(low, high),
            Self::Exponential(mean) => {
                Duration::from_secs_f64(stream.exponential(mean.as_secs_f64()))
            }
        }
    }
}

/// Something that happens with a fixed probability.
#[derive(Clone, Debug)]
pub(super) struct Chance(f64, Stream);

impl Chance {
    /// `None` if it never happens: then nothing need be drawn.
    pub(super) fn new(p: f64, stream: Stream) -> Option<Self> {
        (p > 0.0).then_some(Self(p, stream))
    }

    pub(super) fn happens(&mut self) -> bool {
        self.1.chance(self.0)
    }
}

fn happens(chance: &mut Option<Chance>) -> bool {
    chance.as_mut().is_some_and(Chance::happens)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::{Limit, QueueConfig, Reordering};
    use crate::units::Rate;

    const DELAY: Duration = Duration::from_millis(20);

    fn flight(change: impl FnOnce(&mut LinkConfig)) -> Impairments {
        let mut config = LinkConfig::new(
            Rate::from_bps(1_000_000),
            DELAY,
            QueueConfig::DropTail(Limit::Packets(10)),
        );
        change(&mut config);
        Impairments::new(&config, 1, "wireless")
    }

    fn ms(ms: u64) -> Time {
        Time::ZERO + Duration::from_millis(ms)
    }

    fn at(fate: Fate) -> Time {
        match fate {
            Fate::Arrives { at, .. } => at,
            Fate::Dropped(cause) => panic!("dropped: {cause:?}"),
        }
    }

    #[test]
    fn a_clean_flight_only_takes_its_delay() {
        let got = flight(|_| ()).arrival(ms(5) + DELAY);
        let want = Fate::Arrives {
            at: ms(25),
            corrupt: false,
            marked: false,
            duplicate: false,
        };
        assert_eq!(got, want);
    }

    #[test]
    fn jitter_adds_its_mean_and_keeps_the_order() {
        let five = Duration::from_millis(5);
        let ten = Duration::from_millis(10);
        for jitter in [
            Jitter::Uniform(Duration::ZERO, ten),
            Jitter::Exponential(five),
        ] {
            let mut f = flight(|c| c.jitter = Some(jitter));
            let (mut last, mut held, mut extra) = (Time::ZERO, 0, 0.0);
            for i in 0..20_000 {
                // Every second packet follows at once, and is often held back by the first.
                let departure = ms(1000 * (i / 2));
                let arrival = at(f.arrival(departure + DELAY));
                assert!(arrival >= last && arrival >= departure + DELAY);
                held += u32::from(arrival == last);
                if i % 2 == 0 {
                    extra += arrival.since(departure + DELAY).as_secs_f64();
                }
                last = arrival;
            }
            assert!((4_500..5_500).contains(&held), "{held}");
            assert!((extra / 10_000.0 - 0.005).abs() < 0.000_2, "{extra}");
        }
    }

    #[test]
    fn reordering_delays_its_share_and_lets_others_pass() {
        let extra = Duration::from_millis(50);
        let mut f = flight(|c| {
            c.reordering = Some(Reordering {
                probability: 0.1,
                delay: extra,
            });
        });
        let mut delayed = 0;
        for i in 0..20_000 {
            let took = at(f.arrival(ms(i) + DELAY)).since(ms(i));
            assert!(took == DELAY || took == DELAY + extra);
            delayed += u32::from(took > DELAY);
        }
        assert!((1_800..2_200).contains(&delayed), "{delayed}");
    }

    #[test]
    fn with_jitter_too_later_packets_pass_the_delayed_ones() {
        let mut f = flight(|c| {
            c.jitter = Some(Jitter::Uniform(Duration::ZERO, Duration::ZERO));
            c.reordering = Some(Reordering {
                probability: 0.5,
                delay: Duration::from_millis(50),
            });
        });
        let in_time = (0..1000).filter(|&i| at(f.arrival(ms(i) + DELAY)) == ms(i) + DELAY);
        assert!((400..600).contains(&in_time.count()));
    }

    #[test]
    fn damage_and_duplication_have_their_rates_and_their_own_draws() {
        let run = |corruption, duplication| {
            let mut f = flight(|c| (c.corruption, c.duplication) = (corruption, duplication));
            let fates = (0..20_000).map(|i| match f.arrival(ms(i) + DELAY) {
                Fate::Arrives {
                    corrupt, duplicate, ..
                } => (corrupt, duplicate),
                Fate::Dropped(_) => unreachable!(),
            });
            fates.unzip::<bool, bool, Vec<_>, Vec<_>>()
        };
        let share = |v: &[bool]| v.iter().filter(|&&x| x).count() as f64 / v.len() as f64;
        let (corrupt, double) = run(0.05, 0.1);
        assert!((share(&corrupt) - 0.05).abs() < 0.008);
        assert!((share(&double) - 0.1).abs() < 0.011);
        // Switching one off leaves the other's draws alone.
        assert_eq!(run(0.0, 0.1).1, double);
        assert_eq!(run(0.05, 0.0).0, corrupt);
        assert_eq!(share(&run(0.0, 0.0).0), 0.0);
    }
}
