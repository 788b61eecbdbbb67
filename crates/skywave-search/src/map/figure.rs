//! A map as plots: the border over the first two keys, at some levels of the others, with the points measured nearby.

use skywave_lab::report::plot::{Axis, Glyph, Look, Plot, Scale, SeriesData};
use skywave_scenario::Key;

use super::Map;
use super::border::border;

/// Places of the levels of a further key.
const LEVELS: [f64; 3] = [1.0 / 6.0, 0.5, 5.0 / 6.0];
/// Cells each way in which the border is looked for.
const CELLS: usize = 40;

impl Map {
    /// Plots of the border of the mapped region, in which the objective's value is at least the bound, over the first
    /// two of `keys`, the map's axes: one for each combination
    /// of the others at three levels each (a sixth, a half and five sixths of their ranges). No plot for fewer than two
    /// keys.
    pub fn plots(&self, keys: &[Key]) -> Vec<Plot> {
        let [x, y, others @ ..] = keys else {
            return Vec::new();
        };
        let mut levels: Vec<Vec<f64>> = vec![Vec::new()];
        for _ in others {
            let more = |at: &Vec<f64>| LEVELS.map(|level| [at.clone(), vec![level]].concat());
            levels = levels.iter().flat_map(more).collect();
        }
        let (x, y) = (Measure::of(x), Measure::of(y));
        levels
            .iter()
            .map(|at| self.plot(&x, &y, others, at))
            .collect()
    }

    fn plot(&self, x: &Measure<'_>, y: &Measure<'_>, others: &[Key], at: &[f64]) -> Plot {
        let words = others.iter().zip(at).map(|(key, &level)| {
            let words = key.words(&key.setting(&[0.5, level]));
            format!("{} {words}", last(key))
        });
        let place = |a: f64, b: f64| [&[a, b], at].concat();
        let lines = border(CELLS, |a, b| self.margin(&place(a, b)));
        let mut series = Vec::new();
        for inside in [true, false] {
            let near = self.survey.points.iter().zip(&self.survey.values);
            let near =
                near.filter(|(point, value)| (**value > 0.0) == inside && is_near(&point[2..], at));
            let (label, glyph) = if inside {
                ("inside", Glyph::Ring)
            } else {
                ("outside", Glyph::Cross)
            };
            let points = near.map(|(point, _)| (x.value(point[0]), y.value(point[1])));
            series.push(SeriesData::of(label, Look::Glyphs(glyph), points));
        }
        for (number, line) in lines.iter().enumerate() {
            let points = line.iter().map(|&(a, b)| (x.value(a), y.value(b)));
            let label = if number == 0 { "border" } else { "border, too" };
            series.push(SeriesData::of(label, Look::Line, points));
        }
        Plot {
            title: words.collect::<Vec<_>>().join(", "),
            x: x.axis(),
            y: y.axis(),
            series,
            size: (420.0, 320.0),
        }
    }
}

/// Whether a point belongs to the plot of these levels rather than to its neighbours'.
fn is_near(point: &[f64], levels: &[f64]) -> bool {
    let mut both = point.iter().zip(levels);
    both.all(|(a, level)| (a - level).abs() <= 1.0 / (2.0 * LEVELS.len() as f64))
}

/// The last part of a key's path, which says most.
fn last(key: &Key) -> &str {
    key.text().rsplit('.').next().unwrap_or_default()
}

/// A key as an axis.
struct Measure<'a> {
    key: &'a Key,
    ends: [f64; 2],
    is_log: bool,
    unit: &'static str,
}

impl<'a> Measure<'a> {
    fn of(key: &'a Key) -> Self {
        let number = |at: f64| {
            let setting = key.setting(&[0.5, at]);
            setting
                .numbers()
                .first()
                .map_or(0.0, |number| number.value())
        };
        let written = key.words(&key.setting(&[0.5, 1.0]));
        // Times are kept in nanoseconds.
        let (unit, scale) = match written.trim_start_matches(|c: char| !c.is_alphabetic()) {
            "bps" | "kbps" | "Mbps" | "Gbps" => ("Mb/s", 1e-6),
            "ns" | "us" | "ms" | "s" | "min" | "h" => ("ms", 1e-6),
            "packet" | "packets" => ("packets", 1.0),
            _ => ("", 1.0),
        };
        Self {
            key,
            ends: [number(0.0) * scale, number(1.0) * scale],
            is_log: key.is_logarithmic(&key.setting(&[0.5, 0.5])),
            unit,
        }
    }

    fn value(&self, at: f64) -> f64 {
        let [low, high] = self.ends;
        if self.is_log {
            low * libm::pow(high / low, at)
        } else {
            low + (high - low) * at
        }
    }

    fn axis(&self) -> Axis {
        let scale = if self.is_log {
            Scale::Log
        } else {
            Scale::Linear
        };
        let label = match self.unit {
            "" => last(self.key).to_owned(),
            unit => format!("{} ({unit})", last(self.key)),
        };
        Axis::new(label, scale).from(self.ends[0]).to(self.ends[1])
    }
}
