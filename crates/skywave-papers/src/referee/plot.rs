//! Plots of a run: goodput of the flows over time, and below it queues and windows.

use std::collections::BTreeMap;

use skywave_lab::report::plot::{Axis, Plot, Scale, SeriesData};
use skywave_scenario::Point;
use skywave_sim::outcome::Series;
use skywave_sim::{Outcome, Spec};

/// Width and height of a plot in CSS pixels.
const SIZE: (f64, f64) = (640.0, 220.0);
/// Values of a curve of goodput.
const VALUES: usize = 120;
/// Most curves of a plot.
const CURVES: usize = 4;

/// A run that is drawn.
pub(super) struct Shown<'a> {
    pub(super) point: &'a Point,
    /// Paths of the transports that are the judged sender's.
    pub(super) seats: Vec<&'a str>,
    pub(super) spec: &'a Spec,
    pub(super) outcome: &'a Outcome,
    /// Time to mark, seconds.
    pub(super) moment_s: Option<f64>,
}

/// The plots of a run as SVG for a page.
pub(super) fn plots(run: &Shown<'_>) -> Vec<String> {
    let all = [
        run.plot("Goodput (Mb/s)", run.goodput()),
        run.plot("Queue (packets)", run.queues()),
        run.plot("Window (segments)", run.windows()),
    ];
    all.into_iter().flatten().collect()
}

impl Shown<'_> {
    fn plot(&self, label: &str, mut curves: Vec<SeriesData>) -> Option<String> {
        if curves.is_empty() {
            return None;
        }
        let heights = curves
            .iter()
            .flat_map(|curve| &curve.points)
            .map(|point| point.1);
        let top = heights.fold(0.0, f64::max);
        if let Some(at) = self.moment_s {
            curves.push(SeriesData::line(
                "wrong from here on",
                &[(at, 0.0), (at, top)],
            ));
        }
        let plot = Plot {
            title: String::new(),
            x: Axis::new("Time (s)", Scale::Linear)
                .from(0.0)
                .to(self.spec.duration.as_secs_f64()),
            y: Axis::new(label, Scale::Linear).from(0.0),
            series: curves,
            size: SIZE,
        };
        Some(plot.to_inline_svg())
    }

    /// Flows by the `[[flow]]` that they come from; the judged first.
    fn groups(&self) -> Vec<(&str, Vec<usize>)> {
        let mut groups: BTreeMap<(bool, &str), Vec<usize>> = BTreeMap::new();
        for index in 0..self.spec.flows.len() {
            let name = self.point.flow_group(index).unwrap_or_default();
            groups
                .entry((!self.is_judged(name), name))
                .or_default()
                .push(index);
        }
        let all = groups.into_iter().take(CURVES);
        all.map(|((_, name), flows)| (name, flows)).collect()
    }

    fn is_judged(&self, group: &str) -> bool {
        let seat = format!("flow.{group}.transport");
        self.seats.iter().any(|path| *path == seat)
    }

    fn goodput(&self) -> Vec<SeriesData> {
        let Some(bins) = &self.outcome.bins else {
            return Vec::new();
        };
        let end_s = self.spec.duration.as_secs_f64();
        let length = bins.delivered.first().map_or(0, Vec::len);
        let together = length.div_ceil(VALUES).max(1);
        let curve = |(name, flows): (&str, Vec<usize>)| {
            let points = (0..length).step_by(together).map(|from| {
                let to = (from + together).min(length);
                let bytes = |flow: &usize| bins.delivered[*flow][from..to].iter().sum::<u64>();
                let (seconds, middle) = bins.time_of(from..to, end_s);
                (
                    middle,
                    flows.iter().map(bytes).sum::<u64>() as f64 * 8e-6 / seconds,
                )
            });
            SeriesData::line(name, &points.collect::<Vec<_>>())
        };
        self.groups().into_iter().map(curve).collect()
    }

    /// A quantity that keeps its value, to the end of the run.
    fn steps(&self, label: &str, series: &Series) -> SeriesData {
        let mut points = series.points.clone();
        let last = points.last().copied();
        points.extend(last.map(|(_, value)| (self.spec.duration.as_secs_f64(), value)));
        SeriesData::steps(label, &points)
    }

    /// The links in whose queues most packets waited at once.
    fn queues(&self) -> Vec<SeriesData> {
        let highest = |points: &[(f64, f64)]| points.iter().map(|p| p.1).fold(0.0, f64::max);
        let queues = self
            .outcome
            .series
            .iter()
            .filter(|one| one.quantity == "queue");
        let mut queues: Vec<_> = queues
            .map(|one| (highest(&one.points), one))
            .filter(|(most, _)| *most > 0.0)
            .collect();
        queues.sort_by(|a, b| b.0.total_cmp(&a.0));
        let shown = queues.into_iter().take(2);
        shown.map(|(_, one)| self.steps(&one.entity, one)).collect()
    }

    /// The windows of the first flow of each group.
    fn windows(&self) -> Vec<SeriesData> {
        let curve = |(group, flows): (&str, Vec<usize>)| {
            let name = &self.spec.flows[*flows.first()?].name;
            let of_it = |one: &&Series| one.quantity == "cwnd" && one.entity == **name;
            let found = self.outcome.series.iter().find(of_it)?;
            Some(self.steps(group, found))
        };
        self.groups().into_iter().filter_map(curve).collect()
    }
}
