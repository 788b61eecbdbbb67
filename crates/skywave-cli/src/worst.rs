//! `skywave worst`: the path on which a sender is worst.

use std::fmt::{Display, Write as _};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use skywave_lab::experiment::{Ledger, Shard, ShardFile};
use skywave_lab::folder::Folder;
use skywave_lab::report::number::counted;
use skywave_lab::scenario::{CustomMembers, Space};
use skywave_search::bench::Making;
use skywave_search::findings::Findings;
use skywave_search::page::{Page, percent};
use skywave_search::request::{Amount, FIND, FLOW, ISLANDS, News, RUNS, Request, leave};
use skywave_search::{Objective, SPACE, SPACE_FILE, SearchError};

use crate::failure::Failure;
use crate::foreign::{self, Foreign};
use crate::keep::Keep;
use crate::names::Named;
use crate::progress::Bar;
use crate::quantity::time_above_zero;
use crate::{interrupt, output};

/// Find the paths on which a sender is worst, and make them small.
///
/// Searches a space of paths, a scenario with a [search], for those on which the sender does worst by an objective;
/// puts keys back to their defaults and rounds numbers while the verdict stands; judges what is left by seeds of its own.
/// Leaves a scenario a finding in OUT/worst-LAW, which `skywave run` runs as it is. Each run is kept: the same call
/// after Ctrl-C goes on. The same arguments find the same paths on any machine, but for --time.
#[derive(Debug, clap::Args)]
#[command(after_help = help())]
pub(crate) struct Args {
    /// The sender: a preset (`skywave variants`), a composition as in a scenario, or another QUIC library's as noq:bbr3
    /// and quinn:bbr, alone on its path.
    law: String,

    /// A sender that it is compared with, on the same paths and seeds; may be given several times.
    #[arg(long, value_name = "LAW")]
    against: Vec<String>,

    /// Measure of how bad a path is; `against` where there is an --against, else `channel`.
    #[arg(long, value_name = "NAME", value_parser = Named(objectives))]
    objective: Option<String>,

    /// The space of paths: a scenario with a [search]; the built-in one unless given.
    #[arg(long, value_name = "FILE")]
    space: Option<PathBuf>,

    /// The flow whose sender it is.
    #[arg(long, value_name = "NAME", default_value = FLOW)]
    flow: String,

    /// Simulations to search with; shrinking and judging come on top.
    #[arg(long, value_name = "N", default_value_t = RUNS)]
    runs: usize,

    /// Search for as long as this instead, such as 10min; ends after a whole generation.
    #[arg(long, value_name = "TIME", value_parser = time_above_zero, conflicts_with_all = ["runs", "shard"])]
    time: Option<Duration>,

    /// Seed of the search; the runs have those of the space.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Searches beside each other that know nothing of each other.
    #[arg(long, value_name = "N", default_value_t = ISLANDS, value_parser = clap::value_parser!(u16).range(1..=1000))]
    islands: u16,

    /// Make this part of the islands alone, such as 1/2, into OUT/worst-LAW.shard-1-of-2; `skywave merge` puts the
    /// parts together, and the call without --shard then finds all runs there.
    #[arg(long, value_name = "N/OF", conflicts_with = "json")]
    shard: Option<Shard>,

    /// Bound that the value stays below while a path is made small; the next round number unless given.
    #[arg(long, value_name = "SHARE")]
    below: Option<f64>,

    /// Findings to make.
    #[arg(long, value_name = "N", default_value_t = FIND)]
    find: usize,

    /// Print one JSON object a finding instead of the table.
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    keep: Keep,
}

fn objectives() -> Vec<&'static str> {
    let all = skywave_search::OBJECTIVES.iter();
    all.map(|objective| objective.name).collect()
}

/// Examples, and what the objectives are.
fn help() -> String {
    let mut text = "Examples:\n  \
        skywave worst vegas                            # where it gets least of the channel\n  \
        skywave worst copa --against bbr --time 10min  # where BBR does much better\n  \
        skywave worst bbr --against linux --objective starved\n  \
        skywave worst '{ preset = \"sack\", congestion = \"veno\" }' --runs 2000\n  \
        skywave worst noq:bbr3 --against quinn:bbr --time 8min\n  \
        skywave worst quic-bbr --space my-space.toml --json\n  \
        skywave run runs/worst-vegas/1.toml --series   # what was found, looked at\n\n\
        Objectives, each a share that the search makes small:"
        .to_owned();
    for objective in skywave_search::OBJECTIVES {
        // Writing to a string does not fail.
        let _ = write!(text, "\n  {:<8} {}", objective.name, objective.about);
    }
    text += "\n\nEach line of --json has: sender, against, objective, value {mean, ci95}, seeds, below, found, stands,\n\
             keys {path: value as in a file}, file. docs/worst.md has more.";
    text
}

pub(crate) fn main(args: &Args) -> Result<(), Failure> {
    let objective = Objective::chosen(args.objective.as_deref(), !args.against.is_empty());
    let objective = objective.map_err(not_an_objective)?;
    let custom = CustomMembers::default();
    let (file, text) = match &args.space {
        Some(path) => (path.display().to_string(), skywave_lab::folder::text(path)?),
        None => (SPACE_FILE.to_owned(), SPACE.to_owned()),
    };
    let folder = Folder::of(Path::new(&file));
    let senders: Vec<String> = std::iter::once(&args.law)
        .chain(&args.against)
        .cloned()
        .collect();
    let foreign = senders.iter().map(|name| Foreign::named(name));
    let foreign: Vec<Option<Foreign>> = foreign.collect::<Result<_, _>>()?;
    for machine in foreign.iter().flatten() {
        objective.check(machine).map_err(not_an_objective)?;
    }
    let seats = senders.iter().zip(&foreign).map(|(name, foreign)| {
        let seat = foreign.as_ref().map(|_| foreign::SEAT.to_owned());
        seat.unwrap_or_else(|| name.clone())
    });
    let request = Request {
        seats: seats.collect(),
        senders,
        objective,
        flow: args.flow.clone(),
        amount: args.time.map_or(Amount::Runs(args.runs), Amount::Time),
        seed: args.seed,
        islands: args.islands,
        below: args.below,
        find: args.find,
    };
    let name = request.name();
    let space = Space::parse(&name, &file, &text, &folder, &custom)?;
    let spaces = request.spaces(&space)?;
    request.check(&spaces)?;
    if let Some(shard) = args.shard
        && shard.count() > usize::from(args.islands)
    {
        return Err(Failure::usage(format!(
            "--shard {}/{}: there are {} to share; expected at most as many parts (--islands sets how many)",
            shard.number(),
            shard.count(),
            counted(args.islands.into(), "island"),
        )));
    }
    let dir = match args.shard {
        Some(shard) => args.keep.out.join(ShardFile::directory(&name, shard)),
        None => args.keep.out.join(&name),
    };
    let command = command(args);
    let page = Page {
        space: &spaces[0],
        flow: &args.flow,
        senders: &request.senders,
        seats: &request.seats,
        objective,
        command: &command,
    };
    let ledger = Ledger::open(&dir, args.keep.fresh, &output::doubts)?;
    let result = find(args, &request, (&spaces, &foreign), &ledger);
    ledger.arrange()?;
    let findings = match result {
        Ok(Some(findings)) => findings,
        Ok(None) => return told_shard(args, &name, &dir, &ledger),
        Err(SearchError::Interrupted) => return Err(interrupt::kept(ledger.len(), &dir)),
        Err(other) => return Err(other.into()),
    };
    show(args, &page, &findings, &dir)
}

impl From<SearchError> for Failure {
    fn from(error: SearchError) -> Self {
        match error {
            SearchError::Space(_) => Self::usage(error),
            _ => Self::failed(error),
        }
    }
}

fn not_an_objective(why: impl Display) -> Failure {
    Failure::usage(format!("--objective: {why}"))
}

/// Searches, and makes findings unless this is a part of the islands.
fn find(
    args: &Args,
    request: &Request,
    (spaces, foreign): (&[Space<'_>], &[Option<Foreign>]),
    ledger: &Ledger,
) -> Result<Option<Findings>, SearchError> {
    let bar = Bar::of_search(
        &format!("worst {}", args.law),
        args.time.is_none().then_some(args.runs),
    );
    let making = Making {
        threads: args.keep.threads(),
        cancel: interrupt::flag(),
        told: &|done, _| bar.at(done),
    };
    let mut bench = request.bench(spaces, Some(ledger), making)?;
    for (sender, machine) in foreign.iter().enumerate() {
        if let Some(machine) = machine {
            bench = bench.carried_by(sender, machine);
        }
    }
    let tell = |news: News| bar.say(news.to_string());
    let findings = request.findings(&bench, args.shard, &tell)?;
    if bench.given_up() > 0 {
        output::note(&format!(
            "{} given up because a sender sent without end; their paths are left out",
            counted(bench.given_up(), "run")
        ));
    }
    Ok(findings)
}

/// The command, for a comment, with all that decides what is found.
fn command(args: &Args) -> String {
    let mut all = vec!["skywave worst".to_owned(), quoted(&args.law)];
    let mut add = |option: &str, value: String| all.push(format!("--{option} {value}"));
    for other in &args.against {
        add("against", quoted(other));
    }
    if let Some(objective) = &args.objective {
        add("objective", quoted(objective));
    }
    if let Some(space) = &args.space {
        add("space", output::for_shell(space));
    }
    if args.flow != FLOW {
        add("flow", quoted(&args.flow));
    }
    match args.time {
        Some(time) => add("time", format!("{}s", time.as_secs_f64())),
        None => add("runs", args.runs.to_string()),
    }
    add("seed", args.seed.to_string());
    add("islands", args.islands.to_string());
    add("find", args.find.to_string());
    if let Some(below) = args.below {
        add("below", below.to_string());
    }
    all.join(" ")
}

fn quoted(text: &str) -> String {
    output::for_shell(Path::new(text))
}

fn told_shard(args: &Args, name: &str, dir: &Path, ledger: &Ledger) -> Result<(), Failure> {
    let count = args.shard.map_or(1, Shard::count);
    writeln!(
        io::stdout(),
        "Shard:  {} ({})\nWhen all {count} are there: skywave merge {}\nand then the same call without --shard",
        dir.display(),
        counted(ledger.len(), "run"),
        output::for_shell(&args.keep.out.join(name)) + &format!(".shard-*-of-{count}"),
    )?;
    Ok(())
}

fn show(args: &Args, page: &Page<'_>, findings: &Findings, dir: &Path) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let files = leave(page, findings, dir)?;
    for ((finding, path), number) in findings.standing.iter().zip(&files).zip(1..) {
        if args.json {
            writeln!(out, "{}", page.json(finding, &path.display().to_string()))?;
            continue;
        }
        for (line, at) in page.lines(finding).iter().zip(0..) {
            let start = if at == 0 {
                format!("{number}. ")
            } else {
                String::new()
            };
            writeln!(out, "{start:<3}{line}")?;
        }
        writeln!(out, "   skywave run {}\n", output::for_shell(path))?;
    }
    if args.json {
        return Ok(());
    }
    for finding in &findings.fallen {
        let lines = page.lines(finding);
        writeln!(
            out,
            "Does not stand by other seeds (found {}, bound {}): {}",
            percent(finding.found),
            percent(finding.below),
            lines.join("\n")
        )?;
    }
    if findings.standing.is_empty() {
        writeln!(out, "Nothing was found that stands by other seeds.")?;
    }
    Ok(())
}
