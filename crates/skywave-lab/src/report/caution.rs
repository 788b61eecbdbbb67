//! Warnings about intervals and samples: where there are none, where chance has no part, and where some are left out.

use skywave_sim::outcome::MAX_REQUESTS;

use crate::experiment::{Results, RunResult};

/// Warnings to print below results, as text. They are about an experiment with a single seed, points where all seeds
/// gave the same result, and flows with so many transfers that only the first [`MAX_REQUESTS`] are recorded one by one.
/// `None` if there is nothing to warn of.
pub fn caution(results: &Results) -> Option<String> {
    let due = [of_intervals(results), of_requests(results)];
    let due: Vec<String> = due.into_iter().flatten().collect();
    (!due.is_empty()).then(|| due.join("\n"))
}

/// Warning about runs that keep as many transfers as they may.
fn of_requests(results: &Results) -> Option<String> {
    let is_full = |run: &RunResult| {
        let mut flows = run.outcome.requests.iter().flatten();
        flows.any(|kept| kept.len() >= MAX_REQUESTS)
    };
    let full = results.iter().filter(|(_, _, run)| is_full(run)).count();
    (full > 0).then(|| {
        format!(
            "Warning: of {full} of {} runs {MAX_REQUESTS} transfers of a flow are kept, which is the most: later \
             ones are\nneither in plots of single transfers nor in requests.parquet.",
            results.finished()
        )
    })
}

/// A single seed gives no interval, and where all seeds give the same result the interval has no width and says
/// nothing about chance.
fn of_intervals(results: &Results) -> Option<String> {
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

/// Whether chance has no part at a point: several seeds, and all gave the same result, to the last digit.
pub(super) fn is_same(results: &Results, point: usize) -> bool {
    let mut runs = results.at(point).flatten();
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
    use skywave_sim::outcome::{FlowOutcome, Outcome, Request};

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
    fn a_warning_where_transfers_are_left_out() {
        let mut results = results(&[&[1.0, 2.0]]);
        let request = Request {
            start_s: 0.0,
            bytes: 1,
            took_s: None,
        };
        let mut put = |kept| {
            let outcome = Outcome {
                requests: Some(vec![vec![], vec![request.clone(); kept]]),
                ..results.get(0, 1).unwrap().outcome
            };
            results.put(0, 1, &RunResult::new(outcome));
            caution(&results)
        };
        assert_eq!(put(MAX_REQUESTS - 1), None);
        let full = put(MAX_REQUESTS).unwrap();
        assert!(full.starts_with("Warning: of 1 of 2 runs 1000000 transfers"));
    }

    #[test]
    fn a_warning_where_there_is_one_seed() {
        let one = caution(&results(&[&[1.0], &[2.0]])).unwrap();
        assert!(one.contains("from one seed"), "{one}");
    }
}
