//! Every number that two hosts agree on or that the paper leaves open, with its reason.

use std::fmt;

use crate::time::Duration;

use super::packet::Micros;

/// Parameters of both ends of a connection.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Payload bytes of a full packet. The paper's field tests send packets of 512 bytes.
    pub mss: u16,
    /// The receiver's buffer in bytes: what it holds out of order or unread at most. 64 kB is over
    /// 40 s of the fastest link of the paper's field tests.
    pub receive_buffer: u32,
    /// Least separation of packets: a bound against nonsense, not a part of the control. 10 µs is
    /// 400 Mb/s of full packets.
    pub min_separation: Micros,
    /// Largest separation, so that the rate is never zero. 10 s is 400 b/s of full packets; the
    /// slowest networks of the paper's introduction give some hundred.
    pub max_separation: Micros,
    /// Least time between a packet and a probe in a slot without data. The paper sends a probe in each such
    /// slot (section 4.3, item 2); one is enough to find a loss, and on a link of today's cellular networks the
    /// slots are 20,000 a second. 10 ms: 100 probes a second at most. The paper's networks have slots that are
    /// further apart (80 ms at 50 kb/s), which this does not change.
    pub probe_separation: Micros,
    /// Round-trip time until there is a sample: 1 s, as RFC 6298 section 2.
    pub initial_rtt: Duration,
    /// The sender wants an ACK at least this often (section 3.2, item 3: "e.g., 5 s").
    pub ack_threshold: Duration,
    /// A peer that is silent for longer is gone. 30 min: the paper saw blackouts of 10 min, which
    /// a connection has to survive.
    pub idle_timeout: Duration,
    /// Connection set-up.
    pub setup: SetupConfig,
    /// Blackouts.
    pub blackout: BlackoutConfig,
    /// Figure 1.
    pub rate: RateConfig,
    /// Random or congestion loss.
    pub prediction: PredictionConfig,
}

/// The packet pair of connection set-up.
#[derive(Clone, Debug, PartialEq)]
pub struct SetupConfig {
    /// Time until an unanswered pair is sent again; doubles each time. 3 s: round trips of up to 4 s
    /// are normal here, and a pair too many only costs the path two packets.
    pub interval: Duration,
    /// Largest time until a pair is sent again. 60 s, as TCP's SYN.
    pub max_interval: Duration,
    /// After this many pairs that lost a packet, the connection opens without a measurement: some
    /// paths never carry two packets back to back. 3.
    pub broken_pairs: u8,
    /// The first epoch still belongs to the start: if packets arrive further apart in it than the rate
    /// may cause, the pair's estimate is corrected by as much, and the long-term average forgets it. Not
    /// in the paper, so off: a pair that is off by a thread that was late starts a run of decreases.
    pub first_epoch_corrects: bool,
    /// Separation without a measurement: 1 s, that of the paper's field measurements.
    pub separation: Micros,
}

/// When the sender stops sending data, and how it finds out that it can go on.
#[derive(Clone, Debug, PartialEq)]
pub struct BlackoutConfig {
    /// A packet neither acknowledged nor known lost for the longer of this ...
    /// 5 s: no ACK in that time is unexpected (see [`Config::ack_threshold`]).
    pub threshold: Duration,
    /// ... and this many round trips is a blackout. 4: "a few RTTs" (section 7).
    pub threshold_rtts: u32,
    /// Probes are sent every round trip, but not more often than this. 1 s: the least that a wide-area
    /// round trip takes here, and cheap enough for ten minutes.
    pub probe_interval: Duration,
}

/// Rate control at the receiver (figure 1).
#[derive(Clone, Debug, PartialEq)]
pub struct RateConfig {
    /// α in full packets a round trip. 1 (section 4.1).
    pub increase: f64,
    /// δ after an increase. 0.1 (figure 1, line 18).
    pub min_decrease: f64,
    /// Largest δ. 0.5 (figure 1, line 21).
    pub max_decrease: f64,
    /// The rate after a congestion loss, as a share of that before. 0.5 (section 3.1, item 3).
    pub loss_factor: f64,
    /// Weight of the latest epoch in `lavg_ratio`. 0.125 (figure 1, line 13).
    pub weight: f64,
    /// How far `lavg_ratio` looks back.
    pub long_term: LongTerm,
    /// Length of an epoch in round trips. 2: one until the effect of a rate is seen, one to see it.
    pub epoch_rtts: u32,
    /// Fewest samples of an epoch; it lasts until they are there. 4: a mean of fewer is one packet's
    /// luck.
    pub epoch_samples: u32,
}

/// Two readings of "exponential average over last 6 epochs with weight of 0.125 for new sample".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LongTerm {
    /// A running average, which the latest six epochs make more than half of.
    Running,
    /// Only the latest epochs, this many, each with (1 - weight) times the share of the one after
    /// it.
    Epochs(u8),
}

/// The loss predictor (section 3.1, item 3).
#[derive(Clone, Debug, PartialEq)]
pub struct PredictionConfig {
    /// K: mean deviations around the average within which a loss is random. 2: rare for what merely
    /// varies.
    pub k: f64,
    /// Weight of a new separation in average and mean deviation. 0.125 (section 5.1.1).
    pub weight: f64,
    /// Least mean deviation as a share of the average. 0.1: a path without any variation still
    /// queues a packet now and then.
    pub floor: f64,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            mss: 512,
            receive_buffer: 65_536,
            min_separation: Micros(10),
            max_separation: Micros(10_000_000),
            probe_separation: Micros(10_000),
            initial_rtt: Duration::from_secs(1),
            ack_threshold: Duration::from_secs(5),
            idle_timeout: Duration::from_secs(30 * 60),
            setup: SetupConfig {
                interval: Duration::from_secs(3),
                max_interval: Duration::from_secs(60),
                broken_pairs: 3,
                first_epoch_corrects: false,
                separation: Micros(1_000_000),
            },
            blackout: BlackoutConfig {
                threshold: Duration::from_secs(5),
                threshold_rtts: 4,
                probe_interval: Duration::from_secs(1),
            },
            rate: RateConfig {
                increase: 1.0,
                min_decrease: 0.1,
                max_decrease: 0.5,
                loss_factor: 0.5,
                weight: 0.125,
                long_term: LongTerm::Running,
                epoch_rtts: 2,
                epoch_samples: 4,
            },
            prediction: PredictionConfig {
                k: 2.0,
                weight: 0.125,
                floor: 0.1,
            },
        }
    }
}

/// A parameter that no connection can work with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConfigError {
    /// The parameter, as a path from [`Config`].
    pub parameter: &'static str,
    /// The values that it may have.
    pub expected: &'static str,
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} must be {}", self.parameter, self.expected)
    }
}

impl std::error::Error for ConfigError {}

impl Config {
    /// Says which parameter is out of its range, if one is. The machines need a configuration that
    /// passes.
    pub fn check(&self) -> Result<(), ConfigError> {
        let rate = &self.rate;
        let share = |x: f64| x > 0.0 && x < 1.0;
        let finite = |x: f64| (0.0..=f64::MAX).contains(&x);
        let rules = [
            (self.mss > 0, "mss", "at least 1 byte"),
            (self.receive_buffer > 0, "receive_buffer", "at least 1 byte"),
            (
                self.min_separation > Micros::ZERO,
                "min_separation",
                "at least 1 µs",
            ),
            (
                self.max_separation >= self.min_separation,
                "max_separation",
                "at least min_separation",
            ),
            (!self.initial_rtt.is_zero(), "initial_rtt", "above 0"),
            (!self.ack_threshold.is_zero(), "ack_threshold", "above 0"),
            (
                self.idle_timeout > self.blackout.threshold,
                "idle_timeout",
                "above blackout.threshold",
            ),
            (!self.setup.interval.is_zero(), "setup.interval", "above 0"),
            (
                self.setup.max_interval >= self.setup.interval,
                "setup.max_interval",
                "at least setup.interval",
            ),
            (
                !self.blackout.probe_interval.is_zero(),
                "blackout.probe_interval",
                "above 0",
            ),
            (
                finite(rate.increase),
                "rate.increase",
                "0 or above, and finite",
            ),
            (
                share(rate.min_decrease),
                "rate.min_decrease",
                "between 0 and 1",
            ),
            (
                share(rate.max_decrease),
                "rate.max_decrease",
                "between 0 and 1",
            ),
            (
                share(rate.loss_factor),
                "rate.loss_factor",
                "between 0 and 1",
            ),
            (share(rate.weight), "rate.weight", "between 0 and 1"),
            (
                !matches!(rate.long_term, LongTerm::Epochs(n) if n == 0 || usize::from(n) > MAX_EPOCHS),
                "rate.long_term",
                "1 to 16 epochs",
            ),
            (
                finite(self.prediction.k),
                "prediction.k",
                "0 or above, and finite",
            ),
            (
                share(self.prediction.weight),
                "prediction.weight",
                "between 0 and 1",
            ),
            (
                finite(self.prediction.floor),
                "prediction.floor",
                "0 or above, and finite",
            ),
        ];
        match rules.into_iter().find(|(holds, ..)| !holds) {
            Some((_, parameter, expected)) => Err(ConfigError {
                parameter,
                expected,
            }),
            None => Ok(()),
        }
    }

    /// `separation` within its bounds.
    pub(super) fn bounded(&self, separation: Micros) -> Micros {
        separation.clamp(self.min_separation, self.max_separation)
    }
}

/// Most epochs that [`LongTerm::Epochs`] can look back.
pub const MAX_EPOCHS: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_can_be_worked_with() {
        assert_eq!(Config::default().check(), Ok(()));
    }

    #[test]
    fn a_parameter_out_of_range_is_named() {
        let check = |parameter: &str, breaks: fn(&mut Config)| {
            let mut config = Config::default();
            breaks(&mut config);
            let error = config.check().unwrap_err();
            assert_eq!(error.parameter, parameter);
            assert!(error.to_string().starts_with(parameter));
        };
        check("mss", |c| c.mss = 0);
        check("max_separation", |c| c.max_separation = Micros(9));
        check("rate.max_decrease", |c| c.rate.max_decrease = 1.0);
        check("rate.increase", |c| c.rate.increase = f64::NAN);
        check("rate.long_term", |c| {
            c.rate.long_term = LongTerm::Epochs(17);
        });
        check("prediction.k", |c| c.prediction.k = f64::INFINITY);
    }
}
