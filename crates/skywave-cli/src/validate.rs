//! `skywave validate`: our numbers beside those of other simulators.

use std::io::{self, Write};
use std::num::NonZeroU64;
use std::path::PathBuf;

use skywave_lab::experiment::{self, Design, Options, Results, simulate};
use skywave_papers::validate::live::{self, LiveError};
use skywave_papers::validate::{self, Judged, Line, Set, SetError};

use crate::failure::Failure;
use crate::interrupt;
use crate::keep::Keep;
use crate::names::Named;
use crate::output;
use crate::progress::Bar;

/// Compare with other simulators and Linux: our numbers, theirs, a verdict by one rule.
///
/// Simulates every point of the reference tables (made with ns-2.35, ns-3 and the Linux kernel) and
/// prints both, point by point. A row agrees when goodput is within 5% and timeouts and
/// retransmissions within 15% of the reference's mean (other tolerances of a set stand in its heading,
/// and in docs/validation.md), or the 95% intervals overlap. Fails when fewer rows of a set agree than
/// docs/validation.md requires.
/// With --live it runs ns-2 here, at every row of a set or (with --at) at a point of your choice.
/// A folder with a table of your own is a set too (docs/own-comparison.md).
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    skywave validate\n  \
    skywave validate --only cerl --seeds 5\n  \
    skywave validate --json | jq 'select(.agrees == false)'\n  \
    skywave validate --only ./my-table\n  \
    skywave validate --live --only ecn\n  \
    skywave validate --live --only cerl --at agent=Vegas q=0.03 Tp=120 --seeds 5\n  \
    skywave validate --live --only ecn --at ecn=1 flows=16 --seeds 5\n\n\
    Each line of --json has: set, row {column: value}, judged, agrees, within_tolerance, quantities\n\
    {name: {ours, ours_ci95, theirs, theirs_ci95, ratio, agrees, within_tolerance}} (an interval is\n\
    its half width; null for a single run). A last line for each set has: set, rows, seeds,\n\
    agreeing, by_tolerance, by_overlap (agree only because intervals overlap), required, passes.")]
pub(crate) struct Args {
    /// Only these sets: cerl, sifest, dcr, dcr-lockstep, ecn, witness, linux, ns3, modern, queues,
    /// kernel, shares, wifi, wifi-far, or folders with a set.toml.
    #[arg(long, value_name = "SET", value_delimiter = ',', hide_possible_values = true,
        value_parser = Named(validate::names))]
    only: Vec<String>,

    /// Replications of each point (of dcr 3 at most, of shares 5).
    #[arg(long, value_name = "N", default_value = "10")]
    seeds: NonZeroU64,

    /// Print one JSON object a row instead of tables.
    #[arg(long)]
    json: bool,

    /// Bring pages up to date: what stands in them between "<!-- validate all: sets -->" and "<!-- end -->" is replaced
    /// by a table of all sets.
    #[arg(long, value_name = "PAGE", num_args = 1.., conflicts_with_all = ["only", "live"])]
    markdown: Vec<PathBuf>,

    /// Run ns-2 here: at the rows of --only, or at the point of --at.
    #[arg(long, requires = "only")]
    live: bool,

    /// A point of the set: these columns have these values, the others those that its set.toml has for such a point.
    /// An unknown name is answered with those that there are; docs/validation.md#with-ns-2-here says what they mean.
    #[arg(long, value_name = "COLUMN=VALUE", num_args = 1.., requires = "live", value_parser = setting)]
    at: Vec<(String, String)>,

    #[command(flatten)]
    keep: Keep,
}

pub(crate) fn main(args: &Args) -> Result<(), Failure> {
    let mut sets = named(&args.only, args.seeds.get())?;
    if !args.at.is_empty() {
        let [set] = &sets[..] else {
            return Err(Failure::usage("--at: one set expected in --only"));
        };
        sets = vec![live::measure(set, &args.at, interrupt::flag())?];
    } else if args.live {
        let repeated = sets.iter().map(|set| live::repeat(set, interrupt::flag()));
        sets = repeated.collect::<Result<_, LiveError>>()?;
    }
    output::check_pages(&args.markdown, validate::VERB, |text| {
        validate::in_page(text, &[])
    })?;
    let mut summary = Vec::new();
    let mut missed = Vec::new();
    let mut lines = Vec::new();
    for set in &sets {
        warn_of_few_seeds(set);
        let results = simulate_all(args, set)?;
        let judged = set.judge(&results);
        print(args, &judged)?;
        summary.push(judged.summary());
        lines.push(Line::from(&judged));
        if !judged.passes() {
            missed.push(set.name.clone());
        }
    }
    if !args.json && sets.len() > 1 {
        writeln!(io::stdout(), "Summary\n{}", summary.join("\n"))?;
    }
    output::replace(&args.markdown, |text| validate::in_page(text, &lines))?;
    if missed.is_empty() {
        return Ok(());
    }
    let missed = missed.join(", ");
    Err(Failure::failed(format!("too few rows agree in {missed}")))
}

impl From<LiveError> for Failure {
    fn from(error: LiveError) -> Self {
        match error {
            LiveError::Set(SetError::Scenario(mistake)) => mistake.into(),
            LiveError::Set(_) | LiveError::NoSetting { .. } => Self::usage(error),
            LiveError::Interrupted => Self::interrupted(error),
            _ => Self::failed(error),
        }
    }
}

/// The sets asked for, or all built-in ones.
fn named(only: &[String], seeds: u64) -> Result<Vec<Set>, Failure> {
    let all = validate::names();
    let asked = only.iter().map(String::as_str);
    let names: Vec<&str> = if only.is_empty() {
        all
    } else {
        asked.collect()
    };
    let sets = names.into_iter().map(|name| Set::load(name, seeds));
    Ok(sets.collect::<Result<_, _>>()?)
}

/// A column and its value.
fn setting(text: &str) -> Result<(String, String), &'static str> {
    let (name, value) = text.split_once('=').ok_or("expected COLUMN=VALUE")?;
    Ok((name.to_owned(), value.to_owned()))
}

/// Replications below which overlapping intervals say little.
const FEW_SEEDS: usize = 5;

fn warn_of_few_seeds(set: &Set) {
    let seeds = set.seeds().len();
    if seeds < FEW_SEEDS {
        eprintln!(
            "skywave: warning: {}: with fewer than {FEW_SEEDS} seeds ({seeds} here) intervals are \
             wide, and that they overlap says little",
            set.name
        );
    }
}

fn print(args: &Args, judged: &Judged<'_>) -> io::Result<()> {
    let mut out = io::stdout().lock();
    if args.json {
        return write!(out, "{}", judged.to_json_lines());
    }
    writeln!(out, "{}", judged.table())
}

fn simulate_all(args: &Args, set: &Set) -> Result<Results, Failure> {
    let dir = args.keep.out.join("validate").join(&set.name);
    let bar = Bar::new(&set.name);
    let options = Options {
        dir: Some(&dir),
        fresh: args.keep.fresh,
        threads: args.keep.threads(),
        cancel: interrupt::flag(),
        progress: &|progress| bar.show(progress),
        doubts: &output::doubts,
        ..Options::default()
    };
    interrupt::complete(experiment::run(set, &options, simulate)?, &dir)
}
