//! `skywave rank`: compositions over paths, best first.

use std::io::{self, Write};
use std::path::PathBuf;

use skywave_lab::report::{caution, remove_file, write_file};
use skywave_lab::scenario::Scenario;
use skywave_papers::rank::{self, Study};

use crate::failure::Failure;
use crate::keep::Keep;
use crate::partition::Csv;
use crate::{output, several};

/// Rank compositions of detection, congestion, recovery and timeout over paths.
///
/// A study is a TOML file that names paths (scenario files), compositions (products of slot members,
/// and all published presets), mechanisms and what is proposed; docs/compositions.md describes it. Without a file
/// the built-in study of the papers' paths is run. Prints goodput as a share of the best on each
/// path, fairness to competing flows and delay; leaves ranking.html, ranking.svg and ranking.parquet in
/// runs/NAME/, and each path's scenario below that. What finished is kept, as by `run`.
///
/// Where the paths of a study belong to families, it asks where a sender fails: shares of the best over many
/// paths by mean, geometric mean, tenth percentile and worst, in all, by group and by family, and ranking.svg is
/// a curve a sender (docs/robustness.md).
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    skywave rank                               # the papers' paths, some minutes\n  \
    skywave rank my-study.toml --rows 10\n  \
    skywave rank experiments/robust/study.toml # 208 paths that bring senders down, a minute\n  \
    skywave rank --json | jq '[.composition, .lossy_share.mean]'\n\n\
    Each line of --json is a composition, best first: study, place, composition, published, proposed,\n\
    base, lossy_share, clean_share (share of the best goodput, mean over paths), mean_rank, wins,\n\
    losses, delay, beside {competitor: {taken, left, jain}}, paths {name: {goodput_bps, share, rank,\n\
    gain, over_base, timeouts, retransmits, beats_published, delay, beside}}. Measured numbers are\n\
    {mean, ci95}. Of a study of families: study, place, composition, published, proposed, all, groups\n\
    {name}, families {name}, each of these {share, channel, delay, resent, left}, where share, channel\n\
    and left are {paths, mean, geometric_mean, p10, worst, below_80}; worst [{path, share}], paths\n\
    {name: {family, group, goodput_bps, share, channel, delay, resent, left}}.")]
pub(crate) struct Args {
    /// Studies (TOML); the built-in one unless given.
    studies: Vec<PathBuf>,

    /// Compositions in the tables; the files have all.
    #[arg(long, value_name = "N", default_value_t = 30)]
    rows: usize,

    /// Print one JSON object a composition instead of the tables.
    #[arg(long)]
    json: bool,

    /// Print the tables of mechanisms beside what they change, or of families, as Markdown.
    #[arg(long, conflicts_with = "json")]
    markdown: bool,

    #[command(flatten)]
    csv: Csv,

    #[command(flatten)]
    keep: Keep,
}

pub(crate) fn main(args: &Args) -> Result<(), Failure> {
    if args.studies.is_empty() {
        return one(args, &rank::builtin()?, "skywave rank");
    }
    // A mistake in the last file should not cost the runs of the first.
    let studies = args.studies.iter().map(|path| rank::load(path));
    let studies: Vec<Study> = studies.collect::<Result<_, _>>()?;
    for (study, path) in studies.iter().zip(&args.studies) {
        one(args, study, &format!("skywave rank {}", path.display()))?;
    }
    Ok(())
}

fn one(args: &Args, study: &Study, command: &str) -> Result<(), Failure> {
    let dir = args.keep.out.join(&study.name);
    let results = several::simulate(&study.name, &study.scenarios, &args.keep, &dir)?;
    let ranked = rank::evaluate(study, &results);
    for scenario in &study.scenarios {
        let path = dir.join(scenario.name()).join("scenario.toml");
        output::write(&path, scenario.text())?;
    }
    let page = dir.join("ranking.html");
    output::write(&page, &rank::html(study, &ranked, command)?)?;
    let picture = dir.join("ranking.svg");
    output::write(&picture, &rank::picture(study, &ranked))?;
    let data = dir.join("ranking.parquet");
    write_file(&data, |out| rank::write_ranking(out, study, &ranked))?;
    let csv = dir.join("ranking.csv");
    if args.csv.is_wanted {
        write_file(&csv, |out| rank::write_ranking_csv(out, study, &ranked))?;
    } else {
        // One of a run before may be of other results.
        remove_file(&csv)?;
    }

    let mut out = io::stdout().lock();
    if args.json {
        write!(out, "{}", rank::json_lines(study, &ranked))?;
        return Ok(());
    }
    if args.markdown {
        let tables = rank::markdown(study, &ranked);
        if tables.is_empty() {
            // A terminal that is gone is no reason to fail.
            let _ = writeln!(
                io::stderr(),
                "{} has neither mechanisms nor families, and --markdown prints the tables of these; without it the \
                 ranking is printed.",
                study.name
            );
        }
        write!(out, "{tables}")?;
        return Ok(());
    }
    let table = rank::table(study, &ranked, output::width(), args.rows);
    writeln!(out, "{table}")?;
    // No interval is shown of a study of families, whose many paths take the place of many seeds.
    let shown = study.scenarios.iter().filter(|_| !study.has_families());
    for scenario in shown {
        if let Some(warning) = results.get(scenario.name()).and_then(caution) {
            writeln!(out, "Path {}: {warning}\n", scenario.name())?;
        }
    }
    let mut traces: Vec<&PathBuf> = study.scenarios.iter().flat_map(Scenario::traces).collect();
    traces.sort();
    traces.dedup();
    for trace in traces {
        writeln!(out, "Trace:   {}", trace.display())?;
    }
    writeln!(out, "Ranking: {}", page.display())?;
    writeln!(out, "Picture: {}", picture.display())?;
    writeln!(out, "Data:    {}", data.display())?;
    if args.csv.is_wanted {
        writeln!(out, "CSV:     {}", csv.display())?;
    }
    Ok(())
}
