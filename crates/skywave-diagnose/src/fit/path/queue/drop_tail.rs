//! A queue that drops what comes when it is full.

use super::{Predicted, QueueModel, Step};
use crate::fit::Estimate;
use crate::fit::special::binomial;
use crate::order::quantile;

/// Fewest losses that a full queue is told from.
const FEWEST: usize = 3;
/// Levels that are tried, each a loss's.
const TRIED: usize = 200;
/// Share of the packets above the level that must be lost: a full queue drops what comes.
const CERTAIN: f64 = 0.25;
/// A packet within this share of a packet below the limit may be dropped or not.
const BLUR: f64 = 0.5;

/// The likeliest full queue: the level that best parts the losses from what survives. `None` with too few losses.
///
/// Within `near` bytes below the level the queue may drop as well, with a probability of its own: where the rate changes,
/// what a packet found is not known to the packet.
pub(super) fn predict(steps: &[Step], packet: f64, near: f64) -> Option<Predicted> {
    let sorted = |lost: bool| {
        let mut found: Vec<f64> = steps
            .iter()
            .filter(|step| step.lost == Some(lost))
            .map(|step| step.found)
            .collect();
        found.sort_by(f64::total_cmp);
        found
    };
    let (lost, survived) = (sorted(true), sorted(false));
    let above = |sorted: &[f64], level: f64| {
        let below = sorted.partition_point(|found| *found <= level);
        (sorted.len() - below) as f64
    };
    let parted = |level: f64| {
        let (dropped, passed) = (above(&lost, level), above(&survived, level));
        binomial(dropped, passed)
            + binomial(lost.len() as f64 - dropped, survived.len() as f64 - passed)
    };
    let (from, _) = (0..=TRIED)
        .filter_map(|i| quantile(&lost, i as f64 / TRIED as f64))
        .map(|found| found - BLUR * packet)
        .filter(|&level| {
            let (dropped, passed) = (above(&lost, level), above(&survived, level));
            level > 0.0 && dropped >= FEWEST as f64 && dropped >= CERTAIN * (dropped + passed)
        })
        .map(|level| (level, parted(level)))
        .max_by(|a, b| a.1.total_cmp(&b.1))?;
    let share = |dropped: f64, passed: f64| (dropped + 0.5) / (dropped + passed + 1.0);
    let (dropped, passed) = (above(&lost, from), above(&survived, from));
    let full = share(dropped, passed);
    let nearly = share(
        above(&lost, from - near) - dropped,
        above(&survived, from - near) - passed,
    );
    let dropped = &lost[lost.len() - dropped as usize..];
    let limit = quantile(dropped, 0.5)?;
    // Half a packet is in transmission when another is refused.
    let bytes = limit + packet / 2.0;
    let spread = [0.1, 0.9].map(|share| quantile(dropped, share).unwrap_or(limit) - limit);
    let low = spread[0].min(-packet / 2.0) + bytes;
    let high = spread[1].max(packet / 2.0) + bytes;
    Some(Predicted {
        model: QueueModel::DropTail {
            bytes: Estimate::new(bytes, low, high),
        },
        parameters: 2,
        drop: steps
            .iter()
            .map(|step| match step.found {
                found if found > from => full,
                found if found > from - near => nearly,
                _ => 0.0,
            })
            .collect(),
    })
}
