//! Runs that are made here for an experiment elsewhere.

use std::sync::atomic::AtomicBool;

use skywave_sim::outcome::Outcome;
use skywave_sim::spec::Spec;

use super::plan::Plan;
use super::results::RunResult;
use super::{Design, ENGINE, Line, RecordSeries, record, series};

/// Worker for an experiment whose run directory a [`Gathering`](super::Gathering) in another process keeps: it
/// simulates single runs, and returns each as a line for that directory's journal, with its time series. It writes no
/// file.
#[derive(Debug)]
pub struct Maker {
    plan: Plan,
    series: RecordSeries,
}

impl Maker {
    /// Worker for the experiment `design`; `series` says which of its runs record time series.
    pub fn of<D: Design + ?Sized>(design: &D, series: RecordSeries) -> Self {
        let plan = Plan::of(design, series, ENGINE);
        Self { plan, series }
    }

    /// Hash of all that decides the results: this worker makes the runs of a [`Gathering`](super::Gathering) whose hash
    /// is equal.
    pub fn hash(&self) -> u128 {
        self.plan.hash()
    }

    /// Simulates the run with index `place` in the plan, and returns its journal line and time series. `None` if the
    /// plan has no such run, `simulate` gave it up (returned `None`), or the run has a policy of the user's own code
    /// and can therefore not be kept.
    pub fn make<D, F>(
        &self,
        design: &D,
        place: usize,
        cancel: &AtomicBool,
        simulate: F,
    ) -> Option<Line>
    where
        D: Design + ?Sized,
        F: FnOnce(&Spec, &AtomicBool) -> Option<Outcome>,
    {
        let planned = self.plan.runs().get(place)?;
        let key = planned.key()?;
        let spec = planned.spec(design, self.series);
        let run = RunResult::new(simulate(&spec, cancel)?);
        let line = record::line(key, spec.seed, ENGINE, &run).into_bytes();
        let series = run.has_series().then(|| {
            let mut bytes = Vec::new();
            // Writing to memory cannot fail.
            let _ = series::write_to(&mut bytes, &run.outcome.series);
            bytes
        });
        Some(Line { key, line, series })
    }
}
