//! Rate control at the receiver: figure 1.

use arrayvec::ArrayVec;

use crate::time::{Duration, Time};

use super::config::{Config, LongTerm, MAX_EPOCHS, RateConfig};
use super::epoch::Epoch;
use super::packet::{Control, Micros};
use super::prediction::LossPredictor;

/// Change of the sender's rate that WTCP's receiver decides on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RateChange {
    /// Increase of the rate by α (figure 1, line 17).
    Increase,
    /// Decrease of the rate by the share δ (figure 1, line 20), or the correction of the first rate
    /// ([`SetupConfig::first_epoch_corrects`](super::SetupConfig::first_epoch_corrects)).
    Decrease,
    /// Cut of the rate after a congestion loss (section 3.1, item 3).
    Loss,
}

/// A packet of the sender, as far as rate control is concerned.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrival<'a> {
    pub(super) now: Time,
    pub(super) control: &'a Control,
    /// Whether the packet has data, that is, a full packet's size or nearly.
    pub(super) data: bool,
    /// The round-trip time.
    pub(super) rtt: Duration,
    /// Arrivals further apart tell of a blackout, not of the rate.
    pub(super) silence: Duration,
}

/// The latest packet in sequence.
#[derive(Clone, Copy, Debug)]
struct Previous {
    ctrl_seq: u64,
    pkt_time: Time,
    data: bool,
}

/// Figure 1's state.
#[derive(Clone, Debug)]
pub(super) struct RateControl {
    config: RateConfig,
    /// Bounds of the rate in packets a second.
    bounds: (f64, f64),
    /// Packets a second.
    rate: f64,
    /// δ.
    delta: f64,
    epoch: Epoch,
    lavg_ratio: LongTermAverage,
    predictor: LossPredictor,
    previous: Option<Previous>,
    /// See [`SetupConfig::first_epoch_corrects`](super::SetupConfig).
    corrects: bool,
}

impl RateControl {
    /// Starts with `separation`, which the sender will know from ACK `ack_seq`.
    pub(super) fn new(config: &Config, separation: Micros, ack_seq: u64) -> Self {
        let bounds = (
            1.0 / config.max_separation.as_secs_f64(),
            1.0 / config.min_separation.as_secs_f64(),
        );
        Self {
            rate: (1.0 / separation.as_secs_f64()).clamp(bounds.0, bounds.1),
            bounds,
            delta: config.rate.min_decrease,
            epoch: Epoch::waiting(ack_seq),
            lavg_ratio: LongTermAverage::new(&config.rate),
            predictor: LossPredictor::new(config.prediction.clone()),
            previous: None,
            corrects: config.setup.first_epoch_corrects,
            config: config.rate.clone(),
        }
    }

    /// The rate in packets a second.
    pub(super) fn rate(&self) -> f64 {
        self.rate
    }

    /// The separation that goes with the rate.
    pub(super) fn separation(&self) -> Micros {
        Micros::from_secs_f64(1.0 / self.rate)
    }

    /// A packet of the sender arrived; `next_ack` is the number of the ACK that will tell of a change.
    pub(super) fn on_packet(&mut self, arrival: &Arrival, next_ack: u64) -> Option<RateChange> {
        let Arrival { now, control, .. } = *arrival;
        let Some(previous) = self.previous else {
            self.remember(arrival);
            return None;
        };
        if control.ctrl_seq <= previous.ctrl_seq {
            return None; // overtaken, or a copy: its place in time is unknown
        }
        self.remember(arrival);
        let pktsep = now.since(previous.pkt_time);
        let length = arrival.rtt * u64::from(self.config.epoch_rtts);
        let confirmed = self.epoch.is_measuring();
        self.epoch.on_hack(now, control.hack_seq, length);
        if pktsep > arrival.silence {
            if confirmed {
                self.epoch.restart(now, length);
            }
            return None;
        }
        if control.ctrl_seq > previous.ctrl_seq + 1 {
            let lost = control.ctrl_seq - previous.ctrl_seq - 1;
            // One halving for each rate that the sender has used.
            if confirmed && self.is_congestion_loss(pktsep, lost, control) {
                self.change(self.rate * self.config.loss_factor, next_ack);
                return Some(RateChange::Loss);
            }
        } else if control.run > 0 && arrival.data && previous.data {
            let ratio = pktsep.as_secs_f64() / at_least_one(control.gap).as_secs_f64();
            self.predictor.sample(ratio);
            self.epoch.sample(ratio);
        }
        self.update(arrival, next_ack)
    }

    fn remember(&mut self, arrival: &Arrival) {
        self.previous = Some(Previous {
            ctrl_seq: arrival.control.ctrl_seq,
            pkt_time: arrival.now,
            data: arrival.data,
        });
    }

    /// Figure 1, line 2. Over a pause of the sender nothing can be said.
    fn is_congestion_loss(&self, pktsep: Duration, lost: u64, control: &Control) -> bool {
        if lost >= u64::from(control.run) {
            return false;
        }
        // The last gap is known; the lost packets had theirs at the pace.
        let paced = at_least_one(control.separation).as_secs_f64() * lost as f64;
        let sent_over = paced + at_least_one(control.gap).as_secs_f64();
        !self.predictor.is_random(pktsep.as_secs_f64() / sent_over)
    }

    /// Figure 1, `update_timer_wakeup`.
    fn update(&mut self, arrival: &Arrival, next_ack: u64) -> Option<RateChange> {
        let least = self.config.epoch_samples;
        let savg_ratio = self.epoch.savg_ratio(arrival.now, least)?;
        let alpha = self.config.increase / arrival.rtt.as_secs_f64();
        let send_packet_sep = at_least_one(arrival.control.separation).as_secs_f64();
        let threshold = 1.0 + alpha * savg_ratio * send_packet_sep;
        if std::mem::take(&mut self.corrects) && savg_ratio >= threshold {
            self.change(self.rate / savg_ratio, next_ack);
            return Some(RateChange::Decrease);
        }
        let lavg_ratio = self.lavg_ratio.add(savg_ratio);
        if lavg_ratio < threshold {
            self.change(self.rate + alpha, next_ack);
            self.delta = self.config.min_decrease;
            Some(RateChange::Increase)
        } else {
            self.change(self.rate * (1.0 - self.delta), next_ack);
            self.delta = (2.0 * self.delta).min(self.config.max_decrease);
            Some(RateChange::Decrease)
        }
    }

    fn change(&mut self, rate: f64, next_ack: u64) {
        self.rate = rate.clamp(self.bounds.0, self.bounds.1);
        self.epoch = Epoch::waiting(next_ack);
    }
}

/// A length that a peer reports may be zero.
fn at_least_one(length: Micros) -> Micros {
    length.max(Micros(1))
}

/// Figure 1, line 13.
#[derive(Clone, Debug)]
struct LongTermAverage {
    weight: f64,
    reach: LongTerm,
    average: Option<f64>,
    /// Oldest first; only for a limited reach.
    epochs: ArrayVec<f64, MAX_EPOCHS>,
}

impl LongTermAverage {
    fn new(config: &RateConfig) -> Self {
        Self {
            weight: config.weight,
            reach: config.long_term,
            average: None,
            epochs: ArrayVec::new(),
        }
    }

    /// The average with one epoch more.
    fn add(&mut self, savg: f64) -> f64 {
        match self.reach {
            LongTerm::Running => {
                let average = self.average.unwrap_or(savg);
                let average = average + self.weight * (savg - average);
                self.average = Some(average);
                average
            }
            LongTerm::Epochs(reach) => {
                if self.epochs.len() >= usize::from(reach).min(MAX_EPOCHS) {
                    self.epochs.pop_at(0);
                }
                self.epochs.push(savg);
                let keep = 1.0 - self.weight;
                let (sum, shares) = self.epochs.iter().fold((0.0, 0.0), |(sum, shares), s| {
                    (sum * keep + s, shares * keep + 1.0)
                });
                sum / shares
            }
        }
    }
}

#[cfg(test)]
mod tests;
