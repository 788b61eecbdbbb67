//! A law of the kernel over a path of the set, and what was measured.

use std::time::Duration;

use serde_json::{Value, json};
use skywave_lab::experiment::stats::Estimate;
use skywave_lab::scenario::Scenario;
use skywave_papers::validate::{self, Set, SetError};
use skywave_wire::behind::bulk::Connection;

use super::super::{Args, agree};
use super::plan::{PORT, Plan};
use super::real::Run;
use super::{KernelArgs, KernelError, SECONDS, VERB};
use crate::failure::Failure;
use crate::impair::path::{self, Choice};
use crate::impair::show;

/// Seeds of the simulation.
const SEEDS: u64 = 10;

/// The heading of the table as CSV.
pub(super) const COLUMNS: &str =
    "law,rate_mbps,rtt_ms,loss,queue_packets,seconds,goodputs_mbps,queues_packets,unfaithful";

/// Runs over a path with random losses unless said; without them there is little to differ.
const RUNS: usize = 3;

/// A path of the set `kernel`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Link {
    /// Rate, Mb/s.
    rate: f64,
    /// Round trip without waiting, ms.
    rtt_ms: f64,
    /// Share of data packets lost, each independently, before the queue.
    loss: f64,
    /// Places of the queue, the packet in transmission included.
    queue: u32,
}

/// A law over a path.
pub(super) struct Row {
    /// Index of the row in the set.
    pub(super) at: usize,
    /// The path's number, from 1.
    path: usize,
    /// The kernel's name of the law.
    pub(super) law: String,
    /// The path.
    link: Link,
    /// Length of a run.
    pub(super) seconds: u32,
    scenario: Scenario,
    /// Runs to make.
    pub(super) count: usize,
    /// Real runs made so far.
    pub(super) runs: Vec<Run>,
    /// The simulated goodput, Mb/s.
    pub(super) simulated: Option<Estimate>,
}

/// The rows of the set `kernel` that are asked for, simulated for as long as the runs are, and the number of each
/// one's path, from 1.
pub(super) fn set(args: &KernelArgs) -> Result<(Set, Vec<usize>), Failure> {
    let set = Set::load("kernel", SEEDS)?;
    let mut paths: Vec<Link> = Vec::new();
    for row in set.rows() {
        let link = Link::of(row)?;
        if !paths.contains(&link) {
            paths.push(link);
        }
    }
    for &asked in &args.only {
        if asked == 0 || asked > paths.len() {
            let paths = paths.len();
            return Err(KernelError::NoPath { asked, paths }.into());
        }
    }
    let laws = set.rows().iter().map(law);
    let mut known: Vec<&str> = laws.collect::<Result<_, _>>()?;
    known.sort_unstable();
    known.dedup();
    for asked in &args.laws {
        if !known.contains(&asked.as_str()) {
            let (asked, known) = (asked.clone(), known.join(", "));
            return Err(KernelError::NoLaw { asked, known }.into());
        }
    }
    let seconds = args.seconds.unwrap_or(SECONDS);
    let mut asked = Vec::new();
    for row in set.rows() {
        let link = Link::of(row)?;
        let number = 1 + paths.iter().take_while(|path| **path != link).count();
        let law = law(row)?;
        asked.push(
            ((args.only.is_empty() || args.only.contains(&number))
                && (args.laws.is_empty() || args.laws.iter().any(|asked| asked == law)))
            .then_some(number),
        );
    }
    let mut each = asked.iter();
    let mut set = set.with("seconds", &seconds.to_string())?;
    set.retain(|_| each.next().is_some_and(Option::is_some));
    Ok((set, asked.into_iter().flatten().collect()))
}

fn law(row: &validate::Row) -> Result<&str, SetError> {
    row.text("law")
}

impl Link {
    fn of(row: &validate::Row) -> Result<Self, SetError> {
        Ok(Self {
            rate: row.number("rate_mbps")?,
            rtt_ms: row.number("rtt_ms")?,
            loss: row.number("loss")?,
            queue: row.number("queue_packets")? as u32,
        })
    }
}

impl Row {
    /// Row `at` of the [`set`], which is over path number `path`.
    pub(super) fn new(
        at: usize,
        path: usize,
        row: &validate::Row,
        args: &Args,
    ) -> Result<Self, Failure> {
        let link = Link::of(row)?;
        let runs = if link.loss > 0.0 { RUNS } else { 1 };
        Ok(Self {
            at,
            path,
            law: law(row)?.to_owned(),
            link,
            seconds: args.kernel.seconds.unwrap_or(SECONDS),
            scenario: row.scenario().clone(),
            count: args.seeds.map_or(runs, std::num::NonZeroUsize::get),
            runs: Vec::new(),
            simulated: None,
        })
    }

    /// When measuring begins, s.
    pub(super) fn from(&self) -> f64 {
        let (from, _) = self.scenario.points()[0].spec(1).measure;
        from.as_secs_f64()
    }

    /// The transfer with this seed.
    pub(super) fn plan(&self, seed: u64) -> Result<Plan, KernelError> {
        let choice = Choice {
            flow: None,
            seed: Some(seed),
            point: 1,
            // Whole IP packets come.
            overhead: 0,
        };
        let path = path::of(&self.scenario, choice);
        let path = path.map_err(|error| KernelError::Path(error.to_string()))?;
        Ok(Plan {
            verb: VERB,
            config: path.config,
            connections: vec![Connection {
                law: self.law.clone(),
                port: PORT,
                is_back: false,
                start: Duration::ZERO,
            }],
            window: (
                Duration::from_secs_f64(self.from()),
                Duration::from_secs(u64::from(self.seconds)),
            ),
            bins: None,
            rwnd: None,
        })
    }

    fn real(&self) -> f64 {
        self.runs.iter().map(|run| run.mbps).sum::<f64>() / self.runs.len().max(1) as f64
    }

    fn unfaithful(&self) -> usize {
        let runs = self.runs.iter();
        runs.filter(|run| run.unfaithful.is_some()).count()
    }

    fn agrees(&self) -> bool {
        self.simulated
            .is_some_and(|simulated| agree(self.real(), simulated.mean))
    }

    /// Line of the table as CSV for this row.
    pub(super) fn csv(&self) -> String {
        let Link {
            rate,
            rtt_ms,
            loss,
            queue,
        } = &self.link;
        let of_runs = |cell: fn(&Run) -> String| {
            let cells: Vec<String> = self.runs.iter().map(cell).collect();
            cells.join(" ")
        };
        format!(
            "{},{rate},{rtt_ms},{loss:?},{queue},{},{},{},{}",
            self.law,
            self.seconds,
            of_runs(|run| format!("{:.3}", run.mbps)),
            of_runs(|run| format!("{:.1}", run.queue)),
            self.unfaithful()
        )
    }

    /// Object of `--json` for this row, with the simulated goodput.
    pub(super) fn object(&self) -> Value {
        let simulated = self.simulated.map(|simulated| simulated.mean);
        json!({
            "path": self.path,
            "law": self.law,
            "rate_mbps": self.link.rate,
            "rtt_ms": self.link.rtt_ms,
            "loss": self.link.loss,
            "queue_packets": self.link.queue,
            "seconds": self.seconds,
            "real_mbps": self.runs.iter().map(|run| run.mbps).collect::<Vec<_>>(),
            "queues_packets": self.runs.iter().map(|run| run.queue).collect::<Vec<_>>(),
            "unfaithful": self.unfaithful(),
            "simulated_mbps": simulated,
            "simulated_ci95": self.simulated.and_then(|simulated| simulated.half),
            "ratio": simulated.map(|simulated| self.real() / simulated),
        })
    }

    fn cells(&self) -> Vec<String> {
        let Link {
            rate,
            rtt_ms,
            loss,
            queue,
        } = &self.link;
        let simulated = self
            .simulated
            .map_or((f64::NAN, None), |s| (s.mean, s.half));
        vec![
            self.path.to_string(),
            format!(
                "{rate} Mb/s, {rtt_ms} ms, {} %, {queue} packets",
                100.0 * loss
            ),
            self.law.clone(),
            format!("{:.2}", self.real()),
            match simulated {
                (mean, Some(half)) => format!("{mean:.2} ±{half:.2}"),
                (mean, None) => format!("{mean:.2}"),
            },
            format!("{:.3}", self.real() / simulated.0),
            match self.unfaithful() {
                0 => String::new(),
                n => format!("{n} of {} NOT IN TIME", self.runs.len()),
            },
        ]
    }
}

/// The table for a terminal.
pub(super) fn table(rows: &[Row]) -> String {
    let header = [
        "",
        "path",
        "law",
        "real, Mb/s",
        "simulated",
        "real / simulated",
        "",
    ];
    let mut cells = vec![header.map(str::to_owned).to_vec()];
    cells.extend(rows.iter().map(Row::cells));
    let agreeing = rows.iter().filter(|row| row.agrees()).count();
    format!(
        "{}\n{agreeing} of {} within {:.0} %\n",
        show::columns(&cells),
        rows.len(),
        super::super::AGREE * 100.0
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(only: &[usize], laws: &[&str]) -> KernelArgs {
        KernelArgs {
            kernel: true,
            only: only.to_vec(),
            laws: laws.iter().map(|law| (*law).to_owned()).collect(),
            seconds: Some(10),
            tries: std::num::NonZeroUsize::MIN,
            csv: false,
        }
    }

    /// The set `kernel` reads the lines that `--csv` prints, so that a new measurement can replace the table.
    #[test]
    fn a_line_is_one_of_the_reference_table() {
        let table = include_str!("../../../../../bench/peers/sets/kernel/reference.csv");
        let mut lines = table.lines();
        assert_eq!(lines.next(), Some(COLUMNS));
        let set = Set::load("kernel", 1).unwrap();
        assert_eq!(set.rows().len(), table.lines().count() - 1);
        for (row, line) in set.rows().iter().zip(lines) {
            let cells: Vec<&str> = line.split(',').collect();
            let numbers = |at: usize| {
                let numbers = cells[at].split(' ').map(str::parse);
                numbers.collect::<Result<Vec<f64>, _>>().unwrap()
            };
            let (goodputs, queues) = (numbers(6), numbers(7));
            let runs = goodputs.iter().zip(&queues).map(|(&mbps, &queue)| Run {
                mbps,
                got: Vec::new(),
                queue,
                unfaithful: None,
            });
            let row = Row {
                at: 0,
                path: 1,
                law: law(row).unwrap().to_owned(),
                link: Link::of(row).unwrap(),
                seconds: SECONDS,
                scenario: row.scenario().clone(),
                count: goodputs.len(),
                runs: runs.collect(),
                simulated: None,
            };
            assert_eq!(row.csv(), line);
            assert_eq!(row.from(), 5.0);
            // As many runs as would be made, for each of the two tables that it was made of.
            assert_eq!(row.count, 2 * if row.link.loss > 0.0 { RUNS } else { 1 });
        }
    }

    #[test]
    fn paths_and_laws_are_chosen() {
        let (all, numbers) = set(&args(&[], &[])).unwrap();
        assert_eq!((all.rows().len(), numbers.len()), (36, 36));
        assert!(numbers.starts_with(&[1]) && numbers.iter().max() == Some(&12));
        let (some, numbers) = set(&args(&[3, 12], &["bbr", "reno"])).unwrap();
        assert_eq!(numbers, [3, 3, 12, 12]);
        let chosen: Vec<(&str, &str)> = some
            .rows()
            .iter()
            .map(|row| (law(row).unwrap(), row.text("seconds").unwrap()))
            .collect();
        let of = |law| (law, "10");
        assert_eq!(chosen, [of("bbr"), of("reno"), of("bbr"), of("reno")]);
        for (only, laws) in [(&[0][..], &[][..]), (&[13], &[]), (&[], &["vegas"])] {
            let failure = set(&args(only, laws)).unwrap_err();
            assert_eq!(failure.report(), 2);
        }
    }
}
