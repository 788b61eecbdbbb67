//! Numbers of a record beside those of its replays.

use super::measure::{LAGS, Measured};
use crate::fit::Estimate;
use crate::order::quantile;

/// Standard deviations of the replays within which a number fits.
const DEVIATIONS: f64 = 3.0;
/// Differences that would not matter.
const MATTERS: Matters = Matters {
    losses: 0.25,
    delays: 0.1,
    throughput: 0.05,
    host_s: 0.002,
    few: 3.0,
    apart: 0.15,
};
/// Delays this close are the same in the comparison of two distributions: seconds, and a share.
const SAME: (f64, f64) = (0.001, 0.02);
/// Runs of losses without which nothing is said of them.
const FEWEST_RUNS: usize = 5;
/// Points of a distribution in a plot.
const POINTS: usize = 60;

struct Matters {
    /// Share of the model's number of losses, their runs and gaps.
    losses: f64,
    /// Share of the model's round trip, and seconds, for a host adds some.
    delays: f64,
    host_s: f64,
    /// Share of the model's throughput.
    throughput: f64,
    /// Losses.
    few: f64,
    /// Difference of distributions, and of correlations.
    apart: f64,
}

/// Number that is taken from a record (such as the share of losses), beside the same number of the record's replays
/// over the fitted link.
#[derive(Clone, Debug, PartialEq)]
pub struct Compared {
    /// Name of the number, such as "lost" for the share of packets lost.
    pub name: String,
    /// Unit of [`Self::record`] and [`Self::model`], such as `%` or `ms`; empty if they have none.
    pub unit: &'static str,
    /// Value of the number in the record, in [`Self::unit`].
    pub record: f64,
    /// Mean of the number over the replays, in [`Self::unit`]; the bounds are the least and the greatest value of a
    /// replay.
    pub model: Estimate,
    /// Whether the record's number is one that the model could have given: it differs from the replays' mean by at most
    /// three standard deviations and a margin that would not matter.
    pub fits: bool,
    /// Whether pages show the number in any case; if not, they show it only when it does not fit.
    pub is_main: bool,
}

/// Two curves for one plot, of a quantity that its axes name: of a recorded transfer or probe, and of its simulated
/// replays over the fitted link.
#[derive(Clone, Debug, PartialEq)]
pub struct Overlay {
    /// Title of the plot.
    pub title: &'static str,
    /// Labels of both axes, with their units.
    pub axes: [&'static str; 2],
    /// Points (x, y) of the recorded transfer's or probe's curve, of what [`Self::axes`] names.
    pub record: Vec<(f64, f64)>,
    /// Points (x, y) of the curve of all replays together.
    pub model: Vec<(f64, f64)>,
}

/// A record and its replays, from which numbers are taken.
struct Comparison<'a> {
    record: &'a Measured,
    replays: &'a [Measured],
    found: Vec<Compared>,
}

impl Comparison<'_> {
    /// Adds a number, if the record and some replay have it; `matters` is how far it may be from the model's mean in any case.
    fn add(
        &mut self,
        (name, unit): (&str, &'static str),
        is_main: bool,
        of: impl Fn(&Measured) -> Option<f64>,
        matters: impl Fn(f64) -> f64,
    ) {
        let values: Vec<f64> = self.replays.iter().filter_map(&of).collect();
        let low = values.iter().copied().min_by(f64::total_cmp);
        let high = values.iter().copied().max_by(f64::total_cmp);
        let (Some(record), Some(low), Some(high)) = (of(self.record), low, high) else {
            return;
        };
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let square = values.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>();
        let deviation = libm::sqrt(square / f64::max(count - 1.0, 1.0));
        self.found.push(Compared {
            name: name.to_owned(),
            unit,
            record,
            model: Estimate::new(mean, low, high),
            fits: (record - mean).abs() <= DEVIATIONS * deviation + matters(mean),
            is_main,
        });
    }
}

/// The numbers of a record and of its replays.
pub(super) fn compared(record: &Measured, replays: &[Measured]) -> Vec<Compared> {
    let mut all = Comparison {
        record,
        replays,
        found: Vec::new(),
    };
    let share = |count: f64, of: usize| 100.0 * count / of as f64;
    let lost = |it: &Measured| (it.known > 0).then(|| share(it.lost as f64, it.known));
    let few = share(MATTERS.few, record.known.max(1));
    all.add(("lost", "%"), true, lost, |mean| {
        MATTERS.losses * mean + few
    });
    let has_runs = |it: &Measured| it.runs.len() >= FEWEST_RUNS;
    let run = |it: &Measured| has_runs(it).then(|| it.lost as f64 / it.runs.len() as f64);
    all.add(("losses in a row", ""), true, run, |mean| {
        MATTERS.losses * mean
    });
    let gap = |it: &Measured| quantile(&it.gaps_s, 0.5).filter(|_| has_runs(it));
    all.add(("between rows of losses", "s"), true, gap, |mean| {
        MATTERS.losses * mean
    });
    for (name, share, is_main) in [
        ("round trips, 5 % below", 0.05, false),
        ("round trips, half below", 0.5, true),
        ("round trips, 95 % below", 0.95, true),
    ] {
        let trip = |it: &Measured| Some(quantile(&it.rtts_s, share)? * 1e3);
        let matters = |mean: f64| MATTERS.delays * mean + MATTERS.host_s * 1e3;
        all.add((name, "ms"), is_main, trip, matters);
    }
    let pooled = thinned(&pooled(replays, |it| &it.rtts_s));
    let apart =
        |it: &Measured| (!it.rtts_s.is_empty()).then(|| distance(&thinned(&it.rtts_s), &pooled));
    all.add(("round trips, share apart", ""), false, apart, |_| {
        MATTERS.apart
    });
    for lag in LAGS {
        let after_s = record.bin_s * lag as f64;
        let name = format!("memory of delays over {after_s:.1} s");
        let varies = !record.memory.is_empty();
        let memory = |it: &Measured| match &it.memory[..] {
            [] => varies.then_some(0.0),
            memory => memory.get(lag - 1).copied(),
        };
        all.add((&name, ""), lag == 1, memory, |_| MATTERS.apart);
    }
    for (name, share, is_main) in [
        ("carried in a second, 10 % below", 0.1, false),
        ("carried in a second, half below", 0.5, true),
        ("carried in a second, 90 % below", 0.9, false),
    ] {
        let carried = |it: &Measured| Some(quantile(&it.bps, share)? / 1e6);
        all.add((name, "Mb/s"), is_main, carried, |mean| {
            MATTERS.throughput * mean
        });
    }
    all.found
}

/// Values of all replays, in rising order.
fn pooled(replays: &[Measured], of: impl Fn(&Measured) -> &Vec<f64>) -> Vec<f64> {
    let mut all: Vec<f64> = replays
        .iter()
        .flat_map(|it| of(it).iter().copied())
        .collect();
    all.sort_by(f64::total_cmp);
    all
}

/// A thousand evenly spread quantiles of so many or more values in rising order, which is all that a distance needs.
fn thinned(values: &[f64]) -> Vec<f64> {
    const KEPT: usize = 1000;
    if values.len() <= KEPT {
        return values.to_vec();
    }
    let at = |i: usize| quantile(values, i as f64 / (KEPT - 1) as f64);
    (0..KEPT).filter_map(at).collect()
}

/// The greatest difference of two distributions (Kolmogorov and Smirnov) beyond values that are [`SAME`]; values in
/// rising order.
fn distance(a: &[f64], b: &[f64]) -> f64 {
    let below = |sorted: &[f64], x: f64| {
        sorted.partition_point(|value| *value <= x) as f64 / sorted.len() as f64
    };
    let same = |x: f64| SAME.0 + SAME.1 * x;
    let ahead =
        |ahead: &[f64], behind: &[f64], x: f64| below(ahead, x) - below(behind, x + same(x));
    let values = a.iter().chain(b);
    let differences = values.map(|&x| ahead(a, b, x).max(ahead(b, a, x)));
    differences.fold(0.0, f64::max)
}

/// The curves of a record and of its replays together.
pub(super) fn overlays(record: &Measured, replays: &[Measured]) -> Vec<Overlay> {
    let mut found = Vec::new();
    let mut add = |title: &'static str, axes: [&'static str; 2], record: Vec<_>, model: Vec<_>| {
        if record.len() > 1 && model.len() > 1 {
            found.push(Overlay {
                title,
                axes,
                record,
                model,
            });
        }
    };
    let distribution = |values: &[f64], scale: f64| -> Vec<(f64, f64)> {
        let at = |i: usize| {
            let share = i as f64 / POINTS as f64;
            Some((quantile(values, share)? * scale, share))
        };
        (0..=POINTS).filter_map(at).collect()
    };
    add(
        "Round trips",
        ["Round trip (ms)", "Share below"],
        distribution(&record.rtts_s, 1e3),
        distribution(&pooled(replays, |it| &it.rtts_s), 1e3),
    );
    let memory = |of: &[f64], bin_s: f64| -> Vec<(f64, f64)> {
        let points = of.iter().zip(1..);
        points
            .map(|(value, lag)| (f64::from(lag) * bin_s, *value))
            .collect()
    };
    let mean: Vec<f64> = (0..record.memory.len())
        .map_while(|lag| {
            let values = replays.iter().map(|it| it.memory.get(lag).copied());
            let values: Vec<f64> = values.collect::<Option<_>>()?;
            Some(values.iter().sum::<f64>() / values.len() as f64)
        })
        .collect();
    add(
        "Memory of delays",
        ["Time between (s)", "Correlation"],
        memory(&record.memory, record.bin_s),
        memory(&mean, record.bin_s),
    );
    add(
        "Carried in a second",
        ["Rate (Mb/s)", "Share below"],
        distribution(&record.bps, 1e-6),
        distribution(&pooled(replays, |it| &it.bps), 1e-6),
    );
    if record.runs.len() >= FEWEST_RUNS {
        add(
            "Losses in a row",
            ["Losses in a row", "Share below"],
            distribution(&record.runs, 1.0),
            distribution(&pooled(replays, |it| &it.runs), 1.0),
        );
        add(
            "Time between rows of losses",
            ["Time (s)", "Share below"],
            distribution(&record.gaps_s, 1.0),
            distribution(&pooled(replays, |it| &it.gaps_s), 1.0),
        );
    }
    found
}
