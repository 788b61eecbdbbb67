//! Kind and size of the bottleneck's queue: candidates that give each packet a probability of being dropped, given
//! all that was seen before it.

mod codel;
mod drop_tail;
mod mixture;
mod pie;
mod red;

pub(super) use mixture::drops_alone;

use super::backlog::Step;
use crate::fit::{Candidate, Choice, Estimate};

/// Packets below its limit from which a queue counts as nearly full; and where the rate changes.
const BLURRED: f64 = 2.0;
const NEAR: f64 = 4.0;

/// Behaviour of the bottleneck's queue: when it drops packets, with its fitted parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum QueueModel {
    /// No drops: all losses are the channel's.
    None,
    /// Drops what comes when it is full.
    DropTail {
        /// Capacity, bytes.
        bytes: Estimate,
    },
    /// CoDel (RFC 8289), or FQ-CoDel: one connection cannot tell these apart.
    CoDel {
        /// Target: time in the queue that CoDel accepts, seconds.
        target_s: f64,
        /// Interval: time for which packets must have waited longer than the target before CoDel drops one, seconds.
        interval_s: f64,
    },
    /// PIE (RFC 8033).
    Pie {
        /// Target: time in the queue that PIE aims at, seconds.
        target_s: f64,
    },
    /// Random early detection.
    Red {
        /// Average length of the queue from which on some packets are dropped, bytes.
        min: Estimate,
        /// Average length of the queue from which on all packets are dropped, bytes.
        max: Estimate,
        /// Probability of a drop just below `max`.
        max_p: Estimate,
    },
}

impl QueueModel {
    /// Name of the kind of queue, as scenario files have it (`droptail`).
    pub fn name(&self) -> &'static str {
        match self {
            Self::None => "none",
            Self::DropTail { .. } => "droptail",
            Self::CoDel { .. } => "codel",
            Self::Pie { .. } => "pie",
            Self::Red { .. } => "red",
        }
    }
}

/// A candidate with the probability that it gives each packet's drop by the queue.
#[derive(Clone, Debug)]
struct Predicted {
    model: QueueModel,
    /// Free parameters of the queue.
    parameters: u32,
    /// Probability of a drop by the queue, a packet.
    drop: Vec<f64>,
}

/// The choice between queues, and what the best says of each packet.
#[derive(Clone, Debug)]
pub(super) struct Queue {
    pub(super) choice: Choice<QueueModel>,
    /// Probability, by the best model, that the queue drops a packet.
    pub(super) drop: Vec<f64>,
}

/// Chooses between queues by the losses of a transfer; `packet` is a full packet's bytes, the rate in bits a second. `None`
/// without losses; what a packet found is not known to `blurred` bytes.
pub(super) fn queue(steps: &[Step], bps: f64, packet: f64, blurred: f64) -> Option<Queue> {
    let full = drop_tail::predict(steps, packet, BLURRED * packet + blurred);
    let red = red::predict(steps, bps, packet, full.as_ref());
    let codel = codel::predict(steps, bps, packet);
    let pie = pie::predict(steps, bps);
    choose(
        steps,
        [full, Some(codel), Some(pie), red].into_iter().flatten(),
    )
}

/// Chooses between a queue that drops when it is full, or nearly so, and none; what a packet found is not known to
/// `blurred` bytes.
pub(super) fn full(steps: &[Step], packet: f64, blurred: f64) -> Option<Queue> {
    choose(
        steps,
        drop_tail::predict(steps, packet, NEAR * packet + blurred),
    )
}

/// The same behind something that drops each packet with the probability in `before`: the probabilities that one or the
/// other drops a packet, and the queue if there is one.
pub(super) fn behind(steps: &[Step], before: &[f64], packet: f64) -> (Vec<f64>, Option<Queue>) {
    let unexplained: Vec<Step> = steps
        .iter()
        .zip(before)
        .map(|(step, &before)| Step {
            lost: step.lost.filter(|_| before == 0.0),
            ..*step
        })
        .collect();
    let queue = full(&unexplained, packet, 0.0)
        .filter(|queue| !matches!(queue.choice.best(), QueueModel::None));
    let both = match &queue {
        Some(queue) => before
            .iter()
            .zip(&queue.drop)
            .map(|(before, drop)| 1.0 - (1.0 - before) * (1.0 - drop))
            .collect(),
        None => before.to_vec(),
    };
    (both, queue)
}

fn choose(steps: &[Step], queues: impl IntoIterator<Item = Predicted>) -> Option<Queue> {
    if steps.iter().all(|step| step.lost != Some(true)) {
        return None;
    }
    let none = Predicted {
        model: QueueModel::None,
        parameters: 0,
        drop: vec![0.0; steps.len()],
    };
    let predicted: Vec<Predicted> = std::iter::once(none).chain(queues).collect();
    let observations = steps.iter().filter(|step| step.lost.is_some()).count();
    let candidates = predicted
        .iter()
        .map(|predicted| Candidate {
            model: predicted.model,
            log_likelihood: mixture::log_likelihood(steps, &predicted.drop),
            // The random losses beside the queue's have a probability too.
            parameters: predicted.parameters + 1,
        })
        .collect();
    let choice = Choice::new(candidates, observations)?;
    let best = *choice.best();
    let drop = predicted
        .into_iter()
        .find(|predicted| predicted.model == best)?
        .drop;
    Some(Queue { choice, drop })
}

/// The likeliest of a model's usual settings; of equals the first.
fn likeliest<T>(steps: &[Step], tried: &[T], predict: impl Fn(&T) -> Predicted) -> Predicted {
    let mut best = predict(&tried[0]);
    let mut most = mixture::log_likelihood(steps, &best.drop);
    for setting in &tried[1..] {
        let next = predict(setting);
        let value = mixture::log_likelihood(steps, &next.drop);
        if value > most {
            (best, most) = (next, value);
        }
    }
    best
}
