//! A queue that drops what comes when it is full.

use super::super::rate::quantile;
use super::{Predicted, QueueModel, Step};
use crate::fit::Estimate;

/// Fewest losses that a full queue is told from.
const FEWEST: usize = 3;
/// Losses whose virtual queue differs by at most this share are of one limit.
const CLUSTER: f64 = 0.1;
/// A packet within this share of a packet below the limit may be dropped or not.
const BLUR: f64 = 0.5;

/// The likeliest full queue; `None` with too few losses.
pub(super) fn predict(steps: &[Step], packet: f64) -> Option<Predicted> {
    let mut lost: Vec<f64> = steps
        .iter()
        .filter(|step| step.lost == Some(true))
        .map(|step| step.found)
        .collect();
    lost.sort_by(f64::total_cmp);
    let cluster = densest(&lost)?;
    let limit = quantile(cluster, 0.5)?;
    let from = limit - BLUR * packet;
    let above = |step: &&Step| step.found > from && step.lost.is_some();
    let all = steps.iter().filter(above).count();
    let dropped = steps
        .iter()
        .filter(above)
        .filter(|step| step.lost == Some(true))
        .count();
    let share = (dropped as f64 + 0.5) / (all as f64 + 1.0);
    // Half a packet is in transmission when another is refused.
    let bytes = limit + packet / 2.0;
    let spread = [0.1, 0.9].map(|share| quantile(cluster, share).unwrap_or(limit) - limit);
    let low = spread[0].min(-packet / 2.0) + bytes;
    let high = spread[1].max(packet / 2.0) + bytes;
    Some(Predicted {
        model: QueueModel::DropTail {
            bytes: Estimate::new(bytes, low, high),
        },
        parameters: 2,
        drop: steps
            .iter()
            .map(|step| if step.found > from { share } else { 0.0 })
            .collect(),
    })
}

/// The losses that lie closest together, by their virtual queue, in the upper half of all that there are.
fn densest(sorted: &[f64]) -> Option<&[f64]> {
    let most = *sorted.last()?;
    let upper = &sorted[sorted.partition_point(|found| *found < most / 2.0)..];
    let inside = |start: usize| {
        let end = upper.partition_point(|found| *found <= upper[start] * (1.0 + CLUSTER));
        &upper[start..end]
    };
    (0..upper.len())
        .map(inside)
        .max_by_key(|cluster| cluster.len())
        .filter(|cluster| cluster.len() >= FEWEST)
}
