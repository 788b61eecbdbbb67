//! Both directions by themselves, where a tool measures them.

use super::delays;
use super::jitter::Trip;
use super::outages::Outages;
use super::sample::{Sample, median};
use super::{FEWEST, WayFit};
use crate::fit::Known;
use crate::fit::hidden::losses;
use crate::record::{Fate, Probe, Way};

/// Share of lost probes with an unknown direction above which losses are not told by direction.
const MOST_UNKNOWN: f64 = 0.1;

/// Ways up and down.
pub(super) fn fit(probes: &[Probe], outages: &Outages) -> [Known<WayFit>; 2] {
    let mut timed: Vec<Timed> = probes.iter().enumerate().filter_map(timed).collect();
    if timed.len() < FEWEST {
        let reason = "the record has round trips only";
        return [Known::unknown(reason), Known::unknown(reason)];
    }
    straighten(&mut timed);
    let lost = |way: Way| {
        let is = |p: &&Probe| p.fate == Fate::Lost(way);
        probes.iter().filter(is).count() as f64
    };
    let unknown = lost(Way::Unknown);
    let unknown_share = unknown / (unknown + lost(Way::Up) + lost(Way::Down)).max(1.0);
    [Way::Up, Way::Down].map(|way| {
        let samples = relative(&timed, |t| if way == Way::Up { t.up_s } else { t.down_s });
        let delays = delays::fit(&samples, Trip::Single);
        let observed = outages.cut(probes, |fate| match fate {
            Fate::Answered { .. } => Some(false),
            Fate::Lost(Way::Unknown) => None,
            Fate::Lost(lost) if lost == way => Some(true),
            // What was lost on the way back had come through on the way there; the reverse says nothing.
            Fate::Lost(_) => (way == Way::Up).then_some(false),
        });
        Known::Told(WayFit {
            base: delays.base,
            jitter: delays.jitter,
            losses: if unknown_share > MOST_UNKNOWN {
                Known::unknown("the record does not tell on which way probes were lost")
            } else {
                losses(&observed)
            },
        })
    })
}

/// A probe with both delays.
#[derive(Clone, Copy)]
struct Timed {
    index: usize,
    sent_s: f64,
    up_s: f64,
    down_s: f64,
}

fn timed((index, probe): (usize, &Probe)) -> Option<Timed> {
    let Fate::Answered { up_s, down_s, .. } = probe.fate else {
        return None;
    };
    Some(Timed {
        index,
        sent_s: probe.sent_s,
        up_s: up_s?,
        down_s: down_s?,
    })
}

/// Parts of a record whose middles tell how the clocks drift apart.
const PARTS: usize = 30;

/// Takes the drift of the clocks out: half the difference of both delays has it, and no change that both have alike.
/// Its slope is the median of those between all parts of the record (Theil 1950).
fn straighten(timed: &mut [Timed]) {
    let part = timed.len().div_ceil(PARTS);
    let middles: Vec<(f64, f64)> = timed
        .chunks(part)
        .filter_map(|chunk| {
            let at = median(chunk.iter().map(|t| t.sent_s).collect())?;
            let half = chunk.iter().map(|t| (t.up_s - t.down_s) / 2.0);
            Some((at, median(half.collect())?))
        })
        .collect();
    let mut slopes = Vec::new();
    for (i, a) in middles.iter().enumerate() {
        let later = middles[i + 1..].iter().filter(|b| b.0 > a.0);
        slopes.extend(later.map(|b| (b.1 - a.1) / (b.0 - a.0)));
    }
    let slope = median(slopes).unwrap_or(0.0);
    for t in timed {
        t.up_s -= slope * t.sent_s;
        t.down_s += slope * t.sent_s;
    }
}

/// Delays of one way less the smallest.
fn relative(timed: &[Timed], delay: impl Fn(&Timed) -> f64) -> Vec<Sample> {
    let least = timed.iter().map(&delay).fold(f64::INFINITY, f64::min);
    let sample = |t: &Timed| Sample {
        index: t.index,
        sent_s: t.sent_s,
        low_s: delay(t) - least,
        high_s: delay(t) - least,
    };
    timed.iter().map(sample).collect()
}
