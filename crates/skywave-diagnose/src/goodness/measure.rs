//! Numbers of a record or a replay: losses, their runs and gaps, delays and their memory, throughput.

use super::replay::Packet;
use crate::fit::path::{OPPORTUNITY, Recorded};
use crate::order::quantile;

/// Width of the bins whose mean delays are correlated, seconds, at least: closer ones share a queue.
const BIN_S: f64 = 0.1;
/// Bins between which delays are correlated.
pub(super) const LAGS: [usize; 3] = [1, 5, 20];
/// Lags that a plot has.
const MOST_LAGS: usize = 40;
/// Shares of the bins beyond which they are cut to these; standard deviation below which it does not matter how they
/// vary, seconds.
const TAILS: [f64; 2] = [0.01, 0.99];
const VARIES_S: f64 = 0.002;
/// Seconds over which throughput is taken.
const SECOND: f64 = 1.0;
/// Fewest pairs of bins that a correlation is taken of.
const FEWEST_PAIRS: usize = 10;

/// Numbers of what was sent.
#[derive(Clone, Debug, Default)]
pub(super) struct Measured {
    /// Packets of which it is known what became of them.
    pub(super) known: usize,
    /// Lost ones.
    pub(super) lost: usize,
    /// Lengths of runs of losses, packets, in rising order.
    pub(super) runs: Vec<f64>,
    /// Seconds from the beginning of a run to that of the next, in rising order.
    pub(super) gaps_s: Vec<f64>,
    /// Round trips in rising order, seconds.
    pub(super) rtts_s: Vec<f64>,
    /// Correlation of delays with those some bins later, from one bin on; empty if they hardly vary.
    pub(super) memory: Vec<f64>,
    /// Width of a bin, seconds.
    pub(super) bin_s: f64,
    /// Bits that arrived in each second, in rising order; without the first and the last second.
    pub(super) bps: Vec<f64>,
}

impl Measured {
    pub(super) fn of(packets: &[Packet]) -> Self {
        let known = || packets.iter().filter(|one| one.lost.is_some());
        let mut measured = Self {
            known: known().count(),
            lost: known().filter(|one| one.lost == Some(true)).count(),
            rtts_s: sorted(packets.iter().filter_map(|one| one.rtt_s).collect()),
            ..Self::default()
        };
        let (runs, starts) = runs(known());
        measured.gaps_s = sorted(starts.windows(2).map(|pair| pair[1] - pair[0]).collect());
        measured.runs = sorted(runs);
        let span_s = match packets {
            [first, .., last] => last.sent_s - first.sent_s,
            _ => 0.0,
        };
        // Several packets a bin, so that few bins are empty.
        measured.bin_s = BIN_S.max(span_s / packets.len().max(1) as f64);
        measured.memory = memory(packets, measured.bin_s);
        measured
    }

    /// Numbers of a transfer, which has a throughput too.
    pub(super) fn of_transfer(packets: &[Packet]) -> Self {
        Self {
            bps: sorted(throughput(packets, |_| true)),
            ..Self::of(packets)
        }
    }

    /// Throughput alone, in seconds in which every round trip is longer than this: the link was busy.
    pub(super) fn of_busy(packets: &[Packet], idle_s: f64) -> Self {
        let waited = |one: &Packet| one.rtt_s.is_none_or(|rtt_s| rtt_s > idle_s);
        Self {
            bps: sorted(throughput(packets, waited)),
            ..Self::default()
        }
    }
}

/// Parts of a recorded rate, each of so many seconds, that begin evenly spread over it; it goes round.
pub(super) fn parts(rate: &Recorded, seconds: usize, count: usize) -> Vec<Measured> {
    let last_ms = rate.opportunities_ms.last().copied().unwrap_or(0);
    let all = (last_ms / 1000) as usize;
    let mut bps = vec![0.0; all];
    for at_ms in &rate.opportunities_ms {
        if let Some(second) = bps.get_mut((at_ms / 1000) as usize) {
            *second += OPPORTUNITY * 8.0;
        }
    }
    let part = |number: usize| {
        let begin = number * all / count;
        let part = bps.iter().cycle().skip(begin).take(seconds);
        Measured {
            bps: sorted(part.copied().collect()),
            ..Measured::default()
        }
    };
    (0..count).map(part).collect()
}

/// Lengths of the runs of losses, and when each began.
fn runs<'a>(packets: impl Iterator<Item = &'a Packet>) -> (Vec<f64>, Vec<f64>) {
    let (mut runs, mut starts) = (Vec::new(), Vec::new());
    let mut is_running = false;
    for packet in packets {
        let is_lost = packet.lost == Some(true);
        match runs.last_mut() {
            Some(run) if is_lost && is_running => *run += 1.0,
            _ if is_lost => {
                runs.push(1.0);
                starts.push(packet.sent_s);
            }
            _ => {}
        }
        is_running = is_lost;
    }
    (runs, starts)
}

/// Bits that came in each whole second of whose packets all are as they should.
fn throughput(packets: &[Packet], is_right: impl Fn(&Packet) -> bool) -> Vec<f64> {
    let (Some(first), Some(last)) = (packets.first(), packets.last()) else {
        return Vec::new();
    };
    let seconds = ((last.sent_s - first.sent_s) / SECOND).min(packets.len() as f64) as usize;
    let mut bits = vec![Some(0.0); seconds];
    for packet in packets.iter().filter(|one| one.lost == Some(false)) {
        let at = packet
            .answered_s
            .map(|at| ((at - first.sent_s) / SECOND) as usize);
        let Some(bin) = at.and_then(|at| bits.get_mut(at)) else {
            continue;
        };
        *bin = bin
            .filter(|_| is_right(packet))
            .map(|sum| sum + f64::from(packet.bytes) * 8.0 / SECOND);
    }
    // What was under way when the part began is not among its packets.
    bits.into_iter().skip(1).flatten().collect()
}

fn sorted(mut values: Vec<f64>) -> Vec<f64> {
    values.sort_by(f64::total_cmp);
    values
}

/// Autocorrelation of the mean round trips of bins, from a lag of one bin on.
fn memory(packets: &[Packet], bin_s: f64) -> Vec<f64> {
    let first_s = packets.first().map_or(0.0, |one| one.sent_s);
    let mut bins: Vec<(f64, f64)> = Vec::new();
    for packet in packets {
        let index = ((packet.sent_s - first_s) / bin_s) as usize;
        // Times of a record do not fall, and a hole of days is no series.
        if index > packets.len() {
            break;
        }
        if bins.len() <= index {
            bins.resize(index + 1, (0.0, 0.0));
        }
        if let Some(rtt_s) = packet.rtt_s {
            bins[index].0 += rtt_s;
            bins[index].1 += 1.0;
        }
    }
    let mean_of = |(sum, count): &(f64, f64)| (*count > 0.0).then(|| sum / count);
    let told = sorted(bins.iter().filter_map(mean_of).collect());
    // A single odd answer is no memory, and hides that of the others.
    let [low, high] = TAILS.map(|share| quantile(&told, share).unwrap_or(0.0));
    let clamped = |bin| mean_of(bin).map(|x| x.clamp(low, high));
    let means: Vec<Option<f64>> = bins.iter().map(clamped).collect();
    let told: Vec<f64> = means.iter().flatten().copied().collect();
    let mean = told.iter().sum::<f64>() / told.len().max(1) as f64;
    let variance = told.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / told.len() as f64;
    if variance.is_nan() || variance < VARIES_S * VARIES_S {
        return Vec::new();
    }
    let at = |lag: usize| {
        let pairs = means.iter().zip(&means[lag.min(means.len())..]);
        let products: Vec<f64> = pairs
            .filter_map(|(a, b)| Some(((*a)? - mean) * ((*b)? - mean)))
            .collect();
        let sum = products.iter().sum::<f64>();
        (products.len() >= FEWEST_PAIRS).then(|| sum / products.len() as f64 / variance)
    };
    (1..=MOST_LAGS).map_while(at).collect()
}
