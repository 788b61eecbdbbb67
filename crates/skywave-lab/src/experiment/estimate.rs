//! Forecast of the time, disk and memory that an experiment takes: roughly, and rather too much than too
//! little.

use skywave_sim::outcome::{FlowOutcome, LinkOutcome, Outcome, ProxyOutcome, StationOutcome};
use skywave_sim::spec::Spec;

use super::key::RunKey;
use super::load::{packets_of, turns_of, waiting_of};
use super::results::RunResult;
use super::{Design, RecordSeries, Shard, is_recorded, record, series};

/// Points that are looked at; the others are like these.
const LOOKED_AT: usize = 50;
/// Seconds that a packet takes at a link, an application that hands data over, and a run besides, on one processor of
/// 2020.
const PER_PACKET_S: f64 = 0.1e-6;
const PER_TURN_S: f64 = 0.05e-6;
const PER_RUN_S: f64 = 60e-6;
/// Bytes of memory: of the program, of all that is kept of a run (plan, places, a plot), of results that wait
/// in memory, of a row of a table and the number of rows that are made at once, of a point.
const PROGRAM: f64 = 30e6;
const PER_RUN: f64 = 220.0;
const WAITING: f64 = 32e6;
const PER_ROW: f64 = 2200.0;
const ROWS: f64 = 65_536.0;
const PER_POINT: f64 = 5000.0;
/// Bytes that the page takes for a row of a table while it is made, and most of its rows, of flows and of links.
const PER_LINE: f64 = 1500.0;
const LINES: f64 = 200_000.0;
/// Bytes that a flow and a link take while they are simulated.
const PER_FLOW: f64 = 8000.0;
const PER_LINK: f64 = 4000.0;
/// Bytes that a transfer takes while it waits to be sent: its end and its time, in a list that may double.
const PER_WAITING: f64 = 32.0;
/// Bytes in the journal that a flow's count in a bin of time takes.
const PER_BIN: f64 = 6.0;
/// Time series in memory beside their size on the disk.
const GROWTH: f64 = 1.5;

/// Main use of an experiment's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Memory for the program, and for what it keeps of each run and makes of the results.
    Runs,
    /// Memory for the points of the sweep.
    Points,
    /// Memory for flows and links that are simulated at the same time, and for requests of these that wait to be sent.
    Flows,
    /// Memory for time series of the runs under way.
    Series,
}

impl Cause {
    /// Phrase for messages that names the keys of the scenario's file on which this use of memory depends.
    pub fn keys(self) -> &'static str {
        match self {
            Self::Runs => "the runs (`seeds` in [run] times the points of [sweep])",
            Self::Points => "the points of [sweep]",
            Self::Flows => {
                "flows and links (`count`) and requests that wait to be sent, for each thread"
            }
            Self::Series => "time series (`series` in [run], or --series), for each thread",
        }
    }
}

/// Forecast of the time, disk and memory that an experiment takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Forecast {
    /// Number of runs.
    pub runs: usize,
    /// Number of packets at all links in all runs, ACKs included, if each flow always sends at its share of the
    /// narrowest link on its path. With a radio network: as if it and all links were busy all the time, and a packet
    /// on the radio channel counts as 40 packets of a link, as it takes about as much work to simulate.
    pub packets: f64,
    /// Number of threads used, no more than there are runs.
    pub threads: usize,
    /// Computing time of all runs together on one thread, on a processor of 2020, seconds.
    pub seconds: f64,
    /// Expected size of the run directory, bytes.
    pub disk: f64,
    /// Most memory that is used at a time, bytes.
    pub memory: f64,
    /// Main use of the expected memory.
    pub cause: Cause,
}

impl Forecast {
    /// Forecast of one shard (part of the runs): its share of the runs, packets, time and disk, but the memory of the
    /// whole experiment, since the process of a shard also plans all runs.
    #[must_use]
    pub fn part(self, shard: Shard) -> Self {
        let runs = shard.share(self.runs);
        let share = runs as f64 / self.runs.max(1) as f64;
        Self {
            runs,
            threads: self.threads.min(runs).max(1),
            packets: self.packets * share,
            seconds: self.seconds * share,
            disk: self.disk * share,
            ..self
        }
    }
}

/// Estimates time, disk and memory of the experiment `design` on `threads` threads, from at most 50 points of its
/// sweep; `wish` says which runs record time series.
pub fn forecast<D: Design + ?Sized>(design: &D, wish: RecordSeries, threads: usize) -> Forecast {
    let (points, seeds) = (design.points(), design.seeds());
    let runs = points * seeds.len();
    let step = points.div_ceil(LOOKED_AT).max(1);
    let (mut packets, mut turns) = (0.0, 0.0);
    let mut bytes = 0.0;
    let mut looked_at = 0.0;
    let (mut most_flows, mut most_series, mut rows) = (0.0_f64, 0.0_f64, 0.0);
    let mut lines = 0.0;
    for point in (0..points).step_by(step) {
        let spec = design.spec(point, seeds.first().copied().unwrap_or_default());
        looked_at += 1.0;
        packets += packets_of(&spec);
        turns += turns_of(&spec);
        let recorded = (0..seeds.len()).filter(|&index| is_recorded(wish, spec.series, index));
        let recorded = recorded.count() as f64;
        let size = series::expected_bytes(&spec);
        bytes += line_of(&spec) + size * recorded / seeds.len().max(1) as f64;
        if recorded > 0.0 {
            most_series = most_series.max(size * GROWTH);
        }
        let (flows, links) = (spec.flows.len() as f64, spec.links.len() as f64);
        let of_flows = flows * PER_FLOW + links * PER_LINK + waiting_of(&spec) * PER_WAITING;
        most_flows = most_flows.max(of_flows);
        rows += flows.max(links);
        lines += flows + links;
    }
    let looked_at = f64::max(looked_at, 1.0);
    let (count, threads) = (runs as f64, threads.clamp(1, runs.max(1)));
    let rows = count * rows / looked_at;
    let kept = count * PER_RUN + WAITING.min(rows * 400.0) + ROWS.min(rows) * PER_ROW;
    let (points, of_a_point) = (points as f64, lines / looked_at);
    let page = LINES.min(points * of_a_point) * PER_LINE;
    let (of_points, of_flows) = if points > of_a_point {
        (page, 0.0)
    } else {
        (0.0, page)
    };
    let parts = [
        (PROGRAM + kept, Cause::Runs),
        (points * PER_POINT + of_points, Cause::Points),
        (threads as f64 * most_flows + of_flows, Cause::Flows),
        (threads as f64 * most_series, Cause::Series),
    ];
    let largest = parts.iter().max_by(|a, b| a.0.total_cmp(&b.0));
    let of_all = |looked_at_has: f64| count * looked_at_has / looked_at;
    let (packets, turns) = (of_all(packets), of_all(turns));
    Forecast {
        runs,
        threads,
        packets,
        seconds: packets * PER_PACKET_S + turns * PER_TURN_S + count * PER_RUN_S,
        disk: of_all(bytes),
        memory: parts.iter().map(|(bytes, _)| bytes).sum(),
        cause: largest.map_or(Cause::Runs, |(_, cause)| *cause),
    }
}

/// Bytes of a run's line in the journal, and of its rows.
fn line_of(spec: &Spec) -> f64 {
    let flow = |name: &str| FlowOutcome {
        name: name.to_owned(),
        ..FlowOutcome::default()
    };
    let link = |name: &str| LinkOutcome {
        name: name.to_owned(),
        ..LinkOutcome::default()
    };
    let radio = spec.radio.as_ref().map_or(0, |_| spec.nodes.len());
    // Of thousands of flows one is like the other.
    let first = |count: usize| count.min(3);
    let outcome = |flows: usize, links: usize, stations: usize| {
        let run = RunResult::new(Outcome {
            flows: spec.flows[..flows].iter().map(|f| flow(&f.name)).collect(),
            links: spec.links[..links].iter().map(|l| link(&l.name)).collect(),
            stations: vec![StationOutcome::default(); stations],
            proxies: vec![ProxyOutcome::default(); spec.proxies.len()],
            ..Outcome::default()
        });
        record::line(RunKey::of_none(), spec.seed, super::ENGINE, &run).len() as f64
    };
    let none = outcome(0, 0, 0);
    let share = |of: usize, line: f64| match first(of) {
        0 => 0.0,
        n => (line - none) / n as f64 * of as f64,
    };
    let all = none
        + share(spec.flows.len(), outcome(first(spec.flows.len()), 0, 0))
        + share(spec.links.len(), outcome(0, first(spec.links.len()), 0))
        + share(radio, outcome(0, 0, first(radio)));
    let bins = spec.bins.map_or(0.0, |width| {
        spec.duration.as_secs_f64() / width.as_secs_f64()
    });
    // Numbers are longer than zeros, and there are the tables.
    all * 1.2 + bins * spec.flows.len() as f64 * PER_BIN
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Losses, fake};
    use super::super::{Options, run};
    use super::*;

    #[test]
    fn a_forecast_is_near_what_a_run_takes_on_the_disk() {
        let dir = tempfile::tempdir().unwrap();
        let design = Losses((1..=20).collect());
        let options = Options {
            dir: Some(dir.path()),
            ..Options::default()
        };
        run(&design, &options, |spec, _| Some(fake(spec))).unwrap();
        let journal = std::fs::metadata(dir.path().join("runs.jsonl")).unwrap();
        let forecast = forecast(&design, RecordSeries::Never, 2);
        let ratio = forecast.disk / journal.len() as f64;
        assert!((1.0..1.5).contains(&ratio), "{ratio}");
        // 2 Mb/s for a second, 80 times.
        assert!((13_000.0..14_000.0).contains(&forecast.packets));
        assert_eq!((forecast.runs, forecast.cause), (80, Cause::Runs));
        let part = forecast.part(Shard::new(2, 4).unwrap());
        assert_eq!((part.runs, part.memory), (20, forecast.memory));
        assert!((part.disk * 4.0 - forecast.disk).abs() < 1.0);
    }

    /// Many flows.
    struct Many;

    impl Design for Many {
        fn points(&self) -> usize {
            1
        }

        fn seeds(&self) -> &[u64] {
            &[1]
        }

        fn spec(&self, point: usize, seed: u64) -> Spec {
            let mut spec = Losses(vec![1]).spec(point, seed);
            spec.flows = vec![spec.flows[0].clone(); 10_000];
            spec
        }
    }

    #[test]
    fn what_takes_most_memory_is_named() {
        let design = Losses(vec![1, 2]);
        let with = forecast(&design, RecordSeries::Always, 1);
        let without = forecast(&design, RecordSeries::Never, 1);
        // 167 packets of 130 bytes, and half as much again.
        let more = with.memory - without.memory;
        assert!((30_000.0..35_000.0).contains(&more), "{more}");

        let many = forecast(&Many, RecordSeries::Never, 64);
        // One run at a time, however many threads there are.
        assert!(
            many.cause == Cause::Flows && many.memory < 300e6,
            "{many:?}"
        );
        assert!((20e6..50e6).contains(&many.disk), "{many:?}");
    }
}
