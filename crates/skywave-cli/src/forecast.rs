//! Forecast of time, disk and memory: told before long runs, which are refused where memory is too small.

use std::path::Path;

use skywave_lab::experiment::{Forecast, RecordSeries, Shard, forecast};
use skywave_lab::report::number::counted;
use skywave_lab::scenario::Scenario;
use skywave_lab::threads::cores;

use crate::failure::Failure;
use crate::{memory, output};

/// Time and size on the disk from which on they are told before a run.
const LONG_S: f64 = 60.0;
const LARGE: f64 = 1e9;

/// How a scenario is to be run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wish {
    /// Part of the runs that is to be made; all of them if `None`.
    pub(crate) shard: Option<Shard>,
    /// Most memory, bytes.
    pub(crate) memory: Option<u64>,
    /// One a core unless given.
    pub(crate) threads: Option<usize>,
    /// Choice of the runs that record time series.
    pub(crate) series: RecordSeries,
}

/// The estimate that `check` prints of a scenario, for a thread on each core.
pub(crate) fn text(scenario: &Scenario) -> String {
    words(&forecast(scenario, RecordSeries::AsSpecified, cores()))
}

/// Tells of a run that takes long or much, and refuses one for which there is not enough memory.
pub(crate) fn admit(scenario: &Scenario, file: &Path, wish: Wish) -> Result<(), Failure> {
    let threads = wish.threads.unwrap_or_else(cores);
    let all = forecast(scenario, wish.series, threads);
    let forecast = wish.shard.map_or(all, |shard| all.part(shard));
    let most = wish
        .memory
        .map(|bytes| bytes as f64)
        .or_else(memory::available);
    if let Some(most) = most.filter(|most| forecast.memory > *most) {
        let why = format!(
            "this takes about {} of memory, most of it for {}; expected at most {} (--memory raises it)",
            size(forecast.memory),
            forecast.cause.keys(),
            size(most),
        );
        return Err(Failure::file(file, why));
    }
    if wall_seconds(&forecast) > LONG_S || forecast.disk > LARGE {
        let runs = counted(forecast.runs, "run");
        output::note(&format!("{runs} take {}", words(&forecast)));
    }
    Ok(())
}

/// An estimate in words.
fn words(forecast: &Forecast) -> String {
    format!(
        "about {} on {}, {} on the disk, {} of memory",
        time(wall_seconds(forecast)),
        counted(forecast.threads, "thread"),
        size(forecast.disk),
        size(forecast.memory),
    )
}

/// Time that the runs take on all their threads.
fn wall_seconds(forecast: &Forecast) -> f64 {
    forecast.seconds / forecast.threads as f64
}

/// A rough time.
fn time(seconds: f64) -> String {
    match seconds {
        s if s < 1.0 => "a second".to_owned(),
        s if s < 100.0 => format!("{s:.0} s"),
        s if s < 6000.0 => format!("{:.0} min", s / 60.0),
        s if s < 200_000.0 => format!("{:.0} h", s / 3600.0),
        s => format!("{:.0} days", s / 86_400.0),
    }
}

/// A rough size.
fn size(bytes: f64) -> String {
    match bytes {
        b if b < 1e6 => format!("{:.0} kB", (b / 1e3).max(1.0)),
        b if b < 1e7 => format!("{:.1} MB", b / 1e6),
        b if b < 1e9 => format!("{:.0} MB", b / 1e6),
        b if b < 1e12 => format!("{:.1} GB", b / 1e9),
        b => format!("{:.1} TB", b / 1e12),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rough_numbers_have_few_digits() {
        let times = [0.1, 12.34, 3599.0, 40_000.0, 1e6].map(time);
        assert_eq!(times, ["a second", "12 s", "60 min", "11 h", "12 days"]);
        let sizes = [3.0, 2_345_678.0, 345_678_901.0, 2.5e9, 7e13].map(size);
        assert_eq!(sizes, ["1 kB", "2.3 MB", "346 MB", "2.5 GB", "70.0 TB"]);
    }
}
