//! The link that a set of records tells of: each property from the record that tells it best.

mod contradictions;
mod draws;
mod scenario;

pub(crate) use contradictions::contradictions;
pub use draws::{Drawn, Likeliest};
pub use scenario::{Values, Written, has_trace, scenario, trace_name};
pub(crate) use scenario::{interval, short};

use crate::fit::hidden::LossModel;
use crate::fit::path::{Back, PathFit, Policer, QueueModel, RateBy, RateModel, Recorded};
use crate::fit::probes::{Arq, Base, JitterModel, Outages, ProbeFit};
use crate::fit::throughput::ThroughputFit;
use crate::fit::{Candidate, Choice, Estimate, Known};
use crate::record::Rates;

/// Fits of all records of a link, each beside the name of its file, without the folder. A name may come twice, since a
/// file may hold several records.
#[derive(Clone, Debug, Default)]
pub struct Fits {
    /// Fits of probes, such as pings: for each record of probes the name of its file, and its fit.
    pub probes: Vec<(String, ProbeFit)>,
    /// Fitted paths of TCP transfers, those with the most bytes first: for each transfer the name of its capture's file
    /// (`a + b` for captures that were read as one), and the path.
    pub paths: Vec<(String, PathFit)>,
    /// Fits of throughput tests: for each test the name of its file, and its fit.
    pub throughputs: Vec<(String, ThroughputFit)>,
    /// Traces of rates as recorded, for nothing is fitted to them: for each trace the name of its file, and the rates.
    pub rates: Vec<(String, Rates)>,
}

impl Fits {
    /// Whether no record was fitted, so that nothing tells of the link.
    pub fn is_empty(&self) -> bool {
        self.paths.is_empty()
            && self.probes.is_empty()
            && self.throughputs.is_empty()
            && self.rates.is_empty()
    }
}

/// Property of a link, such as its rate or its losses, and the user's file from which it was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Property<T> {
    /// The property's value, or why it is unknown.
    pub known: Known<T>,
    /// Name of the file that tells the property, without its folder; empty if none does.
    pub from: String,
}

/// Link estimated from records: each property from the record that tells it best.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// Rate of the bottleneck, bits a second with headers from IP on.
    pub rate: Property<RateModel>,
    /// Lower bound of the bottleneck's rate, bits a second with headers from IP on; `None` if no transfer or throughput
    /// test tells.
    pub at_least_bps: Option<f64>,
    /// Base round trip (without queues and jitter), seconds.
    pub base_s: Property<Estimate>,
    /// Base round trip over the time of the record, with its changes.
    pub steps: Property<Base>,
    /// Candidates for the distribution of the round trip's random variation, best first.
    pub jitter: Property<Choice<JitterModel>>,
    /// Candidates for the kind and size of the bottleneck's queue, best first.
    pub queue: Property<Choice<QueueModel>>,
    /// Most bytes that the bottleneck's queue was seen to hold; `None` if no transfer tells.
    pub queued: Option<f64>,
    /// Bytes of a full packet from the IP header on; 1500 where no transfer tells.
    pub packet: f64,
    /// Policer on the path; `None` if no transfer shows one.
    pub policer: Option<Property<Policer>>,
    /// Queue on the way back; `None` if no transfer shows that acknowledgements waited there.
    pub back: Option<Property<Back>>,
    /// Candidates for the model of the losses that no queue or policer explains, best first.
    pub losses: Property<Choice<LossModel>>,
    /// Retransmission by the link itself; `None` if no probes show it.
    pub arq: Option<Property<Arq>>,
    /// Outages of the link; `None` if no record shows any.
    pub outages: Option<Property<Outages>>,
}

/// Bytes of a full packet where no transfer tells.
const USUAL_PACKET: f64 = 1500.0;
/// Bytes of a probe as ping sends it, from the IP header on.
const PROBE_BYTES: f64 = 84.0;
/// Probability that a burst lasts so long below which it is an outage.
const UNLIKELY: f64 = 0.01;
/// Most packets of a trace that is made of a table of rates: ten minutes at 1 Gbit/s.
const MOST_PACKETS: f64 = 5e7;

impl<T> Property<T> {
    /// A value that the file of this name tells.
    fn told_by(from: &str, value: T) -> Self {
        Self {
            known: Known::Told(value),
            from: from.to_owned(),
        }
    }

    /// First value that is known, else the first reason.
    fn first<'a>(found: impl Iterator<Item = (&'a String, Known<T>)>, nothing: &str) -> Self {
        let mut reason = None;
        for (from, known) in found {
            match known {
                Known::Told(value) => return Self::told_by(from, value),
                Known::Unknown(why) => {
                    reason.get_or_insert(why);
                }
            }
        }
        Self {
            known: Known::Unknown(reason.unwrap_or_else(|| nothing.to_owned())),
            from: String::new(),
        }
    }
}

impl Link {
    /// Link that these fits tell of, each property from the record that tells it best: delays from probes of the idle
    /// link, rates from traces or transfers, queues and losses from transfers.
    pub fn of(fits: &Fits) -> Self {
        let probes = || fits.probes.iter().map(|(name, fit)| (name, fit));
        let paths = || fits.paths.iter().map(|(name, fit)| (name, fit));
        let tests = || fits.throughputs.iter().map(|(name, fit)| (name, fit));
        let constant = |rate: &Estimate| RateModel::Constant(*rate, RateBy::Busy);
        let rate = fits
            .rates
            .iter()
            .map(|(name, rates)| (name, recorded(rates)))
            .chain(paths().map(|(name, fit)| (name, fit.rate.clone())))
            .chain(tests().map(|(name, fit)| (name, fit.rate.map(constant))));
        let back = paths().find_map(|(name, fit)| Some((name, fit.back?)));
        let back_s = back.map_or(0.0, |(_, back)| PROBE_BYTES * 8.0 / back.bps.value);
        let base = probes()
            .map(|(name, fit)| (name, least(&fit.base, back_s)))
            .chain(paths().map(|(name, fit)| (name, fit.base_s.clone())))
            .chain(tests().map(|(name, fit)| (name, fit.rtt_s.clone())));
        let full = |bytes: &Estimate| Choice {
            candidates: vec![Candidate {
                model: QueueModel::DropTail { bytes: *bytes },
                log_likelihood: 0.0,
                parameters: 1,
            }],
            observations: 1,
        };
        // A throughput test takes all losses for the queue's; a capture knows better, also where it cannot tell.
        let tested = tests().filter(|_| fits.paths.is_empty());
        let queue = paths()
            .map(|(name, fit)| (name, fit.queue.clone()))
            .chain(tested.map(|(name, fit)| (name, fit.queue.map(full))));
        let losses = paths()
            .map(|(name, fit)| (name, fit.losses.clone()))
            .chain(tests().filter_map(|(name, fit)| Some((name, uncaused(name, fit)?))))
            .chain(probes().map(|(name, fit)| (name, fit.losses.clone())));
        let mut arq = probes().find_map(|(name, fit)| Some((name, (*fit.arq.told()?)?)));
        if let Some((_, arq)) = &mut arq {
            arq.in_order = arq.in_order.or(paths().find_map(|(_, fit)| fit.in_order));
        }
        let mut rate = Property::first(rate, "no record of a transfer or of rates");
        if let (Some((_, arq)), Known::Told(RateModel::Constant(bps, RateBy::Busy))) =
            (&arq, &mut rate.known)
        {
            *bps = of_all_transmissions(*bps, arq.p);
        }
        let losses = Property::first(losses, "no record of losses");
        let bursts = losses.known.told().map(Choice::best).copied();
        Self {
            rate,
            at_least_bps: paths()
                .map(|(_, fit)| fit.at_least_bps)
                .chain(tests().map(|(_, fit)| fit.at_least_bps))
                .max_by(f64::total_cmp),
            base_s: Property::first(base, "no record of round trips"),
            steps: Property::first(
                probes().map(|(name, fit)| (name, fit.base.clone())),
                "only probes of an idle link tell",
            ),
            jitter: Property::first(
                probes().map(|(name, fit)| (name, fit.jitter.clone())),
                "only probes of an idle link tell",
            ),
            queue: Property::first(queue, "only a transfer that fills it tells"),
            queued: paths()
                .filter_map(|(_, fit)| fit.queued)
                .max_by(f64::total_cmp),
            packet: paths().next().map_or(USUAL_PACKET, |(_, fit)| fit.packet),
            policer: paths().find_map(|(name, fit)| Some(Property::told_by(name, fit.policer?))),
            back: back.map(|(name, back)| Property::told_by(name, back)),
            losses,
            arq: arq.map(|(name, arq)| Property::told_by(name, arq)),
            outages: probes()
                .filter_map(|(name, fit)| Some((name, outages(fit, bursts.as_ref())?)))
                .chain(paths().map(|(name, fit)| (name, fit.outages.clone())))
                .find(|(_, outages)| !outages.all.is_empty())
                .map(|(name, outages)| Property::told_by(name, outages)),
        }
    }
}

/// Why losses that a throughput test counted tell no more; `None` if it counted none.
fn uncaused<T>(name: &str, fit: &ThroughputFit) -> Option<Known<T>> {
    let share = fit.lost.told().filter(|lost| lost.value > 0.0)?.value;
    Some(Known::unknown(format_args!(
        "{name} counted {} % lost or sent again, but tells neither when nor whether by a full queue",
        short(100.0 * share)
    )))
}

/// The rate of a link that sends again what it loses, by the rate at which packets come through: a share `p` of what it
/// sends fails.
fn of_all_transmissions(through: Estimate, p: Estimate) -> Estimate {
    let passing = |p: f64| (1.0 - p).max(0.1);
    Estimate::new(
        through.value / passing(p.value),
        through.low / passing(p.low),
        through.high / passing(p.high),
    )
}

/// Least base round trip that probes tell, without the seconds that it takes to send their answers on the way back.
fn least(base: &Known<Base>, back_s: f64) -> Known<Estimate> {
    base.map(|base| base.least().less(back_s))
}

/// Outages that probes tell, without those that are bursts by packets as a transfer tells them: probes are far apart, and
/// so is a burst of them.
fn outages(fit: &ProbeFit, losses: Option<&LossModel>) -> Option<Outages> {
    let mut outages = fit.outages.told()?.clone();
    if let (Some(LossModel::Bursts { to_good, .. }), None) = (losses, outages.every) {
        let spacing_s = fit.shortest_burst_s / 1.5;
        outages.all.retain(|outage| {
            let probes = (outage.to_s - outage.from_s) / spacing_s;
            libm::pow(1.0 - to_good.value, probes - 1.0) < UNLIKELY
        });
    }
    Some(outages)
}

/// Opportunities of a trace, those of a table of rates spread evenly within each span.
fn recorded(rates: &Rates) -> Known<RateModel> {
    let mut sum = 0.0;
    let mut missing = 0.0;
    let mut spread = Vec::new();
    let mut bits = 0.0;
    let mut last_bps = 0.0;
    for span in &rates.spans {
        let time = span.to_s - span.from_s;
        if span.bps.is_none() {
            missing += time;
        }
        last_bps = span.bps.unwrap_or(last_bps);
        sum += last_bps * time;
        let packet = USUAL_PACKET * 8.0;
        let before = bits;
        bits += last_bps * time;
        if rates.opportunities_ms.is_some() {
            continue;
        }
        if bits > MOST_PACKETS * packet {
            return Known::unknown(
                "the table is of more than 50 million packets; take a part of it",
            );
        }
        let mut at = packet - before % packet;
        while at <= bits - before && last_bps > 0.0 {
            spread.push(((span.from_s + at / last_bps) * 1000.0) as u64);
            at += packet;
        }
    }
    let (Some(first), Some(last)) = (rates.spans.first(), rates.spans.last()) else {
        return Known::unknown("the trace is empty");
    };
    let all = (last.to_s - first.from_s).max(f64::MIN_POSITIVE);
    Known::Told(RateModel::Recorded(Recorded {
        opportunities_ms: rates.opportunities_ms.clone().unwrap_or(spread),
        typical_bps: sum / all,
        filled: missing / all,
    }))
}
