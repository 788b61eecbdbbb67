//! Random early detection, led by the virtual queue: its average, and drops spaced as ns-2 spaces them.

use skywave_core::link::RedConfig;

use super::mixture::{MISTAKEN, log_likelihood};
use super::{Predicted, QueueModel, Step};
use crate::fit::Estimate;
use crate::fit::optimise::minimise;
use crate::order::quantile;

/// Fewest losses from which three numbers are found.
const FEWEST: usize = 8;
/// Where the search begins: shares of the least average at losses for the lower threshold, quantiles of these averages and
/// factors for the distance of the upper one, probabilities there.
const MIN_STARTS: [f64; 3] = [0.6, 0.8, 0.95];
const MAX_STARTS: [f64; 3] = [0.3, 0.6, 0.95];
const STRETCHES: [f64; 2] = [1.0, 2.5];
const MAX_P_STARTS: [f64; 3] = [0.03, 0.1, 0.2];
/// Evaluations of the search.
const EVALUATIONS: usize = 80;

/// A lossy packet's fate does not tell the average to better than this share.
const SPREAD: f64 = 0.15;

/// The likeliest thresholds and probability, with a queue behind them that may be `full`; `None` with too few losses.
pub(super) fn predict(
    steps: &[Step],
    bps: f64,
    packet: f64,
    full: Option<&Predicted>,
) -> Option<Predicted> {
    let free = predict_free(steps, bps, packet, None)?;
    let Some(full) = full else {
        return Some(free);
    };
    let Some(limited) = predict_free(steps, bps, packet, Some(full)) else {
        return Some(free);
    };
    let observations = steps.len() as f64;
    let bic = |predicted: &Predicted| {
        f64::from(predicted.parameters) * libm::log(observations)
            - 2.0 * log_likelihood(steps, &predicted.drop)
    };
    Some(if bic(&limited) < bic(&free) {
        limited
    } else {
        free
    })
}

fn predict_free(
    steps: &[Step],
    bps: f64,
    packet: f64,
    full: Option<&Predicted>,
) -> Option<Predicted> {
    let is_full = |index: usize| full.is_some_and(|full| full.drop[index] > 0.0);
    let averages = averages(steps, bps, packet);
    let mut at_losses: Vec<f64> = steps
        .iter()
        .zip(&averages)
        .enumerate()
        .filter(|(index, (step, average))| {
            step.lost == Some(true) && **average > 0.0 && !is_full(*index)
        })
        .map(|(_, (_, average))| *average)
        .collect();
    at_losses.sort_by(f64::total_cmp);
    if at_losses.len() < FEWEST {
        return None;
    }
    let low = quantile(&at_losses, 0.05)?;
    let high = quantile(&at_losses, 0.95)?.max(low * 1.2);
    let parameters = |at: [f64; 3]| {
        let min = libm::exp(at[0]);
        (min, min + libm::exp(at[1]), libm::exp(at[2]).min(1.0))
    };
    let predicted = |min: f64, max: f64, max_p: f64| {
        let mut drops = drops(steps, &averages, packet, min, max, max_p);
        if let Some(full) = full {
            for (drop, full) in drops.iter_mut().zip(&full.drop) {
                *drop = 1.0 - (1.0 - *drop) * (1.0 - full);
            }
        }
        drops
    };
    let lost = steps.iter().filter(|step| step.lost == Some(true)).count();
    let overall = lost as f64 / steps.len().max(1) as f64;
    let cost = |at: [f64; 3]| {
        let (min, max, max_p) = parameters(at);
        let drops = predicted(min, max, max_p);
        -steps
            .iter()
            .zip(&drops)
            .filter_map(|(step, drop)| {
                let p = (1.0 - MISTAKEN) * drop + MISTAKEN * overall;
                Some(libm::log(if step.lost? { p } else { 1.0 - p }))
            })
            .sum::<f64>()
    };
    let mut starts = Vec::new();
    for min in MIN_STARTS.map(|share| low * share) {
        for max in MAX_STARTS.map(|share| quantile(&at_losses, share).unwrap_or(high)) {
            for stretch in STRETCHES {
                for max_p in MAX_P_STARTS {
                    let width = ((max - min) * stretch).max(packet);
                    let start = [libm::log(min), libm::log(width), libm::log(max_p)];
                    starts.push((start, cost(start)));
                }
            }
        }
    }
    starts.sort_by(|a, b| a.1.total_cmp(&b.1));
    let start = starts.first()?.0;
    let rough = minimise(start, 0.1, EVALUATIONS, &cost);
    // A simplex that has shrunk to a ridge goes on from a new one.
    let found = minimise(rough.at, 0.03, EVALUATIONS, &cost);
    let (min, max, max_p) = parameters(found.at);
    let around = |value: f64| Estimate::new(value, value * (1.0 - SPREAD), value * (1.0 + SPREAD));
    Some(Predicted {
        model: QueueModel::Red {
            min: around(min),
            max: around(max),
            max_p: Estimate::new(max_p, max_p / 2.0, (max_p * 2.0).min(1.0)),
        },
        parameters: 3 + full.map_or(0, |full| full.parameters),
        drop: predicted(min, max, max_p),
    })
}

/// The average of the queue at each packet, bytes: RED's own weight, aged over idle times.
fn averages(steps: &[Step], bps: f64, packet: f64) -> Vec<f64> {
    let weight = RedConfig::DEFAULT.weight;
    let typical_s = f64::from(RedConfig::DEFAULT.mean_packet) * 8.0 / bps;
    let mut average = 0.0;
    let mut empty_s = 0.0;
    steps
        .iter()
        .map(|step| {
            let idle = f64::max(0.0, step.at_s - empty_s);
            average *= libm::pow(1.0 - weight, idle / typical_s);
            // The packet in transmission does not wait.
            let waiting = f64::max(0.0, libm::ceil(step.found / packet) - 1.0) * packet;
            average = (1.0 - weight) * average + weight * waiting;
            let left = step.found
                + if step.lost == Some(true) {
                    0.0
                } else {
                    step.bytes
                };
            empty_s = step.at_s + left * 8.0 / bps;
            average
        })
        .collect()
}

/// Drop probability of each packet.
fn drops(
    steps: &[Step],
    averages: &[f64],
    packet: f64,
    min: f64,
    max: f64,
    max_p: f64,
) -> Vec<f64> {
    let mut count = 0.0;
    let mut was_above = false;
    steps
        .iter()
        .zip(averages)
        .map(|(step, &average)| {
            count += 1.0;
            if average < min || step.found <= 2.0 * packet {
                was_above = false;
                return 0.0;
            }
            if !was_above {
                was_above = true;
                count = 1.0;
                return 0.0;
            }
            let p = if average >= max {
                1.0
            } else {
                let rising = max_p * (average - min) / (max - min);
                let due = count * rising;
                if due < 1.0 {
                    0.0
                } else {
                    rising / (2.0 - due).max(rising)
                }
            };
            if step.lost == Some(true) {
                count = 0.0;
            }
            p
        })
        .collect()
}
