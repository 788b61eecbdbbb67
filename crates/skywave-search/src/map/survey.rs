//! Where to measure: evenly at first, then where it is least sure on which side of the border a point lies.

use super::gaussian::Gaussian;
use super::halton::halton;

/// Points measured together, by all threads.
const BATCH: usize = 20;
/// Places among which the points of a batch are taken.
const OFFERED: u64 = 1000;
/// Share of the points that are spread evenly.
const EVEN: f64 = 0.4;
/// The interval of 95 % in standard deviations, as in the straddle rule of Bryan et al. (NIPS 2005).
const SURE: f64 = 1.96;

/// Measured points that a [`Map`](super::Map) is learnt from. Each is a network path of the map's space, and its value
/// is the logarithm of the objective over the map's bound there.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Survey {
    /// Measured points, each with a coordinate from 0 to 1 for each key of [`Question::keys`](super::Question::keys),
    /// in their order: the place of the key's value in its range.
    pub points: Vec<Vec<f64>>,
    /// Value measured at each point, in the order of [`Self::points`]: natural logarithm of the objective's mean value
    /// over the bound [`Question::at_least`](super::Question::at_least), cut to ±0.7; above 0 inside the map's region.
    pub values: Vec<f64>,
}

impl Survey {
    /// Measures this many points of a cube, fewer where some say nothing. `measure` gives a value for each of the places
    /// that it gets, in their order, or none for one that says nothing.
    ///
    /// # Errors
    /// Those of `measure`.
    pub(super) fn take<E>(
        dimensions: usize,
        count: usize,
        measure: &mut impl FnMut(&[Vec<f64>]) -> Result<Vec<Option<f64>>, E>,
    ) -> Result<Self, E> {
        let even = ((count as f64 * EVEN) as u64).max(1);
        let mut survey = Self::default();
        let first: Vec<_> = (1..=even).map(|n| halton(n, dimensions)).collect();
        survey.add(first, measure)?;
        let mut next = even;
        let mut asked = even as usize;
        while asked < count && !survey.points.is_empty() {
            let process = Gaussian::fit(&survey.points, &survey.values);
            let offered: Vec<_> = (1..=OFFERED)
                .map(|n| halton(next + n, dimensions))
                .collect();
            next += OFFERED;
            let room = BATCH.min(count - asked);
            asked += room;
            survey.add(unsure(&process, offered, &survey, room), measure)?;
        }
        Ok(survey)
    }

    fn add<E>(
        &mut self,
        points: Vec<Vec<f64>>,
        measure: &mut impl FnMut(&[Vec<f64>]) -> Result<Vec<Option<f64>>, E>,
    ) -> Result<(), E> {
        let values = measure(&points)?;
        for (point, value) in points.into_iter().zip(values) {
            let Some(value) = value else { continue };
            self.points.push(point);
            self.values.push(value);
        }
        Ok(())
    }
}

/// Offered places about which the map is least sure. As soon as one is taken, those around it count as
/// surer: what it will be is taken for measured.
fn unsure(
    process: &Gaussian,
    mut offered: Vec<Vec<f64>>,
    survey: &Survey,
    count: usize,
) -> Vec<Vec<f64>> {
    let mut points = survey.points.clone();
    let mut values = survey.values.clone();
    let mut process = process.clone();
    let mut taken = Vec::with_capacity(count);
    // Learning anew after each one would take as long as the runs.
    let together = count.div_ceil(4).max(1);
    while taken.len() < count && !offered.is_empty() {
        let mut rated: Vec<(f64, f64, Vec<f64>)> = offered
            .into_iter()
            .map(|place| {
                let (mean, deviation) = process.at(&place);
                (SURE * deviation - mean.abs(), mean, place)
            })
            .collect();
        rated.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut rest = rated.into_iter();
        for (_, mean, place) in rest.by_ref().take(together.min(count - taken.len())) {
            points.push(place.clone());
            values.push(mean);
            taken.push(place);
        }
        offered = rest.map(|(_, _, place)| place).collect();
        process = process.with(&points, &values);
    }
    taken
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    /// Above 0 inside of a ball.
    fn ball(place: &[f64]) -> f64 {
        let squares: f64 = place.iter().map(|x| (x - 0.5) * (x - 0.5)).sum();
        0.4 - libm::sqrt(squares)
    }

    #[test]
    fn the_border_is_found_and_measured_more_densely() {
        let mut measure = |places: &[Vec<f64>]| {
            Ok::<_, Infallible>(places.iter().map(|p| Some(ball(p))).collect())
        };
        let Ok(survey) = Survey::take(3, 120, &mut measure);
        assert_eq!(survey.points.len(), 120);
        let near = |from: usize, to: usize| {
            let values = survey.values[from..to].iter();
            let near = values.filter(|value| value.abs() < 0.1).count();
            near as f64 / (to - from) as f64
        };
        assert!(
            near(48, 120) > 1.5 * near(0, 48),
            "{} {}",
            near(48, 120),
            near(0, 48)
        );
        let process = Gaussian::fit(&survey.points, &survey.values);
        let right = (5000..5100).filter(|&n| {
            let place = halton(n, 3);
            (process.at(&place).0 > 0.0) == (ball(&place) > 0.0)
        });
        assert!(right.count() >= 97);
    }
}
