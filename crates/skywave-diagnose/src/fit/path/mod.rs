//! The path of a transfer: rate, base round trip, queue, policer and losses, from what its sender saw.

mod back;
mod backlog;
mod behind;
mod idle;
mod level;
mod outages;
mod policer;
mod queue;
mod rate;
mod variable;
mod view;

pub use back::Back;
pub(crate) use back::without as without_back;
pub use idle::Idle;
pub use policer::Policer;
pub use queue::QueueModel;
pub use rate::RateBy;
pub use variable::{OPPORTUNITY, Recorded};

use super::hidden::{LossModel, Observation, losses};
use super::probes::Outages;
use super::{Choice, Estimate, Known};
use crate::transfer::{Beside, Transfer};
use backlog::Step;
use view::View;

/// A loss is the queue's if this much of its probability is; and as much makes a packet that survived tell nothing of the channel.
const CONGESTIVE: f64 = 0.5;
const FULL: f64 = 0.001;
/// Gain in the information criterion that something beside a queue must bring.
const CLEARLY: f64 = 10.0;
/// Gain that a policer must bring beside it for each loss: its two numbers, sought among thousands, follow any few losses.
const POLICED: f64 = 4.0;
/// Smallest packets of an opening, bytes: a SYN and its answer with their options.
const SYN_BYTES: f64 = 60.0;

/// Rate of a bottleneck, constant or changing.
#[derive(Clone, Debug, PartialEq)]
pub enum RateModel {
    /// Constant rate in bits a second, headers from IP on counted, and how it was found.
    Constant(Estimate, RateBy),
    /// A rate that changes, as a trace.
    Recorded(Recorded),
}

/// Cause of a packet's loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// By a full or managed queue, or by a policer.
    Congestive,
    /// By the channel, such as noise on the air, whatever the load.
    Random,
}

/// Path of one TCP transfer, estimated from what its sender saw.
#[derive(Clone, Debug)]
pub struct PathFit {
    /// Round trip of the path without queues, and without the time that a small packet takes to be
    /// transmitted, seconds; not known where the capture lacks the way back.
    pub base_s: Known<Estimate>,
    /// Time above the base round trip that jitter hardly exceeds, seconds, as probes of the idle link tell it: so
    /// long a wait shows no queue. 0 without such probes.
    pub varies_s: f64,
    /// Rate of the bottleneck; not known if none of the methods of [`RateBy`] tells it: the link need not have been
    /// busy.
    pub rate: Known<RateModel>,
    /// Largest rate at which data arrived over a window of 0.1 s, or of two base round trips if that is longer (more
    /// with jitter), bits a second with headers from IP on: a lower bound of the bottleneck's rate.
    pub at_least_bps: f64,
    /// Candidates for the kind and size of the bottleneck's queue, best first; not known if no loss shows that it was
    /// full or managed.
    pub queue: Known<Choice<QueueModel>>,
    /// Bytes of a full packet from the IP header on, by which queue limits in packets and in bytes are converted.
    pub packet: f64,
    /// Most bytes that a packet found waiting in the bottleneck's queue; `None` if the rate is not known.
    pub queued: Option<f64>,
    /// Policer that explains losses; `None` if none does.
    pub policer: Option<Policer>,
    /// Whether the link keeps packets in order while it sends one again; `None` if it is not known to
    /// retransmit.
    pub in_order: Option<bool>,
    /// Queue on the way back, in which acknowledgements waited; `None` if there is none.
    pub back: Option<Back>,
    /// Model of the channel's losses, that is of those outside outages that neither a queue nor a policer explains.
    pub losses: Known<Choice<LossModel>>,
    /// Times in which nothing arrived of what was sent.
    pub outages: Outages,
    /// Causes of the losses, an entry for each transmission in [`Transfer::sent`]; `None` for one that was not lost, or
    /// of which nobody knows.
    pub kinds: Vec<Option<Loss>>,
}

/// Path of a transfer, fitted to its capture alone; `None` if no round trip is known.
pub fn fit(transfer: &Transfer) -> Option<PathFit> {
    fit_beside(transfer, Idle::default())
}

/// Path of a transfer, fitted to its capture given what probes of the idle link told (`idle`): jitter, steps of delay,
/// retransmission by the link. `None` if no round trip is known.
pub fn fit_beside(transfer: &Transfer, idle: Idle) -> Option<PathFit> {
    let back = back::without(transfer);
    let back = back.as_ref();
    let transfer = back.map_or(transfer, |(straight, _)| straight);
    let in_order = idle.in_order(transfer);
    let idle = idle.beside(transfer);
    let straight = level::level(transfer, idle);
    let view = View::of(straight.as_ref().unwrap_or(transfer))?;
    let rate = rate::rate(&view, idle);
    let bps = rate.found.told().map(|(estimate, _)| estimate.value);
    let policed = policer::policer(&view);
    let mut fit = PathFit {
        base_s: Known::Told(base(&view, bps, back.map(|(_, back)| back.bps.value))),
        varies_s: idle.varies_s,
        rate: Known::unknown(""),
        at_least_bps: rate.at_least,
        queue: Known::unknown("the queue was never filled"),
        packet: view.packet,
        queued: None,
        policer: None,
        in_order,
        back: back.map(|(_, back)| *back),
        losses: Known::unknown(""),
        outages: Outages::default(),
        kinds: Vec::new(),
    };
    // Where nothing waits, round trips are longer than the base by jitter.
    let base_s = idle.mean_s.unwrap_or(view.base_s);
    let (steps, mut queue) = match bps {
        // The queue seldom held more than a few packets, so that the rate is not known well enough to lead it without
        // round trips, nor to tell a managed queue; it may have been full when the transfer began.
        Some(bps) if matches!(rate.found, Known::Told((_, RateBy::Behind))) => {
            let steps = backlog::replay(view.sent, bps, Some(base_s));
            let queue = queue::full(&steps, view.packet, idle.blurred(bps));
            (steps, queue)
        }
        Some(bps) if rate.is_constant() => {
            let led = |base_s| {
                let steps = backlog::replay(view.sent, bps, base_s);
                let blurred = idle.blurred(bps);
                // Where the link repairs, times of leaving are not known well enough to tell a managed queue.
                let queue = if idle.arq.is_some() {
                    queue::full(&steps, view.packet, blurred)
                } else {
                    queue::queue(&steps, bps, view.packet, blurred)
                };
                (steps, queue)
            };
            let bic = |queue: &Option<queue::Queue>| {
                queue.as_ref().map_or(0.0, |queue| queue.choice.bic())
            };
            let (led, free) = (led(Some(base_s)), led(None));
            if bic(&free.1) + CLEARLY < bic(&led.1) {
                free
            } else {
                led
            }
        }
        Some(bps) => {
            let steps = variable::backlog(&view);
            let queue = queue::full(&steps, view.packet, idle.blurred(bps));
            (steps, queue)
        }
        None => (backlog::replay(view.sent, f64::INFINITY, None), None),
    };
    fit.queued = bps.and_then(|_| steps.iter().map(|step| step.found).max_by(f64::total_cmp));
    let mut drop = queue
        .as_ref()
        .map_or_else(|| vec![0.0; steps.len()], |queue| queue.drop.clone());
    if let Some(policed) = policed {
        let without = whole(&steps, &drop, queue.as_ref().map_or(0, |_| 3));
        let (both, behind) = queue::behind(&steps, &policed.drop, view.packet);
        let with = whole(&steps, &both, behind.as_ref().map_or(2, |_| 5));
        let lost = steps.iter().filter(|step| step.lost == Some(true)).count();
        if with + POLICED * lost as f64 + CLEARLY < without {
            fit.policer = Some(policed.policer);
            (drop, queue) = (both, behind);
        }
    }
    if let Some(queue) = queue.filter(|queue| !matches!(queue.choice.best(), QueueModel::None)) {
        fit.queue = Known::Told(queue.choice);
    }
    fit.rate = match rate.found {
        Known::Told(_) if !rate.is_constant() => {
            Known::Told(RateModel::Recorded(variable::recorded(&view, &rate)))
        }
        Known::Told((estimate, by)) => Known::Told(RateModel::Constant(estimate, by)),
        Known::Unknown(reason) => Known::Unknown(reason),
    };
    fit.kinds = kinds(&steps, &drop);
    fit.outages = outages::find(&steps);
    fit.losses = losses(&outages::cut(&fit.outages, observations(&steps, &drop)));
    Some(fit)
}

impl PathFit {
    /// Takes back what other connections of the host make untellable: rate, queues, policer and causes of losses.
    pub(crate) fn share(&mut self, transfer: &Transfer, beside: Beside) {
        let why = format!(
            "other connections carried {:.0} % of the bytes at the same time",
            beside.share * 100.0
        );
        self.rate = Known::unknown(&why);
        self.queue = Known::unknown(&why);
        self.losses = Known::unknown(&why);
        (self.queued, self.policer, self.back) = (None, None, None);
        self.kinds.fill(None);
        let of_ip = self.packet / f64::from(transfer.mss.max(1));
        self.at_least_bps = self.at_least_bps.max(beside.all_bps * of_ip);
    }
}

/// The information criterion of all losses: those where something drops with a probability of its own, of `parameters`, and the
/// channel's elsewhere, by the law that suits them best.
fn whole(steps: &[Step], drop: &[f64], parameters: u32) -> f64 {
    let count = steps.iter().filter(|step| step.lost.is_some()).count();
    let cost = f64::from(parameters) * libm::log(count.max(1) as f64);
    let dropped = cost - 2.0 * queue::drops_alone(steps, drop, FULL);
    match losses(&observations(steps, drop)) {
        Known::Told(choice) => dropped + choice.bic(),
        Known::Unknown(_) => dropped,
    }
}

/// The base round trip without the time that its packet took to be transmitted.
fn base(view: &View<'_>, bps: Option<f64>, back_bps: Option<f64>) -> Estimate {
    let ways = [bps, back_bps].into_iter().flatten();
    let transmission: f64 = ways.map(|bps| SYN_BYTES * 8.0 / bps).sum();
    let value = f64::max(0.0, view.base_s - transmission);
    // Hosts take their time to answer, and clocks have ticks.
    Estimate::new(value, f64::max(0.0, value - 0.002), view.base_s + 0.000_5)
}

fn kinds(steps: &[Step], drop: &[f64]) -> Vec<Option<Loss>> {
    let chance = chance(steps, drop);
    steps
        .iter()
        .zip(drop)
        .map(|(step, &drop)| {
            (step.lost == Some(true)).then(|| {
                if drop / (drop + chance).max(f64::MIN_POSITIVE) >= CONGESTIVE {
                    Loss::Congestive
                } else {
                    Loss::Random
                }
            })
        })
        .collect()
}

/// Share of losses where the queue drops nothing.
fn chance(steps: &[Step], drop: &[f64]) -> f64 {
    let calm = || steps.iter().zip(drop).filter(|(_, drop)| **drop < FULL);
    let lost = calm().filter(|(step, _)| step.lost == Some(true)).count();
    lost as f64 / calm().count().max(1) as f64
}

/// Observations of the channel, one a transmission: nothing where the queue may have dropped it.
fn observations(steps: &[Step], drop: &[f64]) -> Vec<Observation> {
    steps
        .iter()
        .zip(drop)
        .map(|(step, drop)| Observation {
            time_s: step.at_s,
            lost: step.lost.filter(|_| *drop < FULL),
        })
        .collect()
}
