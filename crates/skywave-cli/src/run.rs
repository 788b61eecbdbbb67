//! `skywave run`: simulate a scenario and report.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use skywave_lab::capture::{self, Captured, Keep as Snap};
use skywave_lab::experiment::{self, ENGINE, Options, RecordSeries, Results, Shard, ShardFile};
use skywave_lab::report::Study;
use skywave_lab::report::number::counted;
use skywave_lab::scenario::Scenario;
use skywave_papers::{claims, rank};
use skywave_sim::outcome::FLOW;

use crate::elsewhere::Elsewhere;
use crate::failure::Failure;
use crate::figures::Figures;
use crate::forecast::Wish;
use crate::keep::Keep;
use crate::origin::{self, Origin};
use crate::partition::{Csv, Partition};
use crate::progress::Bar;
use crate::publish::{Publication, Shown};
use crate::quantity::bytes;
use crate::{forecast, interrupt, output};

/// Simulate a scenario: all points of its sweep with all its seeds.
///
/// Prints a table and leaves results.parquet, links.parquet, report.html and the scenario in
/// runs/NAME/; of a radio network also stations.parquet, and timelines.parquet with a `timeline`;
/// bins.parquet with `bins`, requests.parquet with `requests`, series.parquet with time series. What
/// finished is kept: Ctrl-C loses nothing, and a second call runs only what is missing.
#[derive(Debug, clap::Args)]
#[command(after_help = help())]
pub(crate) struct Args {
    /// Scenario file (TOML).
    scenario: PathBuf,

    /// Print one JSON object a run and flow instead of the table.
    #[arg(long)]
    json: bool,

    /// Record time series: of the first seed of each point, or of all.
    #[arg(long, value_enum, num_args = 0..=1, require_equals = true, default_missing_value = "first")]
    series: Option<Series>,

    /// Capture the packets of links (of all, or of those named), in both directions: a pcapng file
    /// a link for the first seed of each point. Records time series of these runs too.
    #[arg(
        long,
        value_name = "LINK,…",
        num_args = 0..=1,
        require_equals = true,
        value_delimiter = ',',
        default_missing_value = ""
    )]
    capture: Option<Vec<String>>,

    /// Bytes that captures keep of each packet, 0 for all; only the headers unless given.
    #[arg(long, value_name = "BYTES", requires = "capture")]
    snaplen: Option<u32>,

    /// Run this part of all runs alone, such as 3/64, into OUT/NAME.shard-03-of-64; `skywave merge`
    /// puts the parts together.
    #[arg(
        long,
        value_name = "N/OF",
        conflicts_with_all = ["json", "capture", "drawn", "dask", "store", "partition", "csv"]
    )]
    shard: Option<Shard>,

    /// Memory that may be used, such as 8GB; as much as is free unless given. What would take more is refused
    /// before it begins.
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    memory: Option<u64>,

    /// Print only where the report and the results are.
    #[arg(long, conflicts_with = "json")]
    quiet: bool,

    #[command(flatten)]
    partition: Partition,

    #[command(flatten)]
    csv: Csv,

    #[command(flatten)]
    keep: Keep,

    #[command(flatten)]
    elsewhere: Elsewhere,

    #[command(flatten)]
    figures: Figures,
}

const EXAMPLES: &str = "Examples:\n  \
    skywave run experiments/cerl/fig7a.toml\n  \
    skywave run my-link.toml --series          # cwnd, RTT and queue over time as well\n  \
    skywave run my-link.toml --csv             # tables for a spreadsheet, beside the Parquet files\n  \
    skywave run my-link.toml --svg figures     # its plots as SVG files, for a page\n  \
    skywave run my-link.toml --pdf figures --figure-width 84mm --font-size 8pt  # for a paper\n  \
    skywave run my-link.toml --json | head -1  # one object a run and flow\n  \
    skywave run my-link.toml --shard 3/64      # one part of 64, for other machines: docs/scale.md\n  \
    skywave run my-link.toml --dask tcp://head:8786  # on a Dask cluster: docs/scale.md\n  \
    skywave run my-link.toml --capture=radio   # packets of the link for Wireshark, both directions";

/// Width of a line of help.
const WIDTH: usize = 92;

/// Examples, and what the lines of `--json` have: the columns of the table of measures.
fn help() -> String {
    let described = FLOW.iter().filter(|column| !column.about.is_empty());
    let columns = described.map(|column| format!("{},", column.name));
    let mut text = format!(
        "{EXAMPLES}\n\nEach line of --json has: scenario, seed, params {{path: value as in the file}}, flow, transport,\n\
         lost_CAUSE_FOUND (docs/scenarios.md), and these, null where there is none (docs/reference.md,\n\
         \"Measures\"):"
    );
    let mut line = WIDTH;
    for column in columns {
        line += 1 + column.len();
        let space = if line > WIDTH { '\n' } else { ' ' };
        if space == '\n' {
            line = column.len();
        }
        text.push(space);
        text += &column;
    }
    text.pop();
    text
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Series {
    /// The first seed of each point.
    First,
    /// Every run. Large: some megabytes a minute of a bulk flow.
    All,
}

/// Bytes of time series from which on their size is told.
const LARGE: u64 = 50_000_000;

pub(crate) fn main(args: &Args) -> Result<(), Failure> {
    let recorded = args.series.is_some() || args.capture.is_some();
    let scenario = if recorded {
        skywave_lab::folder::load_recorded(&args.scenario)
    } else {
        skywave_lab::folder::load(&args.scenario)
    };
    let scenario = scenario.map_err(|error| {
        of_other_kind(&args.scenario).unwrap_or_else(|| {
            if let Some(note) = origin::note_of_copy(&args.scenario) {
                output::note(&note);
            }
            error.into()
        })
    })?;
    output::warn(&scenario);
    let dir = args.keep.out.join(scenario.name());
    let links = args.captured_links();
    if let Some(links) = &links {
        // A wrong name should not cost a night of simulations.
        capture::check_links(&scenario, links).map_err(uncaptured)?;
    }
    let figures = args.figures.prepare()?;
    let partition = args.partition.path(&scenario, &dir)?;
    announce_series(args, &scenario);
    let wish = Wish {
        shard: args.shard,
        memory: args.memory,
        threads: args.keep.threads(),
        series: args.recorded(&scenario),
    };
    forecast::admit(&scenario, &args.scenario, wish)?;
    if let Some(shard) = args.shard {
        return simulate_shard(args, &scenario, shard);
    }
    let series = match args.recorded(&scenario) {
        RecordSeries::FirstSeed => Some("--series=first"),
        RecordSeries::Always => Some("--series=all"),
        RecordSeries::AsSpecified | RecordSeries::Never => None,
    };
    let handed = args.elsewhere.make(
        "run",
        args.scenario.as_os_str(),
        series.as_slice(),
        &args.keep,
    )?;
    let results = simulate(args, &handed, &scenario, &dir, None, &|| Ok(()))?;
    let results = interrupt::complete(results, &dir)?;
    let publication = Publication {
        scenario: &scenario,
        study: &Study::from(&scenario),
        results: &results,
        dir: &dir,
        named: &args.scenario.display().to_string(),
        file: &args.scenario,
        figures,
        partition: partition.as_deref(),
        csv: args.csv,
        shown: Shown::of(args.json, args.quiet),
    };
    let drawn = publication.write()?;
    let captured = match &links {
        Some(links) => Some(capture_links(args, &scenario, &dir, links)?),
        None => None,
    };
    let captured = captured.map(|Captured { dir, files }| {
        let files = counted(files.len(), "pcapng file");
        format!("{}/ ({files})", dir.display())
    });
    publication.show(&drawn, captured.as_deref())
}

/// Failure for a path that is no scenario but belongs to another verb; `None` for any other.
fn of_other_kind(path: &Path) -> Option<Failure> {
    let other = |what, verb, given: &Path| {
        let given = output::for_shell(given);
        let why = format!("this is {what}, not a scenario; it is for `skywave {verb} {given}`");
        Failure::file(path, why)
    };
    if let Some(folder) = claims::folder_of(path).filter(|folder| claims::is_paper(folder)) {
        let what = if path.is_dir() {
            "the folder of a paper"
        } else {
            "the file of a paper's claims"
        };
        return Some(other(what, "reproduce", &folder));
    }
    let is_study =
        path.is_file() && fs::read_to_string(path).is_ok_and(|text| rank::is_study(&text));
    is_study.then(|| other("a study", "rank", path))
}

impl Args {
    /// The links to capture, none for all; `None` without a wish for captures.
    fn captured_links(&self) -> Option<Vec<String>> {
        let names = self.capture.as_ref()?.iter();
        Some(names.filter(|name| !name.is_empty()).cloned().collect())
    }

    /// Choice of the runs that record time series.
    fn recorded(&self, scenario: &Scenario) -> RecordSeries {
        match self.series {
            // A capture needs the first seed's; a file that asks for series has them of all seeds.
            None if self.capture.is_some() && !scenario.records_series() => RecordSeries::FirstSeed,
            None => RecordSeries::AsSpecified,
            Some(Series::First) => RecordSeries::FirstSeed,
            Some(Series::All) => RecordSeries::Always,
        }
    }
}

/// Says how much time series will take on the disk, before they take it, where that is a lot.
fn announce_series(args: &Args, scenario: &Scenario) {
    let (runs, bytes) = experiment::series_size(scenario, args.recorded(scenario));
    if bytes > LARGE {
        // A terminal that is gone is no reason not to run.
        let _ = writeln!(
            io::stderr(),
            "Time series of {runs} runs take up to about {} MB in {}.\n\
             Fewer points or a shorter duration make them smaller.",
            bytes / 1_000_000,
            args.keep.out.join(scenario.name()).display()
        );
    }
}

fn capture_links(
    args: &Args,
    scenario: &Scenario,
    dir: &Path,
    links: &[String],
) -> Result<Captured, Failure> {
    let options = capture::Options {
        dir,
        links,
        keep: match args.snaplen {
            None => Snap::Headers,
            Some(0) => Snap::All,
            Some(bytes) => Snap::Bytes(bytes),
        },
        threads: args.keep.threads(),
        cancel: interrupt::flag(),
    };
    capture::capture(scenario, &options).map_err(uncaptured)
}

fn uncaptured(error: capture::Error) -> Failure {
    match error {
        capture::Error::UnknownLink { .. } | capture::Error::NoLinks => Failure::usage(error),
        capture::Error::Cancelled => Failure::interrupted(error),
        _ => Failure::failed(error),
    }
}

/// Runs a shard, in a directory of its own.
fn simulate_shard(args: &Args, scenario: &Scenario, shard: Shard) -> Result<(), Failure> {
    let dir = args
        .keep
        .out
        .join(ShardFile::directory(scenario.name(), shard));
    let names = (scenario.name(), &*args.scenario.display().to_string());
    let file = ShardFile::new(scenario, shard, names, args.recorded(scenario), ENGINE);
    // Not before the directory is ours: another run may go on there, of another version of the scenario.
    let begin = || {
        file.write(&dir, scenario.text())?;
        Ok(Origin::of(&args.scenario, &dir, scenario.text()).write()?)
    };
    let results = simulate(args, &args.keep, scenario, &dir, Some(shard), &begin)?;
    let total = shard.share(scenario.runs());
    if results.finished() < total {
        let runs = format!("{} of {total}", results.finished());
        return Err(interrupt::kept(runs, &dir));
    }
    let runs = counted(total, "run");
    writeln!(
        io::stdout(),
        "Shard:  {} ({runs} of {})\nWhen all {} are there: skywave merge {}",
        dir.display(),
        scenario.runs(),
        shard.count(),
        output::for_shell(&args.keep.out.join(scenario.name()))
            + &format!(".shard-*-of-{}", shard.count())
    )?;
    Ok(())
}

fn simulate(
    args: &Args,
    keep: &Keep,
    scenario: &Scenario,
    dir: &Path,
    shard: Option<Shard>,
    begin: &(dyn Fn() -> Result<(), experiment::Error> + Sync),
) -> Result<Results, Failure> {
    let bar = Bar::new(scenario.name());
    let options = Options {
        dir: Some(dir),
        fresh: keep.fresh,
        threads: keep.threads(),
        series: args.recorded(scenario),
        shard,
        cancel: interrupt::flag(),
        progress: &|progress| bar.show(progress),
        doubts: &output::doubts,
        begin,
        ..Options::default()
    };
    Ok(experiment::run(
        scenario,
        &options,
        capture::simulate_with_sequence,
    )?)
}
