//! CoDel (RFC 8289), led by what was seen: a drop that is due comes with one packet or the next.

use super::{Predicted, QueueModel, Step, likeliest};

/// The RFC's values, and those that people set: target and interval in seconds.
const TRIED: [(f64, f64); 6] = [
    (0.005, 0.1),
    (0.001, 0.02),
    (0.0025, 0.05),
    (0.01, 0.2),
    (0.02, 0.4),
    (0.05, 1.0),
];
/// While a drop is due each packet is it with this probability: times of leaving are known to a packet or so.
const DUE: f64 = 0.5;
/// If so many packets pass while a drop is due, it was not: the queue was shorter than was thought, and came below the target.
const MISSED: u32 = 3;
/// Packets just above the target, by so many packets, are dropped too early, as it seems, if so many were lost, and this many times as often as others.
const NEAR: f64 = 4.0;
const FEWEST: usize = 3;
const OFTENER: f64 = 3.0;
/// A drop state that ended less than this many intervals ago goes on where it was (section 5.4).
const MEMORY: f64 = 16.0;

/// The likeliest of the usual settings.
pub(super) fn predict(steps: &[Step], bps: f64, packet: f64) -> Predicted {
    likeliest(steps, &TRIED, |&(target_s, interval_s)| Predicted {
        model: QueueModel::CoDel {
            target_s,
            interval_s,
        },
        parameters: 1,
        drop: drops(steps, bps, packet, target_s, interval_s),
    })
}

/// Drop probability of each packet, in the order in which they leave, which is that of their arrival.
fn drops(steps: &[Step], bps: f64, packet: f64, target_s: f64, interval_s: f64) -> Vec<f64> {
    let mut above_until: Option<f64> = None;
    let mut dropping = false;
    let target = target_s * bps / 8.0;
    let mut missed = 0;
    let mut is_near = Vec::with_capacity(steps.len());
    let mut count = 0.0_f64;
    let mut before = 0.0;
    let mut next_s = 0.0;
    let spacing = |count: f64| interval_s / libm::sqrt(count.max(1.0));
    let mut drops = Vec::with_capacity(steps.len());
    let survives = |step: &&Step| step.lost != Some(true);
    let mut came = steps.iter().filter(survives).peekable();
    let (mut come, mut left) = (0.0, 0.0);
    for step in steps {
        let sojourn = step.found * 8.0 / bps;
        let leaves_s = step.at_s + sojourn;
        while let Some(next) = came.next_if(|next| next.at_s <= leaves_s) {
            come += next.bytes;
        }
        left += if survives(&step) { step.bytes } else { 0.0 };
        // Less than a packet behind this one is no queue.
        let is_above = sojourn >= target_s && come - left > packet;
        let is_long_above = if is_above {
            let until = *above_until.get_or_insert(leaves_s + interval_s);
            leaves_s >= until
        } else {
            above_until = None;
            false
        };
        if !is_long_above {
            dropping = false;
        }
        let is_due = if dropping {
            leaves_s >= next_s
        } else {
            is_long_above
        };
        drops.push(if is_due { DUE } else { 0.0 });
        is_near.push(is_above && !is_due && step.found < target + NEAR * packet);
        if !is_due || step.lost != Some(true) {
            missed = if is_due { missed + 1 } else { 0 };
            if missed == MISSED {
                above_until = None;
                dropping = false;
            }
            continue;
        }
        missed = 0;
        if dropping {
            count += 1.0;
            next_s += spacing(count);
        } else {
            dropping = true;
            let newly = count - before;
            let is_recent = leaves_s - next_s < MEMORY * interval_s && next_s > 0.0;
            count = if newly > 1.0 && is_recent { newly } else { 1.0 };
            before = count;
            next_s = leaves_s + spacing(count);
        }
    }
    let near = share(steps, |index| is_near[index]);
    let else_where = share(steps, |index| !is_near[index] && drops[index] == 0.0);
    if near.0 >= FEWEST && near.1 > OFTENER * else_where.1 {
        for (drop, is_near) in drops.iter_mut().zip(is_near) {
            *drop = if is_near { near.1 } else { *drop };
        }
    }
    drops
}

/// Number and share of the losses among some packets.
fn share(steps: &[Step], of: impl Fn(usize) -> bool) -> (usize, f64) {
    let fates = || steps.iter().enumerate().filter(|(index, _)| of(*index));
    let lost = fates().filter(|(_, step)| step.lost == Some(true)).count();
    (lost, lost as f64 / fates().count().max(1) as f64)
}
