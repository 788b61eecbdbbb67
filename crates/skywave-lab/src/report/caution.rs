//! Warnings about intervals: where there are none, and where chance has no part.

use crate::experiment::{Results, RunResult};

/// A warning about the intervals, if one is due: a single seed gives none, and where all seeds give the
/// same result the interval has no width and says nothing about chance.
pub fn caution(results: &Results) -> Option<String> {
    if results.seeds.len() == 1 {
        let warning = "Warning: no interval can be computed from one seed: set `seeds` in [run] to 5 \
                       or more.";
        return Some(warning.to_owned());
    }
    let all = results.points();
    let (points, have) = match (0..all).filter(|&p| is_same(results, p)).count() {
        0 => return None,
        count if count == all => ("all points".to_owned(), "have"),
        1 => (format!("1 of {all} points"), "has"),
        count => (format!("{count} of {all} points"), "have"),
    };
    Some(format!(
        "Warning: {points} {have} the same result with every seed. Nothing random happens there: an \
         interval of\n±0 does not say how sure the number is."
    ))
}

/// Whether chance has no part at a point: several seeds, and all gave the same result.
pub(super) fn is_same(results: &Results, point: usize) -> bool {
    same(results.at(point).flatten())
}

/// Whether several runs at a point measured the same to the last digit.
fn same(mut runs: impl Iterator<Item = RunResult>) -> bool {
    let Some(first) = runs.next() else {
        return false;
    };
    // Time series are recorded of some runs only.
    let measured = |run: &RunResult| {
        run.outcome.events == first.outcome.events && run.outcome.flows == first.outcome.flows
    };
    let mut others = runs.peekable();
    others.peek().is_some() && others.all(|run| measured(&run))
}

#[cfg(test)]
mod tests {
    use skywave_sim::outcome::{FlowOutcome, Outcome};

    use super::*;

    /// Results whose runs have these goodputs, a list for each point.
    fn results(points: &[&[f64]]) -> Results {
        let seeds: Vec<u64> = (1..=points[0].len() as u64).collect();
        let mut results = Results::empty("test", &seeds, points.len());
        for (point, goodputs) in points.iter().enumerate() {
            for (seed, &goodput_bps) in goodputs.iter().enumerate() {
                let flow = FlowOutcome {
                    goodput_bps,
                    ..FlowOutcome::default()
                };
                let outcome = Outcome {
                    flows: vec![flow],
                    ..Outcome::default()
                };
                results.put(point, seed, &RunResult::new(outcome));
            }
        }
        results
    }

    #[test]
    fn a_warning_where_the_seeds_make_no_difference() {
        assert_eq!(caution(&results(&[&[1.0, 2.0], &[3.0, 4.0]])), None);
        let some = caution(&results(&[&[1.0, 1.0], &[3.0, 4.0]])).unwrap();
        assert!(some.starts_with("Warning: 1 of 2 points has the same result"));
        let all = caution(&results(&[&[1.0, 1.0], &[3.0, 3.0]])).unwrap();
        assert!(all.starts_with("Warning: all points have the same result"));
    }

    #[test]
    fn a_warning_where_there_is_one_seed() {
        let one = caution(&results(&[&[1.0], &[2.0]])).unwrap();
        assert!(one.contains("from one seed"), "{one}");
    }
}
