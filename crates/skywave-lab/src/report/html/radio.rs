//! Pictures of a radio network: where its stations are, and what they do.

use skywave_sim::outcome::{Span, StationOutcome};

use crate::experiment::Results;
use crate::experiment::timeline::ACTIVITIES;
use crate::report::drawings::Drawing;
use crate::report::plot::{Axis, Look, Map, Plot, Print, Scale, SeriesData};
use crate::report::study::Study;
use crate::report::topology::Topology;
use crate::report::words::Words;

/// Maps and timelines of one page.
const MAX_MAPS: usize = 4;
const MAX_TIMELINES: usize = 4;
/// Stations and spans of one timeline.
const MAX_STATIONS: usize = 40;
const MAX_SPANS: usize = 6000;
/// Height of a station's row and of a bar in it, in pixels.
const ROW: f64 = 24.0;
const BAR: u8 = 14;
/// Height of a bar while the station has no activity.
const THIN: u8 = 1;

/// A picture of a radio network.
pub(in crate::report) enum Picture {
    Map(Map),
    Timeline(Plot),
}

impl Picture {
    fn title(&self) -> &str {
        match self {
            Self::Map(map) => &map.title,
            Self::Timeline(plot) => &plot.title,
        }
    }

    /// The picture as an element of the page.
    pub(super) fn inline(&self) -> String {
        match self {
            Self::Map(map) => map.to_inline_svg(),
            Self::Timeline(plot) => plot.to_inline_svg(),
        }
    }

    /// The picture as a file of its own, for paper if `print` is given.
    pub(in crate::report) fn drawing(&self, print: Option<&Print>) -> Drawing {
        let title = self.title().to_owned();
        let name = title.clone();
        let svg = match (self, print) {
            (Self::Map(map), None) => map.to_svg(),
            (Self::Map(map), Some(print)) => map.to_print_svg(print),
            (Self::Timeline(plot), None) => plot.to_svg(),
            (Self::Timeline(plot), Some(print)) => plot.to_print_svg(print),
        };
        Drawing { name, title, svg }
    }
}

/// The pictures of a study, the maps first.
pub(in crate::report) fn pictures(study: &Study, results: &Results) -> Vec<Picture> {
    let maps = maps(study).into_iter().map(Picture::Map);
    let timelines = timelines(study, results).into_iter();
    maps.chain(timelines.map(Picture::Timeline)).collect()
}

/// The networks that differ, each with the values of the first point that has it.
fn maps(study: &Study) -> Vec<Map> {
    let mut found: Vec<(usize, &Topology)> = Vec::new();
    for (index, point) in study.points.iter().enumerate() {
        if let Some(radio) = &point.radio
            && !found.iter().any(|(_, known)| *known == radio)
        {
            found.push((index, radio));
        }
    }
    let several = found.len() > 1;
    let maps = found.into_iter().take(MAX_MAPS);
    maps.map(|(index, radio)| {
        radio.map(if several {
            format!("The radio network with {}", values(study, index))
        } else {
            "The radio network".to_owned()
        })
    })
    .collect()
}

fn values(study: &Study, point: usize) -> String {
    let values = Words::of(study).values(study.points.get(point));
    values.join(", ")
}

/// The activities of stations, for the first seed of the first points.
fn timelines(study: &Study, results: &Results) -> Vec<Plot> {
    let first = (0..results.points()).filter_map(|point| Some((point, results.get(point, 0)?)));
    let recorded = first.filter(|(_, run)| {
        let mut stations = run.outcome.stations.iter();
        stations.any(|station| !station.timeline.is_empty())
    });
    let shown = recorded.take(MAX_TIMELINES);
    shown
        .map(|(point, run)| {
            let seed = format!("seed {}", results.seeds[0]);
            let parts = ["What stations do".to_owned(), values(study, point), seed];
            let parts: Vec<String> = parts.into_iter().filter(|p| !p.is_empty()).collect();
            timeline(parts.join(", "), &run.outcome.stations)
        })
        .collect()
}

/// One row a station, from the top.
fn timeline(title: String, stations: &[StationOutcome]) -> Plot {
    let stations = &stations[..stations.len().min(MAX_STATIONS)];
    let spans = || stations.iter().flat_map(|station| &station.timeline);
    let from = spans().map(|span| span.from_s).reduce(f64::min);
    let to = spans().map(|span| span.to_s).reduce(f64::max);
    let (from, to) = (from.unwrap_or(0.0), to.unwrap_or(0.0));
    // If there is too much to show, the beginning is shown.
    let mut begins: Vec<f64> = spans().map(|span| span.from_s).collect();
    begins.sort_by(f64::total_cmp);
    let to = begins.get(MAX_SPANS).copied().unwrap_or(to).min(to);
    let ms = |seconds: f64| (seconds - from) * 1e3;
    let bar = |row: usize, span: &Span| {
        let row = (stations.len() - 1 - row) as f64;
        let ends = [span.from_s, span.to_s.min(to)];
        ends.map(|end| (ms(end), row))
    };
    let series = ACTIVITIES.iter().map(|&(activity, label)| {
        let rows = stations.iter().enumerate();
        let points = rows.flat_map(|(row, station)| {
            let spans = station.timeline.iter();
            let shown = spans.filter(|span| span.activity == activity && span.from_s < to);
            shown.flat_map(move |span| bar(row, span))
        });
        let height = if label == "idle" { THIN } else { BAR };
        SeriesData::of(label, Look::Bars(height), points)
    });
    let names = stations.iter().rev().map(|s| s.name.clone()).collect();
    Plot {
        title,
        x: Axis::new(format!("Time after {from} s (ms)"), Scale::Linear)
            .from(0.0)
            .to(ms(to)),
        y: Axis::new("", Scale::Categories(names)),
        series: series.collect(),
        size: (720.0, 130.0 + ROW * stations.len() as f64),
    }
}

#[cfg(test)]
mod tests;
