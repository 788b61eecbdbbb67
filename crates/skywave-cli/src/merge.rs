//! `skywave merge`: the results of all shards as those of one run.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use skywave_lab::experiment::{self, Ledger, Options, RecordSeries, Shard, Shards};
use skywave_lab::folder::{self, Folder};
use skywave_lab::report::Study;
use skywave_lab::report::number::counted;
use skywave_lab::scenario::{CustomMembers, Scenario};

use crate::failure::Failure;
use crate::figures::Figures;
use crate::origin;
use crate::output;
use crate::partition::{Csv, Partition};
use crate::publish::{Publication, Shown};

/// Merge the shards that `skywave run --shard` or `skywave worst --shard` has made, on this machine or on others.
///
/// Leaves the same files in OUT/NAME as one run of all. A shard that is missing, there twice or not
/// finished is named, and so are two directories that do not belong together. Merging again
/// changes nothing. Of shards of a search the runs are put together, and the search then goes on from there.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    skywave run my-link.toml --shard 1/2   # here\n  \
    skywave run my-link.toml --shard 2/2   # or elsewhere, at the same time\n  \
    skywave merge runs/my-link.shard-*     # runs/my-link/report.html\n\n\
    docs/scale.md has scripts for Slurm and GNU parallel.")]
pub(crate) struct Args {
    /// The directories of all shards.
    #[arg(required = true, value_name = "DIR")]
    dirs: Vec<PathBuf>,

    /// Where the results go.
    #[arg(long, value_name = "DIR", default_value = "runs")]
    out: PathBuf,

    /// The scenario's file, if it is no longer where the shards were run.
    #[arg(long, value_name = "FILE")]
    scenario: Option<PathBuf>,

    /// Print one JSON object a run and flow instead of the table.
    #[arg(long)]
    json: bool,

    /// Print only where the report and the results are.
    #[arg(long, conflicts_with = "json")]
    quiet: bool,

    #[command(flatten)]
    partition: Partition,

    #[command(flatten)]
    csv: Csv,

    #[command(flatten)]
    figures: Figures,
}

pub(crate) fn main(args: &Args) -> Result<(), Failure> {
    if args.dirs.iter().all(|dir| dir.join(Ledger::FILE).is_file()) {
        return merge_searches(args);
    }
    let shards = Shards::read(&args.dirs).map_err(Failure::failed)?;
    let figures = args.figures.prepare()?;
    let (path, scenario) = load(args, &shards)?;
    let dir = args.out.join(scenario.name());
    let partition = args.partition.path(&scenario, &dir)?;
    let file = shards.file();
    let options = Options {
        series: file.series,
        doubts: &output::doubts,
        ..Options::default()
    };
    let name = path.display().to_string();
    let results = experiment::merge(&scenario, &shards, &name, &dir, &options);
    let results = results.map_err(Failure::failed)?;
    let publication = Publication {
        scenario: &scenario,
        study: &Study::from(&scenario),
        results: &results,
        dir: &dir,
        named: &file.file,
        file: &path,
        figures,
        partition: partition.as_deref(),
        csv: args.csv,
        shown: Shown::of(args.json, args.quiet),
    };
    let drawn = publication.write()?;
    publication.show(&drawn, None)
}

/// Puts the runs of the shards of a search into the folder of the whole search, which goes on from there.
fn merge_searches(args: &Args) -> Result<(), Failure> {
    let mut names = args.dirs.iter().map(|dir| search_of(dir));
    let first = names.next().flatten();
    let Some(name) = first.filter(|first| names.all(|name| name.as_ref() == Some(first))) else {
        return Err(Failure::usage(
            "these are not shards of one search; expected folders such as worst-bbr.shard-1-of-2 and worst-bbr.shard-2-of-2",
        ));
    };
    let dir = args.out.join(name);
    let ledger = Ledger::open(&dir, false, &output::doubts)?;
    let mut new = 0;
    for from in &args.dirs {
        new += ledger.take(from, &output::doubts)?;
    }
    ledger.arrange()?;
    let (all, new) = (counted(ledger.len(), "run"), counted(new, "run"));
    writeln!(
        io::stdout(),
        "Search: {} ({all}, {new} of them new)\nThe call of `skywave worst` without --shard goes on from there",
        dir.display()
    )?;
    Ok(())
}

/// Name of the search that a folder has a shard of.
fn search_of(dir: &Path) -> Option<String> {
    let name = dir.file_name()?.to_str()?;
    let (name, shard) = name.rsplit_once(".shard-")?;
    let (number, count) = shard.split_once("-of-")?;
    let is_shard = format!("{}/{count}", number.trim_start_matches('0'))
        .parse::<Shard>()
        .is_ok();
    is_shard.then(|| name.to_owned())
}

/// The scenario of the shards: the file that is named, or the one that they were run from, or the copy
/// that they have, if that file is gone or another one now.
fn load(args: &Args, shards: &Shards) -> Result<(PathBuf, Scenario), Failure> {
    let recorded = !matches!(
        shards.file().series,
        RecordSeries::AsSpecified | RecordSeries::Never
    );
    let from = |path: &Path| {
        if recorded {
            folder::load_recorded(path)
        } else {
            folder::load(path)
        }
    };
    if let Some(path) = &args.scenario {
        return Ok((path.clone(), from(path)?));
    }
    let copy = shards.first().join(Shards::SCENARIO);
    let text = fs::read_to_string(&copy).unwrap_or_default();
    if let Some(path) = origin::before(shards.first())
        && fs::read_to_string(&path).is_ok_and(|now| now == text)
    {
        let scenario = from(&path)?;
        return Ok((path, scenario));
    }
    let (name, file) = (&shards.file().scenario, copy.display().to_string());
    let files = Folder::of(&copy);
    let custom = CustomMembers::default();
    let scenario = if recorded {
        Scenario::parse_recorded(name, &file, &text, &files, &custom)
    } else {
        Scenario::parse_with(name, &file, &text, &files, &custom)
    };
    Ok((copy, scenario?))
}
