//! Time-sequence plots: the segments of a flow against time, what was lost, and what was acknowledged.

use crate::capture::LOSSES;
use crate::experiment::SeriesRecord;
use crate::report::plot::{Axis, Glyph, Look, Plot, Scale, SeriesData};

/// Segments in one plot, how many of them come before the first loss, and flows of a run.
const MAX_SEGMENTS: usize = 300;
const BEFORE_LOSS: usize = 60;
const MAX_FLOWS: usize = 2;

/// The plots of a run's first flows that have segments on record.
pub(super) fn plots(series: &[SeriesRecord]) -> Vec<Plot> {
    let mut flows: Vec<&str> = Vec::new();
    for record in series.iter().filter(|s| s.quantity == "sent") {
        if !flows.contains(&record.entity.as_str()) {
            flows.push(&record.entity);
        }
    }
    let flows = flows.iter().take(MAX_FLOWS);
    flows.map(|flow| plot(series, flow)).collect()
}

/// The plot of a flow around its first loss, or of its beginning.
fn plot(series: &[SeriesRecord], flow: &str) -> Plot {
    let points = |quantity: &str| {
        let found = series
            .iter()
            .find(|s| s.entity == flow && s.quantity == quantity);
        found.map_or(&[][..], |s| &s.points)
    };
    let loss = first_loss(points);
    let (from, to) = window(points("sent"), points("resent"), loss);
    let within = |quantity: &str| -> Vec<(f64, f64)> {
        let all = points(quantity).iter();
        all.filter(|(time, _)| (from..=to).contains(time))
            .map(|(time, bytes)| (*time, bytes / 1e3))
            .collect()
    };
    let marks = |label: &str, quantity: &str, glyph| {
        SeriesData::of(label, Look::Glyphs(glyph), within(quantity))
    };
    // The curve begins with what was acknowledged before the window, and keeps its last value to
    // the end.
    let mut acked = within("acked");
    let before = points("acked").iter().rev().find(|(time, _)| *time < from);
    acked.splice(0..0, before.map(|(_, y)| (from, y / 1e3)));
    acked.extend(acked.last().map(|(_, y)| (to, *y)));
    let mut all = vec![
        marks("sent", "sent", Glyph::Dot),
        marks("sent again", "resent", Glyph::Ring),
        SeriesData::steps("acknowledged", &acked),
    ];
    let losses = LOSSES.iter();
    all.extend(losses.map(|(quantity, label)| marks(label, quantity, Glyph::Cross)));
    all.retain(|series| !series.points.is_empty());
    let title = match loss {
        Some(_) => format!("Segments of {flow} around the first loss"),
        None => format!("Segments of {flow}, none lost"),
    };
    Plot {
        title,
        x: Axis::new("Time (s)", Scale::Linear),
        y: Axis::new("Sequence number (kB)", Scale::Linear),
        series: all,
        size: (720.0, 400.0),
    }
}

/// When the first segment is lost, or sent again.
fn first_loss<'a>(points: impl Fn(&str) -> &'a [(f64, f64)]) -> Option<f64> {
    let lost = LOSSES.iter().map(|(quantity, _)| *quantity);
    let first = lost
        .chain(["resent"])
        .filter_map(|quantity| points(quantity).first());
    first.map(|(time, _)| *time).reduce(f64::min)
}

/// The stretch of time to show: a bounded number of segments, some of them before the loss.
fn window(sent: &[(f64, f64)], resent: &[(f64, f64)], loss: Option<f64>) -> (f64, f64) {
    let mut times: Vec<f64> = sent.iter().chain(resent).map(|(time, _)| *time).collect();
    times.sort_by(f64::total_cmp);
    let loss = loss.map_or(0, |loss| times.partition_point(|time| *time < loss));
    let first = loss.saturating_sub(BEFORE_LOSS);
    // At the end of a run the window reaches further back.
    let first = first.min(times.len().saturating_sub(MAX_SEGMENTS));
    let shown = &times[first..times.len().min(first + MAX_SEGMENTS)];
    match shown {
        [from, .., to] => (*from, *to),
        [only] => (*only, *only),
        [] => (0.0, 0.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(quantity: &str, points: Vec<(f64, f64)>) -> SeriesRecord {
        SeriesRecord {
            entity: "bulk".into(),
            quantity: quantity.into(),
            points,
        }
    }

    /// A segment each 10 ms, the 500th lost and sent again.
    fn run(segments: usize) -> Vec<SeriesRecord> {
        let at = |i: usize| (i as f64 / 100.0, i as f64 * 1000.0);
        vec![
            record("sent", (0..segments).map(at).collect()),
            record("resent", vec![(6.0, 500_000.0)]),
            record("lost_channel", vec![at(500)]),
            record(
                "acked",
                (0..segments).map(|i| (at(i).0 + 0.05, at(i).1)).collect(),
            ),
        ]
    }

    #[test]
    fn the_plot_shows_what_is_around_the_first_loss() {
        let plots = plots(&run(10_000));
        let [plot] = &plots[..] else {
            panic!("{plots:?}")
        };
        let labels: Vec<&str> = plot.series.iter().map(|s| s.label.as_str()).collect();
        assert_eq!(
            labels,
            ["sent", "sent again", "acknowledged", "lost: channel error"]
        );
        let sent = &plot.series[0].points;
        assert_eq!(sent.len() + 1, MAX_SEGMENTS);
        assert_eq!(sent[BEFORE_LOSS], (5.0, 500.0, None));
        assert_eq!(plot.series[3].points, [(5.0, 500.0, None)]);
        let acked = &plot.series[2].points;
        let (from, to) = (sent[0].0, sent[sent.len() - 1].0);
        assert_eq!((acked[0].0, acked[acked.len() - 1].0), (from, to));
    }

    #[test]
    fn a_run_without_losses_shows_its_beginning_and_a_short_one_all() {
        let mut run = run(10_000);
        run.retain(|s| s.quantity == "sent");
        assert_eq!(plots(&run)[0].series[0].points[0].0, 0.0);
        run[0].points.truncate(20);
        assert_eq!(plots(&run)[0].series[0].points.len(), 20);
        run[0].points.clear();
        assert!(plots(&run)[0].series.is_empty());
        assert!(plots(&[]).is_empty());
    }
}
