//! Losses by a queue beside losses by chance.

use super::Step;

/// Share of packets about whose loss a candidate is mistaken, whatever it says: bounds the penalty of each.
pub(super) const MISTAKEN: f64 = 0.01;
/// Probabilities of a loss by chance that are tried, as powers of ten, and how finely.
const LEAST: f64 = -7.0;
const MOST: f64 = -0.3;
const TRIED: usize = 30;

/// Logarithm of the likelihood of the losses, if a queue drops each packet with the probability in `drop`, and chance takes others
/// with the likeliest probability.
pub(super) fn log_likelihood(steps: &[Step], drop: &[f64]) -> f64 {
    let known = || {
        steps
            .iter()
            .zip(drop)
            .filter_map(|(step, &drop)| Some((step.lost?, drop)))
    };
    let all = known().count().max(1) as f64;
    let lost = known().filter(|(lost, _)| *lost).count() as f64;
    let overall = (lost / all).max(1.0 / all / 2.0);
    // Most packets survive where no drop is due: they are counted.
    let calm = known().filter(|&(lost, drop)| !lost && drop == 0.0).count() as f64;
    let others: Vec<(bool, f64)> = known().filter(|&(lost, drop)| lost || drop > 0.0).collect();
    let at = |power: f64| {
        let chance = libm::pow(10.0, power);
        let mixed = |drop: f64| {
            let p = 1.0 - (1.0 - drop) * (1.0 - chance);
            (1.0 - MISTAKEN) * p + MISTAKEN * overall
        };
        let rest: f64 = others
            .iter()
            .map(|&(lost, drop)| {
                let p = mixed(drop);
                libm::log(if lost { p } else { 1.0 - p })
            })
            .sum();
        rest + calm * libm::log(1.0 - mixed(0.0))
    };
    (0..=TRIED)
        .map(|i| at(LEAST + (MOST - LEAST) * i as f64 / TRIED as f64))
        .fold(f64::NEG_INFINITY, f64::max)
}

/// Logarithm of the likelihood of what became of the packets that are dropped with at least the probability `from`, by these
/// probabilities alone.
pub(in super::super) fn drops_alone(steps: &[Step], drop: &[f64], from: f64) -> f64 {
    let due = || {
        let known = steps.iter().zip(drop).filter(|(_, drop)| **drop >= from);
        known.filter_map(|(step, &drop)| Some((step.lost?, drop)))
    };
    let lost = due().filter(|(lost, _)| *lost).count() as f64;
    let overall = (lost + 0.5) / (due().count() as f64 + 1.0);
    due()
        .map(|(lost, drop)| {
            let p = (1.0 - MISTAKEN) * drop + MISTAKEN * overall;
            libm::log(if lost { p } else { 1.0 - p })
        })
        .sum()
}
