//! Every number that two hosts agree on or that the paper leaves open, with its reason.

use crate::parameter::{Refusal, Stored, Value, parameters};
use crate::time::Duration;

use super::packet::Micros;

parameters! {
    /// Parameters of WTCP (Sinha et al. 2002), most of them for what its paper leaves open.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Config as "wtcp" check Config::check {
        /// Least time between packets.
        // A bound against nonsense, not a part of the control. 10 µs is 400 Mb/s of full packets.
        min_separation: Micros = Micros(10), Period;
        /// Largest time between packets.
        // So the rate is never zero. 10 s is 400 b/s of full packets; the slowest networks of the paper's introduction
        // give some hundred.
        max_separation: Micros = Micros(10_000_000), Period;
        /// Least time between a packet and a probe in a slot without data.
        // The paper sends a probe in each such slot (section 4.3, item 2); one is enough to find a loss, and on a link of
        // today's cellular networks the slots are 20,000 a second. 10 ms: 100 probes a second at most. The paper's
        // networks have slots that are further apart (80 ms at 50 kb/s), which this does not change.
        probe_separation: Micros = Micros(10_000), Period;
        /// Round-trip time that is assumed until there is a sample.
        // As RFC 6298 section 2.
        initial_rtt: Duration = Duration::from_secs(1), Period;
        /// The sender wants an ACK at least this often.
        // Section 3.2, item 3: "e.g., 5 s".
        ack_threshold: Duration = Duration::from_secs(5), Period;
        /// A peer that is silent for longer is gone.
        // The paper saw blackouts of 10 min, which a connection has to survive.
        idle_timeout: Duration = Duration::from_secs(30 * 60), Period;
        /// Settings of the packet pair by which a connection is set up.
        setup: SetupConfig = SetupConfig::DEFAULT, Table<SetupConfig>.or("all of its defaults");
        /// Settings of blackouts: when the sender stops sending data, and how it probes for the end.
        blackout: BlackoutConfig = BlackoutConfig::DEFAULT, Table<BlackoutConfig>.or("all of its defaults");
        /// Settings of rate control at the receiver.
        // Figure 1.
        rate: RateConfig = RateConfig::DEFAULT, Table<RateConfig>.or("all of its defaults");
        /// Predictor that tells random losses from those of congestion.
        prediction: PredictionConfig = PredictionConfig::DEFAULT, Table<PredictionConfig>.or("all of its defaults");
        +
        /// Payload bytes of a full packet.
        // The paper's field tests send packets of 512 bytes.
        mss: u16 = 512;
        +
        /// Bytes that the receiver holds out of order or unread at most.
        // 64 kB is over 40 s of the fastest link of the paper's field tests.
        receive_buffer: u32 = 65_536;
    }
}

parameters! {
    /// Settings of the packet pair by which a connection is set up.
    #[derive(Clone, Debug, PartialEq)]
    pub struct SetupConfig as "setup" {
        /// Time until a pair without an answer is sent again. It doubles each time.
        // Round trips of up to 4 s are normal here, and a pair too many only costs the path two packets.
        interval: Duration = Duration::from_secs(3), Period;
        /// Longest time until a pair is sent again.
        // As TCP's SYN.
        max_interval: Duration = Duration::from_secs(60), Period;
        /// After this many pairs of which one packet was lost, the connection opens without a measurement.
        // Some paths never carry two packets back to back.
        broken_pairs: u8 = 3, Count.up_to(u64::MAX);
        /// If packets of the first epoch arrive further apart than the rate may cause, the rate is divided by the ratio
        /// of these gaps to those at sending, instead of the usual decrease.
        // It still belongs to the start then: if packets arrive further apart in it than the rate may cause, the estimate is
        // corrected by as much, and the long-term average forgets it. Not in the paper, so off: a pair that is off by a
        // thread that was late starts a run of decreases.
        first_epoch_corrects: bool = false, Flag;
        /// Time between packets if there is no measurement.
        // That of the paper's field measurements.
        separation: Micros = Micros(1_000_000), Period;
    }
}

parameters! {
    /// Settings of blackouts: when the sender stops sending data, and how it probes for the end.
    #[derive(Clone, Debug, PartialEq)]
    pub struct BlackoutConfig as "blackout" {
        /// A blackout begins when nothing was heard of a packet for the longer of this time and `threshold_rtts`.
        // No ACK in that time is unexpected (see `ack_threshold`).
        threshold: Duration = Duration::from_secs(5), Period;
        /// A blackout begins only when nothing was heard of a packet for this many round trips, and for `threshold`.
        // "A few RTTs" (section 7).
        threshold_rtts: u32 = 4, Count.up_to(u64::MAX);
        /// A probe is sent each round trip, but not more often than this.
        // The least that a wide-area round trip takes here, and cheap enough for ten minutes.
        probe_interval: Duration = Duration::from_secs(1), Period;
    }
}

parameters! {
    /// Settings of rate control at the receiver.
    #[derive(Clone, Debug, PartialEq)]
    pub struct RateConfig as "rate" {
        /// Increase α of the rate in one step, in full packets a round trip.
        // Section 4.1.
        increase: f64 = 1.0, Positive;
        /// Share δ of the rate that is taken off in the first decrease after an increase.
        // Figure 1, line 18.
        min_decrease: f64 = 0.1, Positive;
        /// Largest share δ, which doubles with each further decrease.
        // Figure 1, line 21.
        max_decrease: f64 = 0.5, Positive;
        /// Rate after a congestion loss, as a share of the rate before.
        // Section 3.1, item 3.
        loss_factor: f64 = 0.5, Positive;
        /// Weight of the latest epoch in the long-term average.
        // `lavg_ratio`: figure 1, line 13.
        weight: f64 = 0.125, Positive;
        /// Epochs that the long-term average looks back, 1 to 16.
        long_term: LongTerm = LongTerm::Running, Count.up_to(u64::MAX).or("all of them");
        /// Length of an epoch in round trips.
        // One until the effect of a rate is seen, one to see it.
        epoch_rtts: u32 = 2, Count.up_to(u64::MAX);
        /// Fewest samples of an epoch.
        // It lasts until they are there: a mean of fewer is one packet's luck.
        epoch_samples: u32 = 4, Count.up_to(u64::MAX);
    }
}

/// Reach of the long-term average by which the receiver controls the rate: two readings of the paper's "exponential
/// average over last 6 epochs with weight of 0.125 for new sample".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LongTerm {
    /// A running average over all epochs, to which the latest six contribute more than half at the default weight.
    Running,
    /// Only the latest epochs, this many, each with (1 - weight) times the share of the next later one.
    Epochs(u8),
}

impl Stored for LongTerm {
    fn value(&self) -> Option<Value> {
        match self {
            Self::Running => None,
            Self::Epochs(epochs) => epochs.value(),
        }
    }

    fn put(&mut self, value: Value) -> Result<(), Refusal> {
        let mut epochs = 0;
        epochs.put(value)?;
        *self = Self::Epochs(epochs);
        Ok(())
    }
}

parameters! {
    /// Settings of the predictor that tells random losses from those of congestion.
    #[derive(Clone, Debug, PartialEq)]
    pub struct PredictionConfig as "prediction" {
        /// Mean deviations around the average within which a loss is random.
        // K (section 3.1, item 3). More are rare for what merely varies.
        k: f64 = 2.0, Positive;
        /// Weight of a new separation in the average and its mean deviation.
        // Section 5.1.1.
        weight: f64 = 0.125, Positive;
        /// Least mean deviation, as a share of the average.
        // A path without any variation still queues a packet now and then.
        floor: f64 = 0.1, Positive;
    }
}

impl Stored for Micros {
    fn value(&self) -> Option<Value> {
        Some(Value::Period(self.to_duration()))
    }

    fn put(&mut self, value: Value) -> Result<(), Refusal> {
        let mut time = Duration::ZERO;
        time.put(value)?;
        *self = Self::from_duration(time);
        Ok(())
    }
}

impl Config {
    /// Checks that all parameters are in their ranges; the error names the first that is not. A sender and a receiver
    /// require settings that pass.
    pub fn check(&self) -> Result<(), Refusal> {
        let (rate, prediction) = (&self.rate, &self.prediction);
        let (setup, blackout) = (&self.setup, &self.blackout);
        let share = |parameter, x: f64| (x > 0.0 && x < 1.0, parameter, "between 0 and 1");
        let finite = |parameter, x: f64| {
            let holds = (0.0..=f64::MAX).contains(&x);
            (holds, parameter, "0 or above, and finite")
        };
        let positive = |parameter, time: Duration| (!time.is_zero(), parameter, "above 0");
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
            positive("initial_rtt", self.initial_rtt),
            positive("ack_threshold", self.ack_threshold),
            (
                self.idle_timeout > blackout.threshold,
                "idle_timeout",
                "above blackout.threshold",
            ),
            positive("setup.interval", setup.interval),
            (
                setup.max_interval >= setup.interval,
                "setup.max_interval",
                "at least setup.interval",
            ),
            positive("blackout.probe_interval", blackout.probe_interval),
            finite("rate.increase", rate.increase),
            share("rate.min_decrease", rate.min_decrease),
            share("rate.max_decrease", rate.max_decrease),
            (
                rate.max_decrease >= rate.min_decrease,
                "rate.max_decrease",
                "at least rate.min_decrease",
            ),
            share("rate.loss_factor", rate.loss_factor),
            share("rate.weight", rate.weight),
            (
                !matches!(rate.long_term, LongTerm::Epochs(n) if n == 0 || usize::from(n) > MAX_EPOCHS),
                "rate.long_term",
                "1 to 16 epochs",
            ),
            finite("prediction.k", prediction.k),
            share("prediction.weight", prediction.weight),
            finite("prediction.floor", prediction.floor),
        ];
        match rules.into_iter().find(|(holds, ..)| !holds) {
            Some((_, parameter, expected)) => Err(Refusal::of(
                &[],
                format!("`{parameter}` of WTCP is out of its range"),
                format!("it must be {expected}"),
            )),
            None => Ok(()),
        }
    }

    /// `separation` within its bounds.
    pub(super) fn bounded(&self, separation: Micros) -> Micros {
        separation.clamp(self.min_separation, self.max_separation)
    }
}

/// Most epochs (measurements between changes of the rate) that [`LongTerm::Epochs`] can look back.
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
            let message = config.check().unwrap_err().message;
            assert_eq!(
                message,
                format!("`{parameter}` of WTCP is out of its range")
            );
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
