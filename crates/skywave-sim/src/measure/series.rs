//! Time series: a point whenever a quantity changes.

use skywave_core::Time;

use crate::outcome::Series;

/// Records the series of one entity.
#[derive(Clone, Debug)]
pub(crate) struct Recorder {
    series: Vec<Series>,
}

impl Recorder {
    /// A recorder of these quantities.
    pub(crate) fn new(entity: &str, quantities: &[&'static str]) -> Self {
        let series = quantities
            .iter()
            .map(|quantity| Series {
                entity: entity.to_owned(),
                quantity,
                points: Vec::new(),
            })
            .collect();
        Self { series }
    }

    /// The quantity number `index` has this value now.
    pub(crate) fn record(&mut self, index: usize, now: Time, value: f64) {
        let points = &mut self.series[index].points;
        if points.last().is_none_or(|&(_, last)| last != value) {
            points.push((now.as_secs_f64(), value));
        }
    }

    /// The series recorded, empty ones left out.
    pub(crate) fn into_series(self) -> impl Iterator<Item = Series> {
        self.series.into_iter().filter(|s| !s.points.is_empty())
    }
}
