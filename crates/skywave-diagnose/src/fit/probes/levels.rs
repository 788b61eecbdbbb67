//! The delay without jitter, and the times at which it changes.

use std::ops::Range;

use super::sample::{HOST_S, NORMAL, Sample, median, spread, winsorised};
use crate::fit::changes::changes;
use crate::fit::period::Period;
use crate::fit::{Estimate, Known};

/// Delay of a link without jitter and queues, over the time of a record: its round trip, or one way in a
/// [`WayFit`](super::WayFit).
#[derive(Clone, Debug, PartialEq)]
pub struct Base {
    /// Stretches of time with one delay each, in the order of time; a single one if the delay did not change.
    pub levels: Vec<Level>,
    /// Period at whose multiples the delay changes; `None` if the changes are at no regular times.
    pub every: Option<Period>,
}

/// Stretch of time with one base delay.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level {
    /// Start in seconds from the first probe.
    pub from_s: f64,
    /// End in seconds from the first probe.
    pub to_s: f64,
    /// Delay without jitter and queues, seconds: a round trip or one way, as in [`Base`].
    pub delay_s: Estimate,
}

impl Base {
    /// Smallest delay of all [`Self::levels`], seconds: a round trip or one way, as in [`Base`].
    pub fn least(&self) -> Estimate {
        let smaller = |a: Estimate, b: Estimate| if b.value < a.value { b } else { a };
        let delays = self.levels.iter().map(|level| level.delay_s);
        delays.reduce(smaller).expect("there is a level")
    }
}

impl Base {
    /// Range over time of the base delay: the largest less the smallest delay of the stretches [`Self::levels`],
    /// seconds; 0 with a single one.
    pub fn range_s(&self) -> f64 {
        let delays = self.levels.iter().map(|level| level.delay_s.value);
        delays.fold(0.0, f64::max) - self.least().value
    }
}

/// The third smallest delay, as far as fewer samples than a shape needs can tell, or such as depend on each other.
pub(super) fn least(samples: &[Sample]) -> Known<Base> {
    let mut sorted = samples.to_vec();
    sorted.sort_by(|a, b| a.middle_s().total_cmp(&b.middle_s()));
    let (Some(first), Some(last)) = (samples.first(), samples.last()) else {
        return Known::unknown("no probe was answered");
    };
    let third = sorted[sorted.len().min(3) - 1];
    Known::Told(Base {
        levels: vec![Level {
            from_s: first.sent_s,
            to_s: last.sent_s,
            delay_s: Estimate::new(third.middle_s(), sorted[0].low_s, third.high_s + HOST_S),
        }],
        every: None,
    })
}

/// Shortest level, seconds.
const SHORTEST_S: f64 = 3.0;
/// Fewest bins of a level: some delays in a row are large by chance.
const FEWEST: f64 = 6.0;
/// Shortest time whose samples count as one, seconds.
const BIN_S: f64 = 0.2;
/// Most bins: a longer record has wider ones.
const BINS: f64 = 10_000.0;
/// Least difference between two levels, seconds.
const DIFFERENT_S: f64 = 0.000_5;

/// Ranges of samples with one level each.
pub(super) fn split(samples: &[Sample]) -> Vec<Range<usize>> {
    let (Some(first), Some(last)) = (samples.first(), samples.last()) else {
        return Vec::new();
    };
    let width = BIN_S.max((last.sent_s - first.sent_s) / BINS);
    let delays: Vec<f64> = samples.iter().map(Sample::middle_s).collect();
    let tame = winsorised(&delays);
    // First sample and mean of each bin. A bin may be a little short, so that probes each 0.2 s do not pair at random.
    let mut starts = vec![0];
    for (i, sample) in samples.iter().enumerate() {
        if sample.sent_s - samples[starts[starts.len() - 1]].sent_s > 0.75 * width {
            starts.push(i);
        }
    }
    let end = |bin: usize| *starts.get(bin + 1).unwrap_or(&samples.len());
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let means: Vec<f64> = (0..starts.len())
        .map(|bin| mean(&tame[starts[bin]..end(bin)]))
        .collect();
    let apart = |w: &[usize]| samples[w[1]].sent_s - samples[w[0]].sent_s;
    let Some(bin_s) = median(starts.windows(2).map(apart).collect()) else {
        let whole = 0..samples.len();
        return Vec::from([whole]);
    };
    // Differences of neighbours hardly see the levels.
    let differences: Vec<f64> = means.windows(2).map(|w| w[1] - w[0]).collect();
    let squares: f64 = winsorised(&differences).iter().map(|d| d * d).sum();
    let noise = libm::sqrt(squares / differences.len() as f64 / 2.0);
    let shortest = libm::ceil(SHORTEST_S / bin_s).max(FEWEST) as usize;
    let mut bounds = vec![0];
    let found = changes(&means, noise.max(HOST_S), shortest);
    bounds.extend(found.into_iter().map(|bin| starts[bin]));
    bounds.push(samples.len());
    let mut ranges: Vec<Range<usize>> = bounds.windows(2).map(|w| w[0]..w[1]).collect();
    merge(&mut ranges, &delays);
    ranges
}

/// Joins neighbours whose medians do not differ by 0.5 ms and three standard errors, the closest ones first.
fn merge(ranges: &mut Vec<Range<usize>>, delays: &[f64]) {
    let describe = |range: &Range<usize>| {
        let (centre, deviation) = spread(&delays[range.clone()]).unwrap_or_default();
        // A median's variance is pi/2 times that of the mean.
        let variance = deviation * NORMAL * deviation * NORMAL / range.len() as f64;
        (centre, variance * std::f64::consts::FRAC_PI_2)
    };
    let mut described: Vec<(f64, f64)> = ranges.iter().map(describe).collect();
    loop {
        let excess = |i: usize| {
            let (a, b) = (described[i], described[i + 1]);
            (a.0 - b.0).abs() / DIFFERENT_S.max(3.0 * libm::sqrt(a.1 + b.1))
        };
        let closest = (0..ranges.len() - 1).min_by(|&i, &j| excess(i).total_cmp(&excess(j)));
        let Some(i) = closest.filter(|&i| excess(i) < 1.0) else {
            return;
        };
        ranges[i].end = ranges.remove(i + 1).end;
        described[i] = describe(&ranges[i]);
        described.remove(i + 1);
    }
}
