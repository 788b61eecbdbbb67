//! A law of the kernel, or a sender of ours, over a path of the set, and what was measured.

use std::sync::atomic::AtomicBool;

use serde_json::{Value, json};
use skywave_lab::experiment;
use skywave_lab::experiment::stats::Estimate;
use skywave_lab::scenario::{NoFiles, Scenario};
use skywave_lab::threads;
use skywave_papers::referee::{Law, Sender};
use skywave_papers::validate::{self, Set, SetError};

use super::super::{Args, agree};
use super::plan::Plan;
use super::real::{Run, in_time, stopped, unfaithful};
use super::{SECONDS, VERB};
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

/// Way of acknowledging of receivers of our senders: the kernel's own, which acknowledges each segment as long as its window
/// grows and else waits for up to 200 ms, is not simulated.
const ACKING: &str = "\"every\"";

/// Place of the sender in the scenarios of the set.
const SEAT: &str = "flow.bulk.transport";

/// A sender over a path.
pub(super) struct Row {
    /// The path's number, from 1.
    pub(super) path: usize,
    /// The kernel's name of the law, or ours of the sender.
    pub(super) law: String,
    /// Whether the sender is ours.
    is_ours: bool,
    /// The path.
    link: Link,
    /// Length of a run.
    pub(super) seconds: u32,
    scenario: Scenario,
    /// Runs to make.
    pub(super) count: usize,
    /// Real runs made so far.
    pub(super) runs: Vec<Run>,
    /// The simulated goodput with each of [`SEEDS`], Mb/s.
    simulated: Vec<f64>,
}

/// The rows of the set `kernel` that are asked for, as long as the runs are; or, path by path, those of each sender of
/// ours.
pub(super) fn rows(args: &Args) -> Result<Vec<Row>, Failure> {
    let kernel = &args.kernel;
    let set = Set::load("kernel", SEEDS)?;
    let mut paths: Vec<Link> = Vec::new();
    for row in set.rows() {
        let link = Link::of(row)?;
        if !paths.contains(&link) {
            paths.push(link);
        }
    }
    for &asked in &kernel.only {
        if asked == 0 || asked > paths.len() {
            let paths = paths.len();
            return Err(Failure::usage(format!(
                "--only {asked}: the paths are numbered from 1 to {paths}"
            )));
        }
    }
    let laws = set.rows().iter().map(law);
    let mut known: Vec<&str> = laws.collect::<Result<_, _>>()?;
    known.sort_unstable();
    known.dedup();
    for asked in &kernel.laws {
        if !known.contains(&asked.as_str()) {
            let known = known.join(", ");
            return Err(Failure::usage(format!(
                "--laws {asked}: expected some of {known}"
            )));
        }
    }
    let seconds = kernel.seconds.unwrap_or(SECONDS);
    let mut asked = set.with("seconds", &seconds.to_string())?;
    if !kernel.kernel {
        asked = asked.with("acking", ACKING)?;
    }
    let mut rows = Vec::new();
    for row in asked.rows() {
        let link = Link::of(row)?;
        let number = 1 + paths.iter().take_while(|path| **path != link).count();
        let law = law(row)?;
        if (kernel.only.is_empty() || kernel.only.contains(&number))
            && (kernel.laws.is_empty() || kernel.laws.iter().any(|asked| asked == law))
        {
            rows.push(Row::new(number, row, args)?);
        }
    }
    if kernel.kernel {
        return Ok(rows);
    }
    // Of each path one, whichever law it has.
    rows.dedup_by_key(|row| row.path);
    let mut ours = Vec::new();
    for law in &kernel.tcp {
        let law = Law::parse(law)?;
        for row in &rows {
            ours.push(row.of_ours(&law)?);
        }
    }
    Ok(ours)
}

/// Simulates the rows with all seeds.
pub(super) fn simulate(rows: &mut [Row], stop: &AtomicBool) -> Result<(), Failure> {
    let seeds = SEEDS as usize;
    let goodputs = threads::each(None, rows.len() * seeds, |run| {
        let point = &rows[run / seeds].scenario.points()[0];
        let spec = point.spec(1 + (run % seeds) as u64);
        let outcome = experiment::simulate(&spec, stop);
        let outcome = outcome.ok_or_else(stopped)?;
        Ok::<_, Failure>(outcome.flows[0].goodput_bps / 1e6)
    })?;
    for (row, goodputs) in rows.iter_mut().zip(goodputs.chunks(seeds)) {
        row.simulated = goodputs.to_vec();
    }
    Ok(())
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
    /// The row of the set that is over path number `path`.
    fn new(path: usize, row: &validate::Row, args: &Args) -> Result<Self, Failure> {
        let link = Link::of(row)?;
        let runs = if link.loss > 0.0 { RUNS } else { 1 };
        Ok(Self {
            path,
            law: law(row)?.to_owned(),
            is_ours: false,
            link,
            seconds: args.kernel.seconds.unwrap_or(SECONDS),
            scenario: row.scenario().clone(),
            count: args.seeds.map_or(runs, std::num::NonZeroUsize::get),
            runs: Vec::new(),
            simulated: Vec::new(),
        })
    }

    /// A sender of ours over the same path.
    fn of_ours(&self, law: &Law) -> Result<Self, Failure> {
        let scenario = law.take(&self.scenario, &[SEAT], &NoFiles);
        Ok(Self {
            law: law.name().to_owned(),
            is_ours: true,
            link: self.link.clone(),
            scenario: scenario
                .map_err(|why| Failure::failed(format!("--tcp {}: {why}", law.name())))?,
            runs: Vec::new(),
            simulated: Vec::new(),
            ..*self
        })
    }

    /// The transfer with this seed.
    pub(super) fn plan(&self, seed: u64) -> Result<Plan, Failure> {
        let choice = Choice {
            flow: None,
            seed,
            point: 1,
            // Whole IP packets come.
            overhead: 0,
        };
        let path = path::of(&self.scenario, choice);
        let path = path.map_err(Failure::failed)?;
        let plan = Plan::of(&path, VERB, self.is_ours);
        let mut plan =
            plan.map_err(|refusal| Failure::failed(format!("{}: {}", self.law, refusal.why())))?;
        if !self.is_ours {
            // The receiver's buffer grows as the kernel lets it.
            plan.rwnd = None;
        }
        Ok(plan)
    }

    /// Takes a real run.
    pub(super) fn take(&mut self, run: Run) {
        self.runs.push(run);
        self.runs.sort_by_key(|run| run.seed);
    }

    /// Whether all runs have been made.
    pub(super) fn is_complete(&self) -> bool {
        self.runs.len() == self.count
    }

    fn real(&self) -> f64 {
        self.runs.iter().map(|run| run.mbps).sum::<f64>() / self.runs.len().max(1) as f64
    }

    /// Simulated goodput that the real one is compared with: where the sender is the same, with the seeds of the real
    /// runs, whose links lose the same packets; else with all.
    fn expected(&self) -> f64 {
        let seeds = if self.is_ours {
            self.count.min(self.simulated.len())
        } else {
            self.simulated.len()
        };
        Estimate::of(&self.simulated[..seeds]).map_or(f64::NAN, |estimate| estimate.mean)
    }

    fn ratio(&self) -> f64 {
        self.real() / self.expected()
    }

    fn agrees(&self) -> bool {
        agree(self.real(), self.expected())
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
        let quotes = if self.law.contains(',') { "\"" } else { "" };
        format!(
            "{quotes}{}{quotes},{rate},{rtt_ms},{loss:?},{queue},{},{},{},{}",
            self.law,
            self.seconds,
            of_runs(|run| format!("{:.3}", run.mbps)),
            of_runs(|run| format!("{:.1}", run.queue)),
            unfaithful(&self.runs)
        )
    }

    /// Object of `--json` for this row, with the simulated goodput.
    pub(super) fn object(&self) -> Value {
        let simulated = Estimate::of(&self.simulated);
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
            "unfaithful": unfaithful(&self.runs),
            "simulated_mbps": simulated.map(|simulated| simulated.mean),
            "simulated_ci95": simulated.and_then(|simulated| simulated.half),
            "expected_mbps": self.expected(),
            "ratio": self.ratio(),
        })
    }

    fn cells(&self) -> Vec<String> {
        let Link {
            rate,
            rtt_ms,
            loss,
            queue,
        } = &self.link;
        let all = Estimate::of(&self.simulated);
        let (mean, half) = all.map_or((f64::NAN, None), |all| (all.mean, all.half));
        vec![
            self.path.to_string(),
            format!(
                "{rate} Mb/s, {rtt_ms} ms, {} %, {queue} packets",
                100.0 * loss
            ),
            self.law.clone(),
            format!("{:.2}", self.real()),
            format!("{:.2}", self.expected()),
            match half {
                Some(half) => format!("{mean:.2} ±{half:.2}"),
                None => format!("{mean:.2}"),
            },
            format!("{:.3}", self.ratio()),
            in_time(&self.runs, ""),
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
        "ten seeds",
        "real / simulated",
        "",
    ];
    let agreeing = rows.iter().filter(|row| row.agrees()).count();
    format!(
        "{}\n{agreeing} of {} within {:.0} %\n",
        show::with_header(&header, rows.iter().map(Row::cells)),
        rows.len(),
        super::super::AGREE * 100.0
    )
}

#[cfg(test)]
mod tests {
    use skywave_sim::spec::Transport;

    use super::*;

    fn asked(line: &str) -> Args {
        parsed(line).unwrap()
    }

    fn parsed(line: &str) -> Result<Args, clap::Error> {
        #[derive(clap::Parser)]
        struct Command {
            #[command(flatten)]
            args: Args,
        }
        let words = format!("gap --seconds 10 {line}");
        let parsed = <Command as clap::Parser>::try_parse_from(words.split(' '));
        parsed.map(|command| command.args)
    }

    #[test]
    fn laws_are_of_the_kernel_alone() {
        assert!(parsed("--kernel --laws bbr").is_ok());
        for line in [
            "--tcp cerl --laws bbr",
            "a.toml --laws bbr",
            "--tcp cerl --laws bbr a.toml",
        ] {
            assert!(parsed(line).is_err(), "{line}");
        }
    }

    #[test]
    fn a_folder_of_captures_that_cannot_be_is_named() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let path = file.path().join("in").display().to_string();
        let args = asked(&format!("--tcp cerl --only 4 --captures {path}"));
        let error = super::super::main(&args).unwrap_err().to_string();
        assert!(error.starts_with(&format!("{path}: ")), "{error}");
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
                seed: 1,
                mbps,
                got: Vec::new(),
                queue,
                unfaithful: None,
            });
            let row = Row {
                count: goodputs.len(),
                runs: runs.collect(),
                seconds: SECONDS,
                ..Row::new(1, row, &asked("--kernel")).unwrap()
            };
            assert_eq!(row.csv(), line);
            assert_eq!(row.plan(1).unwrap().window.0.as_secs(), 5);
            // As many runs as would be made, for each of the two tables that it was made of.
            assert_eq!(row.count, 2 * if row.link.loss > 0.0 { RUNS } else { 1 });
        }
    }

    /// Numbers of the paths and laws of the rows for these options.
    fn chosen(line: &str) -> Result<Vec<(usize, String)>, u8> {
        let rows = rows(&asked(line)).map_err(|failure| failure.report())?;
        Ok(rows.into_iter().map(|row| (row.path, row.law)).collect())
    }

    #[test]
    fn paths_and_laws_are_chosen() {
        let all = chosen("--kernel").unwrap();
        assert_eq!((all.len(), all[0].0), (36, 1));
        assert_eq!(all.iter().map(|(path, _)| path).max(), Some(&12));
        let of = |path, law: &str| (path, law.to_owned());
        assert_eq!(
            chosen("--kernel --only 3,12 --laws bbr,reno").unwrap(),
            [of(3, "bbr"), of(3, "reno"), of(12, "bbr"), of(12, "reno")]
        );
        for line in [
            "--kernel --only 0",
            "--kernel --only 13",
            "--kernel --laws vegas",
        ] {
            assert_eq!(chosen(line), Err(2), "{line}");
        }
    }

    /// The sender is configured as the simulated one, as a whole.
    #[test]
    fn senders_of_ours_go_over_each_path_as_they_are_simulated() {
        assert_eq!(chosen("--tcp cerl --tcp dcr").unwrap().len(), 24);
        let rows = rows(&asked("--tcp cerl --only 2")).unwrap();
        let [row] = &rows[..] else {
            panic!("one row");
        };
        assert_eq!((row.law.as_str(), row.path, row.count), ("cerl", 2, RUNS));
        let plan = row.plan(3).unwrap();
        let Transport::Tcp(simulated) = &row.scenario.points()[0].spec(3).flows[0].transport else {
            panic!("TCP");
        };
        assert_eq!(plan.ours.as_ref(), Some(&**simulated));
        assert!(plan.answers_each());
        assert_eq!((plan.config.seed, plan.window.1.as_secs()), (3, 10));
        assert!(chosen("--tcp no-such-sender").is_err());
        assert!(chosen("--tcp quic-cubic --only 1").is_err());
    }
}
