//! The numbers that one run gives to one series of a plot.

use skywave_sim::outcome::{Bins, FlowOutcome, LINK, Outcome, STATION};

use super::panel::XValue;
use super::study::StudyPoint;
use super::summary;
use crate::scenario::{Plot, Sample};

/// A number of a run.
pub(super) struct Observed {
    /// Where the number stands on the axis.
    pub(super) place: XValue,
    /// Index of the number among those of this run at this place.
    pub(super) slot: usize,
    pub(super) value: Option<f64>,
}

/// The numbers of a run in a plot, of all flows that the plot is of or of `only` one of them (or its
/// copies). `place` is where the run stands unless the plot is over time.
pub(super) fn observe(
    outcome: &Outcome,
    plot: &Plot,
    point: &StudyPoint,
    only: Option<&String>,
    place: &XValue,
) -> Vec<Observed> {
    let wanted = |flow: &FlowOutcome, index: usize| {
        let group = point.flows.get(index).map(|f| &f.group);
        let is = |name: &String| flow.name == *name || group == Some(name);
        plot.flow.as_ref().is_none_or(is) && only.is_none_or(is)
    };
    let at_place = |slot, value| Observed {
        place: place.clone(),
        slot,
        value,
    };
    if plot.is_binned() {
        let bins = outcome.bins.as_ref();
        return bins.map_or_else(Vec::new, |bins| over_time(outcome, point, bins, wanted));
    }
    if let Some(link) = &plot.link {
        let value = summary::of_all(&outcome.links, LINK, plot.y, |one, index| {
            one.name == *link || point.links.get(index) == Some(link)
        });
        return vec![at_place(0, value)];
    }
    if let Some(station) = &plot.station {
        let value = summary::of_all(&outcome.stations, STATION, plot.y, |one, index| {
            one.name == *station || point.stations.get(index) == Some(station)
        });
        return vec![at_place(0, value)];
    }
    match plot.sample {
        Sample::Run => vec![at_place(
            0,
            summary::of_flows(outcome, point, plot.y, wanted),
        )],
        Sample::Flow => {
            let flows = outcome.flows.iter().enumerate();
            let flows = flows.filter(|(index, flow)| wanted(flow, *index));
            let alone = |index| move |_: &FlowOutcome, i: usize| i == index;
            let value = |index| summary::of_flows(outcome, point, plot.y, alone(index));
            flows
                .map(|(index, _)| at_place(index, value(index)))
                .collect()
        }
        Sample::Request => {
            let requests = outcome.requests.iter().flatten();
            let flows = outcome.flows.iter().enumerate().zip(requests);
            let flows = flows.filter(|((index, flow), _)| wanted(flow, *index));
            // A transfer that is not done counts as later than all others.
            let times = flows.flat_map(|(_, requests)| requests);
            let times = times.map(|request| Some(request.took_s.unwrap_or(f64::INFINITY)));
            let numbered = times.enumerate();
            numbered.map(|(slot, time)| at_place(slot, time)).collect()
        }
    }
}

/// Goodput in each bin, at the middle of the bin, flows added up.
fn over_time(
    outcome: &Outcome,
    point: &StudyPoint,
    bins: &Bins,
    wanted: impl Fn(&FlowOutcome, usize) -> bool,
) -> Vec<Observed> {
    let flows = outcome.flows.iter().enumerate().zip(&bins.delivered);
    let flows = flows.filter(|((index, flow), _)| wanted(flow, *index));
    let flows = flows.map(|((index, _), delivered)| (index, delivered));
    let delivered: Vec<&Vec<u64>> = summary::once(point, flows).collect();
    let count = delivered.iter().map(|d| d.len()).max().unwrap_or(0);
    (0..count)
        .map(|bin| {
            let bytes: u64 = delivered.iter().filter_map(|d| d.get(bin)).sum();
            let (seconds, middle) = bins.time_of(bin..bin + 1, point.duration_s);
            Observed {
                place: XValue::number(middle),
                slot: 0,
                value: Some(bytes as f64 * 8.0 / seconds),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_bin_ends_with_the_run() {
        let outcome = Outcome {
            flows: vec![FlowOutcome::default()],
            ..Outcome::default()
        };
        let goodput = |width_s, duration_s, delivered: &[u64]| {
            let point = StudyPoint {
                duration_s,
                ..StudyPoint::default()
            };
            let bins = Bins {
                width_s,
                delivered: vec![delivered.to_vec()],
            };
            let seen = over_time(&outcome, &point, &bins, |_, _| true).into_iter();
            let both = seen.map(|seen| (seen.place.number, seen.value));
            both.collect::<Vec<_>>()
        };
        let at = |time, value| (Some(time), Some(value));
        // A second of a bin of three, and a run shorter than a bin.
        assert_eq!(
            goodput(3.0, 10.0, &[3, 3, 3, 1]),
            [at(1.5, 8.0), at(4.5, 8.0), at(7.5, 8.0), at(9.5, 8.0)]
        );
        assert_eq!(goodput(100.0, 10.0, &[10]), [at(5.0, 8.0)]);
        // Whole bins stay whole, however numbers are rounded.
        let tenths = goodput(0.1, 0.3, &[1, 1, 1]);
        assert_eq!(tenths[2], at(2.5 * 0.1, 8.0 / 0.1));
    }
}
