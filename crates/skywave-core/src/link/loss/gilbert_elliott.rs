//! The two-state channel of Gilbert (1960) and Elliott (1963), stepped by packets or by time.
//! Both start in the good state.

use super::{LossModel, Streams};
use crate::parameter::{Described, parameters};
use crate::rng::Stream;
use crate::time::{Duration, Time};

parameters! {
    /// Settings of the loss model [`GilbertElliott`], whose state may change at each packet.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct GilbertElliottConfig {
        /// Probability at each packet of a change from good to bad.
        // SIFEST's α.
        to_bad: f64 = 0.0, Probability.needed();
        /// Probability at each packet of a change from bad to good.
        // SIFEST's β.
        to_good: f64 = 0.0, Probability.needed();
        /// Loss probability in the good state.
        // SIFEST's x.
        loss_good: f64 = 0.0, Probability;
        /// Loss probability in the bad state.
        // SIFEST's y.
        loss_bad: f64 = 1.0, Probability;
    }
}

/// Loss model with a good and a bad state (Gilbert 1960, Elliott 1963) that may change at each packet, before
/// that packet's loss is drawn (the order of ns-2's multi-state model).
#[derive(Clone, Debug)]
pub struct GilbertElliott {
    config: GilbertElliottConfig,
    bad: bool,
    losses: Stream,
    states: Stream,
}

impl Described for GilbertElliott {
    type Config = GilbertElliottConfig;
    const NAME: &'static str = "gilbert-elliott";
    const SUMMARY: &'static str = "A good and a bad state, which may change at each packet.";
}

impl LossModel for GilbertElliott {
    fn build(config: &GilbertElliottConfig, Streams { losses, states }: Streams) -> Self {
        Self {
            config: *config,
            bad: false,
            losses,
            states,
        }
    }

    fn loses(&mut self, _now: Time, _size: u32) -> bool {
        let leave = if self.bad {
            self.config.to_good
        } else {
            self.config.to_bad
        };
        self.bad ^= self.states.chance(leave);
        self.losses.chance(if self.bad {
            self.config.loss_bad
        } else {
            self.config.loss_good
        })
    }

    fn loses_all(config: &GilbertElliottConfig) -> bool {
        config.loss_good >= 1.0 && config.loss_bad >= 1.0
    }
}

parameters! {
    /// Settings of the loss model [`GilbertElliottTime`], whose states last for random times.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct GilbertElliottTimeConfig {
        /// Mean time in the good state.
        good: Duration = Duration::MAX, Period.needed();
        /// Mean time in the bad state.
        bad: Duration = Duration::ZERO, Period.needed();
        /// Loss probability in the good state.
        loss_good: f64 = 0.0, Probability;
        /// Loss probability in the bad state.
        loss_bad: f64 = 1.0, Probability;
    }
}

/// Loss model with a good and a bad state (Gilbert 1960, Elliott 1963), each kept for an exponentially
/// distributed time, whatever the packets do. A packet sees the state at the instant when it reaches the
/// channel.
#[derive(Clone, Debug)]
pub struct GilbertElliottTime {
    config: GilbertElliottTimeConfig,
    bad: bool,
    /// End of the present stay.
    until: Time,
    losses: Stream,
    states: Stream,
}

/// After a silence of more than this many mean cycles the state is drawn from the stationary
/// distribution, which it then has to any precision.
const MAX_CYCLES: u64 = 1 << 20;

impl Described for GilbertElliottTime {
    type Config = GilbertElliottTimeConfig;
    const NAME: &'static str = "gilbert-elliott-time";
    const SUMMARY: &'static str = "A good and a bad state, each kept for an exponential time.";
}

impl LossModel for GilbertElliottTime {
    fn build(config: &GilbertElliottTimeConfig, Streams { losses, states }: Streams) -> Self {
        let mut chain = Self {
            config: *config,
            bad: false,
            until: Time::ZERO,
            losses,
            states,
        };
        chain.stay(Time::ZERO);
        chain
    }

    fn loses(&mut self, now: Time, _size: u32) -> bool {
        if now >= self.until {
            self.advance(now);
        }
        self.losses.chance(if self.bad {
            self.config.loss_bad
        } else {
            self.config.loss_good
        })
    }

    fn loses_all(config: &GilbertElliottTimeConfig) -> bool {
        config.loss_good >= 1.0 && config.loss_bad >= 1.0
    }
}

impl GilbertElliottTime {
    #[cold]
    fn advance(&mut self, now: Time) {
        let cycle = self.config.good + self.config.bad;
        if now.since(self.until) > cycle * MAX_CYCLES {
            let share_bad = self.config.bad.as_secs_f64() / cycle.as_secs_f64();
            self.bad = self.states.chance(share_bad);
            // Stays have no memory: the rest of one is as long as a whole one.
            self.stay(now);
            return;
        }
        while self.until <= now && self.until < Time::MAX {
            self.bad = !self.bad;
            self.stay(self.until);
        }
    }

    /// Draws a stay from `since`, at least a nanosecond.
    fn stay(&mut self, since: Time) {
        let mean = if self.bad {
            self.config.bad
        } else {
            self.config.good
        };
        let stay = Duration::from_secs_f64(self.states.exponential(mean.as_secs_f64()));
        self.until = since + stay.max(Duration::from_nanos(1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn streams() -> (Stream, Stream) {
        (
            Stream::named(5, "test", "loss.0"),
            Stream::named(5, "test", "loss.0.state"),
        )
    }

    fn packet_chain(to_bad: f64, to_good: f64, loss_good: f64, loss_bad: f64) -> GilbertElliott {
        let (losses, states) = streams();
        let config = GilbertElliottConfig {
            to_bad,
            to_good,
            loss_good,
            loss_bad,
        };
        GilbertElliott::build(&config, Streams { losses, states })
    }

    fn time_chain(good_ms: u64, bad_ms: u64, loss: (f64, f64)) -> GilbertElliottTime {
        let (losses, states) = streams();
        let config = GilbertElliottTimeConfig {
            good: Duration::from_millis(good_ms),
            bad: Duration::from_millis(bad_ms),
            loss_good: loss.0,
            loss_bad: loss.1,
        };
        GilbertElliottTime::build(&config, Streams { losses, states })
    }

    #[track_caller]
    fn close(got: f64, want: f64, relative: f64) {
        assert!(
            (got - want).abs() <= relative * want,
            "{got} is not within {relative} of {want}"
        );
    }

    /// Mean lengths of the runs of delivered and of lost packets.
    fn run_lengths(lost: &[bool]) -> (f64, f64) {
        let mean = |which: bool| {
            let runs = lost.chunk_by(|a, b| a == b).filter(|run| run[0] == which);
            let (n, sum) = runs.fold((0, 0), |(n, sum), run| (n + 1, sum + run.len()));
            sum as f64 / f64::from(n)
        };
        (mean(false), mean(true))
    }

    #[test]
    fn packet_chain_has_the_stationary_loss_rate() {
        // SIFEST: x = 0.01, y = 0.15, α = β = 0.3: (βx + αy)/(α + β) = 8%.
        let mut chain = packet_chain(0.3, 0.3, 0.01, 0.15);
        let n = 1_000_000;
        let lost = (0..n).filter(|_| chain.loses(Time::ZERO, 0)).count();
        close(lost as f64 / f64::from(n), 0.08, 0.02);
        let mut chain = packet_chain(0.01, 0.19, 0.002, 0.5);
        let lost = (0..n).filter(|_| chain.loses(Time::ZERO, 0)).count();
        close(
            lost as f64 / f64::from(n),
            (0.19 * 0.002 + 0.01 * 0.5) / 0.2,
            0.03,
        );
    }

    #[test]
    fn packet_chain_has_geometric_runs() {
        let mut chain = packet_chain(0.05, 0.25, 0.0, 1.0);
        let lost: Vec<bool> = (0..1_000_000).map(|_| chain.loses(Time::ZERO, 0)).collect();
        let (good, bad) = run_lengths(&lost);
        close(good, 20.0, 0.02);
        close(bad, 4.0, 0.02);
    }

    #[test]
    fn packet_chain_steps_before_the_loss() {
        let mut chain = packet_chain(1.0, 1.0, 0.0, 1.0);
        let lost: Vec<bool> = (0..4).map(|_| chain.loses(Time::ZERO, 0)).collect();
        assert_eq!(lost, [true, false, true, false]);
    }

    #[test]
    fn time_chain_has_the_mean_stays() {
        let mut chain = time_chain(80, 20, (0.0, 1.0));
        // Sampled ten times a millisecond, over 20,000 cycles.
        let sample = |i: u64| chain.loses(Time::from_nanos(i * 100_000), 0);
        let lost: Vec<bool> = (0..20_000_000).map(sample).collect();
        let rate = lost.iter().filter(|&&lost| lost).count() as f64 / lost.len() as f64;
        close(rate, 0.2, 0.03);
        let (good, bad) = run_lengths(&lost);
        close(good / 10.0, 80.0, 0.03);
        close(bad / 10.0, 20.0, 0.03);
    }

    #[test]
    fn time_chain_does_not_depend_on_the_packets() {
        let (mut often, mut seldom) = (time_chain(8, 2, (0.0, 1.0)), time_chain(8, 2, (0.0, 1.0)));
        for ms in 0..100_000 {
            let now = Time::ZERO + Duration::from_millis(ms);
            let lost = often.loses(now, 0);
            if ms % 7 == 0 {
                assert_eq!(seldom.loses(now, 0), lost);
            }
        }
    }

    #[test]
    fn time_chain_jumps_over_long_silences() {
        let mut bad = 0;
        for seed in 0..2000 {
            let mut chain = time_chain(80, 20, (0.0, 1.0));
            chain.states = Stream::named(seed, "test", "loss.0.state");
            bad += u32::from(chain.loses(Time::from_nanos(u64::MAX / 2), 0));
        }
        assert!((320..480).contains(&bad), "{bad} of 2000 in the bad state");
    }

    #[test]
    fn time_chain_ends_for_any_stays() {
        for (good, bad) in [(0, 0), (0, 1), (1, 0), (u64::MAX >> 21, u64::MAX >> 21)] {
            let mut chain = time_chain(good, bad, (0.0, 1.0));
            for now in [0, 1, 1 << 20, 1 << 62, u64::MAX, u64::MAX] {
                chain.loses(Time::from_nanos(now), 0);
            }
        }
    }
}
