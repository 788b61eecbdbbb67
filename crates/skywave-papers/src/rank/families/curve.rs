//! The shares of each sender as a curve over the paths.

use super::super::Ranked;
use super::super::study::Study;
use super::{Families, Standing, WORST};
use skywave_lab::report::plot::{Axis, Look, Plot, Scale, SeriesData};

/// Against a share of the paths, the share of the best that a sender has at most there. The worst paths have their names.
pub(in super::super) fn curve(study: &Study, ranked: &Ranked) -> Plot {
    of(study, &Families::of(study, ranked))
}

pub(super) fn of(study: &Study, families: &Families) -> Plot {
    Plot {
        title: "Goodput as a share of the best sender's, over the paths".into(),
        x: Axis::new("Paths on which it is not more (%)", Scale::Linear)
            .from(0.0)
            .to(100.0),
        y: Axis::new("Goodput (% of the best on the path)", Scale::Linear)
            .from(0.0)
            .to(100.0),
        series: families
            .standings
            .iter()
            .map(|standing| series(study, standing))
            .collect(),
        size: (960.0, 480.0),
    }
}

fn series(study: &Study, standing: &Standing) -> SeriesData {
    let count = standing.shares.len() as f64;
    let shares = standing.shares.iter().enumerate();
    let points = shares.clone().map(|(place, &(share, _))| {
        let below = (place + 1) as f64 / count;
        (100.0 * below, 100.0 * share)
    });
    let names = shares.map(|(place, &(_, path))| {
        let name = (place < WORST).then(|| study.paths[path].name.clone());
        name.unwrap_or_default()
    });
    let label = &study.entries[standing.entry].label;
    SeriesData {
        names: names.collect(),
        ..SeriesData::of(label, Look::Line, points)
    }
}
