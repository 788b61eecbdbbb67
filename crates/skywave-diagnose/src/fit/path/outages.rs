//! Outages: times in which all that was sent was lost.

use super::backlog::Step;
use crate::fit::hidden::Observation;
use crate::fit::period::period;
use crate::fit::probes::{Outage, Outages};
use crate::order::quantile;

/// Shortest outage, seconds, and the fewest transmissions that it took. Shorter runs of losses are bursts of the channel.
const SHORTEST_S: f64 = 0.3;
const FEWEST: usize = 3;
/// How well a start is known, seconds: to the packet before it; and bounds of a period.
const RESOLUTION_S: f64 = 0.1;
const PERIODS_S: (f64, f64) = (2.0, 600.0);
/// An outage is told from the bursts of the channel if it is this many times as long as the others, in the middle.
const OUTLIER: f64 = 5.0;

/// The outages of a transfer: runs of losses that are far longer than the other runs, or come again and again.
pub(super) fn find(steps: &[Step]) -> Outages {
    let runs = runs(steps);
    let mut lengths: Vec<f64> = runs.iter().map(|run| run.to_s - run.from_s).collect();
    lengths.sort_by(f64::total_cmp);
    let long = |run: &&Outage| run.to_s - run.from_s >= SHORTEST_S;
    let all: Vec<Outage> = runs.iter().filter(long).copied().collect();
    let starts: Vec<f64> = all.iter().map(|outage| outage.from_s).collect();
    let every = period(&starts, RESOLUTION_S, PERIODS_S.0, PERIODS_S.1);
    let middle = quantile(&lengths, 0.5).unwrap_or(0.0);
    let are_outliers = all.len() * 2 < runs.len() && SHORTEST_S > OUTLIER * middle;
    if every.is_some() || are_outliers {
        Outages { all, every }
    } else {
        Outages::default()
    }
}

/// Runs of losses without a survivor, from the first loss to the last.
fn runs(steps: &[Step]) -> Vec<Outage> {
    let mut runs = Vec::new();
    let mut run: Option<(Outage, usize)> = None;
    for step in steps {
        match step.lost {
            Some(true) => {
                if let Some((outage, count)) = &mut run {
                    outage.to_s = step.at_s;
                    *count += 1;
                } else {
                    let outage = Outage {
                        from_s: step.at_s,
                        to_s: step.at_s,
                    };
                    run = Some((outage, 1));
                }
            }
            Some(false) => runs.extend(run.take()),
            None => {}
        }
    }
    runs.extend(run);
    runs.into_iter()
        .filter(|(_, count)| *count >= FEWEST)
        .map(|(outage, _)| outage)
        .collect()
}

/// Observations of losses without those within outages.
pub(super) fn cut(outages: &Outages, mut observations: Vec<Observation>) -> Vec<Observation> {
    let mut rest = outages.all.iter().peekable();
    for observation in &mut observations {
        while rest
            .next_if(|outage| outage.to_s < observation.time_s)
            .is_some()
        {}
        if rest
            .peek()
            .is_some_and(|outage| outage.from_s <= observation.time_s)
        {
            observation.lost = None;
        }
    }
    observations
}
