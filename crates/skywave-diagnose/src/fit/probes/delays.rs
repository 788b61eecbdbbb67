//! Levels, lattice and jitter of one series of delays.

use std::ops::Range;

use super::arq::{self, Arq, Lattice};
use super::jitter::{self, JitterModel, Trip};
use super::levels::{Base, Level, least, split};
use super::sample::{HOST_S, Sample, median, winsorised};
use crate::fit::period::period;
use crate::fit::{Choice, Estimate, Known};

/// Fits of one series of delays.
pub(super) struct Delays {
    pub(super) base: Known<Base>,
    pub(super) jitter: Known<Choice<JitterModel>>,
    pub(super) arq: Known<Option<Arq>>,
}

/// Samples without which only the base is told.
const FEWEST: usize = 100;
/// Correlation of a delay with the one after it above which it is not jitter.
const CORRELATED: f64 = 0.2;
/// Bounds of a period of steps, seconds.
const PERIODS_S: (f64, f64) = (5.0, 60.0);

/// Fits delays in the order of their probes.
pub(super) fn fit(samples: &[Sample], trip: Trip) -> Delays {
    if samples.len() < FEWEST {
        let reason = format!("only {} probes were answered", samples.len());
        return Delays {
            base: least(samples),
            jitter: Known::unknown(&reason),
            arq: Known::unknown(&reason),
        };
    }
    let Untangled {
        direct,
        ranges,
        arq,
    } = untangle(samples);
    let arq = Known::Told(arq);
    let bases = medians(&direct, &ranges);
    let correlation = correlation(&direct, &above(&direct, &ranges, &bases));
    if correlation > CORRELATED.max(3.0 / libm::sqrt(samples.len() as f64)) {
        return Delays {
            base: least(samples),
            jitter: Known::unknown(format!(
                "delays hang together from one probe to the next (correlation {correlation:.2}): \
                 queues of other traffic or a rate that varies, not jitter"
            )),
            arq,
        };
    }
    let parts: Vec<Vec<Sample>> = ranges
        .iter()
        .map(|range| direct[range.clone()].to_vec())
        .collect();
    let Some(jitter) = jitter::fit(&parts, &bases, trip) else {
        return Delays {
            base: least(samples),
            jitter: Known::unknown("the link delayed all probes"),
            arq,
        };
    };
    let levels = levels(&direct, &ranges, &jitter.bases_s);
    let gaps = samples.windows(2).map(|w| w[1].sent_s - w[0].sent_s);
    let spacing_s = median(gaps.collect()).unwrap_or_default();
    let starts: Vec<f64> = levels.iter().skip(1).map(|level| level.from_s).collect();
    Delays {
        base: Known::Told(Base {
            levels,
            every: period(&starts, spacing_s, PERIODS_S.0, PERIODS_S.1),
        }),
        jitter: Known::Told(jitter.choice),
        arq,
    }
}

/// Samples that the link did not retransmit, in ranges with one level each.
struct Untangled {
    direct: Vec<Sample>,
    ranges: Vec<Range<usize>>,
    arq: Option<Arq>,
}

/// Tells retransmissions from steps of the base: first as if there were no steps, since many retransmissions look like
/// them, then between the steps.
fn untangle(samples: &[Sample]) -> Untangled {
    let direct = |lattice: &Lattice| {
        let kept = samples
            .iter()
            .zip(&lattice.delayed)
            .filter(|&(_, delayed)| !delayed);
        kept.map(|(&sample, _)| sample).collect::<Vec<_>>()
    };
    if let Some(lattice) = arq::find(samples) {
        let direct = direct(&lattice);
        return Untangled {
            ranges: split(&direct),
            direct,
            arq: Some(lattice.arq),
        };
    }
    let ranges = split(samples);
    let above = above(samples, &ranges, &medians(samples, &ranges));
    let Some(lattice) = arq::find_above(samples, &above) else {
        return Untangled {
            direct: samples.to_vec(),
            ranges,
            arq: None,
        };
    };
    let kept = |upto: usize| {
        lattice.delayed[..upto]
            .iter()
            .filter(|&&delayed| !delayed)
            .count()
    };
    Untangled {
        direct: direct(&lattice),
        ranges: ranges.iter().map(|r| kept(r.start)..kept(r.end)).collect(),
        arq: Some(lattice.arq),
    }
}

fn medians(samples: &[Sample], ranges: &[Range<usize>]) -> Vec<f64> {
    let middle = |range: &Range<usize>| {
        let delays = samples[range.clone()].iter().map(Sample::middle_s);
        median(delays.collect()).unwrap_or_default()
    };
    ranges.iter().map(middle).collect()
}

/// Delays less the base of their range.
fn above(samples: &[Sample], ranges: &[Range<usize>], bases: &[f64]) -> Vec<f64> {
    let parts = ranges.iter().zip(bases);
    parts
        .flat_map(|(range, base)| {
            samples[range.clone()]
                .iter()
                .map(move |s| s.middle_s() - base)
        })
        .collect()
}

/// Correlation of a delay with that of the next probe; 0 if they vary no more than a host makes them.
fn correlation(samples: &[Sample], above: &[f64]) -> f64 {
    let tame = winsorised(above);
    let n = tame.len() as f64;
    let mean = tame.iter().sum::<f64>() / n;
    let off = |i: usize| tame[i] - mean;
    let variance = (0..tame.len()).map(|i| off(i) * off(i)).sum::<f64>() / n;
    let next = |&i: &usize| samples[i].index + 1 == samples[i + 1].index;
    let pairs = (0..tame.len().saturating_sub(1)).filter(next);
    let (sum, count) = pairs.fold((0.0, 0.0), |(sum, count), i| {
        (sum + off(i) * off(i + 1), count + 1.0)
    });
    if variance > HOST_S * HOST_S && count > 0.0 {
        sum / count / variance
    } else {
        0.0
    }
}

/// Ranges as times: a change is half-way between the samples around it.
fn levels(samples: &[Sample], ranges: &[Range<usize>], bases_s: &[Estimate]) -> Vec<Level> {
    let between = |i: usize| f64::midpoint(samples[i - 1].sent_s, samples[i].sent_s);
    let level = |(range, &delay_s): (&Range<usize>, &Estimate)| Level {
        from_s: if range.start > 0 {
            between(range.start)
        } else {
            samples[0].sent_s
        },
        to_s: if range.end < samples.len() {
            between(range.end)
        } else {
            samples[samples.len() - 1].sent_s
        },
        delay_s,
    };
    ranges.iter().zip(bases_s).map(level).collect()
}
