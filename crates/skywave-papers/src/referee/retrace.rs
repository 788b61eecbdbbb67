//! The run that shows how a case failed: the one of the first seed, made again with series and bins.

use std::sync::atomic::AtomicBool;

use skywave_core::Duration;
use skywave_scenario::Scenario;
use skywave_sim::Spec;

use super::card::Wrong;
use super::moment::{Term, moment};
use super::plot::{Shown, plots};
use crate::claims::deciding::Number;
use crate::claims::sender::Sender;
use crate::claims::{Paper, Part};

/// Bins of a run whose scenario has none.
const BINS: Duration = Duration::from_millis(100);

/// Settings for making one run of each failed test case again, to see when and how it failed.
#[derive(Clone, Copy, Debug)]
pub struct Retracing<'a> {
    /// Number of threads; `None` for one for each core.
    pub threads: Option<usize>,
    /// Flag that the caller sets (as on Ctrl-C) to stop the runs.
    pub cancel: &'a AtomicBool,
}

/// The run in which the first seed fails in this part; `None` where no single point decides.
pub(super) fn retrace(
    paper: &Paper,
    sender: &dyn Sender,
    part: &Part,
    how: &Retracing<'_>,
) -> Option<Wrong> {
    let deciding = part.deciding.as_ref()?;
    let found = |number: &Number| {
        let named = |one: &&Scenario| one.name() == number.experiment();
        let scenario = paper.experiments().iter().find(named)?;
        let seed = *scenario.seeds().first()?;
        let mut spec = scenario.points().get(number.point())?.spec(seed);
        spec.series = true;
        spec.bins = spec.bins.or(Some(BINS));
        let run = sender.run(&spec, how.cancel)?;
        Some((scenario, number.reader(scenario)?, spec, run))
    };
    let terms: Vec<_> = deciding.numbers.iter().map(found).collect::<Option<_>>()?;
    let (scenario, _, spec, outcome) = terms.first()?;
    let run = |spec: &Spec| sender.run(spec, how.cancel);
    let seen: Vec<Term<'_>> = terms
        .iter()
        .map(|(_, reader, spec, outcome)| Term {
            reader,
            spec,
            outcome,
        })
        .collect();
    let limits = deciding.limits.as_ref();
    let moment_s = limits.and_then(|limits| moment(limits, &seen, &run, how.threads));
    let first = deciding.numbers.first()?;
    let shown = Shown {
        point: scenario.points().get(first.point())?,
        seats: paper.seats_in(scenario),
        spec,
        outcome,
        moment_s,
    };
    Some(Wrong {
        number: part.name.clone(),
        scenario: scenario.name().to_owned(),
        place: deciding.place.clone(),
        seed: spec.seed,
        moment_s,
        plots: plots(&shown),
    })
}
