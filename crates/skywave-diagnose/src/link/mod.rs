//! The link that a set of records tells of: each property from the record that tells it best.

mod draws;
mod scenario;

pub use draws::{Drawn, Likeliest};
pub use scenario::{Values, Written, scenario};
pub(crate) use scenario::{interval, short};

use crate::fit::hidden::LossModel;
use crate::fit::path::{PathFit, Policer, QueueModel, RateBy, RateModel, Recorded};
use crate::fit::probes::{Arq, Base, JitterModel, Outages, ProbeFit};
use crate::fit::throughput::ThroughputFit;
use crate::fit::{Choice, Estimate, Known};
use crate::record::Rates;

/// Fits of the records, each beside the name of its file.
#[derive(Clone, Debug, Default)]
pub struct Fits {
    /// Probes.
    pub probes: Vec<(String, ProbeFit)>,
    /// Paths of transfers, those with the most bytes first.
    pub paths: Vec<(String, PathFit)>,
    /// Throughput tests.
    pub throughputs: Vec<(String, ThroughputFit)>,
    /// Traces of rates.
    pub rates: Vec<(String, Rates)>,
}

impl Fits {
    /// No record tells anything.
    pub fn is_empty(&self) -> bool {
        self.paths.is_empty()
            && self.probes.is_empty()
            && self.throughputs.is_empty()
            && self.rates.is_empty()
    }
}

/// A property with the record that tells it.
#[derive(Clone, Debug, PartialEq)]
pub struct Property<T> {
    /// The value, or why it is unknown.
    pub known: Known<T>,
    /// File that tells it; empty if none does.
    pub from: String,
}

/// A link as records tell it.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// Rate in bits a second of IP.
    pub rate: Property<RateModel>,
    /// The rate is at least this, bits a second.
    pub at_least_bps: Option<f64>,
    /// Base round trip, seconds.
    pub base_s: Property<Estimate>,
    /// Changes of the base round trip.
    pub steps: Property<Base>,
    /// Random variation of the round trip.
    pub jitter: Property<Choice<JitterModel>>,
    /// Kind and size of the bottleneck's queue.
    pub queue: Property<Choice<QueueModel>>,
    /// The most that the queue was seen to hold, bytes.
    pub queued: Option<f64>,
    /// Bytes of a full packet.
    pub packet: f64,
    /// A policer, if there is one.
    pub policer: Option<Property<Policer>>,
    /// Losses that no queue explains.
    pub losses: Property<Choice<LossModel>>,
    /// Retransmission by the link, if it can be seen.
    pub arq: Option<Property<Arq>>,
    /// Outages, if there are any.
    pub outages: Option<Property<Outages>>,
}

/// Bytes of a full packet where no transfer tells.
const USUAL_PACKET: f64 = 1500.0;
/// Most packets of a trace that is made of a table of rates: ten minutes at 1 Gbit/s.
const MOST_PACKETS: f64 = 5e7;

impl<T: Clone> Property<T> {
    /// First value that is known, else the first reason.
    fn first<'a>(found: impl Iterator<Item = (&'a String, Known<T>)>, nothing: &str) -> Self {
        let mut reason = None;
        for (from, known) in found {
            match known {
                Known::Told(_) => {
                    return Self {
                        known,
                        from: from.clone(),
                    };
                }
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
    /// The link that these fits tell of. An idle link's probes tell delays best, a transfer rates, queues and losses.
    pub fn of(fits: &Fits) -> Self {
        let probes = || fits.probes.iter().map(|(name, fit)| (name, fit));
        let paths = || fits.paths.iter().map(|(name, fit)| (name, fit));
        let tests = || fits.throughputs.iter().map(|(name, fit)| (name, fit));
        let constant = |known: &Known<Estimate>| match known {
            Known::Told(rate) => Known::Told(RateModel::Constant(*rate, RateBy::Busy)),
            Known::Unknown(why) => Known::Unknown(why.clone()),
        };
        let rate = fits
            .rates
            .iter()
            .map(|(name, rates)| (name, recorded(rates)))
            .chain(paths().map(|(name, fit)| (name, fit.rate.clone())))
            .chain(tests().map(|(name, fit)| (name, constant(&fit.rate))));
        let base = probes()
            .map(|(name, fit)| (name, least(&fit.base)))
            .chain(paths().map(|(name, fit)| (name, Known::Told(fit.base_s))))
            .chain(tests().map(|(name, fit)| (name, fit.rtt_s.clone())));
        let full = |known: &Known<Estimate>| match known {
            Known::Told(bytes) => Known::from(Choice::new(
                vec![crate::fit::Candidate {
                    model: QueueModel::DropTail { bytes: *bytes },
                    log_likelihood: 0.0,
                    parameters: 1,
                }],
                1,
            )),
            Known::Unknown(why) => Known::Unknown(why.clone()),
        };
        let queue = paths()
            .map(|(name, fit)| (name, fit.queue.clone()))
            .chain(tests().map(|(name, fit)| (name, full(&fit.queue))));
        let losses = paths()
            .map(|(name, fit)| (name, fit.losses.clone()))
            .chain(probes().map(|(name, fit)| (name, fit.losses.clone())));
        let arq = probes().find_map(|(name, fit)| Some((name, (*fit.arq.told()?)?)));
        let mut rate = Property::first(rate, "no record of a transfer or of rates");
        if let (Some((_, arq)), Known::Told(RateModel::Constant(bps, RateBy::Busy))) =
            (&arq, &mut rate.known)
        {
            *bps = of_all_transmissions(*bps, arq.p);
        }
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
            policer: paths().find_map(|(name, fit)| {
                Some(Property {
                    known: Known::Told(fit.policer?),
                    from: name.clone(),
                })
            }),
            losses: Property::first(losses, "no record of losses"),
            arq: arq.map(|(name, arq)| Property {
                known: Known::Told(arq),
                from: name.clone(),
            }),
            outages: probes()
                .filter_map(|(name, fit)| Some((name, fit.outages.told()?)))
                .chain(paths().map(|(name, fit)| (name, &fit.outages)))
                .find(|(_, outages)| !outages.all.is_empty())
                .map(|(name, outages)| Property {
                    known: Known::Told(outages.clone()),
                    from: name.clone(),
                }),
        }
    }
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

fn least(base: &Known<Base>) -> Known<Estimate> {
    match base {
        Known::Told(base) => Known::Told(base.least()),
        Known::Unknown(why) => Known::Unknown(why.clone()),
    }
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
