//! Losses as a channel makes them: each by itself, or in bursts of a hidden state that is good or bad.
//!
//! The chain of Gilbert (1960) and Elliott (1963) steps by packets or in time. Nothing is lost in its good state and
//! nearly everything in the bad one.

mod chain;

use super::optimise::{Minimum, minimise};
use super::profile::{REGULAR, bounds};
use super::special::{binomial, proportion};
use super::{Candidate, Choice, Estimate, Known};
use chain::{Chain, Packets, Timed};

/// Packet as models of losses see it: when it was sent, and whether it was lost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Observation {
    /// Time of sending, seconds from a beginning that all packets of a series share; they are in the order of time.
    pub time_s: f64,
    /// Whether the channel lost the packet. `None` if its fate says nothing of the channel, as where a full queue may
    /// have dropped it; the hidden state of the channel may change at such a packet too.
    pub lost: Option<bool>,
}

/// Statistical model of a channel's losses, with its fitted parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LossModel {
    /// Nothing is lost.
    None,
    /// Losses do not depend on each other.
    Independent {
        /// Probability of a loss.
        p: Estimate,
    },
    /// Gilbert-Elliott model by packets: nothing is lost in the good state, nearly everything in the bad one,
    /// and the state may change at each packet.
    Bursts {
        /// Probability at a packet of a change from good to bad.
        to_bad: Estimate,
        /// Probability at a packet of a change from bad to good: 1 over the mean burst.
        to_good: Estimate,
    },
    /// Gilbert-Elliott model in time: nothing is lost in the good state, nearly everything in the bad one,
    /// and the state changes whatever the packets do.
    BurstsInTime {
        /// Mean time in the good state, seconds.
        good_s: Estimate,
        /// Mean time in the bad state, seconds.
        bad_s: Estimate,
    },
}

/// Observations without which nothing is said of losses.
const FEWEST_PACKETS: u64 = 100;
/// Losses without which nothing is said of their law.
const FEWEST_LOSSES: u64 = 3;
/// Bursts without which nothing is said of their length.
const FEWEST_BURSTS: f64 = 5.0;
/// Gain in the information criterion over independent losses that bursts must have.
const GAIN: f64 = 6.0;
/// Mean length in packets that bursts must have.
const SHORTEST_BURST: f64 = 1.4;
/// Mean lengths of a burst from which the fit of a chain in packets begins.
const STARTS: [f64; 3] = [1.5, 5.0, 20.0];
/// Mean lengths of a burst from which the fit of a chain in time begins, seconds.
const STARTS_S: [f64; 4] = [0.01, 0.05, 0.25, 1.5];

/// Models of a channel's losses, fitted to `observations`, the most suitable first.
///
/// Candidates are no loss at all (if none was lost), independent losses, and, if some were lost and some not, two
/// Gilbert-Elliott chains, by packets and in time. Chains whose mean burst is 1.4 packets or less are left out. The
/// chain in time stands before the one by packets unless its Bayesian information criterion (BIC) is higher by 6 or
/// more: with evenly spaced probes the two cannot be told apart, and time does not depend on the spacing. Both chains
/// stand before independent losses if the better of them has a BIC that is lower by more than 6, else behind. Unknown
/// with fewer than 100 packets whose fate is told, with one or two losses, or if there are bursts, but fewer than five.
pub fn losses(observations: &[Observation]) -> Known<Choice<LossModel>> {
    let known = || observations.iter().filter_map(|o| o.lost);
    let (lost, sent) = (
        known().filter(|&l| l).count() as u64,
        known().count() as u64,
    );
    let p = proportion(lost, sent);
    if sent < FEWEST_PACKETS {
        return Known::unknown(format!("only {sent} packets tell of losses"));
    }
    if lost == 0 {
        let none = candidate(LossModel::None, 0.0, 0);
        let rare = candidate(LossModel::Independent { p }, 0.0, 1);
        return told(vec![none, rare], sent);
    }
    if lost < FEWEST_LOSSES {
        return Known::unknown(format!(
            "only {lost} of {sent} packets were lost: between {:.2} and {:.2} %",
            100.0 * p.low,
            100.0 * p.high
        ));
    }
    let independent = candidate(
        LossModel::Independent { p },
        binomial(lost as f64, (sent - lost) as f64),
        1,
    );
    if lost == sent {
        return told(vec![independent], sent);
    }

    let mut chains = chains(observations, p.value);
    let bic = |c: &Candidate<LossModel>| c.bic(sent as usize);
    chains.sort_by(|a, b| bic(&a.candidate).total_cmp(&bic(&b.candidate)));
    let are_clear = chains
        .first()
        .is_some_and(|fitted| bic(&independent) - bic(&fitted.candidate) > GAIN);
    // The chain in time is taken unless the other is clearly better.
    if let [first, second] = &chains[..]
        && matches!(second.candidate.model, LossModel::BurstsInTime { .. })
        && bic(&second.candidate) - bic(&first.candidate) < GAIN
    {
        chains.swap(0, 1);
    }
    if let Some(fitted) = chains.first().filter(|_| are_clear) {
        let bursts = lost as f64 / fitted.mean_burst;
        if bursts < FEWEST_BURSTS {
            return Known::unknown(format!(
                "{lost} of {sent} packets were lost, in bursts, but only about {bursts:.0} of them"
            ));
        }
    }
    let at = if are_clear { chains.len() } else { 0 };
    let mut candidates: Vec<_> = chains.into_iter().map(|fitted| fitted.candidate).collect();
    candidates.insert(at, independent);
    told(candidates, sent)
}

fn told(candidates: Vec<Candidate<LossModel>>, sent: u64) -> Known<Choice<LossModel>> {
    Known::Told(Choice {
        candidates,
        observations: sent as usize,
    })
}

fn candidate(model: LossModel, log_likelihood: f64, parameters: u32) -> Candidate<LossModel> {
    Candidate {
        model,
        log_likelihood,
        parameters,
    }
}

/// A chain with its likeliest parameters.
struct Fitted {
    candidate: Candidate<LossModel>,
    /// Mean packets in a row that find the bad state.
    mean_burst: f64,
}

/// Fits of the two chains, without those whose bursts are too short; `p` is the share of losses.
fn chains(observations: &[Observation], p: f64) -> Vec<Fitted> {
    let mut fitted = Vec::new();
    let packets = Packets::new(observations);
    let best = fit(&packets, p, &STARTS);
    let mean_burst = libm::exp(-best.at[1]);
    if mean_burst > SHORTEST_BURST {
        let [to_bad, to_good] = rates(&packets, best);
        fitted.push(Fitted {
            candidate: candidate(LossModel::Bursts { to_bad, to_good }, -best.value, 2),
            mean_burst,
        });
    }
    let timed = Timed::new(observations);
    let best = fit(&timed, p, &STARTS_S);
    let mean_burst = timed.mean_burst(libm::exp(best.at[1]));
    if mean_burst > SHORTEST_BURST {
        // A rate's bounds are those of its time, the other way round.
        let [good_s, bad_s] = rates(&timed, best)
            .map(|rate| Estimate::new(1.0 / rate.value, 1.0 / rate.high, 1.0 / rate.low));
        let model = LossModel::BurstsInTime { good_s, bad_s };
        fitted.push(Fitted {
            candidate: candidate(model, -best.value, 2),
            mean_burst,
        });
    }
    fitted
}

/// Minus the logarithm of the likelihood at logarithms of the rates (to bad, to good).
fn cost(chain: &impl Chain) -> impl Fn([f64; 2]) -> f64 {
    |at| -chain.log_likelihood(libm::exp(at[0]), libm::exp(at[1]))
}

/// The likeliest rates of a chain, as logarithms, sought from each of these mean bursts.
fn fit(chain: &impl Chain, p: f64, starts: &[f64]) -> Minimum<2> {
    let from = |burst: &f64| {
        let to_good = 1.0 / burst;
        let to_bad = (to_good * p / (1.0 - p)).min(0.5);
        let start = [libm::log(to_bad), libm::log(to_good)];
        minimise(start, 0.5, 25, cost(chain))
    };
    let rough = starts
        .iter()
        .map(from)
        .min_by(|a, b| a.value.total_cmp(&b.value));
    minimise(rough.expect("there is a start").at, 0.1, 60, cost(chain))
}

/// The rates with their bounds.
fn rates(chain: &impl Chain, best: Minimum<2>) -> [Estimate; 2] {
    [0, 1].map(|i| {
        let [down, up] = bounds(best, i, REGULAR, cost(chain));
        let at = best.at[i];
        Estimate::new(libm::exp(at), libm::exp(at - down), libm::exp(at + up))
    })
}

#[cfg(test)]
mod tests;
